//! Registrations, tables and answers of a small revision of our own: who registers what and where
//! it says so, builds, backend files, observed registrations, what-if, coverage.

use opatlas_dispatch::registrations::Inputs;
use opatlas_dispatch::{
    Build, Cause, Observed, ObservedRegistration, Origin, Precedence, Provenance, Reason, Source,
    Wanted, coverage,
};
use opatlas_operators::backend::BackendFile;
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::derivative_match::DerivativeMatches;
use opatlas_operators::derivatives::Derivatives;
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::release::Release;
use opatlas_source::Bundle;
use opatlas_verdict::{Tables, Through, View};

const OPERATORS: &str = "\
- func: blend(Tensor self, Tensor w) -> Tensor
  structured_delegate: blend.out
  dispatch:
    SparseCPU: blend_sparse
- func: blend.out(Tensor self, Tensor w, *, Tensor(a!) out) -> Tensor(a!)
  structured: True
  python_module: nn
  dispatch:
    CPU: blend_cpu
    CUDA, MPS: blend_gpu
- func: mix(Tensor self) -> Tensor
- func: fade_(Tensor(a!) self) -> Tensor(a!)
  dispatch:
    CPU: fade_cpu_
  autogen: fade, fade.out
- func: peek(Tensor(a) self) -> Tensor(a)
  dispatch:
    CompositeExplicitAutograd: peek
- func: make(int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
  dispatch:
    CPU: make_cpu
- func: abs(Tensor self) -> Tensor
  dispatch:
    CPU: abs_cpu
";

pub(crate) const FORMULAS: &str = "\
- name: blend(Tensor self, Tensor w) -> Tensor
  self: grad * w
  w: grad * self
- name: peek(Tensor(a) self) -> Tensor(a)
  self: non_differentiable
";

const BACKEND: &str = "\
backend: XLA
cpp_namespace: ours
supported:
- blend
- mix
symint:
- mix
autograd:
- mix
";

pub(crate) struct Small {
    catalogue: Catalogue,
    derivatives: Option<Derivatives>,
    matches: DerivativeMatches,
    backends: Vec<(Box<str>, std::sync::Arc<BackendFile>)>,
    observed: Observed,
    provenance: Provenance,
}

impl Small {
    pub(crate) fn new(release: Release, formulas: Option<&str>) -> Self {
        let bundle = Bundle::of_native_functions(OPERATORS.as_bytes());
        let catalogue = Catalogue::read(&bundle, release, None);
        let derivatives = formulas.map(|text| Derivatives::read(text.as_bytes()));
        let matches = DerivativeMatches::new(&catalogue, derivatives.as_ref());
        Self {
            catalogue,
            derivatives,
            matches,
            backends: Vec::new(),
            observed: Observed::default(),
            provenance: Provenance::Recorded,
        }
    }

    pub(crate) fn inputs(&self) -> Inputs<'_> {
        Inputs {
            catalogue: &self.catalogue,
            derivatives: self.derivatives.as_ref(),
            matches: &self.matches,
            backends: &self.backends,
            observed: &self.observed,
            provenance: self.provenance,
        }
    }

    pub(crate) fn tables(&self, build: &str, source: Source) -> Tables {
        let build = Build::parse(build, self.catalogue.release).unwrap();
        Tables::new(self.inputs(), &build, source)
    }

    pub(crate) fn id(&self, name: &str) -> OperatorId {
        self.catalogue.find(name).unwrap()
    }

    /// `key: kernel (origin)` of each registration, sorted.
    fn registrations(&self, build: &str, operator: &str) -> Vec<String> {
        let tables = self.tables(build, Source::Files);
        let keys = tables.keys();
        let made = tables.registrations(self.inputs(), self.id(operator));
        let mut texts: Vec<_> = made
            .map(|made| {
                let kernel = made.kernel.as_deref().unwrap_or("-");
                format!("{}: {kernel} ({})", keys.name(made.key), made.origin)
            })
            .collect();
        texts.sort();
        texts
    }
}

pub(crate) fn small() -> Small {
    Small::new(Release::V2_9, Some(FORMULAS))
}

#[test]
fn a_structured_operator_registers_for_its_variants() {
    assert_eq!(
        small().registrations("all", "blend"),
        [
            "Autograd: VariableType::blend (autograd)",
            "CPU: blend_cpu (structured)",
            "CUDA: blend_gpu (structured)",
            "CompositeExplicitAutogradNonFunctional: blend (structured)",
            "MPS: blend_gpu (structured)",
            "Meta: blend (structured)",
            "SparseCPU: blend_sparse (declared)",
            "Tracer: TraceType::blend (tracer)",
        ]
    );
    assert_eq!(
        small().registrations("linux-cuda", "blend.out"),
        [
            "ADInplaceOrView: ADInplaceOrView::blend_out (inplace or view)",
            "Autograd: VariableType::blend_out (autograd)",
            "CPU: blend_cpu (declared)",
            "CUDA: blend_gpu (declared)",
            "Functionalize: functionalization::blend_out (functionalize)",
            "Meta: blend (structured)",
            "Tracer: TraceType::blend_out (tracer)",
        ]
    );
}

#[test]
fn generated_operators_and_checks() {
    let small = small();
    assert_eq!(
        small.registrations("all", "fade_"),
        [
            "ADInplaceOrView: ADInplaceOrView::fade_ (inplace or view)",
            "Autograd: autogradNotImplementedFallback (autograd)",
            "CPU: fade_cpu_ (declared)",
            "Functionalize: functionalization::fade_ (functionalize)",
            "Meta: fade_ (autogen)",
            "Tracer: TraceType::fade_ (tracer)",
        ]
    );
    assert_eq!(
        small.registrations("all", "fade.out")[1..3],
        [
            "Autograd: autogradNotImplementedFallback (autograd)",
            "CompositeExplicitAutograd: fade_out (autogen)",
        ]
    );
    assert_eq!(
        small.registrations("all", "mix"),
        [
            "CompositeImplicitAutograd: mix (implicit composite)",
            "Tracer: TraceType::mix (tracer)",
        ]
    );
    assert!(
        small
            .registrations("all", "make")
            .contains(&"BackendSelect: BackendSelect::make (backend select)".to_owned())
    );
}

#[test]
fn composites_are_functionalized_as_the_release_does() {
    let functionalized = |release, operator: &str| {
        let made = Small::new(release, Some(FORMULAS)).registrations("all", operator);
        made.into_iter()
            .find(|text| text.starts_with("Functionalize"))
    };
    assert_eq!(
        functionalized(Release::V2_0, "mix").as_deref(),
        Some("Functionalize: mix (functionalize)")
    );
    assert_eq!(functionalized(Release::V2_9, "mix"), None);
    assert_eq!(functionalized(Release::V2_10, "mix"), None);
    assert!(functionalized(Release::V2_10, "peek").is_some());
}

#[test]
fn every_registration_says_where_it_comes_from() {
    let small = small();
    let tables = small.tables("all", Source::Files);
    let place = |operator: &str, key: &str| {
        let key = tables.keys().lookup(key).unwrap();
        let mut made = tables.registrations(small.inputs(), small.id(operator));
        let made = made.find(|made| made.key == key).unwrap();
        let text = match made.file.unwrap() {
            "native_functions.yaml" => OPERATORS,
            "derivatives.yaml" => FORMULAS,
            other => panic!("{other}"),
        };
        made.span.unwrap().slice(text)
    };
    assert_eq!(place("blend", "CPU"), "CPU");
    assert_eq!(place("blend", "MPS"), "MPS");
    assert_eq!(place("blend", "Meta"), "structured_delegate: blend.out");
    assert_eq!(
        place("blend", "Autograd"),
        "blend(Tensor self, Tensor w) -> Tensor"
    );
    assert_eq!(place("mix", "Tracer"), "mix(Tensor self) -> Tensor");
    assert_eq!(place("fade.out", "CompositeExplicitAutograd"), "fade");
}

#[test]
fn backend_files_register_with_wrappers() {
    let mut small = small();
    small.backends = vec![(
        "backends/ours.yaml".into(),
        BackendFile::read(BACKEND.as_bytes()).into(),
    )];
    let tables = small.tables("all", Source::Files);
    let view = View::new(small.inputs(), &tables);
    let entry = |operator: &str, key: &str| {
        view.entry(small.id(operator), view.keys().slot(key).unwrap())
            .unwrap()
    };
    for (operator, key, kernel, at) in [
        ("blend", "XLA", "blend", "blend"),
        ("blend.out", "XLA", "blend_out", "blend"),
        ("mix", "XLA", "mix_symint", "mix"),
        ("mix", "AutogradXLA", "mix_symint", "mix"),
    ] {
        let entry = entry(operator, key);
        assert_eq!(entry.origin, Some(Origin::BackendFile), "{operator} {key}");
        assert_eq!(entry.kernel.as_deref(), Some(kernel), "{operator} {key}");
        assert_eq!(entry.file, Some("backends/ours.yaml"));
        assert_eq!(entry.span.unwrap().slice(BACKEND), at);
        assert!(entry.derivable);
    }
    let answer = |operator: &str| {
        view.training(small.id(operator), view.keys().slot("XLA").unwrap())
            .unwrap()
            .training
            .through
    };
    assert_eq!(answer("mix"), Through::AutogradKernel);
    assert_eq!(answer("blend"), Through::OwnFormula);
}

#[test]
fn what_is_not_recorded_is_not_guessed() {
    let cause = |provenance, source, operator: &str, key: &str| {
        let mut small = small();
        small.provenance = provenance;
        let tables = small.tables("all", source);
        let view = View::new(small.inputs(), &tables);
        let entry = view
            .entry(small.id(operator), view.keys().slot(key).unwrap())
            .unwrap();
        (entry.cause, entry.origin)
    };
    let (recorded, assumed) = (Provenance::Recorded, Provenance::Assumed);
    let rules = Some("BatchRulesUnaryOps.cpp");
    assert_eq!(
        cause(recorded, Source::Everything, "abs", "FuncTorchBatched"),
        (
            Some(Cause::HandWritten { file: rules }),
            Some(Origin::HandWritten)
        )
    );
    assert_eq!(
        cause(recorded, Source::Files, "abs", "FuncTorchBatched"),
        (
            Some(Cause::HandWritten { file: rules }),
            Some(Origin::Fallback)
        )
    );
    assert_eq!(
        cause(assumed, Source::Everything, "abs", "FuncTorchBatched"),
        (
            Some(Cause::HandWrittenInRelease { file: rules }),
            Some(Origin::HandWritten)
        )
    );
    assert_eq!(
        cause(recorded, Source::Files, "blend", "FuncTorchBatched").0,
        None
    );
    assert_eq!(
        cause(assumed, Source::Files, "blend", "FuncTorchBatched").0,
        Some(Cause::MayBeHandWritten)
    );
    for key in ["CPU", "AutogradCPU", "Tracer", "Functionalize", "SparseCPU"] {
        assert_eq!(cause(assumed, Source::Files, "blend", key).0, None, "{key}");
    }
}

#[test]
fn observed_registrations_win_and_can_be_left_out() {
    let mut small = small();
    small.provenance = Provenance::Assumed;
    small.observed = Observed::new(vec![ObservedRegistration {
        operator: "blend".into(),
        key: "CPU".into(),
        file: Some("plugin.cpp".into()),
        fallthrough: false,
        boxed: false,
    }]);
    let entry = |source, operator: &str, key: &str| {
        let tables = small.tables("all", source);
        let view = View::new(small.inputs(), &tables);
        let entry = view
            .entry(small.id(operator), view.keys().slot(key).unwrap())
            .unwrap();
        (entry.origin, entry.cause, entry.file.map(str::to_owned))
    };
    let plugin = Some("plugin.cpp".to_owned());
    assert_eq!(
        entry(Source::Everything, "blend", "CPU"),
        (Some(Origin::Observed), Some(Cause::Observed), plugin)
    );
    let (origin, cause, _) = entry(Source::Files, "blend", "CPU");
    assert_eq!(
        (origin, cause),
        (Some(Origin::Structured), Some(Cause::Observed))
    );
    // A process that was observed needs no other release's list.
    assert_eq!(entry(Source::Everything, "abs", "FuncTorchBatched").1, None);
}

#[test]
fn builds_leave_kernels_out() {
    let small = small();
    let reason = |build: &str, key: &str| {
        let tables = small.tables(build, Source::Files);
        let view = View::new(small.inputs(), &tables);
        view.entry(small.id("blend"), view.keys().slot(key).unwrap())
            .unwrap()
            .reason
    };
    for (build, cuda, mps) in [
        ("all", Reason::Kernel, Reason::Kernel),
        ("linux-cuda", Reason::Kernel, Reason::DefaultBackendKernel),
        (
            "cpu",
            Reason::DefaultBackendKernel,
            Reason::DefaultBackendKernel,
        ),
        ("macos", Reason::DefaultBackendKernel, Reason::Kernel),
        ("CUDA", Reason::DefaultBackendKernel, Reason::Kernel),
    ] {
        assert_eq!(
            (reason(build, "CUDA"), reason(build, "MPS")),
            (cuda, mps),
            "{build}"
        );
    }
}

#[test]
fn what_if_shows_before_and_after() {
    let small = small();
    let tables = small.tables("all", Source::Files);
    let view = View::new(small.inputs(), &tables);
    let with = [Wanted {
        kernel: Some("mine"),
        ..Wanted::at("XLA")
    }];
    let told = view
        .what_if(small.id("mix"), &with, &["Tracer", "CPU"])
        .unwrap();
    assert_eq!(told.removed.len(), 1);
    assert_eq!(told.nothing_to_remove.len(), 1);
    let changed: Vec<_> = told
        .changes()
        .map(|change| (change.after.key, change.before.rule, change.after.rule))
        .collect();
    assert_eq!(
        changed,
        [
            ("XLA", Precedence::Implicit, Precedence::Direct),
            ("AutogradXLA", Precedence::Implicit, Precedence::Fallback),
            ("Tracer", Precedence::Direct, Precedence::Fallback),
        ]
    );
    let xla = told.changes().next().unwrap();
    assert_eq!(xla.after.kernel.as_deref(), Some("mine"));
    assert_eq!(xla.after.origin, None);
    let refused = view.what_if(small.id("mix"), &[], &["CPUU"]).unwrap_err();
    assert_eq!(refused[0].suggestions, ["CPU"]);
}

#[test]
fn an_explanation_names_the_registrations() {
    let small = small();
    let tables = small.tables("all", Source::Files);
    let view = View::new(small.inputs(), &tables);
    let told = view
        .explain(small.id("blend"), view.keys().slot("CPU").unwrap())
        .unwrap();
    let kernels: Vec<_> = told
        .registrations
        .iter()
        .map(|made| made.kernel.as_deref())
        .collect();
    assert_eq!(kernels, [Some("blend_cpu"), Some("blend")]);
    assert_eq!(told.explanation.steps.last().unwrap().rule, told.entry.rule);
}

#[test]
fn coverage_counts_every_cell_once() {
    let small = small();
    let tables = small.tables("all", Source::Files);
    let view = View::new(small.inputs(), &tables);
    let all = coverage(*view, |_, _| true);
    let cpu = view.keys().slot("CPU").unwrap();
    let operators = small.catalogue.operators.len();
    assert_eq!(all.overall.operators, operators);
    assert_eq!(
        all.overall.total().iter().sum::<u64>(),
        (operators * 138) as u64
    );
    assert_eq!(all.overall.key(cpu)[Reason::Kernel as usize], 5);
    assert_eq!(all.by_namespace["aten"], all.overall);
    assert_eq!(all.by_python_module["nn"].operators, 1);
    assert_eq!(all.by_tag["generated"].operators, 2);
    assert_eq!(
        all.overall.functionality(view.keys(), "Tracer")[Reason::Kernel as usize],
        9
    );
    let written = coverage(*view, |_, operator| !operator.is_generated());
    assert_eq!(written.overall.operators, operators - 2);
}
