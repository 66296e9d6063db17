//! The keys of every release against what real runtimes say: names, order, alias sets, backends
//! behind autograd keys, fallbacks, names that cannot be parsed (every measured release).

use std::collections::{BTreeMap, BTreeSet};

use opatlas_pytorch::alias::Alias;
use opatlas_pytorch::key_set::KeySet;
use opatlas_pytorch::keys::{Key, Keys, NotRegistrable};
use opatlas_pytorch::release::Release;
use serde::Deserialize;

#[derive(Deserialize)]
struct Row {
    release: String,
    runtime_keys: Vec<String>,
    backends: Vec<String>,
    alias_includes: BTreeMap<String, BTreeSet<String>>,
    autograd_to_backend_keys: BTreeMap<String, BTreeSet<String>>,
    autogradother_backends: BTreeSet<String>,
    fallbacks: BTreeMap<String, (String, bool)>,
    unparseable: BTreeSet<String>,
}

fn rows() -> Vec<(Row, &'static Keys)> {
    let rows = opatlas_conformance::golden_as::<Row>("dispatch_keys.jsonl.gz").into_iter();
    rows.map(|row| {
        let release = Release::parse(&row.release).unwrap().release;
        (row, Keys::of(release))
    })
    .collect()
}

fn names(keys: &Keys, set: KeySet) -> BTreeSet<String> {
    set.iter()
        .map(|slot| keys.name(Key::Runtime(slot)).to_owned())
        .collect()
}

#[test]
fn all_measured_releases_are_there() {
    let recorded: Vec<_> = rows().into_iter().map(|(row, _)| row.release).collect();
    let measured = Release::all().flat_map(|release| release.data().measured);
    assert!(recorded.iter().eq(measured.into_iter()), "{recorded:?}");
    assert!(recorded.len() >= 17);
}

#[test]
fn names_and_order_are_those_of_the_runtime() {
    for (row, keys) in rows() {
        let ours: Vec<_> = keys
            .slots()
            .map(|slot| keys.name(Key::Runtime(slot)))
            .collect();
        assert_eq!(ours, row.runtime_keys, "{}", row.release);
        for (slot, name) in keys.slots().zip(&row.runtime_keys) {
            assert_eq!(keys.lookup(name), Some(Key::Runtime(slot)));
            let backend = keys.backend(slot);
            assert!(
                backend.is_none_or(|b| name.ends_with(b) && row.backends.iter().any(|r| r == b))
            );
        }
    }
}

#[test]
fn aliases_reach_what_they_reach_in_the_runtime() {
    for (row, keys) in rows() {
        assert_eq!(row.alias_includes.len(), Alias::ALL.len());
        for alias in Alias::ALL {
            let ours = names(keys, keys.reach(alias));
            assert_eq!(
                ours,
                row.alias_includes[alias.name()],
                "{} {alias}",
                row.release
            );
            assert_eq!(keys.registrable(alias.name()), Ok(Key::Alias(alias)));
        }
    }
}

#[test]
fn autograd_keys_stand_for_their_backends() {
    for (row, keys) in rows() {
        for slot in keys.slots() {
            let name = keys.name(Key::Runtime(slot));
            let theirs = row
                .autograd_to_backend_keys
                .get(name)
                .cloned()
                .unwrap_or_default();
            let ours = names(keys, keys.backends_of_autograd(slot));
            assert_eq!(ours, theirs, "{} {name}", row.release);
        }
        let other = keys.slot("AutogradOther").unwrap();
        let ours = names(keys, keys.backends_of_autograd(other));
        assert_eq!(ours, row.autogradother_backends, "{}", row.release);
    }
}

#[test]
fn fallbacks_are_those_of_the_runtime() {
    for (row, keys) in rows() {
        let ours: BTreeMap<_, _> = keys
            .fallbacks()
            .iter()
            .map(|slot| {
                let passes = keys.fallthrough_fallbacks().contains(slot);
                let file = keys.fallback_file(slot).unwrap().to_owned();
                (keys.name(Key::Runtime(slot)).to_owned(), (file, passes))
            })
            .collect();
        assert_eq!(ours, row.fallbacks, "{}", row.release);
    }
}

#[test]
fn names_that_cannot_be_parsed_are_refused() {
    for (row, keys) in rows() {
        for slot in keys.slots() {
            let name = keys.name(Key::Runtime(slot));
            let expected = match name {
                "Undefined" => Err(NotRegistrable::Undefined),
                _ if row.unparseable.contains(name) => Err(NotRegistrable::Unparseable(slot)),
                _ => Ok(Key::Runtime(slot)),
            };
            assert_eq!(keys.registrable(name), expected, "{} {name}", row.release);
        }
        for name in ["cpu", "", "CPU ", "CatchAll", "NPU"] {
            assert_eq!(
                keys.registrable(name),
                Err(NotRegistrable::Unknown),
                "{name}"
            );
        }
        for name in ["Dense", "Sparse", "AutogradFunctionality"] {
            assert_eq!(
                keys.registrable(name),
                Err(NotRegistrable::Functionality),
                "{name}"
            );
        }
    }
}
