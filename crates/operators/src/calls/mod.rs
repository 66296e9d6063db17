//! Calls from Python: the signatures behind a name, in the order in which PyTorch tries them, and
//! the signature that a call takes (`docs/spec/calls.md`).

mod binding;
mod hand;
mod indexing;
mod name;
mod overloads;
mod reach;

use opatlas_schema::python_call::{Arguments, CallError};

pub use binding::{Binding, BindingKind, BindingSignature};
pub use name::{Place, candidates};
pub use reach::{Reach, Reached, ReachedOperator, Reacher, reach, reaches};

use crate::catalogue::Catalogue;
use crate::operator::OperatorId;

/// The first operator that a call runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Called {
    /// The call runs this operator.
    Operator(String),
    /// The binding answers without running an operator.
    Nothing,
    /// The operator depends on the values.
    Unknown,
}

/// The result of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The arguments take a signature.
    Takes {
        /// Its index among the signatures of the binding.
        signature: usize,
        /// The operator that it calls.
        called: Called,
    },
    /// The function is written in Python and calls this.
    InPython(Called),
    /// The call returns `NotImplemented`, so that Python tries the other operand.
    NotImplemented,
    /// The call raises.
    Raises(CallError),
}

/// Finds the binding of a name such as `add`, `torch.add`, `Tensor.add`, `torch.linalg.norm` or
/// `torch._C._nn.gelu`. Returns `None` if Python does not bind the name.
#[must_use]
pub fn find(catalogue: &Catalogue, name: &str) -> Option<Binding> {
    let mut candidates = candidates(name).into_iter();
    candidates.find_map(|(place, name)| Binding::of(catalogue, place, &name))
}

/// Returns the bindings that call an operator or answer for it.
#[must_use]
pub fn of_operator(catalogue: &Catalogue, id: OperatorId) -> Vec<Binding> {
    let operator = catalogue.operator(id);
    if operator.namespace() != "aten" {
        return Vec::new();
    }
    let name = operator.qualified_name();
    let generated = name::places_of(operator).map(|place| (place, operator.base_name().to_owned()));
    let by_hand = hand::names_of(catalogue, id);
    let mut places: Vec<(Place, String)> = generated.chain(by_hand).collect();
    places.sort();
    places.dedup();
    let bindings = places
        .into_iter()
        .filter_map(|(place, name)| Binding::of(catalogue, place, &name));
    bindings.filter(|binding| binding.reaches(name)).collect()
}

impl Binding {
    /// Predicts the result of a call. The first argument of a method is the tensor.
    #[must_use]
    pub fn call(&self, arguments: &Arguments) -> Outcome {
        match self.outcome(arguments) {
            Ok(outcome) => outcome,
            Err(error) if self.returns_not_implemented && error.class == "TypeError" => {
                Outcome::NotImplemented
            }
            Err(error) => Outcome::Raises(error),
        }
    }
}
