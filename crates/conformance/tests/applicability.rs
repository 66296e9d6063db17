//! Which operators backends do without, over all releases, and what the backends of PyTorch lack of
//! the rest (`docs/spec/support.md`, section 10).

use std::collections::BTreeMap;
use std::fmt::Write as _;

use opatlas_dispatch::{Observed, Precedence, autograd_key};
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::Library;
use opatlas_pytorch::key_set::Slot;
use opatlas_pytorch::keys::Key;
use opatlas_pytorch::release::Release;
use opatlas_verdict::{Support, Verdict, View};

use super::release_view::with_view;

/// The least share of applicable operators that work, in percent.
const WORKING: u32 = 97;

/// Kernels on Meta that only raise.
const RAISE_ON_META: [&str; 3] = ["_local_scalar_dense", "nonzero", "nonzero.out"];

fn with_release(version: &str, then: impl FnOnce(View<'_>)) {
    let Some(bundle) = opatlas_conformance::release(version) else {
        return;
    };
    let has = |release: &Release| release.data().patches.contains(&version);
    let release = Release::all().find(has).unwrap();
    with_view(&bundle, release, &Observed::default(), then);
}

fn backends(view: View<'_>) -> impl Iterator<Item = Slot> {
    let keys = view.keys();
    keys.slots()
        .filter(move |&slot| autograd_key(keys, slot).is_some())
}

#[test]
fn each_library_has_operators_and_none_with_a_kernel_where_it_is_not_needed() {
    let mut matched = vec![false; Library::all().len()];
    for version in opatlas_conformance::versions() {
        with_release(version, |view| {
            for slot in backends(view) {
                for (id, operator) in view.inputs.catalogue.iter() {
                    let Some(library) = view.applicability(id, slot).library() else {
                        continue;
                    };
                    let at = Library::all()
                        .iter()
                        .position(|one| std::ptr::eq(one, library));
                    matched[at.unwrap()] = true;
                    let name = operator.qualified_name();
                    let key = view.keys().name(Key::Runtime(slot));
                    let rule = view.tables.pattern(id).unwrap().rule(slot);
                    let has_kernel = rule == Precedence::Direct && !RAISE_ON_META.contains(&name);
                    assert!(!has_kernel, "{version}: {name} has a kernel on {key}");
                    assert_eq!(
                        view.verdict(id, slot),
                        Verdict::Fails,
                        "{version}: {name} on {key}"
                    );
                }
            }
        });
    }
    let unmatched = Library::all()
        .iter()
        .zip(&matched)
        .filter(|(_, is_matched)| !**is_matched);
    let unmatched: Vec<_> = unmatched.map(|(library, _)| library).collect();
    let has_releases = matched.contains(&true);
    assert!(
        !has_releases || unmatched.is_empty(),
        "no operator of {unmatched:?}"
    );
}

#[test]
fn applicable_operators_and_others_add_up() {
    for version in opatlas_conformance::versions() {
        with_release(version, |view| {
            let declared = view.inputs.catalogue.entry_of.len();
            for slot in view.keys().slots() {
                let coverage = view.coverage_of(slot);
                assert_eq!(coverage.applicable() + coverage.other, coverage.operators());
                assert_eq!(coverage.operators() as usize, declared);
            }
        });
    }
}

#[test]
fn backends_of_pytorch_have_what_applies_to_them() {
    with_release("2.15.0", |view| {
        for key in ["CPU", "CUDA", "Meta"] {
            let slot = view.keys().slot(key).unwrap();
            let coverage = view.coverage_of(slot);
            assert!(
                coverage.working() * 100 >= coverage.applicable() * WORKING,
                "{key}: {coverage:?}"
            );
            insta::assert_snapshot!(format!("applicable_on_{key}"), report(view, slot, key));
        }
    });
}

#[test]
fn composites_do_without_what_pytorch_calls_on_other_backends_only() {
    with_release("2.15.0", |view| {
        let verdict = |operator: &str, key: &str| {
            let id = view.inputs.catalogue.find(operator).unwrap();
            view.verdict(id, view.keys().slot(key).unwrap())
        };
        for operator in ["lstm_cell", "gru_cell"] {
            assert_eq!(verdict(operator, "MPS"), Verdict::Decomposes, "{operator}");
        }
        // Its kernel on Meta raises.
        assert_eq!(verdict("item", "Meta"), Verdict::Fails);
    });
}

/// Before 2.9, MPS has no kernel of `native_dropout`, and dropout does not call it there.
#[test]
fn dropout_works_on_mps_without_its_fused_kernel() {
    for version in opatlas_conformance::versions() {
        with_release(version, |view| {
            let slot = view.keys().slot("MPS").unwrap();
            let find = |operator: &str| view.inputs.catalogue.find(operator);
            let (fused, dropout) = (find("native_dropout").unwrap(), find("dropout").unwrap());
            let is_before = view.keys().release() < Release::V2_9;
            assert_eq!(view.verdict(fused, slot) == Verdict::Fails, is_before);
            assert!(view.verdict(dropout, slot).works(), "{version}");
            let trains = |slot| view.trains(dropout, slot).unwrap().works;
            let cpu = view.keys().slot("CPU").unwrap();
            assert_eq!(trains(slot), trains(cpu), "{version}");
            for attention in [
                "_scaled_dot_product_attention_math",
                "scaled_dot_product_attention",
            ] {
                if let Some(id) = find(attention) {
                    assert!(view.verdict(id, slot).works(), "{version}: {attention}");
                }
            }
        });
    }
}

/// The counts, and the reason for each declared operator that fails or is unknown.
fn report(view: View<'_>, slot: Slot, key: &str) -> String {
    let coverage = view.coverage_of(slot);
    let mut out = format!(
        "{key}: {} of {} applicable operators work, {} are unknown; {} belong to other backends\n",
        coverage.working(),
        coverage.applicable(),
        coverage.declared[Verdict::Unknown as usize],
        coverage.other,
    );
    let mut groups: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let declared = view.inputs.catalogue.iter();
    for (id, operator) in declared.filter(|(_, operator)| !operator.is_generated()) {
        let support = view.support(id, slot);
        if !support.verdict.works() {
            let names = groups.entry(group(view, id, slot, &support)).or_default();
            names.push(operator.qualified_name());
        }
    }
    for (group, names) in groups {
        let _ = writeln!(out, "\n{group}");
        for name in names {
            let _ = writeln!(out, "  {name}");
        }
    }
    out
}

/// Why an operator does not work.
fn group(view: View<'_>, id: OperatorId, slot: Slot, support: &Support) -> String {
    if let Some(library) = view.applicability(id, slot).library() {
        return format!("belongs to {}: {}", library.name, library.reason);
    }
    let verdict = support.verdict;
    let needs: Vec<_> = view.needed(support).collect();
    match (support.because, &*needs) {
        (Some(because), _) => format!("{verdict}: {}", because.as_str()),
        (None, [own]) if *own == view.inputs.catalogue.operator(id).qualified_name() => {
            let registered = view.tables.pattern(id).unwrap().registered.runtime;
            let on = |slot: &Slot| autograd_key(view.keys(), *slot).is_some();
            let keys = registered.iter().filter(on);
            let keys: Vec<_> = keys
                .map(|slot| view.keys().name(Key::Runtime(slot)))
                .collect();
            format!(
                "{verdict}: no kernel; there are kernels on {}",
                keys.join(", ")
            )
        }
        (None, needs) => format!("{verdict}: needs {}", needs.join(", ")),
    }
}
