//! The use cases behind HTTP and the command line.
//!
//! Parsing and rules run on the blocking pool ([`work`]), with limited concurrency. A [`Snapshot`]
//! is one revision under the rules of one release. It is cached by digest and release, so it is
//! never stale. What labels mean is cached only while the database is unchanged
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
pub mod history;
mod idempotency;
mod ingest;
mod labels;
mod named;
mod notes;
mod observed;
pub mod overlay;
mod packing;
pub mod policy;
pub mod preflight;
pub mod probe;
mod projects;
mod revisions;
pub mod search;
pub mod secrets;
mod snapshot;
mod snapshot_memory;
mod snapshots;
mod stateless;
mod tokens;
mod useless;
mod views;
pub mod watch;
pub mod way_gaps;
mod work;

use std::sync::Arc;
use std::time::Instant;

pub use address::{Address, FRESH, Holds, Resolved};
pub use answers::LARGEST_ANSWER;
pub use budget::{Budget, Exhausted, Reserved};
pub use bulk::Reading;
pub use error::{Denial, Refusal, ServiceError};
pub use idempotency::{Claim, ClaimedKey};
pub use ingest::{Ingest, Ingested, Strictness};
pub use labels::{LabelMove, Precondition, Protection, highest_of, is_version_text};
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

/// Identifies the build of the program. Answers depend on it.
pub const ENGINE_VERSION: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    "+",
    env!("OPATLAS_SOURCE_DIGEST")
);

/// The wall clock, in microseconds since 1970-01-01 UTC.
pub type Clock = Arc<dyn Fn() -> i64 + Send + Sync>;

/// Resource limits of a service.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Files per bundle.
    pub files: usize,
    /// The size of a file, in bytes.
    pub file_bytes: usize,
    /// The size of a bundle, in bytes.
    pub bundle_bytes: usize,
    /// Operators per stored revision, including generated ones; bounds work over several revisions.
    pub operators: usize,
    /// Estimated memory for parsed revisions, in bytes.
    pub snapshot_bytes: u64,
    /// Memory for cached answers, in bytes.
    pub view_bytes: u64,
    /// Memory for finished answers, cached or not yet read, and for send buffers, in bytes.
    pub answer_bytes: usize,
    /// How many requests compute at the same time.
    pub workers: usize,
    /// How long a request waits for a worker before it fails with "busy".
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

/// All use cases over one store. Most can fail with errors of the store.
pub struct Service {
    store: Arc<dyn Store>,
    clock: Clock,
    limits: Limits,
    snapshots: Snapshots,
    views: Views,
    bulks: bulk::LongAnswers,
    workers: Workers,
    answers: answers::Answers,
    known: Cache<(ProjectName, Digest), Instant>,
    names: named::Names,
    rulebooks: Cache<ProjectName, Arc<compare::Rulebook>>,
    tokens: tokens::TokenCache,
    histories: history::Histories,
}

/// Long answers get one part in this many of the memory for cached answers.
const BULK: u64 = 4;
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
            bulks: bulk::LongAnswers::new(limits.view_bytes / BULK),
            answers: answers::Answers::new(limits.answer_bytes),
            workers: Workers::new(limits.workers, limits.patience),
            known: Cache::new(KNOWN),
            names: named::Names::default(),
            rulebooks: Cache::builder()
                .max_capacity(KNOWN)
                .time_to_live(address::FRESH)
                .build(),
            tokens: tokens::TokenCache::default(),
            histories: history::Histories::default(),
            limits,
        }
    }

    /// The limits.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Checks that the store answers.
    pub async fn reachable(&self) -> Result<(), ServiceError> {
        Ok(self.store.ping().await?)
    }

    /// Checks that the store can be read and written.
    pub async fn ready(&self) -> Result<(), ServiceError> {
        self.store.ping().await?;
        Ok(self.store.ready().await?)
    }

    /// Closes the store after work in progress.
    pub async fn close(&self) {
        self.store.close().await;
    }

    fn now(&self) -> i64 {
        (self.clock)()
    }
}
