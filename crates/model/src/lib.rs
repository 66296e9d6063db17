//! The operators that a model calls (`docs/preflight.md`).
//!
//! [`read`] takes the bytes of a model and returns its calls in the order of their first execution.
//! It reads exported programs (`.pt2`), the code of TorchScript archives, printed graphs, and lists
//! of operators. It never loads a pickle and extracts nothing: of an archive it reads only the
//! entries with the program. Sizes are bounded by [`Limits`].

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod archive;
mod code;
mod fx;
mod gather;
mod graph;
mod kind;
mod list;
mod name;
mod place;
mod program;
mod refusal;
mod text;

use std::io::{Cursor, Read, Seek};

pub use kind::{Arguments, Kind};
pub use list::{BadLine, read_list};
pub use name::{Name, Overload};
pub use refusal::{READS, Refusal};

/// What a model calls.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Model {
    /// What the bytes are, such as `exported program`.
    pub kind: &'static str,
    /// The operators, in the order of their first execution.
    pub operators: Vec<Call>,
    /// What the answer depends on, such as a branch that depends on data.
    pub notes: Vec<String>,
    /// Calls that could not be read, such as a module that is not part of the graph.
    pub unread: Vec<String>,
}

/// The calls of one operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The operator.
    pub operator: Name,
    /// How often the model calls it.
    pub count: u64,
    /// Where the first call is in the user's source: `FILE:LINE in FUNCTION: CODE`.
    pub place: Option<String>,
    /// All of its calls are in branches that may not run.
    pub is_conditional: bool,
}

/// The limits on a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The bytes of an archive's directory.
    pub directory_bytes: u64,
    /// The unpacked bytes of all entries that are read, or of a text.
    pub text_bytes: u64,
    /// The number of different operators.
    pub operators: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            directory_bytes: 4 << 20,
            text_bytes: 48 << 20,
            operators: 10_000,
        }
    }
}

/// Whether bytes begin like an archive, which [`read_archive`] reads without its weights.
#[must_use]
pub fn is_archive(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06")
}

/// Reads a model. What it is follows from its bytes.
///
/// # Errors
/// [`Refusal`].
pub fn read(bytes: &[u8], limits: &Limits) -> Result<Model, Refusal> {
    if is_archive(bytes) {
        return read_archive(Cursor::new(bytes), limits);
    }
    if bytes.len() as u64 > limits.text_bytes {
        return Err(Refusal::TooLarge {
            what: "the text".to_owned(),
            limit: limits.text_bytes,
        });
    }
    text::read(bytes, limits)
}

/// Reads an archive from a file, which may be larger than memory.
///
/// # Errors
/// [`Refusal`].
pub fn read_archive(archive: impl Read + Seek, limits: &Limits) -> Result<Model, Refusal> {
    archive::read(archive, limits)
}
