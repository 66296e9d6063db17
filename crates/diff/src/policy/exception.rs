//! Accepted breakage: what is excused, by whom, why and until when.

use std::fmt;

use jiff::civil::Date;

use super::pattern::{Pattern, is_wild};
use opatlas_pytorch::release::{Release, UnknownRelease, Version};

/// A change that somebody accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exception {
    /// Its name in the store, or its position in a file.
    pub id: Box<str>,
    /// Operators by their full name; `*` matches any text and `?` one character. A pattern of more
    /// than [`super::PATTERN_LENGTH`] characters matches nothing.
    pub operator: Box<str>,
    /// Rules by their whole id, likewise.
    pub rule: Box<str>,
    /// Arguments, keys or whatever else the rule is about, likewise; `None` for any.
    pub argument: Option<Box<str>>,
    /// Why it is accepted.
    pub reason: Box<str>,
    /// Who is responsible for it.
    pub owner: Option<Box<str>>,
    /// Until when; `None` for good.
    pub until: Option<Until>,
    /// Whether it may match operators of more than one base name.
    pub broad: bool,
}

/// When an exception ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Until {
    /// It holds on this day and not after it.
    Date(Date),
    /// It holds for heads of this release and not of later ones.
    Release(LastRelease),
}

/// A line of releases, also one that is not known yet: major and minor version. Lines are ordered
/// as versions are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Line(u32, u32);

impl Line {
    /// The line of a release as users write it, `2.16` of `v2.16.1`.
    ///
    /// # Errors
    /// [`UnknownRelease`] if the text is not a version, or is older than 2.0.
    pub fn parse(text: &str) -> Result<Self, UnknownRelease> {
        let parsed = Release::parse(text)?;
        let version = Version::parse(text.trim());
        Ok(version.map_or_else(|| Self::of(parsed.release), |v| Self(v.major, v.minor)))
    }

    /// The line of a known release.
    #[must_use]
    pub fn of(release: Release) -> Self {
        let version = Version::parse(release.as_str());
        version.map_or(Self(0, 0), |version| Self(version.major, version.minor))
    }
}

/// The last release for which an exception holds: its text as it was written, and its line, by
/// which it is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastRelease {
    text: Box<str>,
    line: Line,
}

impl LastRelease {
    /// Reads a release as users write it. It may be newer than all that are known.
    ///
    /// # Errors
    /// [`UnknownRelease`] if the text is not a version, or is older than 2.0.
    pub fn parse(text: &str) -> Result<Self, UnknownRelease> {
        Ok(Self {
            line: Line::parse(text)?,
            text: text.trim().into(),
        })
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Its line.
    #[must_use]
    pub fn line(&self) -> Line {
        self.line
    }
}

/// The day, or the release.
impl fmt::Display for Until {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Date(date) => date.fmt(f),
            Self::Release(release) => f.pad(release.as_str()),
        }
    }
}

/// The status of an exception in a comparison.
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
    /// Its operators as changes name them: `aten` is left out.
    #[must_use]
    pub fn operator(&self) -> &str {
        let bare = self.operator.strip_prefix("aten::");
        bare.unwrap_or(&self.operator)
    }

    /// Whether it names its operators by a pattern.
    #[must_use]
    pub fn is_pattern(&self) -> bool {
        is_wild(&self.operator)
    }

    /// Whether it speaks of an operator, by its name qualified unless in `aten`. A comparison
    /// compiles its patterns once instead.
    #[must_use]
    pub fn matches_operator(&self, name: &str) -> bool {
        Pattern::new(self.operator()).matches(name)
    }

    /// Whether it holds on this day for a head of this line of releases, and for how long.
    #[must_use]
    pub fn standing(&self, today: Date, head: Line, warn_days: u16) -> ExceptionStatus {
        let (is_over, is_near) = match &self.until {
            None => (false, false),
            Some(Until::Date(end)) => {
                let left = today.until(*end).map_or(0, |span| span.get_days());
                (*end < today, left <= i32::from(warn_days))
            }
            Some(Until::Release(end)) => (end.line < head, end.line == head),
        };
        match (is_over, is_near) {
            (true, _) => ExceptionStatus::Expired,
            (false, true) => ExceptionStatus::Expiring,
            (false, false) => ExceptionStatus::Active,
        }
    }
}
