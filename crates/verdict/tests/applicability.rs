//! Which operators a backend does without, on small files of our own.

use opatlas_dispatch::registrations::Inputs;
use opatlas_dispatch::{Build, Observed, ObservedRegistration, Provenance, Source};
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::derivative_match::DerivativeMatches;
use opatlas_pytorch::release::Release;
use opatlas_source::Bundle;
use opatlas_verdict::{Tables, View};

const OPERATORS: &str = "\
- func: empty.memory_format(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor
  dispatch:
    CPU: empty_cpu
    CUDA: empty_cuda
- func: _cudnn_init_dropout_state(float dropout, bool train, int dropout_seed, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=False) -> Tensor
  dispatch:
    CUDA: _cudnn_init_dropout_state
- func: cudnn_is_acceptable(Tensor self) -> bool
- func: cudnn_grid_sampler(Tensor self, Tensor grid) -> Tensor output
  dispatch:
    CPU: grid_sampler_everywhere
    CUDA: cudnn_grid_sampler_forward
- func: _values(Tensor(a) self) -> Tensor(a)
  dispatch:
    SparseCPU: _values_sparse
- func: _values_copy(Tensor self) -> Tensor
  dispatch:
    CompositeExplicitAutogradNonFunctional: _values_copy
- func: _thnn_fused_lstm_cell(Tensor input_gates, Tensor hidden_gates, Tensor cx, Tensor? input_bias=None, Tensor? hidden_bias=None) -> (Tensor, Tensor, Tensor)
  dispatch:
    CUDA: _thnn_fused_lstm_cell_cuda
- func: bincount(Tensor self, Tensor? weights=None, SymInt minlength=0) -> Tensor
  dispatch:
    CPU: _bincount_cpu
  tags: dynamic_output_shape
- func: mine(Tensor self) -> Tensor
  dispatch:
    CUDA: mine_cuda
";

fn ask<T>(observed: &[(&str, &str)], question: impl FnOnce(View<'_>) -> T) -> T {
    let bundle = Bundle::of_native_functions(OPERATORS.as_bytes());
    let catalogue = Catalogue::read(&bundle, Release::V2_9, None);
    let matches = DerivativeMatches::new(&catalogue, None);
    let rows = observed.iter().map(|(operator, key)| ObservedRegistration {
        operator: (*operator).into(),
        key: (*key).into(),
        file: None,
        fallthrough: false,
        boxed: false,
    });
    let observed = Observed::new(rows.collect());
    let inputs = Inputs {
        catalogue: &catalogue,
        derivatives: None,
        matches: &matches,
        backends: &[],
        observed: &observed,
        provenance: Provenance::Assumed,
    };
    let tables = Tables::new(inputs, &Build::ALL, Source::Everything);
    question(View::new(inputs, &tables))
}

/// What an operator belongs to, if a key does without it.
fn owner(view: View<'_>, operator: &str, key: &str) -> Option<&'static str> {
    let id = view.inputs.catalogue.find(operator).unwrap();
    let slot = view.keys().slot(key).unwrap();
    Some(view.applicability(id, slot).library()?.name)
}

#[test]
fn operators_of_libraries_are_gaps_only_where_the_library_runs() {
    let described = [("empty.memory_format", "PrivateUse1")];
    ask(&described, |view| {
        let cases = [
            ("_cudnn_init_dropout_state", "CUDA", None),
            ("_cudnn_init_dropout_state", "HIP", None),
            ("_cudnn_init_dropout_state", "CPU", Some("cuDNN")),
            ("_cudnn_init_dropout_state", "AutogradCPU", Some("cuDNN")),
            ("_cudnn_init_dropout_state", "MPS", Some("cuDNN")),
            ("_cudnn_init_dropout_state", "PrivateUse1", Some("cuDNN")),
            // Nothing is known about XLA here.
            ("_cudnn_init_dropout_state", "XLA", None),
            // It is composite.
            ("cudnn_is_acceptable", "CPU", None),
            // PyTorch has a kernel besides that of the library.
            ("cudnn_grid_sampler", "MPS", None),
            ("_values", "CPU", Some("sparse tensors")),
            ("_values", "SparseCUDA", None),
            // It always calls `_values`.
            ("_values_copy", "CPU", Some("sparse tensors")),
            // Recurrent cells call it on backends outside PyTorch.
            ("_thnn_fused_lstm_cell", "CPU", Some("GPUs")),
            ("_thnn_fused_lstm_cell", "PrivateUse1", None),
            ("bincount", "Meta", Some("backends with data")),
            ("bincount", "CUDA", None),
            ("mine", "CPU", None),
        ];
        for (operator, key, expected) in cases {
            assert_eq!(owner(view, operator, key), expected, "{operator} on {key}");
        }
    });
}

#[test]
fn an_operator_that_works_is_applicable() {
    let own = [
        ("empty.memory_format", "PrivateUse1"),
        ("_cudnn_init_dropout_state", "PrivateUse1"),
    ];
    ask(&own, |view| {
        let operator = "_cudnn_init_dropout_state";
        assert_eq!(owner(view, operator, "PrivateUse1"), None);
        assert_eq!(owner(view, operator, "CPU"), Some("cuDNN"));
    });
}

#[test]
fn coverage_counts_applicable_operators() {
    ask(&[], |view| {
        let coverage = view.coverage_of(view.keys().slot("CPU").unwrap());
        assert_eq!((coverage.operators(), coverage.other), (9, 4));
        assert_eq!(coverage.applicable(), 5);
        // Of these only `mine` fails.
        assert_eq!(coverage.working(), 4);
        let autograd = view.coverage_of(view.keys().slot("AutogradCPU").unwrap());
        assert_eq!((autograd.applicable(), autograd.other), (5, 4));
    });
}

#[test]
fn no_kernel_of_another_library_is_proposed() {
    ask(&[], |view| {
        let leverage = view.leverage(view.keys().slot("CPU").unwrap(), 10, |_| 1);
        let name = |id| view.inputs.catalogue.operator(id).qualified_name();
        let proposed: Vec<_> = leverage
            .steps
            .iter()
            .map(|step| name(step.operator))
            .collect();
        assert_eq!(proposed, ["mine"]);
    });
}
