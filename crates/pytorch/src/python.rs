//! Python bindings that PyTorch's developers write by hand (`data/python_bindings.json`): functions
//! of `torch`, and methods and properties of `Tensor`.

use crate::release::Release;

/// A function or method with a handwritten binding.
#[derive(Debug, PartialEq, Eq)]
pub struct HandBinding {
    /// The name.
    pub name: &'static str,
    /// The signatures, in the parser's order.
    pub signatures: &'static [HandSignature],
    /// Operators that it answers for without calling them.
    pub operators: &'static [&'static str],
    first: usize,
    last: usize,
}

/// A signature of a handwritten binding.
#[derive(Debug, PartialEq, Eq)]
pub struct HandSignature {
    /// The text for the argument parser.
    pub text: &'static str,
    /// The operators that it calls. The first case that applies wins. If none applies, it calls
    /// none.
    pub calls: &'static [HandCall],
}

/// A case of a handwritten binding: a condition on the arguments, and its effect.
#[derive(Debug, PartialEq, Eq)]
pub struct HandCall {
    /// The arguments that the call must pass, some with their class or value.
    pub when: &'static [(&'static str, Option<&'static str>)],
    /// The effect.
    pub then: Then,
}

/// The effect of a handwritten binding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then {
    /// It calls this operator first.
    Calls(&'static str),
    /// It calls no operator.
    Nothing,
    /// The operator depends on the values.
    Unknown,
    /// It indexes the tensor.
    Indexes,
    /// It raises a `TypeError`.
    Raises(&'static str),
}

impl HandBinding {
    /// The functions of `torch` in a release.
    pub fn functions(release: Release) -> impl Iterator<Item = &'static Self> {
        FUNCTIONS.iter().filter(move |it| it.is_in(release))
    }

    /// The functions of `torch` that are written in Python and take other arguments than the
    /// binding that they replace.
    pub fn in_python(release: Release) -> impl Iterator<Item = &'static Self> {
        IN_PYTHON.iter().filter(move |it| it.is_in(release))
    }

    /// The methods of `Tensor` in a release.
    pub fn methods(release: Release) -> impl Iterator<Item = &'static Self> {
        METHODS.iter().filter(move |it| it.is_in(release))
    }

    fn is_in(&self, release: Release) -> bool {
        (self.first..=self.last).contains(&release.index())
    }

    /// The operators that it calls or answers for.
    pub fn all_operators(&self) -> impl Iterator<Item = &'static str> {
        let calls = self.signatures.iter().flat_map(|signature| signature.calls);
        let called = calls.filter_map(|call| match call.then {
            Then::Calls(operator) => Some(operator),
            _ => None,
        });
        called.chain(self.operators.iter().copied())
    }
}

/// The properties of `Tensor` that read an operator, each with the operator.
#[must_use]
pub fn properties() -> &'static [(&'static str, &'static str)] {
    PROPERTIES
}

/// Resolves an alias of a function of `torch`.
#[must_use]
pub fn function_alias(name: &str) -> Option<&'static str> {
    find(FUNCTION_ALIASES, name)
}

/// Resolves an alias of a method of `Tensor`, such as `__radd__` for `add`.
#[must_use]
pub fn method_alias(name: &str) -> Option<&'static str> {
    find(METHOD_ALIASES, name)
}

fn find(pairs: &[(&str, &'static str)], name: &str) -> Option<&'static str> {
    let mut pairs = pairs.iter();
    pairs.find(|(alias, _)| *alias == name).map(|(_, of)| *of)
}

include!(concat!(env!("OUT_DIR"), "/python.rs"));
