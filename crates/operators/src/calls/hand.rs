//! Bindings that PyTorch's developers write by hand.

use opatlas_pytorch::python::{self, HandBinding, HandCall, HandSignature, Then};
use opatlas_pytorch::release::Release;
use opatlas_schema::python_call::{Bound, CallError, Value};

use super::name::Place;
use super::{Called, indexing};
use crate::catalogue::Catalogue;
use crate::operator::OperatorId;

/// The handwritten binding of a name.
pub(super) fn binding(place: &Place, name: &str, release: Release) -> Option<&'static HandBinding> {
    match place {
        Place::Python => HandBinding::in_python(release).find(|it| it.name == name),
        Place::Torch => HandBinding::functions(release).find(|it| it.name == name),
        Place::Tensor => HandBinding::methods(release).find(|it| it.name == name),
        Place::Module(_) => None,
    }
}

/// The operator that a property of `Tensor` reads.
pub(super) fn property(place: &Place, name: &str) -> Option<&'static str> {
    let mut properties = python::properties().iter();
    let found = properties.find(|(known, _)| *place == Place::Tensor && *known == name);
    found.map(|(_, operator)| *operator)
}

/// Lists the handwritten functions, methods and properties that answer for an operator, or that
/// call an operator without a binding of its own name.
pub(super) fn names_of(catalogue: &Catalogue, id: OperatorId) -> Vec<(Place, String)> {
    let operator = catalogue.operator(id);
    let (name, base, release) = (
        operator.qualified_name(),
        operator.base_name(),
        catalogue.release,
    );
    let has_own = catalogue.is_bound(id)
        || HandBinding::functions(release)
            .chain(HandBinding::methods(release))
            .any(|it| it.name == base);
    let is_of = |it: &&HandBinding| {
        it.operators.contains(&name)
            || (it.all_operators().any(|of| of == name) && (it.name == base || !has_own))
    };
    let functions = HandBinding::functions(release).filter(is_of);
    let functions = functions.map(|it| (Place::Torch, it.name.to_owned()));
    let methods = HandBinding::methods(release).filter(is_of);
    let methods = methods.map(|it| (Place::Tensor, it.name.to_owned()));
    let properties = python::properties().iter();
    let properties = properties.filter(|(_, of)| *of == name);
    let properties = properties.map(|(name, _)| (Place::Tensor, (*name).to_owned()));
    functions.chain(methods).chain(properties).collect()
}

/// Returns the operator that a handwritten signature calls with these arguments.
pub(super) fn called(signature: &HandSignature, bound: &Bound<'_>) -> Result<Called, CallError> {
    let applies = |call: &&HandCall| {
        let mut when = call.when.iter();
        when.all(|(name, value)| match value {
            None => bound.is_set(name),
            Some(value) => bound.value(name).is_some_and(|given| given.is_word(value)),
        })
    };
    let call = signature.calls.iter().find(applies);
    match call.map_or(Then::Nothing, |call| call.then) {
        Then::Calls(operator) => Ok(Called::Operator(operator.to_owned())),
        Then::Nothing => Ok(Called::Nothing),
        Then::Unknown => Ok(Called::Unknown),
        Then::Indexes => indexing::first(bound.value("index").unwrap_or(&Value::None)),
        Then::Raises(message) => Err(CallError::of_type(message.to_owned())),
    }
}
