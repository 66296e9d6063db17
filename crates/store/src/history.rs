//! The order of revisions and the changes of each step in a store: opaque texts.

use std::sync::Arc;

use super::chunks::Plan;
use super::records::{IngestOutcome, LabelRecord};
use opatlas_source::{Bundle, Digest};

/// How often what a project's timeline is made of has changed, as numbers that grow.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stamp {
    /// The project's id and when it was created: a later project of the same name has others.
    pub of: (i64, i64),
    /// Another number after every change of revisions, labels or commits.
    pub now: i64,
    /// The number that the last change of commits gave that did more than add some at the end.
    pub commits: i64,
    /// The same for revisions, in the order of ingest, and their labels.
    pub revisions: i64,
}

/// What is known of a commit besides its files.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CommitRecord {
    /// Its id, in hexadecimal digits.
    pub id: String,
    /// The release that its files are judged as; `None` for the newest known.
    pub release: Option<String>,
    /// When its author made it.
    pub author_date: i64,
    /// The first line of its message.
    pub subject: String,
}

/// A commit on the timeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitPlace {
    /// The commit.
    pub commit: CommitRecord,
    /// Its place: greater is later. Not dense.
    pub position: i64,
    /// The revision that its files make.
    pub digest: Digest,
    /// That revision's place in the order of ingest.
    pub sequence: i64,
}

/// A revision in the order of ingest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IngestPlace {
    /// Its place: greater is later. Not dense.
    pub sequence: i64,
    /// The revision.
    pub digest: Digest,
    /// When the project had it first, in microseconds since 1970-01-01 UTC.
    pub ingested_at: i64,
    /// The labels that name it, by name.
    pub labels: Vec<LabelRecord>,
}

/// A bundle taken apart, as it is stored.
#[derive(Debug, Clone)]
pub struct Prepared(Arc<Plan>);

impl Prepared {
    /// Takes a bundle apart; some milliseconds of work for a release.
    #[must_use]
    pub fn of(bundle: &Bundle) -> Self {
        Self(Arc::new(Plan::of(bundle)))
    }

    /// Takes a bundle apart that is much like this one: chunks that both have are not hashed again. The result
    /// is the same.
    #[must_use]
    pub fn next(&self, bundle: &Bundle) -> Self {
        Self(Arc::new(Plan::after(Some(&self.0), bundle)))
    }

    pub(super) fn plan(&self) -> &Plan {
        &self.0
    }
}

/// A commit to be stored, with its files.
#[derive(Debug, Clone)]
pub struct NewCommit {
    /// The commit.
    pub commit: CommitRecord,
    /// Its place on the timeline.
    pub position: i64,
    /// Its files.
    pub files: Prepared,
}

/// What came of storing commits: one outcome for each, in their order.
pub type CommitOutcomes = Vec<IngestOutcome>;

/// A step by what it leads from and to. Revisions are given by their place in the order of ingest.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct StepKey {
    /// The revision before; 0 before the first.
    pub base: i64,
    /// The revision.
    pub head: i64,
    /// What the revision before is judged as; empty before the first.
    pub base_release: String,
    /// What the revision is judged as.
    pub head_release: String,
}

/// A step to be stored.
#[derive(Debug, Clone)]
pub struct StepRecord {
    /// What it leads from and to.
    pub key: StepKey,
    /// Counts of the head, as the service writes them.
    pub facts: Vec<u8>,
    /// What it did to operators: their names, and what the service writes.
    pub operators: Vec<(String, Vec<u8>)>,
}
