//! A catalogue that shares entries with an earlier revision equals one that is read on its own: over
//! the releases, and over commits that change a few entries or formulas each.

use opatlas_operators::catalogue::Catalogue;
use opatlas_pytorch::release::Release;
use opatlas_source::Bundle;

use crate::revised::Edited;

/// Reads a revision after an earlier one and on its own.
fn step(former: &Catalogue, bundle: &Bundle) -> Catalogue {
    let after = Catalogue::read(bundle, former.release, Some(former));
    let alone = Catalogue::read(bundle, former.release, None);
    let shown = |catalogue: &Catalogue| format!("{:?} {:?}", catalogue.operators, catalogue.faults);
    assert!(shown(&after) == shown(&alone), "operators differ");
    for (id, operator) in alone.iter() {
        let name = operator.name().as_str();
        assert_eq!(after.find(name), alone.find(name));
        assert_eq!(after.groups.of(id), alone.groups.of(id), "{name}");
    }
    after
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
        step(&Catalogue::read(&older, Release::LATEST, None), &newer);
    }
}

#[test]
fn commits() {
    for (version, seed) in [("2.0.0", 1), ("2.9.0", 2), ("2.15.0", 3)] {
        let Some(bundle) = opatlas_conformance::release(version) else {
            return;
        };
        let release = Release::from_label(version).unwrap().release;
        let mut former = Catalogue::read(&bundle, release, None);
        let mut edited = Edited::new(bundle, seed);
        for _ in 0..12 {
            former = step(&former, &edited.next());
        }
    }
}
