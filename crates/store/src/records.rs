//! Records. Times are in microseconds since 1970-01-01 UTC and come from the caller.

use std::fmt;

use super::history::CommitRecord;
use super::names::{LabelName, ProjectName};
use opatlas_source::Digest;

/// A project to create.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewProject {
    /// Its name.
    pub name: ProjectName,
    /// A description for people.
    pub description: Option<String>,
    /// Its policy, an opaque JSON text.
    pub policy: Option<String>,
}

/// A stored project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    /// Its name.
    pub name: ProjectName,
    /// A description for people.
    pub description: Option<String>,
    /// Its policy, an opaque JSON text.
    pub policy: Option<String>,
    /// When it was made.
    pub created_at: i64,
    /// How many revisions it has.
    pub revisions: i64,
}

/// The outcome of creating a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectOutcome {
    /// The project as it is stored.
    pub project: Project,
    /// Whether it is new; otherwise an identical project existed.
    pub created: bool,
}

/// The change of one property.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Edit {
    /// Leave it unchanged.
    #[default]
    Keep,
    /// Set this value, or remove it.
    Set(Option<String>),
}

/// A change of a project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProjectChange {
    /// The change of the description.
    pub description: Edit,
    /// The change of the policy.
    pub policy: Edit,
}

/// An immutable bundle of files in a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RevisionRecord {
    /// The project.
    pub project: ProjectName,
    /// The digest of the bundle.
    pub digest: Digest,
    /// When it was first ingested into this project.
    pub ingested_at: i64,
    /// Its place in ingest order: greater is later. Not dense.
    pub sequence: i64,
    /// Its files, sorted by name.
    pub files: Vec<FileRecord>,
    /// The labels that name it, sorted by name.
    pub labels: Vec<LabelRecord>,
    /// The commits with these files, in order.
    pub commits: Vec<CommitRecord>,
}

/// One file of a revision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRecord {
    /// Its name in the bundle.
    pub name: String,
    /// SHA-256 of its bytes.
    pub digest: Digest,
    /// Size in bytes.
    pub bytes: u64,
}

/// A movable name for a revision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelRecord {
    /// The label.
    pub name: LabelName,
    /// The revision that it names.
    pub digest: Digest,
    /// That revision's place in ingest order.
    pub sequence: i64,
    /// The release of the label.
    pub release: Option<String>,
    /// When it was created or last changed.
    pub moved_at: i64,
    /// When it was created, if that is known.
    pub created_at: Option<i64>,
    /// The id of the token that created it.
    pub creator: Option<String>,
}

/// A label to set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelRequest {
    /// The label.
    pub name: LabelName,
    /// Its release; `None` keeps the stored one.
    pub release: Option<String>,
    /// What to do if the label belongs to another release.
    pub on_other_release: OnOtherRelease,
    /// What the label must name beforehand.
    pub expected: Expected,
    /// The id of the token that sets it.
    pub creator: Option<String>,
}

impl LabelRequest {
    /// Sets the label whatever it names. Without a release, the label keeps its own.
    #[must_use]
    pub fn new(name: LabelName, release: Option<String>) -> Self {
        Self {
            name,
            release,
            on_other_release: OnOtherRelease::Refuse,
            expected: Expected::Anything,
            creator: None,
        }
    }
}

/// What to do if a label belongs to another release.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnOtherRelease {
    /// Fail with a [`Conflict`](super::Conflict) and store nothing.
    Refuse,
    /// Change the label to the given release.
    Replace,
}

/// The precondition for changing a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// None.
    Anything,
    /// The label must not exist (`If-None-Match: *`).
    Nothing,
    /// The label does not exist or names the target already. Protected labels can be created but
    /// not moved.
    Unmoved,
    /// This revision (`If-Match`).
    Revision(Digest),
}

impl Expected {
    /// Whether a label that names `current` may be pointed to `target`, or deleted if that is
    /// `None`.
    #[must_use]
    pub fn holds(self, current: Option<Digest>, target: Option<Digest>) -> bool {
        match self {
            Self::Anything => true,
            Self::Nothing => current.is_none(),
            Self::Unmoved => current.is_none() || current == target,
            Self::Revision(digest) => current == Some(digest),
        }
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Anything => f.write_str("anything"),
            Self::Nothing => f.write_str("nothing"),
            Self::Unmoved => f.write_str("nothing or the same revision"),
            Self::Revision(digest) => write!(f, "sha256:{digest}"),
        }
    }
}

/// The outcome of setting a label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelOutcome {
    /// The label as it is stored.
    pub label: LabelRecord,
    /// What changed.
    pub change: LabelChange,
}

/// How a request changed a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LabelChange {
    /// It was created.
    Made,
    /// It was moved from another revision.
    Moved {
        /// The previous revision.
        from: Digest,
    },
    /// It was given another release.
    Released,
    /// Nothing changed.
    Unchanged,
}

/// The outcome of an ingest, which is durable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IngestOutcome {
    /// The digest of the revision.
    pub digest: Digest,
    /// Its place in ingest order.
    pub sequence: i64,
    /// Whether it is new to the project.
    pub created: bool,
    /// The label, if requested.
    pub label: Option<LabelOutcome>,
}

/// A page of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T, C> {
    /// At most as many items as requested.
    pub items: Vec<T>,
    /// The cursor of the next page; `None` at the end.
    pub next: Option<C>,
}

impl<T, C> Page<T, C> {
    /// Builds a page from rows, which include one more than `limit` if there is a next page.
    #[must_use]
    pub fn cut(mut items: Vec<T>, limit: u32, cursor: impl Fn(&T) -> C) -> Self {
        let limit = limit as usize;
        let more = items.len() > limit;
        items.truncate(limit);
        let next = items.last().filter(|_| more).map(cursor);
        Self { items, next }
    }
}
