//! The verdict of the official check, and its reason.

use std::fmt;

use opatlas_source::{Message, message};

/// The verdict on a change from an old schema to a new one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// `new.is_backward_compatible_with(old)`: programs written against the old schema run on the
    /// new one. False where torch raises.
    pub backward: bool,
    /// The first part of `new.check_forward_compatible_with(old)`: programs written against the
    /// new schema run on the old one. False where torch raises.
    pub forward: bool,
    /// The first reason that the backward check fails. PyTorch itself reports none.
    pub backward_reason: Option<BackwardBreak>,
    /// PyTorch's own message for the forward check, verbatim: empty if it passes, and for some
    /// failures. The message of the exception if PyTorch raises one.
    pub forward_reason: String,
    /// PyTorch raises `IndexError` in the backward check.
    pub backward_crash: bool,
    /// PyTorch raises `IndexError` in the forward check.
    pub forward_crash: bool,
}

/// The first thing that broke the backward check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BackwardBreak {
    /// Another name or namespace.
    Name,
    /// Another overload name.
    Overload,
    /// `...` came or went among arguments or returns.
    Variadic,
    /// Another number of returns.
    ReturnCount {
        /// How many the old schema has.
        old: usize,
        /// How many the new schema has.
        new: usize,
    },
    /// The new schema has fewer arguments.
    FewerArguments {
        /// How many the old schema has.
        old: usize,
        /// How many the new schema has.
        new: usize,
    },
    /// A return differs.
    Return {
        /// Which, from 0.
        index: usize,
        /// In what.
        what: ArgumentBreak,
    },
    /// An argument of the old schema differs from the one at its position.
    Argument {
        /// Its name in the old schema.
        name: String,
        /// In what.
        what: ArgumentBreak,
    },
    /// A new argument has no default.
    NewArgumentWithoutDefault {
        /// Its name.
        name: String,
        /// Its type as torch compares it.
        type_text: String,
    },
    /// PyTorch reads an out argument past the end of the new schema and raises `IndexError`.
    Crash {
        /// Where it looks.
        index: usize,
        /// How many arguments there are.
        size: usize,
    },
}

impl BackwardBreak {
    /// The message of the exception.
    pub(super) fn crash_text(index: usize, size: usize) -> String {
        format!("vector::_M_range_check: __n (which is {index}) >= this->size() (which is {size})")
    }
}

impl BackwardBreak {
    /// The reason in words.
    #[must_use]
    pub fn message(&self) -> Message {
        match self {
            Self::Name => "the name changed".into(),
            Self::Overload => "the overload name changed".into(),
            Self::Variadic => "`...` was added or removed".into(),
            Self::ReturnCount { old, new } => {
                message!("the number of returns changed from {} to {}", old, new)
            }
            Self::FewerArguments { old, new } => {
                message!("the number of arguments decreased from {} to {}", old, new)
            }
            Self::Return { index, what } => message!("return {} {}", index, what),
            Self::Argument { name, what } => message!("argument `{}` {}", name, what),
            Self::NewArgumentWithoutDefault { name, type_text } => message!(
                "the new argument `{}` of type {} has no default",
                name,
                type_text
            ),
            Self::Crash { index, size } => message!(
                "PyTorch's check raises IndexError: {}",
                Self::crash_text(*index, *size)
            ),
        }
    }
}

/// In what an argument or return differs from the one it is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArgumentBreak {
    /// Another name.
    Name,
    /// Another list size, or only one has a list size.
    Size,
    /// Another alias annotation.
    Alias,
    /// Keyword-only now.
    KwargOnly,
    /// A type that does not take what the old one took.
    Type,
    /// The default was removed or has another value.
    Default,
}

impl fmt::Display for ArgumentBreak {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Name => "was renamed, or another one is at its position",
            Self::Size => "has a different list size",
            Self::Alias => "has a different alias annotation",
            Self::KwargOnly => "became keyword-only",
            Self::Type => "has an incompatible type",
            Self::Default => "has a different default",
        })
    }
}
