//! The way back: the Python functions that end in an operator.

use std::collections::BTreeSet;

use opatlas_pytorch::calls as recordings;
use opatlas_pytorch::python_functions::{self, Phase};

use crate::calls::of_operator;
use crate::catalogue::Catalogue;
use crate::operator::OperatorId;

/// How many functions an answer has at most.
const MOST: usize = 24;
/// How many calls lead from a function to the operator at most.
const DEEPEST: usize = 4;

/// A function that ends in an operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reacher {
    /// `torch.linalg.eigh`, `torch.Tensor.add_`, `torch.nn.Linear`.
    pub function: String,
    /// The operator that the function calls itself: `linalg_eigh`.
    pub operator: String,
    /// Each call ends in the operator, as far as is known.
    pub is_always: bool,
}

/// The public functions, methods and modules of Python that end in an operator, those that call it
/// themselves first. At most 24.
#[must_use]
pub fn reaches(catalogue: &Catalogue, operator: &str) -> Vec<Reacher> {
    let mut found: Vec<Reacher> = Vec::new();
    let mut seen = BTreeSet::new();
    for (name, is_always) in callers(catalogue, operator) {
        let ids = catalogue.find_in("aten", &name);
        let bound = ids.into_iter().flat_map(|id| public(catalogue, id));
        let functions = bound.map(|function| (function, true));
        let functions = functions.chain(recorded(catalogue, &name));
        for (function, is_certain) in functions {
            if found.len() < MOST && seen.insert(function.clone()) {
                found.push(Reacher {
                    function,
                    operator: name.clone(),
                    is_always: is_always && is_certain,
                });
            }
        }
    }
    found
}

/// The public names of the bindings that call an operator.
fn public(catalogue: &Catalogue, id: OperatorId) -> Vec<String> {
    let base = catalogue.operator(id).base_name();
    let bindings = of_operator(catalogue, id).into_iter();
    let names = bindings.filter_map(|binding| {
        let full = binding.full_name();
        let name = match full.strip_prefix("torch._C._") {
            None if full.starts_with("Tensor.") => format!("torch.{full}"),
            None => full,
            Some(path) => {
                let (module, name) = path.split_once('.')?;
                let name = name.trim_start_matches('_');
                match module {
                    "nn" => format!("torch.nn.functional.{name}"),
                    _ => format!(
                        "torch.{module}.{}",
                        name.strip_prefix(&format!("{module}_")).unwrap_or(name)
                    ),
                }
            }
        };
        (!base.starts_with('_')).then_some(name)
    });
    names.collect()
}

/// The recorded functions that call an operator, and whether each call does.
fn recorded(catalogue: &Catalogue, operator: &str) -> Vec<(String, bool)> {
    let functions = python_functions::all(catalogue.release).filter(|it| !it.name.contains("._"));
    let called = functions.filter_map(|function| {
        let mut calls = function.calls(Phase::Top);
        let call = calls.find(|call| call.operator == operator)?;
        let is_always = call.is_certain && call.when.is_empty();
        Some((function.name.to_owned(), is_always))
    });
    called.collect()
}

/// The operator, and those that end in it, nearest first: functional forms of a structured operator,
/// and composites whose calls were recorded. Each with whether it always does.
fn callers(catalogue: &Catalogue, operator: &str) -> Vec<(String, bool)> {
    let bare = operator.strip_prefix("aten::").unwrap_or(operator);
    let mut found = vec![(bare.to_owned(), true)];
    let names: Vec<&str> = recordings::names().collect();
    let mut begin = 0;
    for _ in 0..DEEPEST {
        let end = found.len();
        for at in begin..end {
            let (name, is_always) = found[at].clone();
            for (caller, always) in direct(catalogue, &names, &name) {
                if found.iter().all(|(known, _)| *known != caller) {
                    found.push((caller, is_always && always));
                }
            }
        }
        begin = end;
    }
    found
}

fn direct(catalogue: &Catalogue, names: &[&str], operator: &str) -> Vec<(String, bool)> {
    let is_served = |id: OperatorId| {
        let delegate = catalogue.operator(id).structured_delegate();
        delegate.is_some_and(|delegate| delegate.to_string() == operator)
    };
    let served = catalogue.iter().filter(|(id, _)| is_served(*id));
    let served = served.map(|(_, by)| (by.qualified_name().to_owned(), true));
    let place = names.iter().position(|name| *name == operator);
    let place = place.and_then(|place| u16::try_from(place).ok());
    let calling = recordings::of_release(catalogue.release).filter_map(|calls| {
        let place = place?;
        let is_always = calls.always.contains(&place);
        let calls_it = is_always || calls.sometimes.contains(&place);
        calls_it.then(|| (names[usize::from(calls.operator)].to_owned(), is_always))
    });
    served.chain(calling).collect()
}
