//! What a revision takes over from the one before changes nothing: operators, registrations, tables and
//! verdicts are those of a revision that is read on its own. Over the releases, and over commits that change
//! a few entries or formulas each.

use opatlas_dispatch::autograd_key;
use opatlas_pytorch::release::Release;
use opatlas_source::Bundle;
use opatlas_verdict::{Tables, View};

use crate::revised::{Edited, Read};

/// Reads a revision after a former one and on its own.
fn step(former: &Read, before: &Tables, bundle: &Bundle) -> (Read, Tables) {
    let release = former.catalogue.release;
    let after = Read::new(bundle.clone(), release, Some(former));
    let alone = Read::new(bundle.clone(), release, None);
    let said = |read: &Read| {
        let all = &read.catalogue.operators;
        format!("{all:?} {:?}", read.catalogue.faults)
    };
    assert!(said(&after) == said(&alone), "operators differ");
    for (id, operator) in alone.catalogue.iter() {
        let name = operator.name().as_str();
        assert_eq!(after.catalogue.find(name), alone.catalogue.find(name));
        let groups = (after.catalogue.groups.of(id), alone.catalogue.groups.of(id));
        assert_eq!(groups.0, groups.1, "{name}");
    }
    let tables = after.tables_after(former, before);
    let tables_alone = alone.tables();
    assert!(
        format!("{tables:?}") == format!("{tables_alone:?}"),
        "tables differ"
    );
    let (view, view_alone) = (
        View::new(after.inputs(), &tables),
        View::new(alone.inputs(), &tables_alone),
    );
    view.support_after(View::new(former.inputs(), before));
    for slot in view.keys().slots() {
        if autograd_key(view.keys(), slot).is_none() {
            continue;
        }
        assert_eq!(view.coverage_of(slot), view_alone.coverage_of(slot));
        for (id, operator) in alone.catalogue.iter() {
            let verdicts = (view.verdict(id, slot), view_alone.verdict(id, slot));
            assert_eq!(verdicts.0, verdicts.1, "{}", operator.name());
        }
    }
    (after, tables)
}

#[test]
fn releases() {
    for pair in opatlas_conformance::versions().windows(2) {
        let bundles = (
            opatlas_conformance::release(pair[0]),
            opatlas_conformance::release(pair[1]),
        );
        let (Some(older), Some(newer)) = bundles else {
            return;
        };
        let former = Read::new(older, Release::LATEST, None);
        step(&former, &former.tables(), &newer);
    }
}

#[test]
fn commits() {
    for (version, seed) in [("2.0.0", 1), ("2.9.0", 2), ("2.15.0", 3)] {
        let Some(bundle) = opatlas_conformance::release(version) else {
            return;
        };
        let release = Release::from_label(version).unwrap().release;
        let mut former = Read::new(bundle.clone(), release, None);
        let mut tables = former.tables();
        let mut edited = Edited::new(bundle, seed);
        for _ in 0..12 {
            let bundle = edited.next();
            (former, tables) = step(&former, &tables, &bundle);
        }
    }
}
