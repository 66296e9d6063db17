//! What a revision takes over from the one before changes nothing: operators, registrations, tables and
//! verdicts are those of a revision that is read on its own. Over the releases, and over commits that change
//! a few entries or formulas each.

mod common;

use opatlas_dispatch::known::provenance;
use opatlas_dispatch::registrations::Inputs;
use opatlas_dispatch::training::autograd_key;
use opatlas_dispatch::{Build, Observed, RevisionTables, Source, View};
use opatlas_operators::catalogue::Catalogue;
use opatlas_pytorch::release::Release;
use opatlas_source::{Bundle, DERIVATIVES, InTurn, NATIVE_FUNCTIONS, Stop};

struct Read {
    bundle: Bundle,
    catalogue: Catalogue,
    observed: Observed,
}

impl Read {
    fn new(bundle: Bundle, release: Release, former: Option<&Self>) -> Self {
        let catalogue = Catalogue::read(&bundle, release, former.map(|it| &it.catalogue));
        Self {
            bundle,
            catalogue,
            observed: Observed::default(),
        }
    }

    fn inputs(&self) -> Inputs<'_> {
        Inputs {
            catalogue: &self.catalogue,
            derivatives: self.catalogue.derivatives.as_deref(),
            matches: &self.catalogue.derivative_matches,
            backends: &self.catalogue.backends,
            observed: &self.observed,
            provenance: provenance(&self.bundle, self.catalogue.release),
        }
    }

    fn tables(&self) -> RevisionTables {
        RevisionTables::new(self.inputs(), &Build::ALL, Source::Everything)
    }

    /// The tables after a former revision whose tables are `before`.
    fn tables_after(&self, former: &Self, before: &RevisionTables) -> RevisionTables {
        let former = View::new(former.inputs(), before);
        RevisionTables::after(former, self.inputs(), &Stop::never()).unwrap()
    }
}

/// Reads a revision after a former one and on its own.
fn step(former: &Read, before: &RevisionTables, bundle: &Bundle) -> (Read, RevisionTables) {
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
    for pair in common::versions().windows(2) {
        let bundles = (common::release(pair[0]), common::release(pair[1]));
        let (Some(older), Some(newer)) = bundles else {
            return;
        };
        let former = Read::new(older, Release::LATEST, None);
        step(&former, &former.tables(), &newer);
    }
}

/// Two revisions that are read at the same time are those that are read one after the other, under one release
/// and under two.
#[test]
fn two_at_once() {
    for pair in common::versions().windows(2) {
        let bundles = (common::release(pair[0]), common::release(pair[1]));
        let (Some(older), Some(newer)) = bundles else {
            return;
        };
        let own = pair.iter().map(|version| Release::from_label(version));
        let own: Vec<Release> = own.map(|release| release.unwrap().release).collect();
        for releases in [[own[0], own[1]], [Release::LATEST; 2]] {
            let (one, other) = ((&older, releases[0]), (&newer, releases[1]));
            let both = Catalogue::read_two(one, other, &InTurn, &Stop::never()).unwrap();
            let alone =
                [one, other].map(|(bundle, release)| Catalogue::read(bundle, release, None));
            let said = |read: &Catalogue| {
                let parts = (&read.native_functions.diagnostics, &read.faults);
                let formulas = (&read.derivatives, &read.derivative_matches);
                format!(
                    "{:?} {parts:?} {formulas:?} {:?}",
                    read.operators, read.groups
                )
            };
            assert!(said(&both.0) == said(&alone[0]), "{} differs", pair[0]);
            assert!(said(&both.1) == said(&alone[1]), "{} differs", pair[1]);
        }
    }
}

/// Numbers that look random and are the same each time.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = self.0.wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }
}

/// A file cut before every item.
fn items(text: &str, begin: &str) -> Vec<String> {
    let mut starts: Vec<usize> = text.match_indices(begin).map(|(at, _)| at).collect();
    starts.insert(0, 0);
    starts.push(text.len());
    let cut = starts
        .windows(2)
        .map(|part| text[part[0]..part[1]].to_owned());
    cut.collect()
}

/// Changes one entry, the order of entries, or which there are.
fn edit(entries: &mut Vec<String>, chance: &mut Chance, count: usize) {
    let at = 1 + chance.below(entries.len() - 1);
    let other = 1 + chance.below(entries.len() - 1);
    let replace = |entry: &str, from: &str, to: &str| entry.replacen(from, to, 1);
    let entry = &entries[at];
    match chance.below(11) {
        0 => drop(entries.remove(at)),
        1 => entries.swap(at, other),
        2 => entries.push(format!(
            "- func: new_{count}(Tensor self) -> Tensor\n  dispatch:\n    CPU: new\n  autogen: new_{count}.out\n"
        )),
        3 => entries[at] = replace(entry, "    CPU", "    XPU: other\n    CPU"),
        4 => entries[at] = replace(entry, "CompositeExplicitAutograd", "CompositeImplicitAutograd"),
        5 => entries[at] = replace(entry, "structured: True", "structured: False"),
        6 => entries[at] = replace(entry, "Tensor(a)", "Tensor"),
        7 => entries[at] = replace(entry, ") ->", ", int added=0) ->"),
        8 => entries[at] = replace(entry, "  autogen:", "  tags: core\n  autogen:"),
        9 => entries.insert(other, entry.clone()),
        _ => entries[at] = replace(entry, "  dispatch:", "  manual_kernel_registration: True\n  dispatch:"),
    }
}

#[test]
fn commits() {
    for (version, seed) in [("2.0.0", 1), ("2.9.0", 2), ("2.15.0", 3)] {
        let Some(bundle) = common::release(version) else {
            return;
        };
        let text = |name| {
            let bytes = bundle.file(name);
            bytes.map_or("", |bytes| str::from_utf8(bytes).unwrap())
        };
        let mut entries = items(text(NATIVE_FUNCTIONS), "\n- func: ");
        let mut formulas = items(text(DERIVATIVES), "\n- name: ");
        let mut chance = Chance(seed);
        let release = Release::from_label(version).unwrap().release;
        let mut former = Read::new(bundle.clone(), release, None);
        let mut tables = former.tables();
        for count in 0..12 {
            for _ in 0..=chance.below(8) {
                edit(&mut entries, &mut chance, count);
            }
            if count % 3 == 0 && formulas.len() > 2 {
                formulas.remove(1 + chance.below(formulas.len() - 1));
            }
            let mut bundle = bundle.clone();
            bundle.insert(NATIVE_FUNCTIONS, entries.concat().into_bytes());
            if bundle.file(DERIVATIVES).is_some() {
                bundle.insert(DERIVATIVES, formulas.concat().into_bytes());
            }
            (former, tables) = step(&former, &tables, &bundle);
        }
    }
}
