//! Tries the signatures of a binding in order (`PythonArgParser`).

use super::CallError;
use super::arguments::Arguments;
use super::bind::{Bound, bind};
use super::combination;
use super::signature::Signature;

/// Differences between releases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParserRules {
    /// `true` if error messages show defaults, such as `Number alpha = 1`.
    pub shows_defaults: bool,
}

/// The signatures of a binding, in the order in which they are tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parser {
    signatures: Vec<(usize, Signature)>,
    rules: ParserRules,
}

/// The signature that a call takes.
#[derive(Debug, Clone, PartialEq)]
pub struct Chosen<'p> {
    /// Its index in the list that was passed to [`Parser::new`].
    pub index: usize,
    /// The values of its parameters.
    pub bound: Bound<'p>,
}

impl Parser {
    /// Reads signatures and moves deprecated ones to the end.
    ///
    /// # Errors
    /// If PyTorch cannot read a signature. Every call then raises this exception.
    pub fn new<'t>(
        texts: impl IntoIterator<Item = &'t str>,
        rules: ParserRules,
    ) -> Result<Self, CallError> {
        let read = texts.into_iter().map(Signature::parse);
        let read: Result<Vec<Signature>, String> = read.collect();
        let read = read.map_err(CallError::of_runtime)?.into_iter().enumerate();
        let (last, mut signatures): (Vec<_>, Vec<_>) = read.partition(|(_, s)| s.is_deprecated);
        signatures.extend(last);
        Ok(Self { signatures, rules })
    }

    /// Returns the signatures in the order in which they are tried, each with its index in the list
    /// that was passed to [`Parser::new`].
    pub fn signatures(&self) -> impl Iterator<Item = (usize, &Signature)> {
        self.signatures
            .iter()
            .map(|(index, signature)| (*index, signature))
    }

    /// Returns the signature that the arguments take.
    ///
    /// # Errors
    /// If the arguments fit no signature, or if the binding cannot convert them. The error is the
    /// exception of the call.
    pub fn parse<'p>(&'p self, arguments: &'p Arguments) -> Result<Chosen<'p>, CallError> {
        let mut errors = Vec::with_capacity(self.signatures.len());
        for (index, signature) in &self.signatures {
            match bind(signature, arguments) {
                Ok(bound) => {
                    bound.conversion()?;
                    let index = *index;
                    return Ok(Chosen { index, bound });
                }
                Err(misfit) if misfit.is_final => return Err(misfit.error),
                Err(misfit) => errors.push((signature, misfit.error)),
            }
        }
        Err(self.refusal(errors, arguments))
    }

    fn refusal(&self, errors: Vec<(&Signature, CallError)>, arguments: &Arguments) -> CallError {
        let given = arguments.positional.len() + arguments.keywords.len();
        let is_only = errors.len() == 1;
        let is_plausible = |signature: &Signature| {
            !signature.is_hidden
                && given >= signature.least()
                && given <= signature.parameters.len()
        };
        let plausible = errors
            .into_iter()
            .filter(|(s, _)| is_only || is_plausible(s));
        let mut plausible: Vec<CallError> = plausible.map(|(_, error)| error).collect();
        match (plausible.pop(), plausible.is_empty()) {
            (Some(error), true) => error,
            _ => CallError::of_type(combination::message(
                self.signatures.iter().map(|(_, signature)| signature),
                arguments,
                self.rules,
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXTS: [&str; 4] = [
        "f(Tensor input, Tensor other, *, Tensor out=None)",
        "f(Tensor input, Scalar other)",
        "f(Tensor input, IntArrayRef[2] dim, bool keepdim=False)",
        "f(Tensor input, Scalar alpha, Tensor other)|deprecated",
    ];
    const RULES: ParserRules = ParserRules {
        shows_defaults: true,
    };

    /// The messages come from PyTorch 2.9.0.
    #[test]
    fn arguments_take_the_first_signature_that_fits() {
        let parser = Parser::new(TEXTS, RULES).unwrap();
        for (given, taken) in [
            ("tensor, tensor", Ok(0)),
            ("tensor, 1", Ok(1)),
            ("tensor, tensor(0-dim)", Ok(0)),
            ("tensor, axis=1", Ok(2)),
            ("tensor, (0, 1), keepdims=True", Ok(2)),
            ("tensor, 2, tensor", Ok(3)),
            (
                "tensor, [0, 1.0]",
                Err(
                    "f(): argument 'dim' failed to unpack the object at pos 2 with error \"type must be tuple of ints,but got float\"",
                ),
            ),
            (
                "tensor",
                Err(
                    "f() received an invalid combination of arguments - got (Tensor), but expected one of:",
                ),
            ),
            (
                "tensor, dim='x'",
                Err(
                    "f() received an invalid combination of arguments - got (Tensor, dim=str), but expected one of:",
                ),
            ),
        ] {
            let arguments = Arguments::read(given).unwrap();
            let found = parser.parse(&arguments);
            let found = found.as_ref().map(|chosen| chosen.index);
            assert_eq!(found.map_err(CallError::first_line), taken, "{given}");
        }
    }

    #[test]
    fn unknown_types_stop_every_call() {
        let error = Parser::new(["f(Nothing x)"], RULES).unwrap_err();
        assert_eq!(
            error.message,
            "FunctionParameter(): invalid type string: Nothing"
        );
    }
}
