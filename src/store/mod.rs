//! Where revisions are kept.
//!
//! A [`Store`] deals in bytes and names: projects, revisions, files, labels. It knows nothing of
//! operators. Bundles go in and come back byte for byte; inside, a file is a list of pieces that
//! revisions share (`pieces`, DESIGN.md section 5).
//!
//! [`Store`] is made to be used as `Arc<dyn Store>`: which database it is, is known only when the
//! program starts, and a type parameter would have to be carried through the whole service. Hence
//! futures in boxes, whose cost is nothing beside that of a statement.

mod error;
mod ids;
mod names;
mod pieces;
mod records;
mod sql;
mod sqlite;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

pub use error::{Conflict, Missing, StoreError};
pub use names::{
    DIGEST_SCHEME, DigestPrefix, LabelName, MAX_NAME, MIN_PREFIX, NameError, NameFault,
    ProjectName, RevisionKey,
};
pub use records::{
    Edit, Expected, FileRecord, IngestOutcome, LabelChange, LabelOutcome, LabelRecord,
    LabelRequest, NewProject, OnOtherRelease, Page, Project, ProjectChange, ProjectOutcome,
    RevisionRecord,
};
pub use sqlite::SqliteStore;

use crate::source::{Bundle, Digest};

/// What a store answers, later.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// Projects, their revisions and labels.
///
/// Every call is one transaction: it is done wholly or not at all, and what it answered is durable.
/// Where a project is named that does not exist, the answer is [`Missing::Project`]. All calls may
/// fail with [`StoreError::Unavailable`], [`StoreError::Corrupt`] and [`StoreError::Backend`].
/// `now` is in microseconds since 1970-01-01 UTC.
pub trait Store: Send + Sync + 'static {
    /// Whether the database answers.
    fn ping(&self) -> Answer<'_, ()>;

    /// Waits for what is under way, and closes. Later calls fail.
    fn close(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>>;

    /// Makes a project, or finds that there is the same already.
    ///
    /// Fails with [`Conflict::Project`] when there is one with another description or policy.
    fn create_project<'a>(
        &'a self,
        project: &'a NewProject,
        now: i64,
    ) -> Answer<'a, ProjectOutcome>;

    /// A project.
    fn project<'a>(&'a self, name: &'a ProjectName) -> Answer<'a, Project>;

    /// Projects by name, at most `limit` (1 or more), from after `after` on.
    fn projects<'a>(
        &'a self,
        after: Option<&'a ProjectName>,
        limit: u32,
    ) -> Answer<'a, Page<Project, ProjectName>>;

    /// Changes a project and answers with what became of it.
    fn update_project<'a>(
        &'a self,
        name: &'a ProjectName,
        change: ProjectChange,
    ) -> Answer<'a, Project>;

    /// Deletes a project with its revisions and labels.
    fn delete_project<'a>(&'a self, name: &'a ProjectName) -> Answer<'a, ()>;

    /// Stores a bundle as a revision and, if asked to, lets a label name it.
    ///
    /// Idempotent by digest: what is there already stays as it is, and the label is set either way.
    /// Fails with [`Conflict::Release`] or [`Conflict::Label`] when the label may not be set, and
    /// stores nothing then.
    fn ingest<'a>(
        &'a self,
        project: &'a ProjectName,
        bundle: &'a Bundle,
        label: Option<&'a LabelRequest>,
        now: i64,
    ) -> Answer<'a, IngestOutcome>;

    /// The digest that a key stands for: cheaper than [`Store::revision`].
    ///
    /// Fails with [`Missing::Label`], [`Missing::Revision`] or [`StoreError::Ambiguous`].
    fn resolve<'a>(&'a self, project: &'a ProjectName, key: &'a RevisionKey) -> Answer<'a, Digest>;

    /// A revision with its files and labels; fails as [`Store::resolve`] does.
    fn revision<'a>(
        &'a self,
        project: &'a ProjectName,
        key: &'a RevisionKey,
    ) -> Answer<'a, RevisionRecord>;

    /// Revisions, newest first, at most `limit` (1 or more), from before the place `before` in the order of
    /// ingest on.
    fn revisions<'a>(
        &'a self,
        project: &'a ProjectName,
        before: Option<i64>,
        limit: u32,
    ) -> Answer<'a, Page<RevisionRecord, i64>>;

    /// Deletes a revision. Its bytes stay until they are collected.
    ///
    /// Fails with [`Missing::Revision`], or with [`Conflict::Labelled`] while labels name it.
    fn delete_revision<'a>(&'a self, project: &'a ProjectName, digest: Digest) -> Answer<'a, ()>;

    /// All labels of a project, by name, with all that choosing the latest needs.
    fn labels<'a>(&'a self, project: &'a ProjectName) -> Answer<'a, Vec<LabelRecord>>;

    /// A label; fails with [`Missing::Label`].
    fn label<'a>(
        &'a self,
        project: &'a ProjectName,
        label: &'a LabelName,
    ) -> Answer<'a, LabelRecord>;

    /// Lets a label name a revision.
    ///
    /// Fails with [`Missing::Revision`], [`Conflict::Release`] or [`Conflict::Label`].
    fn set_label<'a>(
        &'a self,
        project: &'a ProjectName,
        label: &'a LabelRequest,
        digest: Digest,
        now: i64,
    ) -> Answer<'a, LabelOutcome>;

    /// Deletes a label and answers with what it was; the revision stays.
    ///
    /// Fails with [`Missing::Label`] or [`Conflict::Label`].
    fn delete_label<'a>(
        &'a self,
        project: &'a ProjectName,
        label: &'a LabelName,
        expected: Expected,
    ) -> Answer<'a, LabelRecord>;

    /// The files of a revision, byte for byte, checked against their digests.
    ///
    /// Fails with [`Missing::Revision`].
    fn bundle<'a>(&'a self, project: &'a ProjectName, digest: Digest) -> Answer<'a, Bundle>;

    /// One file of a revision, byte for byte, checked against its digest.
    ///
    /// Fails with [`Missing::Revision`] or [`Missing::File`].
    fn file<'a>(
        &'a self,
        project: &'a ProjectName,
        digest: Digest,
        name: &'a str,
    ) -> Answer<'a, Arc<[u8]>>;
}
