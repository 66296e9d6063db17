//! Backends that lost or gained operators: a kernel is told once, with the operators that call it.

use std::sync::Arc;

use opatlas_diff::change::Subject;
use opatlas_diff::{Comparison, Revision, compare};
use opatlas_dispatch::Source;
use opatlas_pytorch::release::Release;
use opatlas_service::Snapshot;
use opatlas_service::compare::Compared;
use opatlas_source::{Bundle, Stop};

const BEFORE: &str = "\
- func: empty.memory_format(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor
  dispatch:
    CPU: empty_cpu
    CUDA: empty_cuda
- func: blend(Tensor self, Tensor w) -> Tensor
  structured_delegate: blend.out
- func: blend_(Tensor(a!) self, Tensor w) -> Tensor(a!)
  structured_delegate: blend.out
- func: blend.out(Tensor self, Tensor w, *, Tensor(a!) out) -> Tensor(a!)
  structured: True
  dispatch:
    CPU: blend_cpu
    CUDA: blend_cuda
";

fn read(text: &str) -> Snapshot {
    let bundle = Bundle::of_native_functions(text.as_bytes());
    Snapshot::read(bundle, Release::LATEST, None)
}

fn between(old: &str, new: &str) -> Comparison {
    let (old, new) = (read(old), read(new));
    compare(of(&old), of(&new))
}

fn of(snapshot: &Snapshot) -> Revision<'_> {
    Revision {
        catalogue: &snapshot.catalogue,
        view: Some(snapshot.view()),
    }
}

/// `operator (also)` of each change of a rule.
fn told(comparison: &Comparison, rule: &str) -> Vec<String> {
    let changes = comparison.changes.iter();
    let of_rule = changes.filter(|change| change.rule.id == rule);
    let mut told: Vec<String> = of_rule
        .map(|change| format!("{} ({})", change.operator, change.also.join(" ")))
        .collect();
    told.sort();
    told
}

#[test]
fn a_lost_kernel_is_told_once() {
    let without = BEFORE.replace("    CUDA: blend_cuda\n", "");
    let lost = between(BEFORE, &without);
    assert_eq!(
        told(&lost, "backend-support-lost"),
        ["blend.out (blend blend_)"]
    );
    let gained = between(&without, BEFORE);
    assert_eq!(
        told(&gained, "backend-support-gained"),
        ["blend.out (blend blend_)"]
    );
}

#[test]
fn a_kernel_with_unknown_calls_does_not_work_for_certain() {
    let composite = "- func: mix(Tensor self) -> Tensor\n  dispatch:\n    CPU: mix_cpu\n    CompositeExplicitAutograd: mix\n";
    let [without, with] = [
        composite.replace("    CompositeExplicitAutograd: mix\n", ""),
        composite.to_owned(),
    ]
    .map(|entry| format!("{BEFORE}{entry}"));
    let message = |old: &str, new: &str, rule: &str| {
        let changes = between(old, new).changes;
        let change = changes.iter().find(|change| change.rule.id == rule);
        opatlas_report::changes::message::message(change.unwrap()).to_string()
    };
    let gained = message(&without, &with, "backend-support-gained");
    assert!(gained.starts_with("a kernel now serves it on "), "{gained}");
    assert!(
        gained.ends_with(" (whether it works there is unknown)"),
        "{gained}"
    );
    let lost = message(&with, &without, "backend-support-lost");
    assert!(lost.starts_with("nothing serves it any more on "), "{lost}");
    assert!(
        lost.ends_with(" (whether it worked there is unknown)"),
        "{lost}"
    );
}

/// Every key of a gain or a loss has another verdict, and nobody gains what was unknown.
#[test]
fn support_changes_only_with_the_verdict() {
    let read = |version: &&str| {
        let bundle = opatlas_conformance::release(version)?;
        let release = Release::parse(version).unwrap().release;
        Some(Snapshot::read(bundle, release, None))
    };
    let snapshots: Vec<Snapshot> = opatlas_conformance::versions()
        .iter()
        .filter_map(read)
        .collect();
    let mut seen = 0;
    for pair in snapshots.windows(2) {
        let (base, head) = (of(&pair[0]), of(&pair[1]));
        for change in &compare(base, head).changes {
            let is_gain = change.rule.id == "backend-support-gained";
            if !is_gain && change.rule.id != "backend-support-lost" {
                continue;
            }
            let verdict = |side: &Revision<'_>, operator: &str, key: &str| {
                let view = side.view.unwrap();
                let id = side.catalogue.find_qualified(operator).unwrap();
                view.verdict(id, view.keys().slot(key).unwrap())
            };
            let Subject::Keys(keys) = &change.subject else {
                panic!("{change:?}");
            };
            for key in keys.iter() {
                let at = |side| verdict(side, &change.operator, key.as_str());
                let (before, after) = (at(&base), at(&head));
                let is_right = match is_gain {
                    true => before.lacks() && !after.lacks(),
                    false => !before.lacks() && after.lacks(),
                };
                let operator = &change.operator;
                assert!(
                    is_right,
                    "{operator} on {}: {before}, {after}",
                    key.as_str()
                );
                seen += 1;
            }
        }
    }
    assert!(seen > 100 || snapshots.is_empty(), "only {seen} were seen");
}

/// A release whose file was edited is not known as well as one as published. What is left out because of that
/// must not look lost.
#[test]
fn an_edited_release_loses_nothing() {
    let Some(bundle) = opatlas_conformance::release("2.15.0") else {
        return;
    };
    let mut edited = bundle.clone();
    let mut text = bundle.file("native_functions.yaml").unwrap().to_vec();
    text.extend_from_slice(b"# A comment.\n");
    edited.insert("native_functions.yaml", text);
    let read = |bundle, label: &str| {
        let release = Release::parse(label).unwrap().release;
        Arc::new(Snapshot::read(bundle, release, None))
    };
    let base = opatlas_conformance::release("2.14.1").unwrap();
    let (base, head) = (read(base, "2.14"), read(edited, "2.15"));
    let compared = Compared::new(base, head, &Stop::new()).unwrap();
    assert_eq!(compared.source, Source::Files);
    for rule in ["backend-support-lost", "autograd-support-lost"] {
        assert_eq!(told(&compared.comparison, rule), [""; 0]);
    }
}
