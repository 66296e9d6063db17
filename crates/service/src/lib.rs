//! The use cases: what a client, be it HTTP or the command line, can ask for.
//!
//! Takes names and bytes, and returns records of the store and [`Snapshot`]s. All YAML parsing and
//! rules run on the blocking pool ([`work`]), with a bound on concurrency. A [`Snapshot`] is one
//! revision under one release, immutable, shared and cached by digest and release, so cached data
//! is never stale. What labels mean is kept only while the database says that nothing was committed
//! ([`opatlas_store::Store::mark`]).

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod access;
mod address;
mod answers;
pub mod backend;
mod budget;
mod bulk;
pub mod companions;
pub mod compare;
pub mod dispatch;
mod error;
mod exceptions;
pub mod faces;
pub mod further;
pub mod gaps;
mod held;
pub mod history;
mod ingest;
mod labels;
mod named;
mod notes;
mod observed;
pub mod overlay;
mod packing;
pub mod policy;
pub mod probe;
mod projects;
mod revisions;
pub mod search;
pub mod secrets;
mod snapshot;
mod snapshots;
mod stateless;
mod tokens;
mod useless;
mod views;
mod work;

use std::sync::Arc;
use std::time::Instant;

pub use address::{Address, FRESH, Holds, Resolved};
pub use answers::LARGEST_ANSWER;
pub use budget::{Budget, Exhausted, Reserved};
pub use bulk::Reading;
pub use error::{Denial, Refusal, ServiceError};
pub use ingest::{Ingest, Ingested};
pub use labels::{LabelMove, Precondition, Protection, is_version_text};
pub use notes::{JudgedRelease, Note};
pub use packing::Unpacker;
pub use snapshot::{Snapshot, Summary};
pub use snapshots::Reader;
pub use stateless::JudgedSchema;
pub use tokens::{MadeToken, NewToken, SIGNING_PREFIX, Signer, TOKEN_PREFIX};
pub use views::{Encoding, View, ViewId};
pub use work::Turn;

use moka::future::Cache;

use opatlas_source::Digest;
use opatlas_store::{ProjectName, Store};

use snapshots::Snapshots;
use views::Views;
use work::Workers;

/// The program and what it was built from: answers are the same as long as this is.
pub const ENGINE_VERSION: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    "+",
    env!("OPATLAS_SOURCE_DIGEST")
);

/// Microseconds since 1970-01-01 UTC, as the clock on the wall has it.
pub type Clock = Arc<dyn Fn() -> i64 + Send + Sync>;

/// How much a service may take.
#[derive(Debug, Clone)]
pub struct Limits {
    /// How many files a bundle may have.
    pub files: usize,
    /// The greatest file, in bytes.
    pub file_bytes: usize,
    /// All files of one bundle together, in bytes.
    pub bundle_bytes: usize,
    /// How many operators a stored revision may have, generated ones included. What is computed over
    /// several revisions takes time and memory in proportion to it.
    pub operators: usize,
    /// Memory for parsed revisions, in bytes, by estimate.
    pub snapshot_bytes: u64,
    /// Memory for finished answers that are kept, in bytes.
    pub view_bytes: u64,
    /// Memory for all finished answers, kept or not yet read by clients, and for what sends them, in
    /// bytes.
    pub answer_bytes: usize,
    /// How many requests may compute at once; the rest wait.
    pub workers: usize,
    /// How long a request waits for a worker before the answer is "busy".
    pub patience: std::time::Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            files: 1000,
            file_bytes: 8 << 20,
            bundle_bytes: 16 << 20,
            operators: 30_000,
            snapshot_bytes: 96 << 20,
            view_bytes: 32 << 20,
            answer_bytes: 256 << 20,
            workers: std::thread::available_parallelism().map_or(2, std::num::NonZero::get),
            patience: std::time::Duration::from_secs(10),
        }
    }
}

/// All use cases over one store.
pub struct Service {
    store: Arc<dyn Store>,
    clock: Clock,
    limits: Limits,
    snapshots: Snapshots,
    views: Views,
    bulks: bulk::Bulks,
    workers: Workers,
    answers: answers::Answers,
    /// Revisions that projects were seen to have, and when.
    known: Cache<(ProjectName, Digest), Instant>,
    names: named::Names,
    rulebooks: Cache<ProjectName, Arc<compare::Rulebook>>,
    tokens: tokens::Remembered,
    histories: history::Histories,
}

/// The part of the memory for answers that are kept which is for long ones: one in so many.
const BULK: u64 = 4;
/// How many revisions are remembered to be there.
const KNOWN: u64 = 20_000;

impl Service {
    /// A service over a store, with a clock for timestamps.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, clock: Clock, limits: Limits) -> Self {
        Self {
            store,
            clock,
            snapshots: Snapshots::new(limits.snapshot_bytes),
            views: Views::new(limits.view_bytes - limits.view_bytes / BULK),
            bulks: bulk::Bulks::new(limits.view_bytes / BULK),
            answers: answers::Answers::new(limits.answer_bytes),
            workers: Workers::new(limits.workers, limits.patience),
            known: Cache::new(KNOWN),
            names: named::Names::default(),
            rulebooks: Cache::builder()
                .max_capacity(KNOWN)
                .time_to_live(address::FRESH)
                .build(),
            tokens: tokens::Remembered::default(),
            histories: history::Histories::default(),
            limits,
        }
    }

    /// The bounds that it keeps.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Whether the store answers.
    ///
    /// # Errors
    /// What the store says.
    pub async fn reachable(&self) -> Result<(), ServiceError> {
        Ok(self.store.ping().await?)
    }

    /// Whether the store can be read and written.
    ///
    /// # Errors
    /// What the store says.
    pub async fn ready(&self) -> Result<(), ServiceError> {
        self.store.ping().await?;
        Ok(self.store.ready().await?)
    }

    /// Waits for what the store has under way, and closes it.
    pub async fn close(&self) {
        self.store.close().await;
    }

    fn now(&self) -> i64 {
        (self.clock)()
    }
}
