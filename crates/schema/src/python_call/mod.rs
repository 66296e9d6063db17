//! Chooses the signature that a call of a Python binding takes, like PyTorch's `PythonArgParser`
//! (`torch/csrc/utils/python_arg_parser.cpp`; `docs/spec/calls.md`).
//!
//! [`Arguments::read`] reads arguments from text, such as `tensor, 1, alpha=2`. [`Parser::new`]
//! reads the signatures, and [`Parser::parse`] tries them in order.

mod arguments;
mod bind;
mod check;
mod combination;
mod expression;
mod kwargs;
mod parser;
mod signature;
mod value;

pub use arguments::{Arguments, MOST_CHARACTERS, Unreadable};
pub use bind::Bound;
pub use expression::{Argument, Expression, Statement};
pub use parser::{Chosen, Parser, ParserRules};
pub use signature::{Kind, Parameter, Signature};
pub use value::{Scalar, Tensor, Value};

/// An exception that a call raises.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallError {
    /// The class, such as `TypeError`.
    pub class: &'static str,
    /// The whole message.
    pub message: String,
}

impl CallError {
    /// A `TypeError`.
    #[must_use]
    pub fn of_type(message: String) -> Self {
        Self {
            class: "TypeError",
            message,
        }
    }

    /// A `RuntimeError`.
    #[must_use]
    pub fn of_runtime(message: String) -> Self {
        Self {
            class: "RuntimeError",
            message,
        }
    }

    /// The first line of the message.
    #[must_use]
    pub fn first_line(&self) -> &str {
        self.message.lines().next().unwrap_or_default()
    }
}
