//! Applies a profile, a policy and exceptions to a comparison (`docs/spec/compatibility.md`, section 3).
//!
//! A profile changes levels, a policy decides what fails, and an exception excuses changes. Excused
//! changes stay in the report.

mod exception;
mod judge;
mod matching;
mod pattern;

use std::str::FromStr;

use super::rules::{Level, Profile, UnknownWord};

pub use exception::{Exception, ExceptionStatus, LastRelease, Line, Until};
pub use pattern::LENGTH as PATTERN_LENGTH;

pub use judge::{Conclusion, Context, Excuse, Judged, Judgement, Summary, judge, status};

/// The conditions under which a comparison fails or warns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// The profile, which decides whose view counts.
    pub profile: Profile,
    /// The lowest level that fails; `None` never fails.
    pub fail_on: Option<Level>,
    /// The lowest level that warns; `None` never warns.
    pub warn_on: Option<Level>,
    /// How operators with a leading underscore are treated.
    pub private: Treatment,
    /// How operators of a namespace are treated.
    pub namespaces: Vec<(Box<str>, Treatment)>,
    /// How operators with a tag in the base are treated.
    pub tags: Vec<(Box<str>, Treatment)>,
    /// How many days before its end an exception starts to warn.
    pub warn_days: u16,
}

impl Default for Policy {
    /// Fails on breaking changes and warns about dangerous ones; `core` operators are strict.
    fn default() -> Self {
        Self {
            profile: Profile::Strict,
            fail_on: Some(Level::Breaking),
            warn_on: Some(Level::Dangerous),
            private: Treatment::Same,
            namespaces: Vec::new(),
            tags: vec![("core".into(), Treatment::Strict)],
            warn_days: 14,
        }
    }
}

/// How operators are treated. The strictest applicable treatment counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Treatment {
    /// Reported, but never warns or fails.
    Ignore,
    /// Warns at most.
    Warn,
    /// No special treatment.
    #[default]
    Same,
    /// Breaking changes cannot be excused.
    Strict,
}

impl Treatment {
    /// All treatments, the mildest first.
    pub const ALL: [Self; 4] = [Self::Ignore, Self::Warn, Self::Same, Self::Strict];

    /// The word in files and in the API.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ignore => "ignore",
            Self::Warn => "warn",
            Self::Same => "same",
            Self::Strict => "strict",
        }
    }
}

impl FromStr for Treatment {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Self, UnknownWord> {
        let found = Self::ALL.into_iter().find(|known| known.as_str() == word);
        found.ok_or(UnknownWord)
    }
}
