//! `deprecated.yaml`: Python signatures that are kept for old callers (`docs/spec/files.md`, section
//! 7, `tools/autograd/gen_python_functions.py`).
//!
//! What is read here depends on the file alone. Which operators a form calls depends on the
//! operators and the release: [`matching`].

pub mod matching;
mod read;

use std::sync::Arc;

use opatlas_schema::function::FunctionSchema;
use opatlas_source::Span;
use opatlas_source::diagnostic::Complaints;

/// The only constant that a call may pass. It counts as a `Scalar`.
pub const CONSTANT: &str = "1";

/// One `deprecated.yaml`. Places count from the beginning of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deprecated {
    /// The text. Bytes that are not valid text are replaced.
    pub text: Arc<str>,
    /// The forms that could be read, in file order.
    pub forms: Vec<DeprecatedForm>,
    /// What could not be read.
    pub diagnostics: Complaints,
}

/// One deprecated signature, and the call that replaces it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeprecatedForm {
    /// The signature that Python callers use. Its places are not those of the file.
    pub schema: FunctionSchema,
    /// Where `name` is.
    pub name_at: Span,
    /// The call.
    pub call: Call,
}

/// The call `op(a, b, 1)` that a deprecated signature turns into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The name of the operator, without `_out`.
    pub name: Box<str>,
    /// Whether the name was written with `_out` at its end. The out arguments then come first.
    pub is_out: bool,
    /// What is passed.
    pub arguments: Vec<Passed>,
    /// The whole call in the file.
    pub at: Span,
}

/// What a call passes for one argument of the operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passed {
    /// Its text.
    pub text: Box<str>,
    /// Where it is written.
    pub at: Span,
    /// What the text means.
    pub value: Value,
}

/// What is passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    /// The argument with this index in the deprecated signature.
    Argument(usize),
    /// [`CONSTANT`].
    Constant,
    /// Neither, which the generator refuses.
    Unknown,
}

impl Deprecated {
    /// Reads the file. Never fails: what cannot be read is in the diagnostics.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Self {
        read::read(bytes)
    }
}
