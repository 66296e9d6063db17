//! Training and `vmap` against what operator tests of PyTorch 2.9.0 did on CPU
//! (`docs/spec/support.md`, sections 6 and 7).

use std::collections::BTreeMap;

use opatlas_dispatch::{Observed, ObservedRegistration};
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::release::Release;
use opatlas_verdict::training::{Detail, Works};
use opatlas_verdict::{Answer, Verdict, View};
use serde_json::Value;

use super::release_view;

/// Decided answers that must be right, and unknown ones that there may be, in tenths of a percent.
const RIGHT: usize = 995;
const UNKNOWN: usize = 30;

/// Answers by whether they are right.
#[derive(Debug, Default)]
struct Score {
    right: usize,
    unknown: usize,
    wrong: BTreeMap<String, usize>,
}

impl Score {
    fn check(&self) {
        let wrong: usize = self.wrong.values().sum();
        let decided = self.right + wrong;
        let all = decided + self.unknown;
        assert!(all > 900, "only {all} tests were judged");
        assert!(
            self.right * 1000 >= decided * RIGHT && self.unknown * 1000 <= all * UNKNOWN,
            "{} right, {} unknown, wrong: {:#?}",
            self.right,
            self.unknown,
            self.wrong
        );
    }
}

pub(crate) fn with_view(observed: &Observed, then: impl FnOnce(View<'_>)) {
    if let Some(bundle) = opatlas_conformance::release("2.9.0") {
        release_view::with_view(&bundle, Release::V2_9, observed, then);
    }
}

/// The operator that decides a test: the one that it blames, or its only one. An operator among several
/// may have been called on tensors that are not batched.
fn decisive(view: View<'_>, test: &Value) -> Option<OperatorId> {
    match test["blame"].as_str() {
        Some(blamed) => view.inputs.catalogue.find(blamed),
        None => match *operators(view, test)? {
            [only] => Some(only),
            _ => None,
        },
    }
}

/// The operators of a test.
fn operators(view: View<'_>, test: &Value) -> Option<Vec<OperatorId>> {
    let names = test["ops"].as_array()?.iter().filter_map(Value::as_str);
    names.map(|name| view.inputs.catalogue.find(name)).collect()
}

#[test]
fn training_agrees_with_cpu() {
    with_view(&Observed::default(), |view| {
        let cpu = view.keys().slot("CPU").unwrap();
        let sparse = view.keys().slot("SparseCsrCPU").unwrap();
        let mut score = Score::default();
        for test in opatlas_conformance::golden("train_runs_2.9.0.jsonl.gz") {
            let Some(&[id]) = operators(view, &test).as_deref() else {
                continue;
            };
            let operator = view.inputs.catalogue.operator(id);
            // Samples of random in-place operators have no input that requires a gradient.
            if operator.has_tag("nondeterministic_seeded") && operator.name().base().ends_with('_')
            {
                continue;
            }
            let arguments = operator.schema().arguments.all();
            if !arguments
                .iter()
                .any(|argument| argument.ty.is_tensor_like())
            {
                continue;
            }
            // Samples of operators on sparse tensors have those.
            let takes_sparse = view.verdict(id, cpu) == Verdict::Fails;
            let slot = if takes_sparse { sparse } else { cpu };
            let works = view.trains(id, slot).unwrap().works;
            let outputs = test["outputs"].as_array().unwrap();
            if !outputs.iter().any(|output| output[0] == true) && works == Works::Yes {
                // The sample requests a dtype without gradients.
                continue;
            }
            let expected = test["verdict"].as_str().unwrap();
            let is_right = match expected {
                "trains" => matches!(works, Works::Yes | Works::Partly),
                "no-graph" => matches!(works, Works::No | Works::NotDifferentiable),
                "not-implemented" => matches!(works, Works::No | Works::Partly),
                _ => continue,
            };
            if works == Works::Unknown {
                score.unknown += 1;
            } else if is_right {
                score.right += 1;
            } else {
                let name = view.inputs.catalogue.operator(id).qualified_name();
                let row = format!("{name}: {expected}, not {}", works.as_str());
                *score.wrong.entry(row).or_default() += 1;
            }
        }
        score.check();
    });
}

/// A backward runs on the backend of the forward, so `relu` trains only with a kernel of
/// `threshold_backward`.
#[test]
fn the_backward_must_work_on_the_backend() {
    let forward = [
        "empty.memory_format",
        "empty_strided",
        "clamp_min.out",
        "relu",
    ];
    let device = |more: &[&str]| {
        let rows = forward
            .iter()
            .chain(more)
            .map(|operator| ObservedRegistration {
                operator: (*operator).into(),
                key: "PrivateUse1".into(),
                file: None,
                fallthrough: false,
                boxed: false,
            });
        Observed::new(rows.collect())
    };
    let trains = |view: View<'_>, name| {
        let device = view.keys().slot("PrivateUse1").unwrap();
        let id = view.inputs.catalogue.find(name).unwrap();
        view.trains(id, device).unwrap()
    };
    let backward = "threshold_backward.grad_input";
    with_view(&device(&[]), |view| {
        let relu = trains(view, "relu");
        assert_eq!(relu.works, Works::No);
        assert_eq!(relu.detail, Some(Detail::BackwardFails));
        let needed = view.inputs.catalogue.find(backward).unwrap();
        assert!(relu.needs.contains(&needed));
    });
    with_view(&device(&[backward, "_copy_from_and_resize"]), |view| {
        let relu = trains(view, "relu");
        assert!(matches!(relu.works, Works::Yes | Works::Partly));
        assert!(relu.needs.is_empty());
    });
}

#[test]
fn vmap_agrees_with_cpu() {
    with_view(&Observed::default(), |view| {
        let vmap = view.keys().slot("FuncTorchBatched").unwrap();
        let mut score = Score::default();
        for test in opatlas_conformance::golden("vmap_runs_2.9.0.jsonl.gz") {
            let Some(id) = decisive(view, &test) else {
                continue;
            };
            let answer = Answer::from(view.verdict(id, vmap));
            let expected = test["verdict"].as_str().unwrap();
            let is_right = match expected {
                "runs" | "falls-back" => answer == Answer::Yes,
                "raises" => matches!(answer, Answer::No | Answer::Partly),
                _ => continue,
            };
            if answer == Answer::Unknown {
                score.unknown += 1;
            } else if is_right {
                score.right += 1;
            } else {
                let row = format!("{} {}: {expected}", test["op"], test["ops"]);
                *score.wrong.entry(row).or_default() += 1;
            }
        }
        score.check();
    });
}
