//! Training in a small revision of our own.

use opatlas_dispatch::Source;
use opatlas_pytorch::keys::Keys;
use opatlas_pytorch::release::Release;
use opatlas_verdict::training::Detail;
use opatlas_verdict::{Through, Verdict, View, Works};

use super::dispatch_revision::{FORMULAS, Small, small};

#[test]
fn training_answers() {
    let answer = |formulas, operator: &str, key: &str| {
        let small = Small::new(Release::V2_9, formulas);
        let tables = small.tables("linux-cuda", Source::Files);
        let view = View::new(small.inputs(), &tables);
        let slot = view.keys().slot(key).unwrap();
        let answer = view.training(small.id(operator), slot).unwrap();
        (
            answer.training.inference,
            answer.training.works,
            answer.training.through,
            answer.training.detail,
        )
    };
    let formulas = Some(FORMULAS);
    let (yes, no) = (Works::Yes, Works::No);
    let unknown = (Verdict::Unknown, Works::Unknown, Through::Composite, None);
    for (operator, key, expected) in [
        (
            "blend",
            "CPU",
            (Verdict::Runs, yes, Through::OwnFormula, None),
        ),
        (
            "blend",
            "SparseCUDA",
            (Verdict::Fails, no, Through::Error, Some(Detail::NoKernel)),
        ),
        (
            "blend.out",
            "CPU",
            (Verdict::Runs, no, Through::Error, Some(Detail::OutVariant)),
        ),
        ("mix", "CUDA", unknown),
        ("mix", "NestedTensorCPU", unknown),
        (
            "abs",
            "CPU",
            (Verdict::Runs, no, Through::Error, Some(Detail::NoFormula)),
        ),
        (
            "abs",
            "MPS",
            (Verdict::Fails, no, Through::Error, Some(Detail::NoKernel)),
        ),
        (
            "peek",
            "CPU",
            (
                Verdict::Unknown,
                Works::NotDifferentiable,
                Through::NotDifferentiable,
                Some(Detail::NoGradient),
            ),
        ),
    ] {
        assert_eq!(
            answer(formulas, operator, key),
            expected,
            "{operator} {key}"
        );
    }
    let unknown = (Verdict::Runs, Works::Unknown, Through::Unknown, None);
    assert_eq!(answer(None, "blend", "CPU"), unknown);
    let keys = Keys::of(Release::V2_9);
    let small = small();
    let tables = small.tables("all", Source::Files);
    let view = View::new(small.inputs(), &tables);
    for name in ["Undefined", "Tracer", "AutogradCPU"] {
        assert!(
            view.training(small.id("mix"), keys.slot(name).unwrap())
                .is_none(),
            "{name}"
        );
    }
}
