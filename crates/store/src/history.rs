//! Records of a timeline: the order of revisions and the changes of each step.

use std::sync::Arc;

use super::chunks::Plan;
use super::records::{IngestOutcome, LabelRecord};
use opatlas_source::{Bundle, Digest};

/// Counters that tell whether a project's timeline has changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stamp {
    /// The project's id and creation time, which differ for a later project of the same name.
    pub of: (i64, i64),
    /// Changes with every change of revisions, labels or commits.
    pub now: i64,
    /// The value of `now` when commits were last moved or inserted, not just appended.
    pub commits: i64,
    /// The value of `now` when revisions or their labels were last changed, not just appended.
    pub revisions: i64,
}

/// A commit without its files.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CommitRecord {
    /// The id in hexadecimal digits.
    pub id: String,
    /// The release whose rules apply; `None` for the newest known one.
    pub release: Option<String>,
    /// The author date.
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
    /// The revision with its files.
    pub digest: Digest,
    /// That revision's place in ingest order.
    pub sequence: i64,
}

/// A revision in ingest order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IngestPlace {
    /// Its place: greater is later. Not dense.
    pub sequence: i64,
    /// The revision.
    pub digest: Digest,
    /// When the project first had it, in microseconds since 1970-01-01 UTC.
    pub ingested_at: i64,
    /// Its labels, by name.
    pub labels: Vec<LabelRecord>,
}

/// A bundle split into chunks, ready to be stored.
#[derive(Debug, Clone)]
pub struct Prepared(Arc<Plan>);

impl Prepared {
    /// Splits a bundle. Takes a few milliseconds for a release.
    #[must_use]
    pub fn of(bundle: &Bundle) -> Self {
        Self(Arc::new(Plan::of(bundle)))
    }

    /// Splits the bundle of the next revision. Chunks that both have are not hashed again.
    #[must_use]
    pub fn next(&self, bundle: &Bundle) -> Self {
        Self(Arc::new(Plan::after(Some(&self.0), bundle)))
    }

    pub(super) fn plan(&self) -> &Plan {
        &self.0
    }
}

/// A commit to store, with its files.
#[derive(Debug, Clone)]
pub struct NewCommit {
    /// The commit.
    pub commit: CommitRecord,
    /// Its place on the timeline.
    pub position: i64,
    /// Its files.
    pub files: Prepared,
}

/// The outcomes of storing commits, in their order.
pub type CommitOutcomes = Vec<IngestOutcome>;

/// Identifies a step by the revisions that it compares, given by their places in ingest order.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct StepKey {
    /// The base; 0 for the first step.
    pub base: i64,
    /// The head.
    pub head: i64,
    /// The release that applies to the base; empty for the first step.
    pub base_release: String,
    /// The release that applies to the head.
    pub head_release: String,
}

/// A step to store.
#[derive(Debug, Clone)]
pub struct StepRecord {
    /// The revisions that it compares.
    pub key: StepKey,
    /// Counts of the head, encoded by the service.
    pub facts: Vec<u8>,
    /// Changed operators by name, with their changes encoded by the service.
    pub operators: Vec<(String, Vec<u8>)>,
}
