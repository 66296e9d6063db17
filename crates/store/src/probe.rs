//! Probe runs with their shards, leases and results, and dumps of dispatch tables
//! (`docs/probe.md`). Times are in microseconds since 1970-01-01 UTC.

use super::Answer;
use super::names::ProjectName;
use super::records::Page;
use super::secret::is_same_secret;
use opatlas_source::Digest;

/// How many runs of one token a project keeps; a new run deletes older ones of the same token.
pub const KEPT_RUNS: i64 = 200;
/// How many different dumps a revision may have.
pub const MOST_DUMPS: i64 = 200;
/// How many bytes a dump may have as JSON.
pub const LARGEST_DUMP: usize = 16 << 20;

/// A run to create.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewProbeRun {
    /// Its name, the same for every worker.
    pub name: String,
    /// The revision to measure.
    pub revision: Digest,
    /// The name that was used for the revision.
    pub address: String,
    /// The PyTorch release of the workers.
    pub torch: String,
    /// The device.
    pub device: String,
    /// How long a lease lasts, in microseconds.
    pub lease: i64,
    /// The id of the token that opens it; `None` if no token is needed.
    pub token: Option<String>,
    /// The part of each shard, and its items as a JSON list.
    pub shards: Vec<(String, String)>,
}

/// A run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProbeRun {
    /// Its name.
    pub name: String,
    /// The revision to measure.
    pub revision: Digest,
    /// The name that was used for the revision.
    pub address: String,
    /// The PyTorch release of the workers.
    pub torch: String,
    /// The device.
    pub device: String,
    /// How long a lease lasts, in microseconds.
    pub lease: i64,
    /// The number of its shards.
    pub shards: i64,
    /// When it was opened.
    pub created_at: i64,
}

/// Shards of a run with the same outcomes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProbeSum {
    /// The number of rows per outcome in each of the shards, as JSON; `None` without a result.
    pub outcomes: Option<String>,
    /// The number of these shards.
    pub shards: i64,
    /// The number of items in all of them.
    pub items: i64,
}

/// A run in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedRun {
    /// The run.
    pub run: ProbeRun,
    /// Its shards, by outcomes.
    pub sums: Vec<ProbeSum>,
}

/// Proof of a lease: the secret of the lease and the token that took it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaseHolder {
    /// The SHA-256 of the secret of the lease.
    pub secret: Digest,
    /// The id of the token; `None` if no token is needed.
    pub token: Option<String>,
}

/// The answer to a worker that asks for a shard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Leased {
    /// A leased shard.
    Shard {
        /// Its number.
        shard: i64,
        /// The part.
        part: String,
        /// The items, a JSON list.
        items: String,
        /// How long the lease lasts, in microseconds.
        lease: i64,
    },
    /// The remaining shards are leased; the first lease ends at this time.
    Wait(i64),
    /// All shards have a result.
    Done,
}

/// A shard without its result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShardRecord {
    /// The part.
    pub part: String,
    /// The items, a JSON list.
    pub items: String,
    /// The last holder of a lease; `None` if the shard was never leased.
    pub holder: Option<LeaseHolder>,
    /// The end of the current lease.
    pub until: Option<i64>,
    /// The digest of its result.
    pub digest: Option<Digest>,
}

impl ShardRecord {
    /// Whether this holder has the lease. Compares secrets in constant time.
    #[must_use]
    pub fn is_held_by(&self, given: &LeaseHolder, now: i64) -> bool {
        let is_leased = self.until.is_some_and(|until| until > now);
        let is_holder = self.holder.as_ref().is_some_and(|holder| {
            is_same_secret(holder.secret, given.secret) && holder.token == given.token
        });
        is_leased && is_holder
    }
}

/// An item that killed processes or was running when workers were lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProbeItem {
    /// The item.
    pub item: String,
    /// The number of processes that it killed.
    pub kills: i64,
    /// The number of workers that were lost while it was running.
    pub losses: i64,
}

/// The progress that a worker reports with a renewal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Renewal<'a> {
    /// The item that is running.
    pub begun: Option<&'a str>,
    /// An item that killed its process.
    pub killed: Option<&'a str>,
    /// The total number of kills of that item; `None` adds one.
    pub kills: Option<i64>,
}

/// The result of a shard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShardResult {
    /// The number of the shard.
    pub shard: i64,
    /// The rows, JSON.
    pub rows: String,
    /// The SHA-256 of the rows.
    pub digest: Digest,
    /// The rank of the worker.
    pub rank: i64,
    /// The number of rows per outcome, as JSON.
    pub outcomes: String,
    /// Items and the time that they took, in milliseconds.
    pub durations: Vec<(String, i64)>,
}

/// The state of a shard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShardState {
    /// Its number.
    pub number: i64,
    /// Whether it is leased.
    pub is_leased: bool,
    /// The item that is running.
    pub begun: Option<String>,
    /// The last worker that leased it, as JSON.
    pub worker: Option<String>,
    /// The rank that sent the result.
    pub rank: Option<i64>,
    /// The number of rows per outcome, as JSON.
    pub outcomes: Option<String>,
}

/// The state of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProbeProgress {
    /// The run.
    pub run: ProbeRun,
    /// By number.
    pub shards: Vec<ShardState>,
    /// Items that killed processes or were lost, by name.
    pub items: Vec<ProbeItem>,
}

record! {
    /// The time that an item took.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ProbeDuration {
        /// The part.
        pub part: String,
        /// The item.
        pub item: String,
        /// In milliseconds.
        pub milliseconds: i64,
    }
}

/// A table dump to store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewDump {
    /// The revision.
    pub revision: Digest,
    /// The SHA-256 of the text.
    pub digest: Digest,
    /// The PyTorch release of the process.
    pub torch: String,
    /// The device.
    pub device: String,
    /// JSON of at most [`LARGEST_DUMP`] bytes.
    pub text: String,
}

/// A dump of a revision, without its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DumpRecord {
    /// The SHA-256 of its text.
    pub digest: Digest,
    /// The length of the text in bytes.
    pub bytes: i64,
    /// The PyTorch release of the process.
    pub torch: String,
    /// The device.
    pub device: String,
    /// When it was stored with the revision.
    pub recorded_at: i64,
}

/// Probe runs and dumps. Every call is one transaction. An unknown run is
/// [`Missing::ProbeRun`](super::Missing), and an unknown shard
/// [`Missing::ProbeShard`](super::Missing).
pub trait ProbeStore: Send + Sync {
    /// A run, if it exists.
    fn probe_run<'a>(
        &'a self,
        project: &'a ProjectName,
        name: &'a str,
    ) -> Answer<'a, Option<ProbeRun>>;

    /// At most `limit` runs before `before` in the order in which they were opened, newest first.
    fn probe_runs<'a>(
        &'a self,
        project: &'a ProjectName,
        before: Option<i64>,
        limit: u32,
    ) -> Answer<'a, Page<ListedRun, i64>>;

    /// Creates a run unless it exists, and returns it. Deletes old runs beyond [`KEPT_RUNS`].
    fn open_probe_run<'a>(
        &'a self,
        project: &'a ProjectName,
        run: &'a NewProbeRun,
        now: i64,
    ) -> Answer<'a, ProbeRun>;

    /// The times of items on a device, by part and item.
    fn probe_durations<'a>(
        &'a self,
        project: &'a ProjectName,
        device: &'a str,
    ) -> Answer<'a, Vec<ProbeDuration>>;

    /// Leases the first available shard to a worker, which is described as JSON.
    fn lease_shard<'a>(
        &'a self,
        project: &'a ProjectName,
        name: &'a str,
        holder: &'a LeaseHolder,
        worker: &'a str,
        now: i64,
    ) -> Answer<'a, (Leased, Vec<ProbeItem>)>;

    /// A shard.
    fn probe_shard<'a>(
        &'a self,
        project: &'a ProjectName,
        name: &'a str,
        number: i64,
    ) -> Answer<'a, ShardRecord>;

    /// Renews a lease. Fails with [`Conflict::LeaseLost`](super::Conflict).
    fn renew_lease<'a>(
        &'a self,
        project: &'a ProjectName,
        shard: (&'a str, i64),
        holder: &'a LeaseHolder,
        renewal: Renewal<'a>,
        now: i64,
    ) -> Answer<'a, ()>;

    /// Releases a lease. Fails with [`Conflict::LeaseLost`](super::Conflict).
    fn release_lease<'a>(
        &'a self,
        project: &'a ProjectName,
        shard: (&'a str, i64),
        holder: &'a LeaseHolder,
        now: i64,
    ) -> Answer<'a, ()>;

    /// Stores the result of a shard; false if the same result was stored before. Fails with
    /// [`Conflict::ShardDone`](super::Conflict) or [`Conflict::LeaseLost`](super::Conflict).
    fn finish_shard<'a>(
        &'a self,
        project: &'a ProjectName,
        name: &'a str,
        holder: &'a LeaseHolder,
        result: &'a ShardResult,
        now: i64,
    ) -> Answer<'a, bool>;

    /// The state of a run.
    fn probe_progress<'a>(
        &'a self,
        project: &'a ProjectName,
        name: &'a str,
        now: i64,
    ) -> Answer<'a, ProbeProgress>;

    /// The part and the rows of each shard, or `None` if they have more than `most` characters.
    fn probe_results<'a>(
        &'a self,
        project: &'a ProjectName,
        name: &'a str,
        most: usize,
    ) -> Answer<'a, Option<Vec<(String, String)>>>;

    /// Adds a dump to a revision; false if the revision had it. Fails with
    /// [`Conflict::TooManyDumps`](super::Conflict) beyond [`MOST_DUMPS`].
    fn add_dump<'a>(
        &'a self,
        project: &'a ProjectName,
        dump: &'a NewDump,
        now: i64,
    ) -> Answer<'a, bool>;

    /// The dumps of a revision, the last one first.
    fn dumps<'a>(
        &'a self,
        project: &'a ProjectName,
        revision: Digest,
    ) -> Answer<'a, Vec<DumpRecord>>;

    /// The text of a dump of a revision; fails with [`Missing::Dump`](super::Missing).
    fn dump<'a>(
        &'a self,
        project: &'a ProjectName,
        revision: Digest,
        digest: Digest,
    ) -> Answer<'a, String>;
}
