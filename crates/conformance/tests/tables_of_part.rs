//! A table made of a part of a revision is that of the whole revision: entries, verdicts and what they need,
//! what works for training, explanations, and what would be with other registrations. Over the releases, and
//! over revisions with a few entries or formulas changed.

use std::collections::BTreeMap;

use opatlas_dispatch::support::{Around, Walk};
use opatlas_dispatch::{Build, Source, Support, View, Wanted};
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::kin::kin;
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::release::Release;
use opatlas_source::Stop;

use crate::revised::{Edited, Read};

/// All that a table says of an operator.
fn said(view: View<'_>, id: OperatorId) -> String {
    let catalogue = view.inputs.catalogue;
    let name = |id: &OperatorId| catalogue.operator(*id).qualified_name();
    let support = |support: &Support| {
        let needs: Vec<_> = support.needs.iter().map(name).collect();
        let through: Vec<_> = support.through.iter().map(name).collect();
        let Support {
            verdict, unclaimed, ..
        } = support;
        format!("{verdict} {needs:?} {through:?} {unclaimed:?}")
    };
    let mut said = format!("{} {}\n", name(&id), support(&view.bare_support(id)));
    // What a search leaves behind is nothing to the next one.
    let mut walk = Walk::default();
    for entry in view.table(id) {
        let slot = entry.slot;
        let (verdict, training) = (view.support_of(id, &entry), view.training(id, slot));
        said += &format!("{entry:?} {} {training:?}\n", support(&verdict));
        let kept = view.support_with(id, slot, &mut walk);
        assert_eq!(support(&verdict), support(&kept));
    }
    let slots = view.keys().slots();
    let explained: Vec<_> = slots
        .step_by(7)
        .map(|slot| view.explain(id, slot))
        .collect();
    let what_if = view
        .what_if(
            id,
            &[Wanted::at("XPU")],
            &["CPU", "CompositeImplicitAutograd"],
        )
        .unwrap();
    said += &format!("{explained:?} {what_if:?}");
    said
}

/// Compares the tables of all operators of every `step`th kin.
fn compare(whole: &Read, step: usize, of: (&Build, Source)) {
    let release = whole.catalogue.release;
    let tables = whole.tables_of(of);
    let view = View::new(whole.inputs(), &tables);
    let mut kinds: BTreeMap<String, Vec<OperatorId>> = BTreeMap::new();
    for (id, operator) in whole.catalogue.iter() {
        let kin = kin(operator.name().base()).into_owned();
        kinds.entry(kin).or_default().push(id);
    }
    for ids in kinds.into_values().step_by(step) {
        let base = whole.catalogue.operator(ids[0]).name().base();
        let around = Around::new(base, release);
        let part = Catalogue::read_part(
            &whole.bundle,
            release,
            &|base| around.has(base),
            &Stop::never(),
        );
        let part = whole.with(part.unwrap().unwrap());
        assert!(around.is_enough(&part.catalogue));
        let tables = part.tables_of(of);
        let view_of_part = View::new(part.inputs(), &tables);
        for id in ids {
            let name = whole.catalogue.operator(id).qualified_name();
            let found = part.catalogue.find_qualified(name);
            let found = found.unwrap_or_else(|| panic!("{name} of {release} is missing"));
            if whole.catalogue.find_qualified(name) != Some(id) {
                // A further entry of the same name.
                continue;
            }
            let (expected, got) = (said(view, id), said(view_of_part, found));
            assert_eq!(got, expected, "{name} of {release}");
        }
    }
}

#[test]
fn releases() {
    for (at, version) in opatlas_conformance::versions().into_iter().enumerate() {
        let Some(bundle) = opatlas_conformance::release(version) else {
            return;
        };
        let release = Release::from_label(version).unwrap().release;
        let whole = Read::new(bundle, release, None);
        compare(&whole, STEP + at % 5, (&Build::ALL, Source::Everything));
        let build = Build::parse("linux-cuda", release).unwrap();
        compare(&whole, 4 * STEP + at % 7, (&build, Source::Files));
    }
}

#[test]
fn commits() {
    for (version, seed) in [("2.0.0", 4), ("2.7.0", 5), ("2.15.0", 6)] {
        let Some(bundle) = opatlas_conformance::release(version) else {
            return;
        };
        let release = Release::from_label(version).unwrap().release;
        let mut edited = Edited::new(bundle, seed);
        for at in 0..6 {
            let whole = Read::new(edited.next(), release, None);
            compare(&whole, STEP + at, (&Build::ALL, Source::Everything));
        }
    }
}

/// Of how many kins one is compared.
const STEP: usize = 40;
