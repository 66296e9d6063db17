//! Notes on the release used for an answer.

use opatlas_pytorch::release::{Release, UnknownRelease, Version};

/// The release whose rules apply, and how it was named.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct JudgedRelease {
    /// The release whose rules apply.
    pub release: Release,
    /// The named release, if it is newer than all known ones.
    pub newer: Option<Box<str>>,
}

/// A note on an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// The named release is newer than all known ones, so the newest known one is used instead.
    NewerRelease {
        /// The named release.
        named: Box<str>,
        /// The release used instead.
        judged: Release,
    },
}

impl JudgedRelease {
    /// The newest known release, for callers that name none.
    pub const NEWEST: Self = Self {
        release: Release::LATEST,
        newer: None,
    };

    /// Parses a release. Fails if it is not a release, or older than 2.0.
    pub fn parse(text: &str) -> Result<Self, UnknownRelease> {
        let parsed = Release::parse(text)?;
        let newer = parsed.newer_than_known.then(|| line(text));
        Ok(Self {
            release: parsed.release,
            newer,
        })
    }

    /// The release line as it is stored with a label: `2.9`. It may be newer than all known ones.
    #[must_use]
    pub fn stored(&self) -> String {
        match &self.newer {
            Some(line) => line.to_string(),
            None => self.release.as_str().to_owned(),
        }
    }

    /// The note on answers, if any.
    #[must_use]
    pub fn notes(&self) -> Vec<Note> {
        let newer = self.newer.iter().map(|named| Note::NewerRelease {
            named: named.clone(),
            judged: self.release,
        });
        newer.collect()
    }
}

fn line(text: &str) -> Box<str> {
    match Version::parse(text.trim()) {
        Some(version) => format!("{}.{}", version.major, version.minor).into(),
        None => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_is_stored_as_its_line() {
        for (text, stored, notes) in [
            ("2.9.1", "2.9", 0),
            ("v2.10.0rc1", "2.10", 0),
            ("v2.99.3", "2.99", 1),
        ] {
            let judged = JudgedRelease::parse(text).unwrap();
            assert_eq!(judged.stored(), stored);
            assert_eq!(judged.notes().len(), notes, "{text}");
        }
    }
}
