//! Revisions as JSON.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::finding::SummaryView;
use crate::labels::Label;
use crate::time::timestamp;
use opatlas_service::{JudgedRelease, Note, Snapshot};
use opatlas_store::{FileRecord, RevisionRecord};

/// How to ingest a bundle.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct IngestQuery {
    /// The label to point to the revision. It cannot look like a commit or a digest. A label that is
    /// a version needs the permission `label`.
    #[param(example = "2.9.0")]
    pub label: Option<String>,
    /// The PyTorch release of the label; by default the one that the label looks like, else the
    /// newest known.
    #[param(example = "2.9")]
    pub release: Option<String>,
    /// Move a version label that points to another revision, and give a label another release.
    pub force: Option<bool>,
    /// Store nothing if the files have errors.
    pub strict: Option<bool>,
}

/// A file of a revision.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct File {
    /// Its name in the bundle.
    #[schema(example = "native_functions.yaml")]
    pub name: String,
    /// SHA-256 of its bytes, as `sha256sum` prints it.
    pub digest: String,
    /// Its size in bytes.
    pub bytes: u64,
}

/// A revision in a list.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct RevisionItem {
    /// The project.
    pub project: String,
    /// Its permanent address: `sha256:` and the digest.
    #[schema(example = "sha256:46f5640a0e2e...")]
    pub revision: String,
    /// SHA-256 over the lines `HEX  NAME` of its files.
    pub digest: String,
    /// When it was first ingested.
    #[schema(format = DateTime)]
    pub ingested_at: String,
    /// Its files, by name.
    pub files: Vec<File>,
    /// The labels that point to it.
    pub labels: Vec<Label>,
    /// The commits with these files, in topological order.
    pub commits: Vec<RevisionCommit>,
}

/// A commit of a local clone that a revision was imported from.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct RevisionCommit {
    /// Its id.
    pub id: String,
    /// When its author made it.
    #[schema(format = DateTime)]
    pub author_date: String,
    /// The first line of its message.
    pub subject: String,
}

/// A revision, judged by the rules of a release.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct Revision {
    /// The stored revision.
    #[serde(flatten)]
    pub item: RevisionItem,
    /// The label in the address, or behind `latest`; null for a digest.
    #[schema(example = "2.9.0")]
    pub label: Option<String>,
    /// The release whose rules apply.
    #[schema(example = "2.9")]
    pub release: String,
    /// Notes about it.
    pub notes: Vec<String>,
    /// Counts of its operators and findings.
    pub summary: SummaryView,
}

/// A page of revisions.
#[derive(Debug, Serialize, ToSchema)]
pub struct RevisionList {
    /// The revisions, last ingested first.
    pub items: Vec<RevisionItem>,
    /// The cursor of the next page; null at the end.
    pub next_cursor: Option<String>,
}

/// Notes about the release.
pub fn notes(judged: &JudgedRelease) -> Vec<String> {
    let notes = judged.notes().into_iter().map(|note| match note {
        Note::NewerRelease { named, judged } => {
            format!(
                "release {named} is newer than all known releases; its revision is judged as \
                 {judged}"
            )
        }
    });
    notes.collect()
}

/// A stored revision, judged by the rules of a release.
pub fn revision_of(
    record: RevisionRecord,
    label: Option<String>,
    judged: &JudgedRelease,
    snapshot: &Snapshot,
) -> Revision {
    Revision {
        item: record.into(),
        label,
        release: judged.release.to_string(),
        notes: notes(judged),
        summary: snapshot.summary().into(),
    }
}

impl From<RevisionRecord> for RevisionItem {
    fn from(record: RevisionRecord) -> Self {
        Self {
            project: record.project.to_string(),
            revision: format!("sha256:{}", record.digest),
            digest: record.digest.to_string(),
            ingested_at: timestamp(record.ingested_at),
            files: record.files.into_iter().map(Into::into).collect(),
            labels: record.labels.into_iter().map(Into::into).collect(),
            commits: record
                .commits
                .into_iter()
                .map(|commit| RevisionCommit {
                    author_date: timestamp(commit.author_date),
                    id: commit.id,
                    subject: commit.subject,
                })
                .collect(),
        }
    }
}

impl From<FileRecord> for File {
    fn from(file: FileRecord) -> Self {
        Self {
            name: file.name,
            digest: file.digest.to_string(),
            bytes: file.bytes,
        }
    }
}
