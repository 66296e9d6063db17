//! Verdicts on small files of our own: what generated kernels call, what a backend lacks, and which
//! kernels would help most.

use std::sync::Arc;

use opatlas_dispatch::registrations::Inputs;
use opatlas_dispatch::{Build, Observed, ObservedRegistration, Provenance, Source};
use opatlas_operators::backend::BackendFile;
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::derivative_match::DerivativeMatches;
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::release::Release;
use opatlas_source::Bundle;
use opatlas_verdict::Unclaimed;
use opatlas_verdict::{Support, Tables, Verdict, View};

const OPERATORS: &str = "\
- func: empty.memory_format(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor
  dispatch:
    CPU: empty_cpu
    CUDA: empty_cuda
- func: empty_strided(SymInt[] size, SymInt[] stride, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
  dispatch:
    CPU: empty_strided_cpu
    CUDA: empty_strided_cuda
- func: _copy_from(Tensor self, Tensor dst, bool non_blocking=False) -> Tensor
  dispatch:
    MPS: _copy_from_mps
- func: _copy_from_and_resize(Tensor self, Tensor dst) -> Tensor
  dispatch:
    MPS: _copy_from_and_resize_mps
- func: copy_(Tensor(a!) self, Tensor src, bool non_blocking=False) -> Tensor(a!)
  dispatch:
    CPU, CUDA: copy_impl_
- func: clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor
  dispatch:
    CPU, CUDA: clone_impl
- func: resize_(Tensor(a!) self, SymInt[] size, *, MemoryFormat? memory_format=None) -> Tensor(a!)
  dispatch:
    CPU, CUDA: resize_impl_
- func: blend(Tensor self, Tensor w) -> Tensor
  structured_delegate: blend.out
- func: blend_(Tensor(a!) self, Tensor w) -> Tensor(a!)
  structured_delegate: blend.out
- func: blend.out(Tensor self, Tensor w, *, Tensor(a!) out) -> Tensor(a!)
  structured: True
  dispatch:
    CPU: blend_cpu
- func: fade_(Tensor(a!) self) -> Tensor(a!)
  dispatch:
    CPU: fade_cpu_
  autogen: fade, fade.out
- func: peek(Tensor(a) self) -> Tensor(a)
  dispatch:
    CPU: peek_cpu
- func: peek_copy(Tensor self) -> Tensor
  dispatch:
    CompositeExplicitAutogradNonFunctional: peek_copy
  tags: view_copy
- func: mystery(Tensor self) -> Tensor
";

const DEVICE: [&str; 3] = ["empty.memory_format", "empty_strided", "_copy_from"];

struct Small {
    catalogue: Catalogue,
    matches: DerivativeMatches,
    backends: Vec<(Box<str>, Arc<BackendFile>)>,
    observed: Observed,
}

impl Small {
    fn new() -> Self {
        let bundle = Bundle::of_native_functions(OPERATORS.as_bytes());
        let catalogue = Catalogue::read(&bundle, Release::V2_9, None);
        let matches = DerivativeMatches::new(&catalogue, None);
        Self {
            catalogue,
            matches,
            backends: Vec::new(),
            observed: Observed::default(),
        }
    }

    /// A device with these kernels on `PrivateUse1`, from this source file, recorded with which
    /// kernels are boxed.
    fn device(file: &str, kernels: &[&str]) -> Self {
        let mut small = Self::observed(file, kernels);
        let mut rows = small.observed.rows().to_vec();
        rows.push(ObservedRegistration {
            operator: "mystery".into(),
            key: "PrivateUse3".into(),
            file: None,
            fallthrough: false,
            boxed: true,
        });
        small.observed = Observed::new(rows);
        small
    }

    /// The same where nothing is known about boxing.
    fn observed(file: &str, kernels: &[&str]) -> Self {
        let rows = kernels.iter().map(|operator| ObservedRegistration {
            operator: (*operator).into(),
            key: "PrivateUse1".into(),
            file: Some(file.into()),
            fallthrough: false,
            boxed: false,
        });
        Self {
            observed: Observed::new(rows.collect()),
            ..Self::new()
        }
    }

    fn inputs(&self) -> Inputs<'_> {
        Inputs {
            catalogue: &self.catalogue,
            derivatives: None,
            matches: &self.matches,
            backends: &self.backends,
            observed: &self.observed,
            provenance: Provenance::Recorded,
        }
    }

    fn ask<T>(&self, question: impl FnOnce(View<'_>) -> T) -> T {
        let tables = Tables::new(self.inputs(), &Build::ALL, Source::Everything);
        question(View::new(self.inputs(), &tables))
    }

    fn id(&self, operator: &str) -> OperatorId {
        self.catalogue.find(operator).unwrap()
    }

    fn support(&self, operator: &str, key: &str) -> Support {
        self.ask(|view| view.support(self.id(operator), view.keys().slot(key).unwrap()))
    }

    /// `verdict: needs; through`.
    fn told(&self, operator: &str, key: &str) -> String {
        self.tell(&self.support(operator, key))
    }

    fn tell(&self, support: &Support) -> String {
        let names = |ids: &[OperatorId]| {
            let names = ids.iter().map(|&id| self.catalogue.operator(id));
            let names: Vec<_> = names.map(|operator| operator.qualified_name()).collect();
            names.join(" ")
        };
        let (needs, through) = (names(&support.needs), names(&support.through));
        format!("{}: {needs}; {through}", support.verdict)
    }
}

#[test]
fn a_structured_operator_needs_its_out_form() {
    let bare = Small::device("device.cpp", &DEVICE);
    assert_eq!(
        bare.told("blend", "PrivateUse1"),
        "fails: blend.out; blend blend.out"
    );
    assert_eq!(
        bare.told("blend.out", "PrivateUse1"),
        "fails: blend.out; blend.out"
    );
    assert_eq!(
        bare.told("blend_", "PrivateUse1"),
        "fails: blend.out copy_; blend_ blend.out"
    );
    let with_out = Small::device("device.cpp", &[&DEVICE[..], &["blend.out"]].concat());
    assert_eq!(with_out.told("blend", "PrivateUse1"), "decomposes: ; ");
    assert_eq!(with_out.told("blend.out", "PrivateUse1"), "runs: ; ");
    // The in-place form copies when strides differ.
    assert_eq!(
        with_out.told("blend_", "PrivateUse1"),
        "partly: copy_; blend_ copy_"
    );
    assert_eq!(bare.told("blend", "CPU"), "runs: ; ");
    assert_eq!(
        bare.told("blend", "CUDA"),
        "fails: blend.out; blend blend.out"
    );
}

#[test]
fn generated_operators_need_what_they_are_made_from() {
    let kernels = [&DEVICE[..], &["fade_"]].concat();
    let device = Small::device("device.cpp", &kernels);
    assert_eq!(
        device.told("fade", "PrivateUse1"),
        "fails: clone; fade clone"
    );
    assert_eq!(
        device.told("fade.out", "PrivateUse1"),
        "fails: copy_ clone resize_; fade.out copy_"
    );
    let device = Small::device("device.cpp", &[&kernels[..], &["clone", "copy_"]].concat());
    assert_eq!(device.told("fade", "PrivateUse1"), "decomposes: ; ");
    assert_eq!(
        device.told("fade.out", "PrivateUse1"),
        "partly: resize_; fade.out resize_"
    );
}

#[test]
fn a_copy_of_a_view_needs_the_view_and_clone() {
    let device = Small::device("device.cpp", &DEVICE);
    assert_eq!(
        device.told("peek_copy", "PrivateUse1"),
        "fails: peek clone; peek_copy peek"
    );
    assert_eq!(device.told("peek_copy", "CPU"), "decomposes: ; ");
}

#[test]
fn composites_that_were_not_measured_are_unknown() {
    let device = Small::device("device.cpp", &DEVICE);
    assert_eq!(device.told("mystery", "PrivateUse1"), "unknown: ; ");
    assert_eq!(device.told("mystery", "AutogradPrivateUse1"), "unknown: ; ");
}

#[test]
fn nothing_is_claimed_about_backends_that_live_elsewhere() {
    let plain = Small::new();
    let support = plain.support("blend", "PrivateUse1");
    assert_eq!(support.verdict, Verdict::Unknown);
    assert_eq!(support.unclaimed, Some(Unclaimed::OutOfTree));
    assert!(support.needs.is_empty());
    for key in ["XLA", "MTIA", "Vulkan", "SparseHPU", "AutogradXLA"] {
        assert_eq!(
            plain.support("blend", key).verdict,
            Verdict::Unknown,
            "{key}"
        );
    }
    let bare = plain.ask(|view| view.bare_support(plain.id("blend")));
    assert_eq!(plain.tell(&bare), "fails: blend.out; blend blend.out");
    assert_eq!(plain.told("blend", "HIP"), plain.told("blend", "CUDA"));
}

#[test]
fn the_wrappers_of_a_backend_file_copy_their_result() {
    let text = "backend: XLA\ncpp_namespace: ours\nsupported:\n- blend\n- empty.memory_format\n";
    let mut small = Small::new();
    let file = BackendFile::read(text.as_bytes());
    small.backends = vec![("xla.yaml".into(), Arc::new(file))];
    assert_eq!(small.told("blend", "XLA"), "runs: ; ");
    assert_eq!(
        small.told("blend.out", "XLA"),
        "fails: _copy_from_and_resize; blend.out _copy_from_and_resize"
    );
    assert_eq!(
        small.told("blend_", "XLA"),
        "fails: _copy_from; blend_ _copy_from"
    );
}

#[test]
fn the_cpu_fallback_copies_what_it_wrote() {
    let kernels = [&DEVICE[..], &["blend.out", "peek"]].concat();
    let device = Small::device("CPUFallback.cpp", &kernels[3..]);
    assert_eq!(
        device.told("blend", "PrivateUse1"),
        "fails: empty.memory_format _copy_from _copy_from_and_resize empty_strided; blend empty.memory_format"
    );
    assert_eq!(
        device.told("peek", "PrivateUse1"),
        "fails: _copy_from; peek _copy_from"
    );
}

#[test]
fn a_kernel_of_which_only_the_name_is_known_may_be_the_fallback() {
    let kernels = [&DEVICE[..], &["blend.out", "peek", "resize_"]].concat();
    let device = Small::observed("device.cpp", &kernels);
    assert_eq!(
        device.told("blend", "PrivateUse1"),
        "partly: _copy_from_and_resize; blend blend.out _copy_from_and_resize"
    );
    assert_eq!(device.told("peek", "PrivateUse1"), "runs: ; ");
    assert_eq!(device.told("resize_", "PrivateUse1"), "runs: ; ");
    let with_copy = [&kernels[..], &["_copy_from_and_resize"]].concat();
    let device = Small::observed("device.cpp", &with_copy);
    assert_eq!(device.told("blend", "PrivateUse1"), "decomposes: ; ");
}

#[test]
fn kernels_are_ranked_by_what_they_unlock() {
    let device = Small::device("device.cpp", &[&DEVICE[..], &["fade_"]].concat());
    let told: Vec<String> = device.ask(|view| {
        let slot = view.keys().slot("PrivateUse1").unwrap();
        let leverage = view.leverage(slot, 3, |_| 1);
        let steps = leverage.steps.iter().map(|step| {
            let name = device.catalogue.operator(step.operator).qualified_name();
            format!(
                "{name} +{} of {}",
                step.gain,
                step.gain as usize + step.blocks
            )
        });
        steps.collect()
    });
    assert_eq!(
        told,
        ["clone +2 of 4", "blend.out +2 of 3", "copy_ +2 of 3"]
    );
}
