//! Storage of revisions.
//!
//! A [`Store`] deals in bytes and names: projects, revisions, files, labels. It knows nothing of
//! operators. A file is stored as a list of chunks that revisions share (`chunks`,
//! `docs/spec/registry.md`, section 5).
//!
//! Use it as `Arc<dyn Store>`: the database is chosen when the program starts, and a type parameter
//! would spread through the whole service.

#![allow(
    clippy::duplicate_mod,
    reason = "the calls are compiled once for each database (`shared`)"
)]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

#[macro_use]
mod record;

mod chunks;
mod commit_id;
mod copy;
mod database;
mod error;
mod exceptions;
mod history;
mod idempotency;
mod ids;
mod known;
mod maintenance;
mod mark;
mod migrations;
mod names;
mod opening;
mod postgres;
mod probe;
mod records;
mod secret;
mod shared;
mod sql;
mod sqlite;
mod tokens;
mod vetting;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Instant;

pub use commit_id::{MIN_COMMIT, is_commit_prefix};
pub use copy::{Rows, Value, copy};
pub use error::{Conflict, Missing, StoreError, Unusable};
pub use exceptions::ExceptionRecord;
pub use history::{
    CommitOutcomes, CommitPlace, CommitRecord, IngestPlace, NewCommit, Prepared, Stamp, StepKey,
    StepRecord,
};
pub use idempotency::{IdempotencyStore, KeptReply, KeyBounds, KeyClaim, KeyName};
pub use known::KnownParts;
pub use maintenance::{CheckReport, Collected, Mode, exposed};
pub use mark::Mark;
pub use names::{
    DIGEST_SCHEME, DigestPrefix, LabelName, MAX_NAME, MIN_PREFIX, NameError, NameFault,
    ProjectName, RevisionKey,
};
pub use opening::Opening;
pub use postgres::PostgresStore;
pub use probe::{
    DumpRecord, KEPT_RUNS, LARGEST_DUMP, LeaseHolder, Leased, ListedRun, MOST_DUMPS, NewDump,
    NewProbeRun, ProbeDuration, ProbeItem, ProbeProgress, ProbeRun, ProbeStore, ProbeSum, Renewal,
    ShardRecord, ShardResult, ShardState,
};
pub use records::{
    Edit, Expected, FileRecord, IngestOutcome, LabelChange, LabelOutcome, LabelRecord,
    LabelRequest, NewProject, OnOtherRelease, Page, Project, ProjectChange, ProjectOutcome,
    RevisionRecord,
};
pub use secret::is_same_secret;
pub use sqlite::SqliteStore;
pub use tokens::{TokenKey, TokenRecord};
pub use vetting::unfit_names;

use tokio::sync::mpsc::{Receiver, Sender};

use opatlas_source::{Bundle, Digest};

/// Opens the database at `sqlite://PATH`, `sqlite::memory:` or `postgres://USER@HOST/NAME` and
/// migrates it. Fails as [`SqliteStore::open`] and [`PostgresStore::open`] do.
pub async fn open(url: &str) -> Result<Arc<dyn Store>, StoreError> {
    open_for(url, Opening::Make).await
}

/// Opens a database for a purpose. Fails as [`SqliteStore::open_for`] and
/// [`PostgresStore::open_for`] do.
pub async fn open_for(url: &str, opening: Opening) -> Result<Arc<dyn Store>, StoreError> {
    let scheme = url.split(':').next().unwrap_or_default();
    match scheme {
        "sqlite" => Ok(Arc::new(SqliteStore::open_for(url, opening).await?)),
        "postgres" | "postgresql" => Ok(Arc::new(PostgresStore::open_for(url, opening).await?)),
        _ => Err(StoreError::Address {
            url: scheme.to_owned(),
            why: "it must start with `sqlite:` or `postgres:`".to_owned(),
        }),
    }
}

async fn waited<T, E>(
    kind: &'static str,
    connection: impl Future<Output = Result<T, E>>,
) -> Result<T, E> {
    let begun = Instant::now();
    let connection = connection.await;
    let seconds = begun.elapsed().as_secs_f64();
    metrics::histogram!("opatlas_database_wait_seconds", "kind" => kind).record(seconds);
    if connection.is_err() {
        metrics::counter!("opatlas_database_errors_total", "kind" => kind).increment(1);
    }
    connection
}

/// The future of a store's answer.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// Projects, their revisions and labels. Probe results are in [`ProbeStore`], idempotency keys in
/// [`IdempotencyStore`].
///
/// Every call is one durable transaction. An unknown project is [`Missing::Project`]. All calls can
/// fail with [`StoreError::Unavailable`], [`StoreError::Corrupt`] and [`StoreError::Backend`], and
/// those that change something with [`StoreError::Detached`]. `now` is in microseconds since
/// 1970-01-01 UTC.
pub trait Store: ProbeStore + IdempotencyStore + Send + Sync + 'static {
    /// Whether the database answers.
    fn ping(&self) -> Answer<'_, ()>;

    /// Checks that the database can be written, by a transaction that is rolled back. Fails with
    /// [`StoreError::Detached`] if writes would be lost.
    fn ready(&self) -> Answer<'_, ()>;

    /// Starts to detect commits of other processes for [`Store::mark`]; only servers need it.
    fn watch(&self);

    /// The mark of the current state: what is read later stays true as long as the mark is equal.
    /// `None` before [`Store::watch`] or if commits cannot be detected.
    fn mark(&self) -> Pin<Box<dyn Future<Output = Option<Mark>> + Send + '_>>;

    /// Closes the store after work in progress. Later calls fail.
    fn close(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>>;

    /// Creates a project, or finds an identical one. Fails with [`Conflict::Project`] if one exists
    /// with another description or policy.
    fn create_project<'a>(
        &'a self,
        project: &'a NewProject,
        now: i64,
    ) -> Answer<'a, ProjectOutcome>;

    /// A project.
    fn project<'a>(&'a self, name: &'a ProjectName) -> Answer<'a, Project>;

    /// Projects after `after`, by name, at most `limit` (1 or more).
    fn projects<'a>(
        &'a self,
        after: Option<&'a ProjectName>,
        limit: u32,
    ) -> Answer<'a, Page<Project, ProjectName>>;

    /// Changes a project and returns it.
    fn update_project<'a>(
        &'a self,
        name: &'a ProjectName,
        change: ProjectChange,
    ) -> Answer<'a, Project>;

    /// Deletes a project with its revisions and labels.
    fn delete_project<'a>(&'a self, name: &'a ProjectName) -> Answer<'a, ()>;

    /// Stores a bundle as a revision and sets a label if requested. Idempotent by digest. If the
    /// label cannot be set ([`Conflict::Release`] or [`Conflict::Label`]), nothing is stored.
    fn ingest<'a>(
        &'a self,
        project: &'a ProjectName,
        bundle: &'a Bundle,
        label: Option<&'a LabelRequest>,
        now: i64,
    ) -> Answer<'a, IngestOutcome>;

    /// The digest of a revision. Fails with [`Missing::Label`], [`Missing::Revision`] or
    /// [`StoreError::Ambiguous`].
    fn resolve<'a>(&'a self, project: &'a ProjectName, key: &'a RevisionKey) -> Answer<'a, Digest>;

    /// A revision with its files and labels; fails as [`Store::resolve`] does.
    fn revision<'a>(
        &'a self,
        project: &'a ProjectName,
        key: &'a RevisionKey,
    ) -> Answer<'a, RevisionRecord>;

    /// Revisions before the place `before`, newest first, at most `limit` (1 or more).
    fn revisions<'a>(
        &'a self,
        project: &'a ProjectName,
        before: Option<i64>,
        limit: u32,
    ) -> Answer<'a, Page<RevisionRecord, i64>>;

    /// Deletes a revision. Its chunks stay until [`Store::collect`]. Fails with
    /// [`Missing::Revision`], or with [`Conflict::Labelled`] while labels name it.
    fn delete_revision<'a>(&'a self, project: &'a ProjectName, digest: Digest) -> Answer<'a, ()>;

    /// All labels of a project, by name.
    fn labels<'a>(&'a self, project: &'a ProjectName) -> Answer<'a, Vec<LabelRecord>>;

    /// The labels that begin with a digit or `v`, as versions do, by name.
    fn numbered_labels<'a>(&'a self, project: &'a ProjectName) -> Answer<'a, Vec<LabelRecord>>;

    /// A label; fails with [`Missing::Label`].
    fn label<'a>(
        &'a self,
        project: &'a ProjectName,
        label: &'a LabelName,
    ) -> Answer<'a, LabelRecord>;

    /// Points a label to a revision. Fails with [`Missing::Revision`], [`Conflict::Release`] or
    /// [`Conflict::Label`].
    fn set_label<'a>(
        &'a self,
        project: &'a ProjectName,
        label: &'a LabelRequest,
        digest: Digest,
        now: i64,
    ) -> Answer<'a, LabelOutcome>;

    /// Deletes a label and returns it. Fails with [`Missing::Label`] or [`Conflict::Label`].
    fn delete_label<'a>(
        &'a self,
        project: &'a ProjectName,
        label: &'a LabelName,
        expected: Expected,
    ) -> Answer<'a, LabelRecord>;

    /// The files of revisions, in the order of `digests`, checked against their digests. Fails with
    /// [`Missing::Revision`], and with [`StoreError::Corrupt`] for damaged data.
    fn bundles<'a>(
        &'a self,
        project: &'a ProjectName,
        digests: &'a [Digest],
    ) -> Answer<'a, Vec<Bundle>>;

    /// The files of one revision. Fails as [`Store::bundles`] does.
    fn bundle<'a>(&'a self, project: &'a ProjectName, digest: Digest) -> Answer<'a, Bundle> {
        Box::pin(async move {
            let bundles = self.bundles(project, &[digest]).await?;
            Ok(bundles.into_iter().next().unwrap_or_default())
        })
    }

    /// One file of a revision, checked against its digest. Fails with [`Missing::Revision`] or
    /// [`Missing::File`].
    fn file<'a>(
        &'a self,
        project: &'a ProjectName,
        digest: Digest,
        name: &'a str,
    ) -> Answer<'a, Arc<[u8]>>;

    /// Stores an exception with a new id.
    fn add_exception<'a>(
        &'a self,
        project: &'a ProjectName,
        exception: &'a ExceptionRecord,
    ) -> Answer<'a, ()>;

    /// All exceptions of a project, oldest first.
    fn exceptions<'a>(&'a self, project: &'a ProjectName) -> Answer<'a, Vec<ExceptionRecord>>;

    /// Changes the end of an exception to that of the record; fails with [`Missing::Exception`].
    fn extend_exception<'a>(
        &'a self,
        project: &'a ProjectName,
        exception: &'a ExceptionRecord,
    ) -> Answer<'a, ()>;

    /// Deletes an exception; fails with [`Missing::Exception`].
    fn delete_exception<'a>(&'a self, project: &'a ProjectName, id: &'a str) -> Answer<'a, ()>;

    /// Counters that change with the project's timeline.
    fn stamp<'a>(&'a self, project: &'a ProjectName) -> Answer<'a, Stamp>;

    /// The revisions of a project in ingest order, optionally only those after a place.
    fn ingests<'a>(
        &'a self,
        project: &'a ProjectName,
        after: Option<i64>,
    ) -> Answer<'a, Vec<IngestPlace>>;

    /// The commits of a project in order, optionally only those after a position.
    fn commits<'a>(
        &'a self,
        project: &'a ProjectName,
        after: Option<i64>,
    ) -> Answer<'a, Vec<CommitPlace>>;

    /// The last commit of a project, if it has any.
    fn last_commit<'a>(&'a self, project: &'a ProjectName) -> Answer<'a, Option<CommitPlace>>;

    /// Moves commits on the timeline. Ignores unknown ids.
    fn place_commits<'a>(
        &'a self,
        project: &'a ProjectName,
        places: &'a [(String, i64)],
    ) -> Answer<'a, ()>;

    /// Stores all commits with their files, or none; existing ones stay unchanged. `parts` has the
    /// row ids of the previous batch.
    fn ingest_commits<'a>(
        &'a self,
        project: &'a ProjectName,
        commits: &'a [NewCommit],
        parts: &'a mut KnownParts,
        now: i64,
    ) -> Answer<'a, CommitOutcomes>;

    /// The ids of the steps stored in this format, optionally only those that lead to `heads`
    /// (places in ingest order).
    fn steps<'a>(
        &'a self,
        project: &'a ProjectName,
        program: i64,
        heads: Option<&'a [i64]>,
    ) -> Answer<'a, Vec<(i64, StepKey)>>;

    /// Stores missing steps, and deletes those of other step formats.
    fn save_steps<'a>(
        &'a self,
        project: &'a ProjectName,
        program: i64,
        steps: &'a [StepRecord],
    ) -> Answer<'a, ()>;

    /// The counts of steps, in the order of the ids; empty for a deleted step.
    fn step_facts<'a>(&'a self, steps: &'a [i64]) -> Answer<'a, Vec<Vec<u8>>>;

    /// The changes of an operator in steps with ids in the range `among`, in no particular order.
    fn steps_of_operator<'a>(
        &'a self,
        project: &'a ProjectName,
        operator: &'a str,
        among: (i64, i64),
    ) -> Answer<'a, Vec<(i64, Vec<u8>)>>;

    /// Changes in steps after the first and up to the second id of `within` (operator, step,
    /// encoded changes), sorted, after the row `after`, at most `limit`.
    fn steps_said<'a>(
        &'a self,
        project: &'a ProjectName,
        within: (i64, i64),
        after: (&'a str, i64),
        limit: u32,
    ) -> Answer<'a, Vec<(String, i64, Vec<u8>)>>;

    /// Stores a token with a new id and hash.
    fn add_token<'a>(&'a self, token: &'a TokenRecord) -> Answer<'a, ()>;

    /// All tokens, oldest first, including revoked ones.
    fn tokens(&self) -> Answer<'_, Vec<TokenRecord>>;

    /// A token, if it is known; it may be revoked or expired.
    fn token<'a>(&'a self, key: TokenKey<'a>) -> Answer<'a, Option<TokenRecord>>;

    /// Revokes a token permanently and returns it. Fails with [`Missing::Token`].
    fn revoke_token<'a>(&'a self, id: &'a str, now: i64) -> Answer<'a, TokenRecord>;

    /// Records the last use of a token.
    fn touch_token<'a>(&'a self, id: &'a str, now: i64) -> Answer<'a, ()>;

    /// Sends all rows, as they are at one moment, without blocking others.
    fn export(&self, sink: Sender<Rows>) -> Answer<'_, ()>;

    /// Imports rows from [`Store::export`]; see [`copy`]. Fails with [`Conflict::NotEmpty`].
    fn import(&self, source: Receiver<Rows>) -> Answer<'_, ()>;

    /// Checks everything against its digests, as it is at one moment, without blocking others.
    fn check(&self) -> Answer<'_, CheckReport>;

    /// Deletes unlabeled revisions ingested before a time, in one project or all, and the content
    /// that only they used. [`Mode::Count`] only counts.
    fn collect<'a>(
        &'a self,
        project: Option<&'a ProjectName>,
        before: i64,
        mode: Mode,
    ) -> Answer<'a, Collected>;
}
