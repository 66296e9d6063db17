//! What an error message of PyTorch means, and what to do.
//!
//! [`ask`] recognizes a message in a pasted text. The kinds of messages are data ([`kinds`]); what the
//! releases say about the operator comes from `opatlas_verdict` and `opatlas_pytorch`. A text that is
//! not recognized gets the kind `unknown`, and a message that does not name an operator never gets one.

mod answer;
mod call;
mod facts;
mod kind;
mod kinds;
mod name;
mod pattern;
mod reading;
mod render;
mod text;

use opatlas_operators::catalogue::Catalogue;
use opatlas_source::diagnostic::RuleId;
use opatlas_source::{Message, Span};

/// The longest text that is read, in bytes.
pub const MOST_BYTES: usize = 256 * 1024;

opatlas_source::words! {
    /// How PyTorch was used.
    pub enum Way {
        /// Plain calls.
        Eager = "eager",
        /// Gradients.
        Training = "training",
        /// Shapes without data.
        Meta = "meta",
        /// `torch.compile`.
        Compile = "compile",
        /// `torch.export`, ONNX.
        Export = "export",
        /// `torch.vmap`.
        Vmap = "vmap",
        /// Definitions of operators.
        Library = "library",
        /// Loading a library or a model.
        Load = "load",
        /// Packages compiled ahead of time.
        Aoti = "aoti",
        /// Sharded tensors.
        Dtensor = "dtensor",
        /// Automatic mixed precision.
        Autocast = "autocast",
        /// PyTorch's code generator.
        Codegen = "codegen",
        /// Not about operators.
        None = "none",
    }
}

opatlas_source::words! {
    /// How bad a message is. The first decides.
    pub enum Severity {
        /// The program stops.
        Error = "error",
        /// The program goes on.
        Warning = "warning",
        /// It only reports another error.
        Wrapper = "wrapper",
        /// It is not a message: a line of Python.
        Info = "info",
    }
}

/// The kind of a text that is not recognized.
pub const UNKNOWN: &str = "unknown";

/// The kind of a line of Python.
pub const PYTHON_CALL: &str = "python-call";

/// What a text means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The kind: `mps-not-implemented`; [`UNKNOWN`] if the text is not recognized.
    pub kind: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What happened, in a sentence without a full stop.
    pub title: Message,
    /// The operator, as `native_functions.yaml` writes it; with its namespace if that is not `aten`.
    pub operator: Option<String>,
    /// The dispatch key.
    pub key: Option<String>,
    /// How PyTorch was used.
    pub way: Way,
    /// The release of PyTorch that the text names.
    pub release: Option<String>,
    /// Why it happens.
    pub cause: Message,
    /// What to do, in the order in which to try it.
    pub advice: Vec<Advice>,
    /// The first known release of the last ones in which it happens.
    pub since: Option<&'static str>,
    /// The last known release in which it happens.
    pub fails_in: Option<&'static str>,
    /// The first release from which it does not happen, up to the newest known one.
    pub fixed_in: Option<&'static str>,
    /// It does not happen in any known release.
    pub works_in_all: bool,
    /// What the message suggests wrongly.
    pub misleads: Option<Message>,
    /// The rule of Opatlas that finds the same fault in the files of a repository.
    pub rule: Option<RuleId>,
    /// The message that was recognized.
    pub message: Option<Span>,
    /// The parts of the text that were understood, in order. They do not overlap: the message is cut
    /// where another part is within it.
    pub read: Vec<Part>,
}

/// One thing to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advice {
    /// The releases for which it holds: `2.14.0 and later`; `None` if it holds in all.
    pub releases: Option<String>,
    /// What to do, in sentences.
    pub text: Message,
}

/// A part of the text that was understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// What it is: `operator`, `dispatch key`, `message`.
    pub what: &'static str,
    /// Where it is.
    pub span: Span,
}

/// A text that is too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLong {
    /// Its length in bytes.
    pub bytes: usize,
}

impl std::fmt::Display for TooLong {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "the text has {} bytes; paste the last {} bytes or fewer, which contain the error",
            self.bytes, MOST_BYTES
        )
    }
}

impl std::error::Error for TooLong {}

/// What a text that a person pasted means. A text of more than [`MOST_BYTES`] bytes is an error.
///
/// `catalogue` has the declarations of the newest release, which choose the overloads of a call in
/// Python; messages do not need them.
pub fn ask(text: &str, catalogue: Option<&Catalogue>) -> Result<Answer, TooLong> {
    if text.len() > MOST_BYTES {
        return Err(TooLong { bytes: text.len() });
    }
    let plain = text::Text::new(text);
    Ok(match reading::decide(&plain) {
        Some(reading) => answer::of(&reading),
        None => call::of(text, catalogue).unwrap_or_else(|| answer::unknown(&plain)),
    })
}

/// Whether a text is a line of Python, so that the declarations of a release say more about it.
#[must_use]
pub fn is_python(text: &str) -> bool {
    text.len() <= MOST_BYTES && opatlas_schema::python_call::Statement::read(text.trim()).is_ok()
}

/// The ids of all kinds, in order, each with the way that it is about.
#[must_use]
pub fn kinds() -> Vec<(&'static str, Way)> {
    let mut ids: Vec<_> = kinds::kinds().map(|kind| (kind.id, kind.way)).collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}
