//! The records of a store. Times are microseconds since 1970-01-01 UTC and come from the caller,
//! because a store has no clock.

use std::fmt;

use super::history::CommitRecord;
use super::names::{LabelName, ProjectName};
use opatlas_source::Digest;

/// A project to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewProject {
    /// Its name.
    pub name: ProjectName,
    /// What it is, for people.
    pub description: Option<String>,
    /// Its policy, an opaque JSON text.
    pub policy: Option<String>,
}

/// A line of operator declarations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    /// Its name.
    pub name: ProjectName,
    /// What it is, for people.
    pub description: Option<String>,
    /// Its policy, an opaque JSON text.
    pub policy: Option<String>,
    /// When it was made.
    pub created_at: i64,
    /// How many revisions it has.
    pub revisions: i64,
}

/// What came of making a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectOutcome {
    /// The project as it is stored.
    pub project: Project,
    /// Whether it is new; if not, it was there already and is the same.
    pub created: bool,
}

/// What becomes of one property in a change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Edit {
    /// It stays as it is.
    #[default]
    Keep,
    /// Set this value, or remove it.
    Set(Option<String>),
}

/// A change of a project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProjectChange {
    /// What becomes of the description.
    pub description: Edit,
    /// What becomes of the policy.
    pub policy: Edit,
}

/// One immutable bundle of files, as a project keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RevisionRecord {
    /// The project.
    pub project: ProjectName,
    /// The revision's name.
    pub digest: Digest,
    /// When it was first ingested into this project.
    pub ingested_at: i64,
    /// Its place in the order of ingest: greater is later. Not dense.
    pub sequence: i64,
    /// Its files, sorted by name.
    pub files: Vec<FileRecord>,
    /// The labels that name it, sorted by name.
    pub labels: Vec<LabelRecord>,
    /// The commits that have these files, in their order.
    pub commits: Vec<CommitRecord>,
}

/// One file of a revision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRecord {
    /// Its name in the bundle.
    pub name: String,
    /// SHA-256 of its bytes.
    pub digest: Digest,
    /// Its size.
    pub bytes: u64,
}

/// A movable name for a revision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelRecord {
    /// The label.
    pub name: LabelName,
    /// The revision that it names.
    pub digest: Digest,
    /// That revision's place in the order of ingest.
    pub sequence: i64,
    /// The release of the label.
    pub release: Option<String>,
    /// When it was made or last changed.
    pub moved_at: i64,
}

/// A label to be set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelRequest {
    /// The label.
    pub name: LabelName,
    /// Its release; `None` keeps the stored one.
    pub release: Option<String>,
    /// What to do if the label already belongs to another release.
    pub on_other_release: OnOtherRelease,
    /// What the label must name beforehand.
    pub expected: Expected,
}

impl LabelRequest {
    /// Sets the label whatever it names, keeping or giving it its release.
    #[must_use]
    pub fn new(name: LabelName, release: Option<String>) -> Self {
        Self {
            name,
            release,
            on_other_release: OnOtherRelease::Refuse,
            expected: Expected::Anything,
        }
    }
}

/// What to do if a label belongs to another release than the given one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnOtherRelease {
    /// A [`Conflict`](super::Conflict), and nothing is stored.
    Refuse,
    /// Change the label to the given release.
    Replace,
}

/// What a label must name for a change to go through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// Whatever it names, or nothing.
    Anything,
    /// The label must not exist (`If-None-Match: *`).
    Nothing,
    /// Nothing, or the revision that it is set to: protected labels are made, but not moved.
    Unmoved,
    /// This revision (`If-Match`).
    Revision(Digest),
}

impl Expected {
    /// Whether a label that names `current` and is to name `target` (nothing: to be deleted) is as
    /// expected.
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

/// What came of setting a label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelOutcome {
    /// The label as it is stored.
    pub label: LabelRecord,
    /// What the request did to it.
    pub change: LabelChange,
}

/// What a request did to a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LabelChange {
    /// It is new.
    Made,
    /// It named another revision before.
    Moved {
        /// The revision that it named.
        from: Digest,
    },
    /// It points to the same revision, with another release.
    Released,
    /// It was so already.
    Unchanged,
}

/// What came of an ingest, which is durable once this is returned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IngestOutcome {
    /// The revision's name.
    pub digest: Digest,
    /// Its place in the order of ingest.
    pub sequence: i64,
    /// Whether it is new; if not, the project had it already.
    pub created: bool,
    /// The label, if requested.
    pub label: Option<LabelOutcome>,
}

/// A part of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T, C> {
    /// The items, at most as many as requested.
    pub items: Vec<T>,
    /// Where the next part begins; none at the end.
    pub next: Option<C>,
}

impl<T, C> Page<T, C> {
    /// Makes a page of rows, given one row more than `limit`.
    #[must_use]
    pub fn cut(mut items: Vec<T>, limit: u32, cursor: impl Fn(&T) -> C) -> Self {
        let limit = limit as usize;
        let more = items.len() > limit;
        items.truncate(limit);
        let next = items.last().filter(|_| more).map(cursor);
        Self { items, next }
    }
}
