//! The known minor releases of PyTorch (`data/releases.json`).
//!
//! A release determines rules, keys and name lists. Differences are data ([`ReleaseData`]); code
//! uses them or compares releases (`release >= Release::V2_6`), never texts.

mod data;
mod version;

use std::fmt;

pub use data::{
    BackendFallback, CodegenLists, NameLists, Names, PythonBindings, ReleaseData, RuntimeKey,
    RuntimeLists,
};
pub use version::Version;

/// A minor release, ordered by time. Its patch releases share its rules (`2.9.1` is `2.9`).
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash)]
pub struct Release(u8);

/// A parsed release.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
pub struct ParsedRelease {
    /// The release whose rules apply.
    pub release: Release,
    /// Whether the text names a newer release. The newest known rules apply; tell the user.
    pub newer_than_known: bool,
}

/// A text that is not a release, or one older than 2.0. Its display lists the known releases.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct UnknownRelease {
    /// The text, shortened for a message.
    pub text: Box<str>,
}

// A constant for each release (`V2_0`, ...), and the newest one as `LATEST`.
include!(concat!(env!("OUT_DIR"), "/release_constants.rs"));

impl Release {
    /// The number of known releases.
    pub const COUNT: usize = data::COUNT;

    /// All known releases, oldest first.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator {
        (0..=Self::LATEST.0).map(Self)
    }

    /// Parses a release from 2.0 on: `2.9`, `2.9.1`, `v2.9`, `2.9.0+cu128`, `2.10.0rc1`.
    pub fn parse(text: &str) -> Result<ParsedRelease, UnknownRelease> {
        let unknown = || UnknownRelease {
            text: text.chars().take(40).collect(),
        };
        let version = Version::parse(text.trim()).ok_or_else(unknown)?;
        let newest = ParsedRelease {
            release: Self::LATEST,
            newer_than_known: true,
        };
        match (version.major, u8::try_from(version.minor)) {
            (0 | 1, _) => Err(unknown()),
            (2, Ok(minor)) if minor <= Self::LATEST.0 => Ok(ParsedRelease {
                release: Self(minor),
                newer_than_known: false,
            }),
            _ => Ok(newest),
        }
    }

    /// The release from 2.0 on of a label that looks like a version (`2.9.0`, `v2.10.0-rc1`).
    #[must_use]
    pub fn from_label(label: &str) -> Option<ParsedRelease> {
        Self::parse(label).ok()
    }

    /// The data of this release.
    #[must_use]
    pub fn data(self) -> &'static ReleaseData {
        data::of(self.0)
    }

    /// The index among all releases, from 0 for 2.0.
    #[must_use]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// `2.9`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.data().name
    }
}

impl Default for Release {
    /// The newest release.
    fn default() -> Self {
        Self::LATEST
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Release({})", self.as_str())
    }
}

impl fmt::Display for UnknownRelease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "unknown PyTorch release `{}`; known releases:",
            self.text
        )?;
        for (index, release) in Release::all().enumerate() {
            let separator = if index == 0 { " " } else { ", " };
            write!(f, "{separator}{release}")?;
        }
        Ok(())
    }
}

impl std::error::Error for UnknownRelease {}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<(Release, bool)>) {
        let parsed = Release::parse(text)
            .ok()
            .map(|p| (p.release, p.newer_than_known));
        assert_eq!(parsed, expected, "{text}");
    }

    #[test]
    fn a_release_is_read_from_many_spellings() {
        for text in [
            "2.9",
            "2.9.0",
            "2.9.1",
            "v2.9",
            "v2.9.1",
            "2.9.0+cu128",
            "2.9.0rc3",
            " 2.9 ",
        ] {
            check(text, Some((Release::V2_9, false)));
        }
        check("2.0", Some((Release::V2_0, false)));
        check("2.15.7", Some((Release::V2_15, false)));
    }

    #[test]
    fn newer_ones_are_judged_as_the_newest() {
        let next = format!("2.{}", Release::COUNT);
        for text in [&next, &format!("{next}.0"), "3.0", "2.300", "17.1"] {
            check(text, Some((Release::LATEST, true)));
        }
    }

    #[test]
    fn old_ones_and_nonsense_are_refused_with_the_known_ones() {
        for text in [
            "1.13", "0.4.1", "", "two", "2", "2.9x", "main", "-2.9", "2..9",
        ] {
            check(text, None);
        }
        let message = Release::parse("1.13").unwrap_err().to_string();
        assert!(
            message.contains("`1.13`")
                && message.contains("2.0, 2.1,")
                && message.ends_with(Release::LATEST.as_str())
        );
    }

    #[test]
    fn every_release_has_its_own_row() {
        assert_eq!(Release::all().len(), Release::COUNT);
        for (index, release) in Release::all().enumerate() {
            assert_eq!(
                (release.index(), release.to_string()),
                (index, format!("2.{index}"))
            );
            assert!(
                release
                    .data()
                    .patches
                    .iter()
                    .all(|patch| patch.starts_with(release.as_str()))
            );
        }
    }

    #[test]
    fn every_list_can_be_searched() {
        for release in Release::all() {
            let data = release.data();
            for names in [
                data.tags,
                data.dispatch_keys_known,
                data.dispatch_keys_allowed,
                data.base_types,
            ] {
                assert!(names.iter().all(|name| names.contains(name)));
                assert!(!names.contains("") && !names.contains("nothing"));
            }
        }
    }

    /// Counts from `docs/spec/releases.md`, section 2 and `docs/spec/dispatch.md`, section 8.1.
    #[test]
    fn lists_have_the_recorded_sizes() {
        let rows = [
            (Release::V2_0, [18, 21, 106, 9, 29, 36, 15]),
            (Release::V2_3, [19, 22, 135, 11, 32, 41, 15]),
            (Release::V2_9, [20, 30, 139, 16, 38, 42, 16]),
            (Release::V2_10, [20, 30, 139, 17, 39, 42, 16]),
            (Release::V2_13, [19, 30, 140, 20, 38, 42, 16]),
            (Release::V2_15, [19, 30, 140, 20, 38, 42, 16]),
        ];
        for (release, expected) in rows {
            let data = release.data();
            let sizes = [
                data.base_types.len(),
                data.dispatch_keys_allowed.len(),
                data.dispatch_keys_known.len(),
                data.tags.len(),
                data.runtime.fallbacks.len(),
                data.runtime.unparseable.len(),
                data.runtime.backends.len(),
            ];
            assert_eq!(sizes, expected, "{release}");
        }
    }
}
