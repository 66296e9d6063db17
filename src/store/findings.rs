//! What the rules found in a revision, as the service packs it.

use super::whole::StoredFiles;
use opatlas_source::Digest;

/// Findings of a revision. They follow from its files, the release and the program, so that they may be lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FindingsRecord {
    /// The release that the files are judged as.
    pub release: String,
    /// What tells programs apart that may find something else.
    pub program: String,
    /// The findings, bytes that the store does not look into.
    pub packed: Vec<u8>,
}

/// A revision to be read.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// The revision.
    pub digest: Digest,
    /// Whose findings are wanted with it, if they are kept: those as of a release, by a program.
    pub findings: Option<(&'a str, &'a str)>,
}

/// A revision as it is stored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StoredRevision {
    /// Its files.
    pub files: StoredFiles,
    /// The findings that were wanted, packed; nothing where they are not kept.
    pub findings: Option<Vec<u8>>,
}

impl From<Digest> for Wanted<'_> {
    fn from(digest: Digest) -> Self {
        Self {
            digest,
            findings: None,
        }
    }
}
