//! What workers of the probe measure: runs, their shards and leases, results, and dumps of tables
//! (`docs/probe.md`).
//!
//! The store knows which shard is leased until when, and keeps the first result of each. What a
//! result must contain and when an item is quarantined is decided by the service. Times are
//! microseconds since 1970-01-01 UTC.

use super::Answer;
use super::names::ProjectName;
use super::secret::is_same_secret;
use opatlas_source::Digest;

/// How many runs of one token a project keeps. A new run of the token deletes the oldest beyond it, and
/// never a run of another token.
pub const KEPT_RUNS: i64 = 200;
/// How many different dumps a revision may have.
pub const MOST_DUMPS: i64 = 200;
/// How many bytes a dump may have as JSON.
pub const LARGEST_DUMP: usize = 16 << 20;

/// A run to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewProbeRun {
    /// Its name, the same for every worker.
    pub name: String,
    /// What it measures.
    pub revision: Digest,
    /// How the revision was named.
    pub address: String,
    /// The release of the workers.
    pub torch: String,
    /// What it measures on.
    pub device: String,
    /// For how long a shard is leased, in microseconds.
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
    /// What it measures.
    pub revision: Digest,
    /// How the revision was named.
    pub address: String,
    /// The release of the workers.
    pub torch: String,
    /// What it measures on.
    pub device: String,
    /// For how long a shard is leased, in microseconds.
    pub lease: i64,
    /// How many shards it has.
    pub shards: i64,
}

/// Who holds a lease: a worker that knows its secret and comes with the token that took it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaseHolder {
    /// The SHA-256 of the secret of the lease.
    pub secret: Digest,
    /// The id of the token; `None` if no token is needed.
    pub token: Option<String>,
}

/// What a worker gets that asks for a shard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Leased {
    /// A shard.
    Shard {
        /// Its number.
        shard: i64,
        /// The part.
        part: String,
        /// The items, a JSON list.
        items: String,
        /// For how long it is leased, in microseconds.
        lease: i64,
    },
    /// Others have the rest; the first of their leases ends at this time.
    Wait(i64),
    /// Every shard has a result.
    Done,
}

/// A shard without its result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShardRecord {
    /// The part.
    pub part: String,
    /// The items, a JSON list.
    pub items: String,
    /// Who took the last lease; `None` if it was never leased.
    pub holder: Option<LeaseHolder>,
    /// When its lease ends, if it is leased.
    pub until: Option<i64>,
    /// The digest of its result, if it has one.
    pub digest: Option<Digest>,
}

impl ShardRecord {
    /// Whether this holder has the lease of the shard. Secrets are compared in constant time.
    #[must_use]
    pub fn is_held_by(&self, given: &LeaseHolder, now: i64) -> bool {
        let is_leased = self.until.is_some_and(|until| until > now);
        let is_holder = self.holder.as_ref().is_some_and(|holder| {
            is_same_secret(holder.secret, given.secret) && holder.token == given.token
        });
        is_leased && is_holder
    }
}

/// An item that killed processes, or was running in workers that were lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProbeItem {
    /// The item.
    pub item: String,
    /// How many processes it killed.
    pub kills: i64,
    /// How many workers were lost while it ran.
    pub losses: i64,
}

/// What a worker says when it renews a lease.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Renewal<'a> {
    /// The item that runs now.
    pub begun: Option<&'a str>,
    /// An item that killed its process.
    pub killed: Option<&'a str>,
    /// How many processes that item killed by now; without it, one more.
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
    /// How many rows have each outcome, JSON.
    pub outcomes: String,
    /// How long items took, in milliseconds.
    pub durations: Vec<(String, i64)>,
}

/// How far a shard is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShardState {
    /// Its number.
    pub number: i64,
    /// Whether it is leased.
    pub is_leased: bool,
    /// The item that runs now.
    pub begun: Option<String>,
    /// The worker that leased it last, JSON.
    pub worker: Option<String>,
    /// The rank that sent the result.
    pub rank: Option<i64>,
    /// How many rows of the result have each outcome, JSON.
    pub outcomes: Option<String>,
}

/// How far a run is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProbeProgress {
    /// The run.
    pub run: ProbeRun,
    /// Its shards, by number.
    pub shards: Vec<ShardState>,
    /// Items that killed processes or were lost, by name.
    pub items: Vec<ProbeItem>,
}

record! {
    /// How long an item took.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ProbeDuration {
        /// The part.
        pub part: String,
        /// The item.
        pub item: String,
        /// The time, in milliseconds.
        pub milliseconds: i64,
    }
}

/// A dump of the tables of a process, to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewDump {
    /// The revision.
    pub revision: Digest,
    /// The SHA-256 of the text.
    pub digest: Digest,
    /// The release of the process.
    pub torch: String,
    /// The device.
    pub device: String,
    /// The dump as JSON, at most [`LARGEST_DUMP`] bytes.
    pub text: String,
}

/// A dump of a revision, without its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DumpRecord {
    /// The SHA-256 of its text.
    pub digest: Digest,
    /// How many bytes the text has.
    pub bytes: i64,
    /// The release of the process.
    pub torch: String,
    /// The device.
    pub device: String,
    /// When it was stored with the revision.
    pub recorded_at: i64,
}

/// Runs of the probe and dumps of tables. Every call is one transaction.
///
/// Where a run is named that does not exist, the answer is [`Missing::ProbeRun`](super::Missing);
/// for a shard, [`Missing::ProbeShard`](super::Missing). A shard is named by its run and its number.
pub trait ProbeStore: Send + Sync {
    /// A run, if there is one of this name.
    fn probe_run<'a>(
        &'a self,
        project: &'a ProjectName,
        name: &'a str,
    ) -> Answer<'a, Option<ProbeRun>>;

    /// Makes a run, unless there is one of this name, and answers with what is stored. Deletes the
    /// oldest of the same token beyond [`KEPT_RUNS`].
    fn open_probe_run<'a>(
        &'a self,
        project: &'a ProjectName,
        run: &'a NewProbeRun,
        now: i64,
    ) -> Answer<'a, ProbeRun>;

    /// How long items took on a device, by part and item.
    fn probe_durations<'a>(
        &'a self,
        project: &'a ProjectName,
        device: &'a str,
    ) -> Answer<'a, Vec<ProbeDuration>>;

    /// Leases the first shard that nobody has to a worker, given as JSON.
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

    /// Renews a lease; fails with [`Conflict::LeaseLost`](super::Conflict) if the holder does not
    /// have it.
    fn renew_lease<'a>(
        &'a self,
        project: &'a ProjectName,
        shard: (&'a str, i64),
        holder: &'a LeaseHolder,
        renewal: Renewal<'a>,
        now: i64,
    ) -> Answer<'a, ()>;

    /// Gives a shard back; fails with [`Conflict::LeaseLost`](super::Conflict) if the holder does not
    /// have it.
    fn release_lease<'a>(
        &'a self,
        project: &'a ProjectName,
        shard: (&'a str, i64),
        holder: &'a LeaseHolder,
        now: i64,
    ) -> Answer<'a, ()>;

    /// Stores the result of a shard. False if the same was stored before.
    ///
    /// Fails with [`Conflict::ShardDone`](super::Conflict) if there is another result, and with
    /// [`Conflict::LeaseLost`](super::Conflict) if the holder does not have the lease.
    fn finish_shard<'a>(
        &'a self,
        project: &'a ProjectName,
        name: &'a str,
        holder: &'a LeaseHolder,
        result: &'a ShardResult,
        now: i64,
    ) -> Answer<'a, bool>;

    /// How far a run is.
    fn probe_progress<'a>(
        &'a self,
        project: &'a ProjectName,
        name: &'a str,
        now: i64,
    ) -> Answer<'a, ProbeProgress>;

    /// The results of a run: the part and the rows of each shard. `None` if they have more than
    /// `most` characters.
    fn probe_results<'a>(
        &'a self,
        project: &'a ProjectName,
        name: &'a str,
        most: usize,
    ) -> Answer<'a, Option<Vec<(String, String)>>>;

    /// Stores a dump with its revision. False if the revision had it.
    ///
    /// Fails with [`Conflict::TooManyDumps`](super::Conflict) beyond [`MOST_DUMPS`].
    fn add_dump<'a>(
        &'a self,
        project: &'a ProjectName,
        dump: &'a NewDump,
        now: i64,
    ) -> Answer<'a, bool>;

    /// The dumps of a revision, the last first.
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
