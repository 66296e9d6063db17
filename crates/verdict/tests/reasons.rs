//! Why an operator fails, works in part, or is unknown, on small files of our own.

use opatlas_dispatch::registrations::Inputs;
use opatlas_dispatch::{Build, Observed, ObservedRegistration, Provenance, Source};
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::derivative_match::DerivativeMatches;
use opatlas_operators::derivatives::Derivatives;
use opatlas_pytorch::release::Release;
use opatlas_source::Bundle;
use opatlas_verdict::training::{Training, Works};
use opatlas_verdict::{Because, Support, Tables, Verdict, View};

/// What every file of PyTorch declares.
const ALLOCATOR: &str = "\
- func: empty.memory_format(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor
  dispatch:
    CPU: empty_cpu
    CUDA: empty_cuda
";
const SOFTMAX: &str = "\
- func: softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor
";
const PART: &str = "\
- func: _softmax(Tensor self, int dim, bool half_to_float) -> Tensor
  dispatch:
    CPU: softmax_cpu
";

/// Operators, formulas, and what a process has besides.
#[derive(Default)]
struct Given<'a> {
    operators: &'a str,
    formulas: &'a str,
    observed: &'a [(&'a str, &'a str)],
    build: &'a str,
}

impl Given<'_> {
    fn ask<T>(&self, question: impl FnOnce(View<'_>) -> T) -> T {
        let bundle = Bundle::of_native_functions(self.operators.as_bytes());
        let catalogue = Catalogue::read(&bundle, Release::V2_9, None);
        let derivatives = Derivatives::read(self.formulas.as_bytes());
        let matches = DerivativeMatches::new(&catalogue, Some(&derivatives));
        let rows = self
            .observed
            .iter()
            .map(|(operator, key)| ObservedRegistration {
                operator: (*operator).into(),
                key: (*key).into(),
                file: None,
                fallthrough: false,
                boxed: false,
            });
        let observed = Observed::new(rows.collect());
        let inputs = Inputs {
            catalogue: &catalogue,
            derivatives: Some(&derivatives),
            matches: &matches,
            backends: &[],
            observed: &observed,
            provenance: Provenance::Assumed,
        };
        let build = match self.build {
            "" => Build::ALL,
            name => Build::parse(name, Release::V2_9).unwrap(),
        };
        let tables = Tables::new(inputs, &build, Source::Everything);
        question(View::new(inputs, &tables))
    }

    fn support(&self, operator: &str, key: &str) -> Support {
        self.ask(|view| {
            let id = view.inputs.catalogue.find(operator).unwrap();
            view.support(id, view.keys().slot(key).unwrap())
        })
    }

    fn training(&self, operator: &str, key: &str) -> Training {
        self.ask(|view| {
            let id = view.inputs.catalogue.find(operator).unwrap();
            view.trains(id, view.keys().slot(key).unwrap()).unwrap()
        })
    }

    fn answer(&self, operator: &str, key: &str) -> (Verdict, Option<Because>) {
        let support = self.support(operator, key);
        (support.verdict, support.because)
    }
}

fn of(operators: &str) -> Given<'_> {
    Given {
        operators,
        ..Given::default()
    }
}

#[test]
fn a_caller_of_a_removed_operator_fails() {
    let whole = [ALLOCATOR, SOFTMAX, PART].concat();
    let before = of(&whole).support("softmax.int", "CPU");
    // Some of its calls are of operators that this file leaves out, too.
    assert_eq!(before.verdict, Verdict::Partly);
    assert!(!before.undeclared.contains(&"_softmax"));
    let removed = [ALLOCATOR, SOFTMAX].concat();
    let after = of(&removed).support("softmax.int", "CPU");
    assert_eq!(after.verdict, Verdict::Fails);
    assert!(after.undeclared.contains(&"_softmax"));
    assert!(after.needs.is_empty());
}

#[test]
fn a_caller_is_unknown_if_the_file_may_be_incomplete() {
    let unknown = (Verdict::Unknown, Some(Because::CallsUndeclared));
    assert_eq!(of(SOFTMAX).answer("softmax.int", "CPU"), unknown);
    let unread = [
        ALLOCATOR,
        SOFTMAX,
        "- func: _softmax(Tensor self, -> Tensor\n",
    ]
    .concat();
    assert_eq!(of(&unread).answer("softmax.int", "CPU"), unknown);
}

#[test]
fn nothing_is_lost_on_a_backend_of_pytorch_without_its_allocator() {
    let given = of("- func: f(Tensor self) -> Tensor\n  dispatch:\n    CUDA: f\n");
    assert_eq!(given.answer("f", "CUDA"), (Verdict::Runs, None));
    assert_eq!(given.support("f", "CPU").verdict, Verdict::Fails);
    let unmeasured = of("- func: f(Tensor self) -> Tensor\n");
    let unknown = (Verdict::Unknown, Some(Because::Unmeasured));
    assert_eq!(unmeasured.answer("f", "CUDA"), unknown);
}

#[test]
fn a_build_leaves_backends_out() {
    let operators = [ALLOCATOR, SOFTMAX, PART].concat();
    let given = Given {
        build: "macos",
        ..of(&operators)
    };
    let left_out = (Verdict::Fails, Some(Because::LeftOut));
    assert_eq!(given.answer("_softmax", "CUDA"), left_out);
    assert_eq!(given.answer("softmax.int", "CUDA"), left_out);
    assert_eq!(given.answer("_softmax", "CPU"), (Verdict::Runs, None));
}

#[test]
fn kernels_registered_by_hand_are_unknown() {
    let given = of("- func: f(Tensor self) -> Tensor\n  manual_kernel_registration: True\n");
    let unknown = (Verdict::Unknown, Some(Because::RegisteredByHand));
    assert_eq!(given.answer("f", "CPU"), unknown);
}

#[test]
fn a_call_without_a_key_reaches_no_backend() {
    let fails = (Verdict::Fails, Some(Because::NothingToDispatchOn));
    for arguments in [
        "int n",
        "Device? device=None",
        "Generator? generator=None",
        "int[] n",
    ] {
        let text = format!("- func: f({arguments}) -> Tensor\n  dispatch:\n    CPU: f\n");
        assert_eq!(of(&text).answer("f", "CPU"), fails, "{arguments}");
    }
    for arguments in [
        "Tensor? x",
        "Tensor[] x",
        "*, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None",
    ] {
        let text = format!("- func: f({arguments}) -> Tensor\n  dispatch:\n    CPU: f\n");
        assert_eq!(
            of(&text).answer("f", "CPU"),
            (Verdict::Runs, None),
            "{arguments}"
        );
    }
}

#[test]
fn a_backend_that_overrides_a_composite_works_in_inference_mode_only() {
    let given = Given {
        operators: SOFTMAX,
        observed: &[("softmax.int", "PrivateUse1")],
        ..Given::default()
    };
    let partly = (Verdict::Partly, Some(Because::InferenceModeOnly));
    assert_eq!(given.answer("softmax.int", "PrivateUse1"), partly);
    assert_eq!(
        given.training("softmax.int", "PrivateUse1").works,
        Works::No
    );
}

const FORMULAS: &str = "\
- name: blend(Tensor self, Tensor w) -> Tensor
  self: grad * w
  w: not_implemented(\"blend\")
  result: auto_element_wise
- name: peek(Tensor self) -> Tensor
  self: not_implemented(\"peek\")
- name: show(Tensor self) -> Tensor
  self: non_differentiable
";
const FORMULATED: &str = "\
- func: blend(Tensor self, Tensor w) -> Tensor
  dispatch:
    CPU, CUDA: blend
- func: peek(Tensor self) -> Tensor
  dispatch:
    CPU, CUDA: peek
- func: show(Tensor self) -> Tensor
  dispatch:
    CPU, CUDA: show
";

#[test]
fn a_formula_that_only_raises_does_not_train() {
    let given = Given {
        formulas: FORMULAS,
        ..of(FORMULATED)
    };
    let blend = given.training("blend", "CPU");
    assert_eq!(blend.works, Works::Partly);
    assert_eq!(blend.not_implemented, ["w".into()]);
    let peek = given.training("peek", "CPU");
    assert_eq!(peek.works, Works::No);
    assert_eq!(peek.not_implemented, ["self".into()]);
    assert_eq!(
        given.training("show", "CPU").works,
        Works::NotDifferentiable
    );
}

#[test]
fn hip_has_the_answers_of_cuda() {
    let given = Given {
        formulas: FORMULAS,
        ..of(FORMULATED)
    };
    for operator in ["blend", "peek", "show"] {
        assert_eq!(
            given.support(operator, "HIP"),
            given.support(operator, "CUDA")
        );
        assert_eq!(
            given.training(operator, "HIP"),
            given.training(operator, "CUDA")
        );
    }
}

#[test]
fn vmap_refuses_what_its_fallback_cannot_serve() {
    let given = of("\
- func: f(Tensor self) -> Tensor
  dispatch:
    CPU: f
- func: f.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
  dispatch:
    CPU: f_out
- func: look(Tensor(a) self) -> Tensor(a)
  dispatch:
    CPU: look
- func: count(Tensor self) -> int
  dispatch:
    CPU: count
- func: join(Tensor[] tensors) -> Tensor
  dispatch:
    CPU: join
");
    let vmap = "FuncTorchBatched";
    assert_eq!(given.answer("f", vmap), (Verdict::FallsBack, None));
    let refused = (Verdict::Fails, Some(Because::RefusedByVmap));
    for operator in ["f.out", "look", "count", "join"] {
        assert_eq!(given.answer(operator, vmap), refused, "{operator}");
    }
}
