//! A schema as the runtime reads it.

use opatlas_source::Span;

use super::alias::Alias;
use super::types::Type;
use super::value::Value;

/// The namespace of an unqualified name.
pub const DEFAULT_NAMESPACE: &str = "aten";

/// An operator's schema as the runtime sees it; borrows from its text.
#[derive(Debug, Clone)]
pub struct RuntimeSchema<'a> {
    /// The text before `::`; [`DEFAULT_NAMESPACE`] if there is none.
    pub namespace: &'a str,
    /// Whether the text has a namespace.
    pub has_namespace: bool,
    /// The name without namespace and overload name.
    pub name: &'a str,
    /// The text after the dot; empty for the default overload.
    pub overload: &'a str,
    /// The arguments without `*` and `...`.
    pub arguments: Vec<Argument<'a>>,
    /// The returns without `...`.
    pub returns: Vec<Argument<'a>>,
    /// Whether `...` ends the arguments.
    pub is_vararg: bool,
    /// Whether `...` ends the returns.
    pub is_varret: bool,
}

impl RuntimeSchema<'_> {
    /// The index of the first out argument (keyword-only and written), or the number of arguments
    /// (`docs/spec/compatibility.md`, section 2.5).
    #[must_use]
    pub fn out_start(&self) -> usize {
        let is_out = |argument: &Argument<'_>| argument.is_out();
        self.arguments
            .iter()
            .position(is_out)
            .unwrap_or(self.arguments.len())
    }
}

/// An argument or a return.
#[derive(Debug, Clone)]
pub struct Argument<'a> {
    /// Its name; empty for an unnamed return.
    pub name: &'a str,
    /// Its type without the size of a sized list.
    pub ty: Type<'a>,
    /// The N of `T[N]`. PyTorch truncates it to 32 bits.
    pub size: Option<i32>,
    /// Its evaluated default; always `None` for returns.
    pub default: Option<Value<'a>>,
    /// Whether it is keyword-only (after `*`).
    pub is_kwarg_only: bool,
    /// Its alias annotation.
    pub alias: Option<Box<Alias<'a>>>,
    /// The position in the text, from type to default.
    pub span: Span,
}

impl Argument<'_> {
    /// Whether it is keyword-only and written to.
    #[must_use]
    pub fn is_out(&self) -> bool {
        self.is_kwarg_only && self.alias.as_ref().is_some_and(|alias| alias.is_write)
    }
}
