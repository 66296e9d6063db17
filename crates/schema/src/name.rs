//! Operator names (`docs/spec/grammar.md`, section 1, torchgen `BaseOperatorName` and
//! `OperatorName`).

use std::fmt;
use std::sync::Arc;

/// The form of a base name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NameForm {
    /// `add`
    Plain,
    /// `add_`: in place.
    Inplace,
    /// `native_batch_norm_functional`: the functional twin of a mutable operator.
    Functional,
    /// `__add__`
    Dunder,
    /// `__iadd__`: in place.
    DunderInplace,
}

impl NameForm {
    /// All forms.
    pub const ALL: [Self; 5] = [
        Self::Plain,
        Self::Inplace,
        Self::Functional,
        Self::Dunder,
        Self::DunderInplace,
    ];
}

/// `base_name[.overload]`. The stem is the base name without the affixes of its form.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct OperatorName {
    /// Shared with everything that mentions the operator.
    text: Arc<str>,
    base_end: u32,
    stem: (u32, u32),
    form: NameForm,
}

/// Operators whose augmented assignment has its own dunder name, such as `__iadd__` (torchgen
/// `AUGMENTED_ASSIGNMENT_NAMES`).
pub const AUGMENTED_ASSIGNMENTS: [&str; 11] = [
    "add", "sub", "mul", "div", "mod", "pow", "lshift", "rshift", "and", "xor", "or",
];

/// Why a text is not an operator name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NameError {
    /// No base name (`op-name-empty`).
    Empty,
    /// A base name that ends in `_out` (`op-name-out-suffix`).
    OutSuffix,
    /// A dot with nothing after it (`overload-name`).
    EmptyOverload,
    /// `__i...__` that is not an augmented assignment (`dunder-name`).
    Dunder,
    /// `_functional` on an in-place name (`functional-suffix`).
    FunctionalInplace,
}

impl OperatorName {
    /// Parses a name; fails with the first error of torchgen's `OperatorName.parse`.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        let base_end = text.find('.').unwrap_or(text.len());
        let base = &text[..base_end];
        if base.is_empty() {
            return Err(NameError::Empty);
        }
        if base.ends_with("_out") {
            return Err(NameError::OutSuffix);
        }
        let (stem, form) = Self::shape(base)?;
        if base_end < text.len() && base_end + 1 == text.len() {
            return Err(NameError::EmptyOverload);
        }
        Ok(Self {
            text: text.into(),
            base_end: offset(base_end),
            stem: (offset(stem.0), offset(stem.1)),
            form,
        })
    }

    /// A name that the runtime accepts but torchgen may reject, such as `nms_out`.
    #[must_use]
    pub fn of_runtime(base: &str, overload: &str) -> Self {
        let (stem, form) = Self::shape(base).unwrap_or(((0, base.len()), NameForm::Plain));
        let mut text = base.to_owned();
        if !overload.is_empty() {
            text.push('.');
            text.push_str(overload);
        }
        Self {
            text: text.into(),
            base_end: offset(base.len()),
            stem: (offset(stem.0), offset(stem.1)),
            form,
        }
    }

    fn shape(base: &str) -> Result<((usize, usize), NameForm), NameError> {
        let dunder = base
            .strip_prefix("__")
            .and_then(|rest| rest.strip_suffix("__"))
            .filter(|inner| !inner.is_empty() && !inner.contains('_'));
        if let Some(inner) = dunder {
            let end = 2 + inner.len();
            return match inner.strip_prefix('i') {
                Some(name) if AUGMENTED_ASSIGNMENTS.contains(&name) => {
                    Ok(((3, end), NameForm::DunderInplace))
                }
                Some(_) => Err(NameError::Dunder),
                None => Ok(((2, end), NameForm::Dunder)),
            };
        }
        if let Some(stem) = base.strip_suffix('_') {
            if stem.ends_with("_functional") {
                return Err(NameError::FunctionalInplace);
            }
            return Ok(((0, stem.len()), NameForm::Inplace));
        }
        if let Some(stem) = base.strip_suffix("_functional") {
            return Ok(((0, stem.len()), NameForm::Functional));
        }
        Ok(((0, base.len()), NameForm::Plain))
    }

    /// A name from its parts; `overload` may be empty. Like torchgen, does not validate it.
    #[must_use]
    pub fn from_parts(stem: &str, form: NameForm, overload: &str) -> Self {
        let (before, after) = match form {
            NameForm::Plain => ("", ""),
            NameForm::Inplace => ("", "_"),
            NameForm::Functional => ("", "_functional"),
            NameForm::Dunder => ("__", "__"),
            NameForm::DunderInplace => ("__i", "__"),
        };
        let mut text = String::with_capacity(stem.len() + overload.len() + 16);
        text.push_str(before);
        text.push_str(stem);
        text.push_str(after);
        let base_end = text.len();
        if !overload.is_empty() {
            text.push('.');
            text.push_str(overload);
        }
        Self {
            stem: (offset(before.len()), offset(before.len() + stem.len())),
            base_end: offset(base_end),
            text: text.into(),
            form,
        }
    }

    /// The whole name, `add.Tensor`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// A shared copy of the whole name.
    #[must_use]
    pub fn shared(&self) -> Arc<str> {
        Arc::clone(&self.text)
    }

    /// The base name, `add_` or `__iadd__`.
    #[must_use]
    pub fn base(&self) -> &str {
        &self.text[..self.base_end as usize]
    }

    /// The stem, `add`.
    #[must_use]
    pub fn stem(&self) -> &str {
        &self.text[self.stem.0 as usize..self.stem.1 as usize]
    }

    /// The overload name; empty for the default overload.
    #[must_use]
    pub fn overload(&self) -> &str {
        self.text.get(self.base_end as usize + 1..).unwrap_or("")
    }

    /// The form of the base name.
    #[must_use]
    pub fn form(&self) -> NameForm {
        self.form
    }

    /// Whether it is in place, according to its form.
    #[must_use]
    pub fn is_inplace(&self) -> bool {
        matches!(self.form, NameForm::Inplace | NameForm::DunderInplace)
    }

    /// Whether it has the shape `__name__`.
    #[must_use]
    pub fn is_dunder(&self) -> bool {
        matches!(self.form, NameForm::Dunder | NameForm::DunderInplace)
    }

    /// The C++ identifier that distinguishes overloads, `add_Tensor` (torchgen `unambiguous_name`).
    #[must_use]
    pub fn unambiguous(&self) -> String {
        let mut name = String::with_capacity(self.text.len());
        name.push_str(self.base());
        if !self.overload().is_empty() {
            name.push('_');
            name.push_str(self.overload());
        }
        name
    }
}

fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

impl fmt::Display for OperatorName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for OperatorName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OperatorName({})", self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes() {
        for (text, stem, form) in [
            ("add.Tensor", "add", NameForm::Plain),
            ("add_", "add", NameForm::Inplace),
            ("__iadd__.Q", "add", NameForm::DunderInplace),
            ("__add__", "add", NameForm::Dunder),
            ("__floor_div__", "__floor_div_", NameForm::Inplace),
            ("rrelu_functional", "rrelu", NameForm::Functional),
            ("_", "", NameForm::Inplace),
        ] {
            let name = OperatorName::parse(text).unwrap();
            assert_eq!((name.stem(), name.form()), (stem, form), "{text}");
            let again = OperatorName::from_parts(name.stem(), name.form(), name.overload());
            assert_eq!(again, name);
        }
    }

    #[test]
    fn refusals() {
        for (text, error) in [
            ("", NameError::Empty),
            (".out", NameError::Empty),
            ("add_out", NameError::OutSuffix),
            ("add.", NameError::EmptyOverload),
            ("__invert__", NameError::Dunder),
            ("a_functional_", NameError::FunctionalInplace),
        ] {
            assert_eq!(OperatorName::parse(text), Err(error), "{text}");
        }
    }
}
