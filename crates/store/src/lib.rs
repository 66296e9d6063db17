//! Where revisions are kept.
//!
//! A [`Store`] deals in bytes and names: projects, revisions, files, labels. It knows nothing of
//! operators. Bundles go in and come back byte for byte; inside, a file is a list of chunks that
//! revisions share (`chunks`, `docs/spec/registry.md`, section 5).
//!
//! [`Store`] is made to be used as `Arc<dyn Store>`: which database it is, is known only when the
//! program starts, and a type parameter would have to be carried through the whole service. Hence
//! futures in boxes, whose cost is nothing beside that of a statement.

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
    DumpRecord, KEPT_RUNS, LARGEST_DUMP, LeaseHolder, Leased, MOST_DUMPS, NewDump, NewProbeRun,
    ProbeDuration, ProbeItem, ProbeProgress, ProbeRun, ProbeStore, Renewal, ShardRecord,
    ShardResult, ShardState,
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

/// Opens the database at an address: `sqlite://PATH`, `sqlite::memory:` or
/// `postgres://USER@HOST/NAME`; and brings it up to date.
///
/// # Errors
/// As [`SqliteStore::open`] and [`PostgresStore::open`].
pub async fn open(url: &str) -> Result<Arc<dyn Store>, StoreError> {
    open_for(url, Opening::Make).await
}

/// Opens the database at an address to do no more with it than is said.
///
/// # Errors
/// As [`SqliteStore::open_for`] and [`PostgresStore::open_for`].
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

/// Waits for a connection to read or write with, and takes note of how long that was.
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

/// What a store answers, later.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// Projects, their revisions and labels; what the probe measured of them is in [`ProbeStore`].
///
/// Every call is one transaction: it is done wholly or not at all, and what it answered is durable.
/// Where a project is named that does not exist, the answer is [`Missing::Project`]. All calls may
/// fail with [`StoreError::Unavailable`], [`StoreError::Corrupt`] and [`StoreError::Backend`], and
/// those that change something with [`StoreError::Detached`].
/// `now` is in microseconds since 1970-01-01 UTC.
pub trait Store: ProbeStore + Send + Sync + 'static {
    /// Whether the database answers.
    fn ping(&self) -> Answer<'_, ()>;

    /// Whether the database can be written: tries it, and takes it back.
    ///
    /// Fails with [`StoreError::Detached`] if writes would be lost.
    fn ready(&self) -> Answer<'_, ()>;

    /// Begins to watch what other processes commit, for [`Store::mark`]. Worth it for who answers many
    /// questions.
    fn watch(&self);

    /// The mark of what is committed now, without waiting: what was read after it was taken holds as
    /// long as there is an equal one. None while nobody watches or that cannot be told; the database
    /// must then be asked each time.
    fn mark(&self) -> Option<Mark>;

    /// Waits for work in progress, and closes. Later calls fail.
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
    /// Idempotent by digest: existing data stays as it is, and the label is set either way. Fails
    /// with [`Conflict::Release`] or [`Conflict::Label`] if the label cannot be set, and then
    /// stores nothing.
    fn ingest<'a>(
        &'a self,
        project: &'a ProjectName,
        bundle: &'a Bundle,
        label: Option<&'a LabelRequest>,
        now: i64,
    ) -> Answer<'a, IngestOutcome>;

    /// The digest for a key: cheaper than [`Store::revision`].
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

    /// Those of them that begin as versions do, with a digit or `v`, by name.
    fn numbered_labels<'a>(&'a self, project: &'a ProjectName) -> Answer<'a, Vec<LabelRecord>>;

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

    /// The files of some revisions, in the order of `digests`, each checked against its digest.
    ///
    /// Fails with [`Missing::Revision`], and with [`StoreError::Corrupt`] for damaged data.
    fn bundles<'a>(
        &'a self,
        project: &'a ProjectName,
        digests: &'a [Digest],
    ) -> Answer<'a, Vec<Bundle>>;

    /// The files of one revision.
    ///
    /// Fails as [`Store::bundles`] does.
    fn bundle<'a>(&'a self, project: &'a ProjectName, digest: Digest) -> Answer<'a, Bundle> {
        Box::pin(async move {
            let bundles = self.bundles(project, &[digest]).await?;
            Ok(bundles.into_iter().next().unwrap_or_default())
        })
    }

    /// One file of a revision, byte for byte, checked against its digest.
    ///
    /// Fails with [`Missing::Revision`] or [`Missing::File`].
    fn file<'a>(
        &'a self,
        project: &'a ProjectName,
        digest: Digest,
        name: &'a str,
    ) -> Answer<'a, Arc<[u8]>>;

    /// Keeps an exception whose id is new.
    fn add_exception<'a>(
        &'a self,
        project: &'a ProjectName,
        exception: &'a ExceptionRecord,
    ) -> Answer<'a, ()>;

    /// All exceptions of a project, oldest first.
    fn exceptions<'a>(&'a self, project: &'a ProjectName) -> Answer<'a, Vec<ExceptionRecord>>;

    /// Gives the exception with this id the end of the record; fails with
    /// [`Missing::Exception`].
    fn extend_exception<'a>(
        &'a self,
        project: &'a ProjectName,
        exception: &'a ExceptionRecord,
    ) -> Answer<'a, ()>;

    /// Takes an exception away; fails with [`Missing::Exception`].
    fn delete_exception<'a>(&'a self, project: &'a ProjectName, id: &'a str) -> Answer<'a, ()>;

    /// Tells whether what a project's timeline is made of has changed: revisions, labels and
    /// commits.
    fn stamp<'a>(&'a self, project: &'a ProjectName) -> Answer<'a, Stamp>;

    /// The revisions of a project in the order of ingest, all or those after a place in it.
    fn ingests<'a>(
        &'a self,
        project: &'a ProjectName,
        after: Option<i64>,
    ) -> Answer<'a, Vec<IngestPlace>>;

    /// The commits of a project in their order, all or those after a position.
    fn commits<'a>(
        &'a self,
        project: &'a ProjectName,
        after: Option<i64>,
    ) -> Answer<'a, Vec<CommitPlace>>;

    /// The last commit of a project, if it has any.
    fn last_commit<'a>(&'a self, project: &'a ProjectName) -> Answer<'a, Option<CommitPlace>>;

    /// Gives commits other places on the timeline; ids that are not there are passed over.
    fn place_commits<'a>(
        &'a self,
        project: &'a ProjectName,
        places: &'a [(String, i64)],
    ) -> Answer<'a, ()>;

    /// Stores commits with their files, all or none. A commit that is there already stays as it
    /// is. `parts` are those that the commits before left in this store, or none.
    fn ingest_commits<'a>(
        &'a self,
        project: &'a ProjectName,
        commits: &'a [NewCommit],
        parts: &'a mut KnownParts,
        now: i64,
    ) -> Answer<'a, CommitOutcomes>;

    /// The steps of a project that the program of this number computed, with their ids: all, or those
    /// that lead to these revisions, given by their places in the order of ingest.
    fn steps<'a>(
        &'a self,
        project: &'a ProjectName,
        program: i64,
        heads: Option<&'a [i64]>,
    ) -> Answer<'a, Vec<(i64, StepKey)>>;

    /// Stores missing steps, and deletes those of another program version.
    fn save_steps<'a>(
        &'a self,
        project: &'a ProjectName,
        program: i64,
        steps: &'a [StepRecord],
    ) -> Answer<'a, ()>;

    /// The facts of steps, in the order of the ids; empty for a deleted step.
    fn step_facts<'a>(&'a self, steps: &'a [i64]) -> Answer<'a, Vec<Vec<u8>>>;

    /// What steps did to an operator, of those with ids from the first to the last: their ids, and
    /// what was saved; in no order.
    fn steps_of_operator<'a>(
        &'a self,
        project: &'a ProjectName,
        operator: &'a str,
        among: (i64, i64),
    ) -> Answer<'a, Vec<(i64, Vec<u8>)>>;

    /// What the steps with ids after the first and up to the last of `within` did to operators: name,
    /// step and what was saved, by name and step, from after a row on, at most `limit`.
    fn steps_said<'a>(
        &'a self,
        project: &'a ProjectName,
        within: (i64, i64),
        after: (&'a str, i64),
        limit: u32,
    ) -> Answer<'a, Vec<(String, i64, Vec<u8>)>>;

    /// Keeps a token whose id and hash are new.
    fn add_token<'a>(&'a self, token: &'a TokenRecord) -> Answer<'a, ()>;

    /// All tokens, oldest first, revoked ones too.
    fn tokens(&self) -> Answer<'_, Vec<TokenRecord>>;

    /// A token, if it is known; revoked and expired ones are.
    fn token<'a>(&'a self, key: TokenKey<'a>) -> Answer<'a, Option<TokenRecord>>;

    /// Revokes a token for good and answers with it.
    ///
    /// Fails with [`Missing::Token`].
    fn revoke_token<'a>(&'a self, id: &'a str, now: i64) -> Answer<'a, TokenRecord>;

    /// Notes that a token was used.
    fn touch_token<'a>(&'a self, id: &'a str, now: i64) -> Answer<'a, ()>;

    /// Sends all that is stored, as it is at one moment, while others go on.
    fn export(&self, sink: Sender<Rows>) -> Answer<'_, ()>;

    /// Takes in what another store sends, see [`copy`].
    ///
    /// Fails with [`Conflict::NotEmpty`].
    fn import(&self, source: Receiver<Rows>) -> Answer<'_, ()>;

    /// Checks all that is stored against its digests, as it is at one moment, while others go on.
    fn check(&self) -> Answer<'_, CheckReport>;

    /// Deletes revisions from before a time that no label names, of a project or of all, and what
    /// only they needed; or only counts them.
    fn collect<'a>(
        &'a self,
        project: Option<&'a ProjectName>,
        before: i64,
        mode: Mode,
    ) -> Answer<'a, Collected>;
}
