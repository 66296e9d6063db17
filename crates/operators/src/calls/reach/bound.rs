//! Calls of bindings: their argument parser chooses the operator.

use super::values::Given;
use super::{FunctionCall, Reach, Reached, ReachedOperator};
use crate::calls::{Binding, BindingKind, Called, Outcome, find};
use crate::catalogue::Catalogue;

/// What a call of a binding reaches; `None` if Python does not bind the name.
pub(super) fn reach(catalogue: &Catalogue, call: &FunctionCall) -> Option<Reach> {
    let same = opatlas_pytorch::python_functions::binding(&call.name, catalogue.release);
    let binding = find(catalogue, same.unwrap_or(&call.name))?;
    let function = match binding.full_name() {
        method if method.starts_with("Tensor.") => format!("torch.{method}"),
        _ if call.name.contains('.') => call.name.clone(),
        name => name,
    };
    if let Some(read) = binding.property_of() {
        let operators = vec![ReachedOperator::always(read)];
        return Some(Reach::Reached(Reached::of(function, operators)));
    }
    let given = call.arguments.as_deref().map(Given::of);
    Some(match given {
        Some(Some(given)) => by_arguments(function, &binding, &given),
        _ => by_signatures(function, &binding),
    })
}

fn by_arguments(function: String, binding: &Binding, given: &Given<'_>) -> Reach {
    let mut refused = None;
    for (guess, arguments) in given.likely().enumerate() {
        let called = match binding.call(&arguments) {
            Outcome::Takes { called, .. } | Outcome::InPython(called) => called,
            Outcome::NotImplemented => Called::Nothing,
            Outcome::Raises(error) => {
                refused.get_or_insert(error);
                continue;
            }
        };
        let note = match guess {
            0 => "Variables count as tensors.",
            _ => "Variables count as tensors where the call takes them.",
        };
        return taken(
            function,
            binding,
            called,
            given.has_guesses().then_some(note),
        );
    }
    match refused {
        Some(error) => Reach::Raises { function, error },
        None => by_signatures(function, binding),
    }
}

fn taken(function: String, binding: &Binding, called: Called, note: Option<&str>) -> Reach {
    let mut reached = match called {
        Called::Operator(name) => Reached::of(function, vec![ReachedOperator::always(name)]),
        Called::Nothing => {
            let mut reached = Reached::of(function, Vec::new());
            reached.notes.push("The call runs no operator.".to_owned());
            reached
        }
        Called::Unknown => return by_signatures(function, binding),
    };
    reached.notes.extend(note.map(str::to_owned));
    Reach::Reached(reached)
}

/// Without arguments, each signature may be the one that a call takes.
fn by_signatures(function: String, binding: &Binding) -> Reach {
    let mut operators: Vec<ReachedOperator> = Vec::new();
    let signatures = binding.signatures.iter().filter(|it| !it.is_deprecated());
    let is_only = signatures.clone().count() == 1;
    for signature in signatures {
        let called = signature.operators();
        let takes_out = called.iter().any(|(_, with_out)| *with_out);
        for (name, with_out) in called {
            let when = match (is_only, with_out) {
                (_, true) => Some("`out` is given".to_owned()),
                (true, false) => takes_out.then(|| "`out` is not given".to_owned()),
                (false, false) => Some(format!("the arguments fit `{}`", signature.text)),
            };
            if operators.iter().all(|known| known.name != name) {
                operators.push(ReachedOperator { name, when });
            }
        }
    }
    let mut reached = Reached::of(function, operators);
    if reached.operators.is_empty() {
        let kind = match binding.kind {
            BindingKind::Property => "reads a property",
            _ => "reads the tensor, or depends on values",
        };
        reached.notes.push(format!("The call {kind}."));
    }
    Reach::Reached(reached)
}
