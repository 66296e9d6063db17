//! Accepted breakage: what is excused, by whom, why and until when.

use std::fmt;

use jiff::civil::Date;
use wildmatch::WildMatch;

use crate::change::Change;
use opatlas_pytorch::release::Release;

/// A change that somebody accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exception {
    /// Its name in the store, or where it stands in a file.
    pub id: Box<str>,
    /// Operators by their whole name; `*` and `?` stand for any text and any letter.
    pub operator: Box<str>,
    /// Rules by their whole id, likewise.
    pub rule: Box<str>,
    /// Arguments, keys or whatever else the rule is about, likewise; `None` for any.
    pub argument: Option<Box<str>>,
    /// Why it is accepted.
    pub reason: Box<str>,
    /// Who answers for it.
    pub owner: Option<Box<str>>,
    /// Until when; `None` for good.
    pub until: Option<Until>,
    /// Whether it may match operators of more than one base name.
    pub broad: bool,
}

/// When an exception ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// It holds on this day and not after it.
    Date(Date),
    /// It holds for heads of this release and not of later ones.
    Release(Release),
}

/// The day, or the release.
impl fmt::Display for Until {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Date(date) => date.fmt(f),
            Self::Release(release) => release.fmt(f),
        }
    }
}

/// How an exception stands in a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ExceptionStatus {
    /// It holds.
    Active,
    /// It holds, but not for long.
    Expiring,
    /// It held once; what it excused counts again.
    Expired,
    /// No operator of either side has such a name, or another exception covers all of it.
    Unused,
    /// It matches operators of more than one base name without saying that it is meant to.
    Overbroad,
}

impl ExceptionStatus {
    /// The word used in every rendering and in the API.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Expiring => "expiring",
            Self::Expired => "expired",
            Self::Unused => "unused",
            Self::Overbroad => "overbroad",
        }
    }
}

impl Exception {
    /// Whether it speaks of this change.
    #[must_use]
    pub fn matches(&self, change: &Change) -> bool {
        let argument = self.argument.as_ref().is_none_or(|pattern| {
            let pattern = WildMatch::new(pattern);
            let names = change.subject.names();
            names.iter().any(|name| pattern.matches(name))
        });
        WildMatch::new(&self.rule).matches(change.rule.id.as_str())
            && self.matches_operator(&change.operator)
            && argument
    }

    /// Whether it speaks of an operator, by its name qualified unless in `aten`.
    #[must_use]
    pub fn matches_operator(&self, name: &str) -> bool {
        let pattern = self.operator.strip_prefix("aten::");
        WildMatch::new(pattern.unwrap_or(&self.operator)).matches(name)
    }

    /// Whether it excuses everything that the other one does.
    #[must_use]
    pub fn covers(&self, other: &Self) -> bool {
        let argument = match (&self.argument, &other.argument) {
            (None, _) => true,
            (Some(own), Some(others)) => WildMatch::new(own).matches(others),
            (Some(_), None) => false,
        };
        argument
            && self.matches_operator(&other.operator)
            && WildMatch::new(&self.rule).matches(&other.rule)
    }

    /// Whether it holds on this day for a head of this release, and for how long.
    #[must_use]
    pub fn standing(&self, today: Date, release: Release, warn_days: u16) -> ExceptionStatus {
        let (is_over, is_near) = match self.until {
            None => (false, false),
            Some(Until::Date(end)) => {
                let left = today.until(end).map_or(0, |span| span.get_days());
                (end < today, left <= i32::from(warn_days))
            }
            Some(Until::Release(end)) => (end < release, end == release),
        };
        match (is_over, is_near) {
            (true, _) => ExceptionStatus::Expired,
            (false, true) => ExceptionStatus::Expiring,
            (false, false) => ExceptionStatus::Active,
        }
    }
}
