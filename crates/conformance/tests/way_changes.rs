//! Changes of fate between revisions: on every way, the fates differ, and nothing else is reported.

use std::sync::Arc;

use opatlas_diff::rules::{Audience, Group, Level};
use opatlas_diff::{Change, Revision, compare};
use opatlas_dispatch::Observed;
use opatlas_pytorch::release::Release;
use opatlas_source::{Bundle, NATIVE_FUNCTIONS};
use opatlas_verdict::View;
use opatlas_verdict::ways::Way;

use super::release_view::with_view;

fn of(view: View<'_>) -> Revision<'_> {
    Revision {
        catalogue: view.inputs.catalogue,
        view: Some(view),
    }
}

fn of_ways(base: View<'_>, head: View<'_>) -> Vec<Arc<Change>> {
    let changes = compare(of(base), of(head)).changes.into_iter();
    let is_of_way = |change: &Arc<Change>| {
        change.rule.group == Group::Way && change.rule.id.as_str().starts_with("way-")
    };
    changes.filter(is_of_way).collect()
}

/// Each operator of a change had the old fate and has the new one.
fn is_true(change: &Change, base: View<'_>, head: View<'_>) {
    let way = Way::parse(&change.subject.names()[0]).unwrap();
    let text = |view: View<'_>, name: &str| {
        let id = view.inputs.catalogue.find_qualified(name).unwrap();
        view.fate(id, way).unwrap().as_str()
    };
    for name in [&change.operator].into_iter().chain(&change.also) {
        let (was, is) = (text(base, name), text(head, name));
        assert_ne!(was, is, "{name} {way}");
        assert_eq!(was, &*change.old.as_ref().unwrap().text, "{name} {way}");
        assert_eq!(is, &*change.new.as_ref().unwrap().text, "{name} {way}");
        assert!(!(was == "unknown" || is == "unknown"), "{name} {way}");
    }
}

#[test]
fn changes_between_releases_are_changes_of_fate() {
    let versions = [
        "2.0.1", "2.1.2", "2.2.2", "2.3.1", "2.4.1", "2.5.1", "2.6.0", "2.7.1", "2.8.0", "2.9.0",
        "2.10.0", "2.11.0", "2.12.1", "2.13.0", "2.14.1", "2.15.0",
    ];
    let mut changed = 0;
    for step in versions.windows(2) {
        let [Some(base), Some(head)] = [0, 1].map(|at| opatlas_conformance::release(step[at]))
        else {
            return;
        };
        let releases = [0, 1].map(|at| Release::parse(step[at]).unwrap().release);
        with_view(&base, releases[0], &Observed::default(), |base| {
            with_view(&head, releases[1], &Observed::default(), |head| {
                let changes = of_ways(base, head);
                changed += changes.len();
                for change in &changes {
                    is_true(change, base, head);
                }
                assert!(changes.len() <= 40, "{step:?}: {}", changes.len());
            });
        });
    }
    assert!(changed > 100, "{changed}");
}

#[test]
fn nothing_changes_between_equal_revisions() {
    let Some(bundle) = opatlas_conformance::release("2.15.0") else {
        return;
    };
    with_view(&bundle, Release::V2_15, &Observed::default(), |view| {
        with_view(&bundle, Release::V2_15, &Observed::default(), |other| {
            assert!(of_ways(view, other).is_empty());
        });
    });
}

/// The changes of fate by the way, with their level, between two lists of entries under 2.15.
fn check(old: &str, new: &str, expected: &[(&str, &str, Level)]) -> Vec<Arc<Change>> {
    let bundle = |text: &str| {
        let mut bundle = Bundle::default();
        bundle.insert(NATIVE_FUNCTIONS, text.as_bytes().to_vec());
        bundle
    };
    let observed = Observed::default();
    with_view(&bundle(old), Release::V2_15, &observed, |base| {
        with_view(&bundle(new), Release::V2_15, &observed, |head| {
            let changes = of_ways(base, head);
            for change in &changes {
                is_true(change, base, head);
            }
            let found: Vec<_> = changes
                .iter()
                .map(|change| {
                    let text = opatlas_report::changes::message(change).to_string();
                    (change.rule.id.as_str(), text, change.level)
                })
                .collect();
            let found: Vec<_> = found
                .iter()
                .map(|(id, text, level)| (*id, &**text, *level))
                .collect();
            assert_eq!(found, expected);
            changes
        })
    })
}

const BLEND: &str =
    "- func: blend(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    CPU: blend_cpu\n";

#[test]
fn a_lost_meta_kernel_breaks_compilers_and_export() {
    let old = format!("{BLEND}    Meta: blend_meta\n");
    let text = "Meta device: from `kernel` to `none` (no Meta kernel: tensors on the meta device and \
                export fail; fake tensors run the real kernel)";
    let changes = check(&old, BLEND, &[("way-lost", text, Level::Breaking)]);
    let breaks = changes[0].impacts.breaks;
    assert!(breaks.contains(Audience::Compiler) && breaks.contains(Audience::Export));
}

#[test]
fn a_gained_meta_kernel_is_information() {
    let new = format!("{BLEND}    Meta: blend_meta\n");
    let text = "Meta device: from `none` to `kernel` (it has a kernel at `Meta`)";
    check(BLEND, &new, &[("way-gained", text, Level::Info)]);
}

#[test]
fn a_composite_serves_the_meta_device_by_other_means() {
    let old = format!("{BLEND}    Meta: blend_meta\n");
    let new = BLEND.replace("CPU: blend_cpu", "CompositeExplicitAutograd: blend");
    let text = "Meta device: from `kernel` to `decomposes` (the operators that it calls compute the \
                shapes)";
    check(&old, &new, &[("way-changed", text, Level::Info)]);
}

#[test]
fn a_mutable_operator_needs_its_functional_form() {
    let blend = "- func: blend_(Tensor(a!) self, Tensor other) -> Tensor(a!)\n  dispatch:\n    CPU: blend_cpu\n";
    let old = format!("{blend}  autogen: blend, blend.out\n");
    let text = "Functionalization: from `generated` to `raises` (it writes to an argument and has no \
                kernel at `Functionalize`: give it a functional form, or `autogen` one)";
    let changes = check(&old, blend, &[("way-lost", text, Level::Breaking)]);
    let impacts = changes[0].impacts;
    assert!(impacts.breaks.contains(Audience::Compiler));
}

#[test]
fn a_new_operator_lacks_what_its_entry_does_not_give() {
    let lacks = |text: &str| {
        let mut bundle = Bundle::default();
        bundle.insert(NATIVE_FUNCTIONS, text.as_bytes().to_vec());
        with_view(&bundle, Release::V2_15, &Observed::default(), |view| {
            let id = view.inputs.catalogue.find_qualified("blend").unwrap();
            view.lacks(id)
        })
    };
    let of_kernel = [
        "no Meta kernel: the meta device and export need one",
        "no batching rule: vmap loops",
        "no lowering: Inductor calls the eager kernel",
    ];
    assert_eq!(lacks(BLEND), of_kernel);
    let core = format!("{BLEND}    Meta: blend_meta\n  tags: core\n");
    let of_core = [
        "no batching rule: vmap loops",
        "no lowering or decomposition, which an operator tagged core must have",
    ];
    assert_eq!(lacks(&core), of_core);
    let composite = "- func: blend(Tensor self, Tensor other) -> Tensor\n";
    assert_eq!(lacks(composite), ["no batching rule: vmap loops"]);
}
