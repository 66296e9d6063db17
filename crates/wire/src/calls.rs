//! Calls of Python bindings.

use opatlas_operators::calls::{
    self, Binding, BindingSignature, Called, Outcome, Reach, ReachedOperator,
};
use opatlas_schema::python_call::Arguments;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::problem::{Kind, Problem};
use opatlas_service::Snapshot;

/// A function's path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct FunctionPath {
    /// The project.
    #[param(example = "pytorch")]
    pub project: String,
    /// `LABEL`, `sha256:HEX` (8 digits or more, as long as they are unambiguous) or `latest`.
    #[param(example = "latest")]
    pub revision: String,
    /// A Python function or method: `torch.add`, `Tensor.add`, `torch.linalg.norm`,
    /// `torch._C._nn.gelu`, or only its name.
    #[param(example = "torch.add")]
    pub function: String,
}

/// The arguments of a call.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct CallQuery {
    /// The arguments in words: values of Python, and `tensor`, `tensor(int64, 0-dim)` or `Generator`.
    /// The first argument of a method is the tensor. Without it, only the signatures are returned.
    #[param(example = "tensor, 1")]
    pub args: Option<String>,
    /// The release of PyTorch whose rules apply, for an address by digest.
    #[param(example = "2.9")]
    pub release: Option<String>,
}

/// The signatures behind a Python name, and what a call does.
#[derive(Debug, Serialize, ToSchema)]
pub struct PythonCall {
    /// The function or method.
    #[schema(example = "torch.add")]
    pub function: String,
    /// `function`, `method` or `property`.
    #[schema(example = "function")]
    pub kind: &'static str,
    /// True if it is written in Python. It then takes other arguments than `signatures`, which are those
    /// of the binding that it replaces.
    pub in_python: bool,
    /// The signatures, in the order in which PyTorch tries them. A property has none.
    pub signatures: Vec<CallSignature>,
    /// The operator that a property reads.
    pub reads: Option<&'static str>,
    /// The outcome of the call; null without `args`.
    pub result: Option<CallResult>,
}

/// A signature of Python's argument parser.
#[derive(Debug, Serialize, ToSchema)]
pub struct CallSignature {
    /// The text for the parser.
    #[schema(example = "add(Tensor input, Tensor other, *, Scalar alpha=1, Tensor out=None)")]
    pub text: String,
    /// The operator that it calls; null if PyTorch's developers wrote the binding by hand.
    #[schema(example = "add.Tensor")]
    pub operator: Option<String>,
    /// The operator that it calls with `out`.
    #[schema(example = "add.out")]
    pub out: Option<String>,
    /// True if it is deprecated.
    pub deprecated: bool,
    /// True if the binding is written by hand.
    pub by_hand: bool,
}

/// The outcome of a call.
#[derive(Debug, Serialize, ToSchema)]
pub struct CallResult {
    /// `calls` an operator or `answers` without one, `depends` on values that arguments in words do
    /// not have or on the code of a function in Python, `raises`, or returns `NotImplemented`.
    #[schema(example = "calls")]
    pub outcome: &'static str,
    /// The index of the signature that the arguments take; null for a function in Python.
    pub signature: Option<usize>,
    /// The operator that the call runs first.
    #[schema(example = "add.Tensor")]
    pub operator: Option<String>,
    /// The class of the exception.
    #[schema(example = "TypeError")]
    pub error: Option<&'static str>,
    /// The message of the exception.
    pub message: Option<String>,
}

/// The operators that a line of Python reaches.
#[derive(Debug, Serialize, ToSchema)]
pub struct PythonLine {
    /// The function, method or module; null if it is unknown.
    #[schema(example = "torch.nn.functional.relu")]
    pub function: Option<String>,
    /// `reached`, `raises` or `unknown`.
    #[schema(example = "reached")]
    pub outcome: &'static str,
    /// The operators that the function itself calls, in order.
    pub operators: Vec<LineOperator>,
    /// The operators below autograd, as recorded on the CPU; empty if they are those of `operators`.
    pub below: Vec<LineOperator>,
    /// The operators of the backward.
    pub backward: Vec<LineOperator>,
    /// The release in which a function that is written in Python was recorded.
    #[schema(example = "2.15")]
    pub recorded_with: Option<&'static str>,
    /// What the answer takes for granted, why it is unknown, or what the call raises.
    pub notes: Vec<String>,
}

/// An operator that a line reaches.
#[derive(Debug, Serialize, ToSchema)]
pub struct LineOperator {
    /// The operator.
    #[schema(example = "relu_")]
    pub operator: String,
    /// When the line reaches it; null for always.
    #[schema(example = "inplace=True")]
    pub when: Option<String>,
}

impl From<Reach> for PythonLine {
    fn from(reach: Reach) -> Self {
        let empty = |function, outcome, note| Self {
            function,
            outcome,
            operators: Vec::new(),
            below: Vec::new(),
            backward: Vec::new(),
            recorded_with: None,
            notes: vec![note],
        };
        let reached = match reach {
            Reach::Reached(reached) => reached,
            Reach::Raises { function, error } => {
                let note = format!("{}: {}", error.class, error.first_line());
                return empty(Some(function), "raises", note);
            }
            Reach::Unknown(why) => return empty(None, "unknown", why),
        };
        let shown = |operators: Vec<ReachedOperator>| {
            let operators = operators.into_iter();
            let shown = operators.map(|ReachedOperator { name, when }| LineOperator {
                operator: name,
                when,
            });
            shown.collect()
        };
        Self {
            function: Some(reached.function),
            outcome: "reached",
            operators: shown(reached.operators),
            below: shown(reached.below),
            backward: shown(reached.backward),
            recorded_with: reached.recorded_with.map(|release| release.as_str()),
            notes: reached.notes,
        }
    }
}

/// The binding of a name. Fails if Python does not bind it.
pub fn binding(snapshot: &Snapshot, function: &str) -> Result<Binding, Problem> {
    let found = calls::find(&snapshot.catalogue, function);
    found.ok_or_else(|| {
        let shown: String = function.chars().take(128).collect();
        let base = shown.rsplit('.').next().unwrap_or_default();
        let is_operator = !snapshot.catalogue.overloads(base).is_empty();
        let help = if is_operator {
            format!("; call torch.ops.aten.{base}")
        } else {
            String::new()
        };
        let release = snapshot.release();
        let detail = format!("PyTorch {release} has no Python binding `{shown}`{help}");
        Problem::new(Kind::UnknownOperator, detail)
    })
}

/// Reads the arguments of a call. Fails if they are no list of arguments.
pub fn arguments(text: &str) -> Result<Arguments, Problem> {
    Arguments::read(text)
        .map_err(|error| Problem::new(Kind::InvalidParameter, error.to_string()).about("args"))
}

/// The signatures of a function, and what a call with these arguments does.
pub fn call(
    snapshot: &Snapshot,
    function: &str,
    args: Option<&str>,
) -> Result<PythonCall, Problem> {
    let binding = binding(snapshot, function)?;
    let arguments = args.map(arguments).transpose()?;
    let outcome = arguments.map(|arguments| binding.call(&arguments));
    Ok(view(&binding, outcome))
}

/// A binding and the outcome of a call on the wire.
#[must_use]
pub fn view(binding: &Binding, outcome: Option<Outcome>) -> PythonCall {
    PythonCall {
        function: binding.full_name(),
        kind: opatlas_report::calls::kind(binding.kind),
        in_python: binding.is_in_python(),
        signatures: binding.signatures.iter().map(Into::into).collect(),
        reads: binding.property_of(),
        result: outcome.map(Into::into),
    }
}

impl From<&BindingSignature> for CallSignature {
    fn from(signature: &BindingSignature) -> Self {
        Self {
            text: signature.text.clone(),
            operator: signature.operator.clone(),
            out: signature.out.clone(),
            deprecated: signature.is_deprecated(),
            by_hand: signature.by_hand.is_some(),
        }
    }
}

impl From<Outcome> for CallResult {
    fn from(outcome: Outcome) -> Self {
        let mut result = Self {
            outcome: "raises",
            signature: None,
            operator: None,
            error: None,
            message: None,
        };
        match outcome {
            Outcome::Takes { signature, called } => {
                result.signature = Some(signature);
                (result.outcome, result.operator) = effect(called);
            }
            Outcome::InPython(called) => (result.outcome, result.operator) = effect(called),
            Outcome::NotImplemented => result.outcome = "NotImplemented",
            Outcome::Raises(error) => {
                result.error = Some(error.class);
                result.message = Some(error.message);
            }
        }
        result
    }
}

fn effect(called: Called) -> (&'static str, Option<String>) {
    match called {
        Called::Operator(name) => ("calls", Some(name)),
        Called::Nothing => ("answers", None),
        Called::Unknown => ("depends", None),
    }
}
