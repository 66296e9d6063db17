//! Applies a profile, a policy and exceptions to a comparison (`docs/spec/compatibility.md`, section 3).
//!
//! A profile changes levels, a policy decides what fails, and an exception excuses changes. Excused
//! changes stay in the report.

mod exception;
mod judge;
mod matching;
mod pattern;

use super::rules::{Level, Profile};

pub use exception::{Exception, ExceptionStatus, LastRelease, Line, Until};
pub use pattern::{LENGTH as PATTERN_LENGTH, Pattern};

pub use judge::{
    Conclusion, Context, Excuse, Judged, Judgement, Summary, is_subject, judge, status,
};

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

opatlas_source::words! {
    /// How operators are treated. The strictest applicable treatment counts.
    #[derive(Default)]
    pub enum Treatment {
        /// Reported, but never warns or fails.
        Ignore = "ignore",
        /// Warns at most.
        Warn = "warn",
        /// No special treatment.
        #[default]
        Same = "same",
        /// Breaking changes cannot be excused.
        Strict = "strict",
    }
}
