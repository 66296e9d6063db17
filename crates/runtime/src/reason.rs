//! The verdict of the official check, with its reason.

use std::fmt;

use opatlas_source::{Message, message};

/// The verdict on a change from an old schema to a new one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// `new.is_backward_compatible_with(old)`: programs for the old schema run on the new one.
    /// False if torch raises.
    pub backward: bool,
    /// The first part of `new.check_forward_compatible_with(old)`: programs for the new schema run
    /// on the old one. False if torch raises.
    pub forward: bool,
    /// The first reason that the backward check fails; PyTorch itself does not report one.
    pub backward_reason: Option<BackwardBreak>,
    /// PyTorch's message for the forward check or its exception, verbatim; empty if it passes, and
    /// for some failures.
    pub forward_reason: String,
    /// PyTorch raises `IndexError` in the backward check.
    pub backward_crash: bool,
    /// PyTorch raises `IndexError` in the forward check.
    pub forward_crash: bool,
}

/// The first thing that broke the backward check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BackwardBreak {
    /// The name or namespace changed.
    Name,
    /// The overload name changed.
    Overload,
    /// `...` was added to or removed from the arguments or returns.
    Variadic,
    /// The number of returns changed.
    ReturnCount {
        /// The old number.
        old: usize,
        /// The new number.
        new: usize,
    },
    /// The new schema has fewer arguments.
    FewerArguments {
        /// The old number.
        old: usize,
        /// The new number.
        new: usize,
    },
    /// A return differs.
    Return {
        /// Its index, from 0.
        index: usize,
        /// The difference.
        what: ArgumentBreak,
    },
    /// An argument of the old schema differs from the one at its position.
    Argument {
        /// Its name in the old schema.
        name: String,
        /// The difference.
        what: ArgumentBreak,
    },
    /// A new argument has no default.
    NewArgumentWithoutDefault {
        /// Its name.
        name: String,
        /// Its erased type.
        type_text: String,
    },
    /// PyTorch reads an out argument past the end of the new schema and raises `IndexError`.
    Crash {
        /// The index it reads.
        index: usize,
        /// The number of arguments.
        size: usize,
    },
}

impl BackwardBreak {
    pub(super) fn crash_text(index: usize, size: usize) -> String {
        format!("vector::_M_range_check: __n (which is {index}) >= this->size() (which is {size})")
    }
}

impl BackwardBreak {
    /// The reason as a sentence.
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

/// How an argument or return differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArgumentBreak {
    /// The name.
    Name,
    /// The list size.
    Size,
    /// The alias annotation.
    Alias,
    /// It became keyword-only.
    KwargOnly,
    /// The new type does not accept the old one.
    Type,
    /// The default was removed or changed.
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
