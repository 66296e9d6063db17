//! Exceptions: accepted changes, with the reason, the owner and the end.

use std::fmt;

use jiff::civil::Date;

use super::pattern::is_wild;
use opatlas_pytorch::release::{Release, UnknownRelease, Version};

/// A change that somebody accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exception {
    /// Its name in the store, or its position in a file.
    pub id: Box<str>,
    /// A pattern for full operator names. `*` matches any text and `?` one character. A pattern of more
    /// than [`super::PATTERN_LENGTH`] characters matches nothing.
    pub operator: Box<str>,
    /// A pattern for rule ids.
    pub rule: Box<str>,
    /// A pattern for the names in the change's subject, such as arguments or keys; `None` for any.
    pub argument: Option<Box<str>>,
    /// Why it is accepted.
    pub reason: Box<str>,
    /// Who is responsible for it.
    pub owner: Option<Box<str>>,
    /// The end; `None` for no end.
    pub until: Option<Until>,
    /// Whether it may match operators of more than one base name.
    pub broad: bool,
}

/// When an exception ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Until {
    /// The last day.
    Date(Date),
    /// The last release of the head.
    Release(LastRelease),
}

/// A release line, such as `2.16`, which may be unknown yet. Lines are ordered by version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Line(u32, u32);

impl Line {
    /// Parses the line of a release as users write it: `2.16` of `v2.16.1`.
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

/// The last release of an exception: the text as written, and its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastRelease {
    text: Box<str>,
    line: Line,
}

impl LastRelease {
    /// Parses a release as users write it. It may be newer than all known ones.
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

impl fmt::Display for Until {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Date(date) => date.fmt(f),
            Self::Release(release) => f.pad(release.as_str()),
        }
    }
}

opatlas_source::words! {
    /// The status of an exception in a comparison.
    pub enum ExceptionStatus {
        /// In effect.
        Active = "active",
        /// In effect, but ends soon.
        Expiring = "expiring",
        /// Ended; the changes that it excused count again.
        Expired = "expired",
        /// No operator of either side matches, or another exception covers it.
        Unused = "unused",
        /// It matches operators of several base names, but is not marked as broad.
        Overbroad = "overbroad",
    }
}

impl Exception {
    /// Its operator pattern without `aten::`, to match names in changes.
    #[must_use]
    pub fn operator(&self) -> &str {
        let bare = self.operator.strip_prefix("aten::");
        bare.unwrap_or(&self.operator)
    }

    /// Whether the operator's base name has wildcards, so that it may match several.
    #[must_use]
    pub fn has_open_base(&self) -> bool {
        is_wild(self.base())
    }

    /// Whether the operator's base name is only wildcards, so that it matches every base name.
    #[must_use]
    pub fn has_any_base(&self) -> bool {
        let base = self.base();
        base.contains('*') && base.chars().all(|char| matches!(char, '*' | '?'))
    }

    fn base(&self) -> &str {
        let name = self.operator.rsplit("::").next().unwrap_or_default();
        name.split_once('.').map_or(name, |(base, _)| base)
    }

    /// Whether the operator is a pattern with wildcards.
    #[must_use]
    pub fn is_pattern(&self) -> bool {
        is_wild(&self.operator)
    }

    /// Its status on this day for a head of this release line.
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
