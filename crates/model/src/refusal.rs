//! Why bytes are not read as a model.

use crate::list::BadLine;

/// The inputs that are read, for messages.
pub const READS: &str = "Opatlas reads exported programs (`torch.export.save`), TorchScript \
                         archives (`torch.jit.save`), printed graphs, and lists of operators";

/// Why bytes are not read as a model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// There is nothing in it.
    #[error("the model is empty; {READS}")]
    Empty,
    /// It is something else.
    #[error("this looks like {what}; {READS}")]
    Other {
        /// What it looks like.
        what: String,
    },
    /// The archive is damaged.
    #[error("the archive cannot be read: {why}")]
    Archive {
        /// What is wrong.
        why: String,
    },
    /// The JSON of the program is invalid.
    #[error("`{entry}` is not the JSON of an exported program: {why}")]
    Json {
        /// The entry of the archive.
        entry: String,
        /// What is wrong.
        why: String,
    },
    /// A line of a list is not an operator.
    #[error(
        "line {number} is not an operator with an optional count: `{text}`; write `add.Tensor` or \
         `aten::add.Tensor,12`, one operator on each line"
    )]
    Line {
        /// The number of the line, from 1.
        number: usize,
        /// Its beginning.
        text: String,
    },
    /// It is too large.
    #[error("{what} exceeds {limit} bytes")]
    TooLarge {
        /// What is too large.
        what: String,
        /// The limit.
        limit: u64,
    },
    /// It names too many operators.
    #[error("the model names more than {limit} different operators")]
    Operators {
        /// The limit.
        limit: usize,
    },
}

impl From<BadLine> for Refusal {
    fn from(BadLine { number, text }: BadLine) -> Self {
        Self::Line { number, text }
    }
}
