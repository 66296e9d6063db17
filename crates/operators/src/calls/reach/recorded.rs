//! Calls of functions that are written in Python, and of modules: what was recorded of them.

use std::collections::BTreeMap;

use opatlas_pytorch::python_functions::{
    self, Condition, Function, Parameter, Phase, RecordedCall,
};
use opatlas_pytorch::release::Release;
use opatlas_schema::python_call::{Argument, Arguments, Value};

use super::values::word;
use super::{FunctionCall, Reach, Reached, ReachedOperator};
use crate::calls::name::Place;
use crate::calls::{Binding, Called, find};
use crate::catalogue::Catalogue;

/// The values that a call passes, by parameter; `None` where the line does not show them.
type Passed = BTreeMap<&'static str, Option<Value>>;

/// What a call of a recorded function reaches; `None` if it is not recorded, or a binding says more.
pub(super) fn reach(catalogue: &Catalogue, call: &FunctionCall) -> Option<Reach> {
    let name = match call.name.contains('.') {
        true => call.name.clone(),
        false => first_known(catalogue, &call.name)?,
    };
    let function = python_functions::find(&name, catalogue.release)?;
    if is_described_by_hand(catalogue, &name) || is_opaque(catalogue, function) {
        return None;
    }
    let passed = shown(function, call);
    let of = |phase| operators(function, phase, &passed);
    let operators = of(Phase::Top);
    let below = of(Phase::Below);
    let new = unrecorded(function, &passed).into_iter();
    let mut notes: Vec<String> = new
        .map(|given| format!("No recorded call passes {given}."))
        .collect();
    if function.recorded_with != catalogue.release {
        notes.push(format!("Recorded in PyTorch {}.", function.recorded_with));
    }
    Some(Reach::Reached(Reached {
        below: if below == operators {
            Vec::new()
        } else {
            below
        },
        backward: of(Phase::Backward),
        recorded_with: Some(function.recorded_with),
        notes,
        ..Reached::of(name, operators)
    }))
}

/// A bare name, such as `relu6`, in the modules that people import from.
fn first_known(catalogue: &Catalogue, name: &str) -> Option<String> {
    let is_bound = find(catalogue, &format!("torch.{name}")).is_some();
    let modules = [
        "torch.",
        "torch.nn.functional.",
        "torch.nn.",
        "torch.nn.init.",
    ];
    let mut names = modules.iter().map(|module| format!("{module}{name}"));
    names.find(|name| {
        let is_known = python_functions::find(name, catalogue.release).is_some();
        is_known && (!is_bound || name.matches('.').count() == 1)
    })
}

/// Whether a handwritten signature describes the function in Python.
fn is_described_by_hand(catalogue: &Catalogue, name: &str) -> bool {
    let Some(function) = name.strip_prefix("torch.") else {
        return false;
    };
    let binding = Binding::of(catalogue, Place::Python, function);
    binding.is_some_and(|binding| binding.is_by_hand())
}

/// The operator that a call of a function of `torch` runs first; unknown unless each recorded call with
/// such arguments runs it.
pub(in crate::calls) fn first(name: &str, release: Release, arguments: &Arguments) -> Called {
    let function = python_functions::find(&format!("torch.{name}"), release);
    let called = function.and_then(|function| {
        let passed = bound(function, arguments)?;
        operators(function, Phase::Top, &passed).into_iter().next()
    });
    match called {
        Some(first) if first.is_always() => Called::Operator(first.name),
        _ => Called::Unknown,
    }
}

/// The arguments by parameter; `None` if Python may refuse them.
fn bound(function: Function, arguments: &Arguments) -> Option<Passed> {
    let parameters: Vec<_> = function.parameters().collect();
    let positional = arguments.positional.iter();
    let positional = positional.map(|value| (None, Some(value.clone())));
    let keywords = arguments.keywords.iter();
    let keywords = keywords.map(|(name, value)| (Some(&**name), Some(value.clone())));
    let has = |stars: &str| parameters.iter().any(|it| it.name.starts_with(stars));
    let places = match (has("**"), has("*")) {
        // A function that another one is behind: what more arguments do is not known.
        (true, _) => 1,
        (false, true) => usize::MAX,
        (false, false) => parameters.iter().filter(|it| !it.is_keyword_only).count(),
    };
    let has_place = (1..=places).contains(&arguments.positional.len());
    let mut names = arguments.keywords.iter().map(|(name, _)| name);
    let has_names = names.all(|name| parameters.iter().any(|it| it.name == name));
    if !has_place || !has_names {
        return None;
    }
    let passed = passed(function, positional.chain(keywords));
    let is_given = |it: &Parameter| {
        it.default.is_some() || it.name.starts_with('*') || passed.contains_key(it.name)
    };
    parameters.iter().all(is_given).then_some(passed)
}

/// Whether the function only wraps a binding, so that Python does not know its parameters.
fn is_opaque(catalogue: &Catalogue, function: Function) -> bool {
    function.parameters().next().is_none() && find(catalogue, function.name).is_some()
}

/// What a call passes: arguments by parameter, and defaults. Nothing if the line does not show them.
fn shown(function: Function, call: &FunctionCall) -> Passed {
    let given = match call.made_with.is_some() {
        true => call.made_with.as_deref(),
        false => call.arguments.as_deref(),
    };
    match given {
        Some(given) if given.iter().all(|argument| !argument.is_unpacked) => {
            let given = given.iter();
            passed(
                function,
                given.map(|Argument { name, value, .. }| (name.as_deref(), value.value())),
            )
        }
        _ => Passed::new(),
    }
}

/// Arguments by parameter, and defaults.
fn passed<'a>(
    function: Function,
    given: impl Iterator<Item = (Option<&'a str>, Option<Value>)>,
) -> Passed {
    let mut passed = Passed::new();
    let parameters: Vec<_> = function.parameters().collect();
    for parameter in &parameters {
        if let Some(default) = parameter.default.filter(|default| *default != "...") {
            passed.insert(parameter.name, literal(default));
        }
    }
    let mut positional = parameters
        .iter()
        .filter(|parameter| !parameter.is_keyword_only);
    for (name, value) in given {
        let parameter = match name {
            None => positional.next(),
            Some(name) => parameters.iter().find(|parameter| parameter.name == name),
        };
        let Some(parameter) = parameter.filter(|it| !it.name.starts_with('*')) else {
            continue;
        };
        passed.insert(parameter.name, value);
    }
    passed
}

/// The value of a default.
fn literal(text: &str) -> Option<Value> {
    opatlas_schema::python_call::Arguments::read(text)
        .ok()
        .and_then(|arguments| arguments.positional.into_iter().next())
}

fn operators(function: Function, phase: Phase, passed: &Passed) -> Vec<ReachedOperator> {
    function
        .calls(phase)
        .filter_map(|call| reached(function, call, passed))
        .collect()
}

/// An operator with what is left of its conditions; `None` if the call does not meet them.
fn reached(function: Function, call: RecordedCall, passed: &Passed) -> Option<ReachedOperator> {
    let mut left = Vec::new();
    for condition in &call.when {
        match holds(function, condition, passed) {
            Some(true) => {}
            Some(false) => return None,
            None => left.push(condition.to_string()),
        }
    }
    let name = call.operator;
    if left.is_empty() && !call.is_certain {
        left.push("some other arguments are given".to_owned());
    }
    let new = unrecorded(function, passed);
    if left.is_empty() && !new.is_empty() {
        left.push(format!("it does not depend on {}", new.join(" and ")));
    }
    Some(match left.is_empty() {
        true => ReachedOperator::always(name),
        false => ReachedOperator::when(name, left.join(" and ")),
    })
}

/// Whether a call meets a condition; `None` if the line does not say.
fn holds(function: Function, condition: &Condition, passed: &Passed) -> Option<bool> {
    let Condition {
        parameter, value, ..
    } = *condition;
    let given = passed.get(parameter)?.as_ref()?;
    if matches!(given, Value::Tensor(_)) {
        // The text does not show how many dimensions a tensor has.
        return (!value.ends_with("-dim")).then_some(!condition.is_equal);
    }
    let given = word(given)?;
    // Of a literal that no recorded call passes, nothing is known.
    if is_literal(&given) && !function.is_recorded_with(parameter, &given) && given != value {
        return None;
    }
    Some((given == value) == condition.is_equal)
}

/// The literals that the call passes and no recorded call does: `mode='area'`.
fn unrecorded(function: Function, passed: &Passed) -> Vec<String> {
    let literals = passed.iter().filter_map(|(parameter, value)| {
        let text = word(value.as_ref()?)?;
        let is_new = is_literal(&text) && !function.is_recorded_with(parameter, &text);
        is_new.then(|| format!("{parameter}={text}"))
    });
    literals.collect()
}

/// Whether a word stands for one value.
fn is_literal(word: &str) -> bool {
    word.starts_with('\'') || matches!(word, "True" | "False" | "None")
}
