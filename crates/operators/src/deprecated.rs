//! `deprecated.yaml`: Python signatures for old callers (`docs/spec/files.md`, section 7,
//! `tools/autograd/gen_python_functions.py`).
//!
//! Parsing depends only on the file; [`matching`] finds the operators that it calls.

pub mod matching;
mod read;

use std::sync::Arc;

use opatlas_schema::function::FunctionSchema;
use opatlas_source::Span;
use opatlas_source::diagnostic::Complaints;

/// The only constant that a call may pass, as a `Scalar`.
pub const CONSTANT: &str = "1";

/// One `deprecated.yaml`, with positions relative to its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deprecated {
    /// The text, with invalid bytes replaced.
    pub text: Arc<str>,
    /// The valid forms, in file order.
    pub forms: Vec<DeprecatedForm>,
    /// Errors in the file.
    pub diagnostics: Complaints,
}

/// A deprecated signature, and the call that replaces it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeprecatedForm {
    /// The signature for Python. Its positions are not those of the file.
    pub schema: FunctionSchema,
    /// The position of `name`.
    pub name_at: Span,
    /// The call.
    pub call: Call,
}

/// The replacement call `op(a, b, 1)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The name of the operator, without `_out`.
    pub name: Box<str>,
    /// Whether the name ends in `_out`. Out arguments then come first.
    pub is_out: bool,
    /// The passed arguments.
    pub arguments: Vec<Passed>,
    /// The whole call in the file.
    pub at: Span,
}

/// A passed argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passed {
    /// Its text.
    pub text: Box<str>,
    /// Its position.
    pub at: Span,
    /// Its value.
    pub value: Value,
}

/// The value of a passed argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    /// The argument with this index in the deprecated signature.
    Argument(usize),
    /// [`CONSTANT`].
    Constant,
    /// Anything else, which the generator rejects.
    Unknown,
}

impl Deprecated {
    /// Reads the file.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Self {
        read::read(bytes)
    }
}
