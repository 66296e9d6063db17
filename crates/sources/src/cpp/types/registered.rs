//! Reads the function in a registration, such as `m.impl("add", [](at::Tensor a) { ... })`.

use std::ops::Range;

use super::Instance;
use crate::cpp::source::Source;

/// The information about the type of a kernel in its registration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RegisteredKernel {
    /// A lambda, or a function that a cast selects.
    Declared {
        /// The return type as written. `None` for a lambda that omits it.
        returns: Option<Box<str>>,
        /// The parameters as written.
        parameters: Vec<Box<str>>,
    },
    /// A kernel that takes its arguments from a stack. It fits every schema.
    Boxed,
    /// The name of a function, or something else.
    Other,
}

/// Calls whose result is a boxed kernel.
const BOXED: [&str; 5] = [
    "TORCH_BOX",
    "makeFallthrough",
    "makeFromBoxedFunction",
    "makeFromBoxedFunctor",
    "makeFromBoxedKernel",
];

impl RegisteredKernel {
    /// Reads the text of a registration.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let source = Source::new(text, 0);
        if !source.directives.is_empty() {
            return Self::Other;
        }
        let count = source.tokens.len();
        for index in 0..count {
            match source.word(index) {
                Some(word) if BOXED.contains(&word) => return Self::Boxed,
                Some("static_cast") => return cast(&source, index + 1).unwrap_or(Self::Other),
                None if source.is(index, b'[') && !source.is(index + 1, b'[') => {
                    return lambda(&source, index).unwrap_or(Self::Other);
                }
                _ => {}
            }
        }
        Self::Other
    }
}

fn parameters(source: &Source<'_>, range: Range<usize>) -> Vec<Box<str>> {
    let parts = source.expression(range).arguments().into_iter();
    let parts = crate::cpp::parameter_types::join_templates(parts.map(|p| p.spaced()).collect());
    let parts = parts.into_iter().filter(|part| part != "void");
    parts.map(Into::into).collect()
}

/// Splits torchgen's declaration, such as `at::Tensor add(const at::Tensor & self)`, into the
/// return type and the parameters.
#[must_use]
pub fn declaration(text: &str) -> Option<Instance> {
    let source = Source::new(text, 0);
    let open = (0..source.tokens.len()).find(|index| source.is(*index, b'('))?;
    let close = source.partner(open)?;
    Some(Instance {
        returns: source.expression(0..open.checked_sub(1)?).spaced().into(),
        parameters: parameters(&source, open + 1..close),
    })
}

/// Reads `[](at::Tensor a) -> at::Tensor { ... }` from the `[`.
fn lambda(source: &Source<'_>, open: usize) -> Option<RegisteredKernel> {
    let list = source.partner(open)? + 1;
    let end = source.is(list, b'(').then(|| source.partner(list))??;
    let brace = (end..source.tokens.len()).find(|index| source.is(*index, b'{'))?;
    let is_arrow = |at: &usize| source.is(*at, b'-') && source.is(at + 1, b'>');
    let arrow = (end + 1..brace).find(is_arrow);
    let returns = arrow.map(|arrow| source.expression(arrow + 2..brace).spaced());
    Some(RegisteredKernel::Declared {
        returns: returns.map(Into::into),
        parameters: parameters(source, list + 1..end),
    })
}

/// Reads `<at::Tensor (*)(const at::Tensor &)>` from the `<`.
fn cast(source: &Source<'_>, open: usize) -> Option<RegisteredKernel> {
    let pointer = (open..source.tokens.len())
        .take_while(|index| !source.is(*index, b'{') && !source.is(*index, b';'))
        .find(|index| source.is(*index, b'(') && source.is(index + 1, b'*'))?;
    let list = source.partner(pointer)? + 1;
    let end = source.is(list, b'(').then(|| source.partner(list))??;
    Some(RegisteredKernel::Declared {
        returns: Some(source.expression(open + 1..pointer).spaced().into()),
        parameters: parameters(source, list + 1..end),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declared(text: &str) -> Option<(Option<String>, String)> {
        match RegisteredKernel::of(text) {
            RegisteredKernel::Declared {
                returns,
                parameters,
            } => Some((returns.map(Into::into), parameters.join("; "))),
            _ => None,
        }
    }

    #[test]
    fn lambdas_and_casts_declare_their_type() {
        let lambda =
            "m.impl(\"f\", [](const Tensor& a, std::array<bool, 2> b) -> Tensor { return a[0]; })";
        let expected = (
            Some("Tensor".into()),
            "const Tensor & a; std : : array < bool,2 > b".into(),
        );
        assert_eq!(declared(lambda), Some(expected));
        let cast = "m.impl(\"f\", static_cast<Tensor (*)(Tensor, int64_t)>(&f))";
        assert_eq!(
            declared(cast),
            Some((Some("Tensor".into()), "Tensor; int64_t".into()))
        );
        let plain = "m.impl(\"f\", [](Tensor a) { return a; })";
        assert_eq!(declared(plain), Some((None, "Tensor a".into())));
    }

    #[test]
    fn boxed_kernels_have_no_type() {
        let boxed = "m.impl(\"f\", torch::CppFunction::makeFromBoxedFunction<&g>())";
        assert_eq!(RegisteredKernel::of(boxed), RegisteredKernel::Boxed);
        assert_eq!(
            RegisteredKernel::of("m.impl(\"f\", TORCH_FN(g))"),
            RegisteredKernel::Other
        );
    }
}
