//! Properties of verdicts, over samples of the operators of a real release: what a kernel, a removed
//! operator or an unreadable entry may change.

use std::collections::{BTreeMap, BTreeSet};

use opatlas_dispatch::{Observed, ObservedRegistration};
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::release::Release;
use opatlas_source::{Bundle, NATIVE_FUNCTIONS};
use opatlas_verdict::{Support, Verdict, View};

use super::release_view::with_view;

const RELEASE: &str = "2.9.0";
const DEVICE: [&str; 12] = [
    "_copy_from",
    "_local_scalar_dense",
    "abs.out",
    "add.out",
    "as_strided",
    "empty.memory_format",
    "empty_strided",
    "fill_.Scalar",
    "mm.out",
    "mul.out",
    "resize_",
    "view",
];
const KEY: &str = "PrivateUse1";

/// Evenly spread members of a list, beginning at a seed.
fn sample<T: Copy>(all: &[T], most: usize, seed: usize) -> Vec<T> {
    let step = (all.len() / most).max(1);
    let begin = seed % step;
    all.iter().skip(begin).step_by(step).copied().collect()
}

fn device(more: Option<&str>) -> Observed {
    let kernels = DEVICE.into_iter().chain(more);
    let rows = kernels.map(|operator| ObservedRegistration {
        operator: operator.into(),
        key: KEY.into(),
        file: None,
        fallthrough: false,
        boxed: false,
    });
    Observed::new(rows.collect())
}

/// The support of every operator on the device.
fn supports(view: View<'_>) -> Vec<Support> {
    let slot = view.keys().slot(KEY).unwrap();
    let ids = view.inputs.catalogue.iter();
    ids.map(|(id, _)| view.support(id, slot)).collect()
}

/// A kernel changes the verdicts of the operators that needed it, or what it needed, and of no others.
#[test]
fn a_kernel_changes_only_operators_that_reach_it() {
    let Some(bundle) = opatlas_conformance::release(RELEASE) else {
        return;
    };
    let (before, names) = with_view(&bundle, Release::V2_9, &device(None), |view| {
        let operators = view.inputs.catalogue.iter();
        let names = operators.map(|(_, operator)| operator.qualified_name().to_owned());
        (supports(view), names.collect::<Vec<_>>())
    });
    let ids: Vec<usize> = (0..names.len()).collect();
    let mut changed = 0;
    for added in sample(&ids, 24, 7) {
        let after = with_view(
            &bundle,
            Release::V2_9,
            &device(Some(&names[added])),
            supports,
        );
        let id = OperatorId::of_index(added);
        let own = &before[added];
        let reached: BTreeSet<OperatorId> = [&own.needs[..], &own.rarely, &[id]]
            .concat()
            .into_iter()
            .collect();
        for (index, (was, is)) in before.iter().zip(&after).enumerate() {
            if was.verdict == is.verdict || index == added {
                continue;
            }
            changed += 1;
            assert!(
                was.needs.iter().any(|leaf| reached.contains(leaf)),
                "a kernel of {} changed {}: {} became {}",
                names[added],
                names[index],
                was.verdict,
                is.verdict
            );
            assert!(
                !was.verdict.works(),
                "{} lost {}",
                names[added],
                names[index]
            );
        }
    }
    assert!(changed > 0);
}

/// The verdicts of all operators on these keys, by name and key.
type Verdicts = BTreeMap<(String, &'static str), Verdict>;

fn verdicts(bundle: &Bundle) -> Verdicts {
    with_view(bundle, Release::V2_9, &device(None), |view| {
        let mut found = Verdicts::new();
        for key in ["CPU", "CUDA", "SparseCPU", KEY] {
            let slot = view.keys().slot(key).unwrap();
            for (id, operator) in view.inputs.catalogue.iter() {
                let name = operator.qualified_name().to_owned();
                found.insert((name, key), view.verdict(id, slot));
            }
        }
        found
    })
}

/// Whether a verdict became one that works. What fails may become `partly`: if an operator of the same
/// name remains, it is unknown whether that takes the calls.
fn is_better(was: Verdict, is: Verdict) -> bool {
    is.works() && !was.works()
}

/// Changes sampled entries, one at a time, and asserts that no verdict gets better.
fn nothing_gets_better(change: impl Fn(&str) -> String) {
    let Some(bundle) = opatlas_conformance::release(RELEASE) else {
        return;
    };
    let text = std::str::from_utf8(bundle.file(NATIVE_FUNCTIONS).unwrap()).unwrap();
    let starts: Vec<usize> = text
        .match_indices("\n- func: ")
        .map(|(at, _)| at + 1)
        .collect();
    let called = [
        "_softmax(",
        "count_nonzero.dim_IntList(",
        "add.out(",
        "copy_(",
        "reshape(",
    ];
    let mut chosen = sample(&starts, 8, 11);
    chosen.extend(called.map(|name| text.find(&format!("\n- func: {name}")).unwrap() + 1));
    // Once changed, the file no longer counts as the recorded release.
    let mut base = bundle.clone();
    base.insert(
        NATIVE_FUNCTIONS,
        [text, "\n# changed\n"].concat().into_bytes(),
    );
    let before = verdicts(&base);
    let mut worse = 0;
    for at in chosen {
        let end = starts.iter().find(|&&start| start > at);
        let end = end.copied().unwrap_or(text.len());
        let changed = [&text[..at], &change(&text[at..end]), &text[end..]].concat();
        let mut head = bundle.clone();
        head.insert(NATIVE_FUNCTIONS, changed.into_bytes());
        let entry = text[at..end].lines().next().unwrap();
        for (place, is) in verdicts(&head) {
            if let Some(&was) = before.get(&place) {
                worse += usize::from(was.works() && !is.works());
                assert!(!is_better(was, is), "{entry}: {place:?}: {was} became {is}");
            }
        }
    }
    assert!(worse > 100);
}

#[test]
fn removing_an_operator_improves_no_verdict() {
    nothing_gets_better(|_| String::new());
}

#[test]
fn an_entry_that_cannot_be_read_improves_no_verdict() {
    nothing_gets_better(|entry| entry.replacen('(', "((\"", 1));
}
