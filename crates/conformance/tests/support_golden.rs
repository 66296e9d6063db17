//! Verdicts against what operator tests of PyTorch did on real devices: PrivateUse1 with sets of
//! kernels, and Meta (`docs/spec/support.md`, section 4).

use opatlas_dispatch::{Observed, ObservedRegistration};
use opatlas_pytorch::release::Release;
use opatlas_verdict::{Support, Verdict, View};
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;

use super::release_view::with_view;

/// Shares in tenths of a percent: decided tests and missing operators that must be right, and tests
/// that may be unknown.
const RIGHT: usize = 995;
const UNKNOWN: usize = 30;

/// Variants of a test may call the same operator with other arguments, so that one works and the
/// other lacks a kernel: `linalg.pinv` needs `_linalg_eigh` only if it is `hermitian`. One verdict
/// cannot be right for both.
const RIGHT_WITH_SVD: usize = 990;

/// The tests of a device, and the key and kernels that it has.
struct Device {
    name: String,
    key: &'static str,
    kernels: Vec<String>,
    tests: Vec<Value>,
}

impl Device {
    fn read(name: &str) -> Self {
        let file = format!("device_runs_{name}.jsonl.gz");
        let kernels = &opatlas_conformance::golden_head(&file)["recorded_by"]["kernels"];
        let kernels = kernels.as_array().map_or(&[][..], Vec::as_slice);
        Self {
            name: name.to_owned(),
            key: if name.ends_with("_meta") {
                "Meta"
            } else {
                "PrivateUse1"
            },
            kernels: texts(kernels).collect(),
            tests: opatlas_conformance::golden(&file),
        }
    }

    fn observed(&self) -> Observed {
        let rows = self.kernels.iter().map(|operator| ObservedRegistration {
            operator: operator.as_str().into(),
            key: self.key.into(),
            file: None,
            fallthrough: false,
            boxed: false,
        });
        Observed::new(rows.collect())
    }
}

fn texts(values: &[Value]) -> impl Iterator<Item = String> {
    values
        .iter()
        .filter_map(|value| Some(value.as_str()?.to_owned()))
}

/// How many are right, of how many.
#[derive(Debug, Default)]
struct Score {
    right: usize,
    /// Tests with a yes or no.
    all: usize,
    unknown: usize,
}

impl Score {
    fn add(&mut self, is_right: bool) {
        self.right += usize::from(is_right);
        self.all += 1;
    }

    fn is_at_least(&self, tenths: usize) -> bool {
        self.right * 1000 >= self.all * tenths
    }

    fn is_known(&self) -> bool {
        self.unknown * 1000 <= (self.all + self.unknown) * UNKNOWN
    }
}

/// What the tables say of the operators that a test calls; `None` for one that they do not have.
fn supports<'a>(view: View<'a>, key: &str, test: &Value) -> Vec<Option<Support>> {
    let slot = view.keys().slot(key).unwrap();
    let roots = texts(test["roots"].as_array().unwrap());
    let ids = roots.map(|root| view.inputs.catalogue.find(&root));
    ids.map(|id| Some(view.support(id?, slot))).collect()
}

/// Judges a test whose outcomes are all `ok`, or all `missing`; others are not judged.
fn judge(view: View<'_>, device: &Device, test: &Value, tests: &mut Score, leaves: &mut Score) {
    let results = test["results"].as_array().unwrap();
    let has = |kind: &str| results.iter().any(|result| result[0] == kind);
    let supports = supports(view, device.key, test);
    let is_only = |kind| results.iter().all(|result| result[0] == kind);
    if supports.is_empty() || !has("ok") && !has("missing") {
        return;
    }
    let verdicts = || supports.iter().flatten().map(|support| support.verdict);
    let is_unknown = verdicts().any(|verdict| verdict == Verdict::Unknown);
    if is_unknown && !verdicts().any(Verdict::lacks) && (is_only("ok") || is_only("missing")) {
        tests.unknown += 1;
    } else if is_only("ok") {
        let works = |support: &Option<Support>| support.as_ref().is_some_and(|s| s.verdict.works());
        tests.add(supports.iter().all(works));
    } else if is_only("missing") {
        let lacking: Vec<&Support> = supports
            .iter()
            .flatten()
            .filter(|s| s.verdict.lacks())
            .collect();
        let mut every = !lacking.is_empty();
        for leaf in results
            .iter()
            .map(|result| result[1].as_str().unwrap_or("None"))
        {
            let leaf = view
                .inputs
                .catalogue
                .find(leaf.trim_start_matches("aten::"));
            let is_named = lacking
                .iter()
                .any(|support| leaf.is_some_and(|leaf| support.needs.contains(&leaf)));
            leaves.add(is_named);
            every &= is_named;
        }
        tests.add(every);
    }
}

#[test]
fn verdicts_agree_with_devices() {
    let Some(bundle) = opatlas_conformance::release("2.9.0") else {
        return;
    };
    let devices = opatlas_conformance::recorded("device_runs");
    assert!(!devices.is_empty());
    for name in devices {
        let device = Device::read(&name);
        with_view(&bundle, Release::V2_9, &device.observed(), |view| {
            let (mut tests, mut leaves) = (Score::default(), Score::default());
            for test in &device.tests {
                judge(view, &device, test, &mut tests, &mut leaves);
            }
            println!("{}: tests {tests:?}, leaves {leaves:?}", device.name);
            let right = match device.name.ends_with("next_ten") {
                true => RIGHT_WITH_SVD,
                false => RIGHT,
            };
            assert!(tests.all > 300, "{}", device.name);
            assert!(tests.is_at_least(right), "{}: tests {tests:?}", device.name);
            assert!(tests.is_known(), "{}: tests {tests:?}", device.name);
            assert!(
                leaves.is_at_least(RIGHT),
                "{}: leaves {leaves:?}",
                device.name
            );
        });
    }
}

/// Of the branches of `reshape`, its own tests take only `view`, and `_reshape_alias` counts for the
/// operators whose tests take it.
#[test]
fn rare_calls_count_for_the_callers_that_make_them() {
    let Some(bundle) = opatlas_conformance::release("2.9.0") else {
        return;
    };
    with_view(&bundle, Release::V2_9, &Observed::default(), |view| {
        let find = |name| view.inputs.catalogue.find(name).unwrap();
        for name in [
            "reshape",
            "flatten.using_ints",
            "atleast_3d",
            "pixel_shuffle",
        ] {
            let support = view.bare_support(find(name));
            assert_eq!(support.verdict, Verdict::Decomposes, "{name}");
            assert!(support.needs.is_empty(), "{name}");
        }
        let alias = find("_reshape_alias");
        assert_eq!(view.bare_support(find("reshape")).rarely, [alias]);
        let inverse = view.bare_support(find("linalg_tensorinv"));
        assert!(inverse.needs.contains(&alias));
    });
}

/// A sparse tensor has a key of its own, so a kernel that returns one needs one that makes it there.
#[test]
fn a_sparse_result_needs_a_kernel_at_the_sparse_key() {
    let Some(bundle) = opatlas_conformance::release("2.9.0") else {
        return;
    };
    let maker = "_sparse_coo_tensor_with_dims_and_tensors";
    let dense = |operator: &str| ObservedRegistration {
        operator: operator.into(),
        key: "PrivateUse1".into(),
        file: None,
        fallthrough: false,
        boxed: operator == "_to_sparse.sparse_dim",
    };
    let mut rows = ["empty.memory_format", "_copy_from", "_to_sparse.sparse_dim"]
        .map(dense)
        .to_vec();
    let support = |view: View<'_>| {
        let find = |name| view.inputs.catalogue.find(name).unwrap();
        let slot = view.keys().slot("PrivateUse1").unwrap();
        let support = view.support(find("to_sparse.sparse_dim"), slot);
        (support.verdict, support.needs == [find(maker)])
    };
    with_view(
        &bundle,
        Release::V2_9,
        &Observed::new(rows.clone()),
        |view| {
            assert_eq!(support(view), (Verdict::Fails, true));
        },
    );
    rows.push(ObservedRegistration {
        key: "SparsePrivateUse1".into(),
        ..dense(maker)
    });
    with_view(&bundle, Release::V2_9, &Observed::new(rows), |view| {
        assert_eq!(support(view), (Verdict::Decomposes, false));
    });
}

/// Without dimensions, `all.dims` calls `all`; no sample of its test leaves them out.
#[test]
fn calls_without_optional_arguments_count() {
    let Some(bundle) = opatlas_conformance::release("2.9.0") else {
        return;
    };
    with_view(&bundle, Release::V2_9, &Observed::default(), |view| {
        let find = |name| view.inputs.catalogue.find(name).unwrap();
        for (name, needed) in [("all.dims", "all.all_out"), ("any.dims", "any.all_out")] {
            let support = view.bare_support(find(name));
            assert!(support.verdict.lacks(), "{name}");
            assert!(support.needs.contains(&find(needed)), "{name}");
        }
    });
}

/// What the tables call served is not what runs: the structured default of `add.Tensor` needs
/// `add.out` on a device without kernels of its own.
#[test]
fn a_bare_backend_needs_the_out_form_of_add() {
    let Some(bundle) = opatlas_conformance::release("2.9.0") else {
        return;
    };
    with_view(&bundle, Release::V2_9, &Observed::default(), |view| {
        let find = |name| view.inputs.catalogue.find(name).unwrap();
        let support = view.bare_support(find("add.Tensor"));
        assert_eq!(support.verdict, Verdict::Fails);
        assert_eq!(support.needs, [find("add.out")]);
        assert_eq!(support.through, [find("add.Tensor"), find("add.out")]);
        assert_eq!(
            view.bare_support(find("chunk")).verdict,
            Verdict::Decomposes
        );
        let item = view.bare_support(find("item"));
        assert_eq!(item.needs, [find("_local_scalar_dense")]);
        for key in ["PrivateUse1", "XLA", "HPU", "MTIA", "XPU", "Vulkan"] {
            let slot = view.keys().slot(key).unwrap();
            let verdict = view.verdict(find("add.Tensor"), slot);
            let own = if key == "MTIA" {
                Verdict::Runs
            } else {
                Verdict::Unknown
            };
            assert_eq!(verdict, own, "{key}");
        }
    });
}

/// Ten kernels that `gaps` advises, added to a real device, make the tests pass that they should.
#[test]
fn the_next_ten_kernels_help_as_promised() {
    let Some(bundle) = opatlas_conformance::release("2.9.0") else {
        return;
    };
    let before = Device::read("2.9.0_arithmetic");
    let after = Device::read("2.9.0_arithmetic_and_next_ten");
    let mut advised = Vec::new();
    let mut promised = FxHashSet::default();
    with_view(&bundle, Release::V2_9, &before.observed(), |view| {
        let operator = |id| view.inputs.catalogue.operator(id);
        let slot = view.keys().slot(before.key).unwrap();
        let weight = |id| u64::from(!operator(id).is_generated());
        let leverage = view.leverage(slot, 10, weight);
        let steps = leverage.steps.iter();
        let name = |id| operator(id).qualified_name().to_owned();
        advised.extend(steps.map(|step| name(step.operator)));
        let unlocked = leverage.steps.iter().flat_map(|step| &step.unlocks);
        promised.extend(unlocked.map(|id| name(*id)));
    });
    let mut given: Vec<String> = after.kernels.clone();
    given.retain(|kernel| !before.kernels.contains(kernel));
    advised.sort();
    assert_eq!(advised, given);

    let name = |test: &Value| format!("{} {}", test["opinfo"], test["variant"]);
    let old: FxHashMap<String, &Value> = before.tests.iter().map(|t| (name(t), t)).collect();
    let is_only = |test: &Value, kind: &str| {
        let mut results = test["results"].as_array().unwrap().iter();
        results.all(|result| result[0] == kind)
    };
    // Of the tests that lacked a kernel: those that pass now, and those that now lack nothing.
    let (mut gained, mut kept) = (Score::default(), Score::default());
    with_view(&bundle, Release::V2_9, &after.observed(), |view| {
        for test in &after.tests {
            let lacked = old
                .get(&name(test))
                .is_some_and(|old| is_only(old, "missing"));
            let mut roots = texts(test["roots"].as_array().unwrap());
            let is_promised = roots.any(|root| promised.contains(&root));
            let mut supports = supports(view, after.key, test).into_iter().flatten();
            let passes = is_only(test, "ok");
            let works = supports.all(|support| support.verdict.works());
            // An operator that works in some cases may pass, but is not promised.
            if lacked && passes && works {
                gained.add(is_promised);
            }
            if lacked && is_promised && works {
                kept.add(passes);
            }
        }
    });
    println!("passing: {gained:?}, promised: {kept:?}");
    assert!(gained.all > 25 && kept.all > 25);
    assert!(gained.is_at_least(970), "{gained:?}");
    assert!(kept.is_at_least(970), "{kept:?}");
}

/// Percentages of every key add up, in every release.
#[test]
fn parts_of_coverage_add_up() {
    let Some(bundle) = opatlas_conformance::release("2.9.0") else {
        return;
    };
    with_view(&bundle, Release::V2_9, &Observed::default(), |view| {
        for slot in view.keys().slots() {
            let coverage = view.coverage_of(slot);
            let parts: u32 = coverage.percent().into_iter().map(u32::from).sum();
            assert_eq!(parts, 100);
            assert_eq!(
                coverage.operators() as usize,
                view.inputs.catalogue.entry_of.len()
            );
        }
    });
}

/// The share of calls whose first missing kernel must be predicted, in tenths of a percent. The rest
/// takes branches that depend on its arguments, such as the mode of `pad`.
const FIRST: usize = 970;

/// On a device that runs nothing on the CPU, the kernel that a real call missed first is the predicted
/// one.
#[test]
fn the_kernel_that_a_call_misses_first_is_predicted() {
    let Some(bundle) = opatlas_conformance::release("2.9.0") else {
        return;
    };
    for name in [
        "2.9.0_bare",
        "2.9.0_arithmetic",
        "2.9.0_arithmetic_and_next_ten",
    ] {
        let device = Device::read(name);
        let mut score = Score::default();
        with_view(&bundle, Release::V2_9, &device.observed(), |view| {
            for test in &device.tests {
                if let Some((root, leaf)) = missing(test) {
                    score.add(is_predicted(view, device.key, root, leaf));
                }
            }
        });
        println!("{name}: {score:?}");
        assert!(
            score.all > 300 && score.is_at_least(FIRST),
            "{name}: {score:?}"
        );
    }
}

/// The only operator of a test and the only kernel that it missed.
fn missing(test: &Value) -> Option<(&str, &str)> {
    let ([root], [result]) = (&**test["roots"].as_array()?, &**test["results"].as_array()?) else {
        return None;
    };
    let leaf = result[1].as_str().filter(|_| result[0] == "missing")?;
    Some((root.as_str()?, leaf.trim_start_matches("aten::")))
}

fn is_predicted(view: View<'_>, key: &str, root: &str, leaf: &str) -> bool {
    let find = |name| view.inputs.catalogue.find(name);
    let slot = view.keys().slot(key).unwrap();
    let first = find(root).and_then(|root| view.first_missing(slot, [root]));
    first.is_some_and(|first| first.missing == find(leaf))
}
