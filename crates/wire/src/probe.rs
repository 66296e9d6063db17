//! Requests and answers for workers of the probe (`docs/probe.md`).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::time::timestamp;
use opatlas_service::probe::{
    LeaseAnswer, OpenRun, OpenedRun, Progress, RankShare, Worker, Working,
};

/// A run's path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct ProbeRunPath {
    /// The project.
    #[param(example = "pytorch")]
    pub project: String,
    /// The run.
    #[param(example = "2f1c")]
    pub run: String,
}

/// A shard's path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct ShardPath {
    /// The project.
    #[param(example = "pytorch")]
    pub project: String,
    /// The run.
    #[param(example = "2f1c")]
    pub run: String,
    /// The number of the shard.
    #[param(minimum = 0, example = 3)]
    pub shard: i64,
}

/// A run to make or join.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(example = json!({
    "key": "2f1c", "revision": "v2.9.0", "torch": "2.9.0", "device": "cuda",
    "items": {"runs": ["abs", "add"]}, "shard_seconds": 20
}))]
pub struct NewProbeRun {
    /// The name of the run, the same for every worker.
    #[schema(min_length = 1, max_length = 300)]
    pub key: String,
    /// The address of the revision.
    #[schema(min_length = 1, max_length = 300)]
    pub revision: String,
    /// The release of the worker.
    #[schema(min_length = 1, max_length = 300)]
    pub torch: String,
    /// The device.
    #[schema(min_length = 1, max_length = 300)]
    pub device: String,
    /// The items of the parts `tables`, `calls` and `runs`, each at most 20,000.
    pub items: BTreeMap<String, Vec<String>>,
    /// The amount of work in a shard, in seconds: above 0, at most 3600; by default 20.
    pub shard_seconds: Option<f64>,
    /// The duration of a lease, in seconds: above 0, at most 600; by default 30.
    pub lease_seconds: Option<f64>,
}

/// A run that workers can ask for shards.
#[derive(Debug, Serialize, ToSchema)]
pub struct ProbeRunView {
    /// The name of the run.
    pub run: String,
    /// The number of its shards.
    pub shards: i64,
}

/// A worker, as torchrun numbers it.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct ProbeWorker {
    /// Its rank.
    pub rank: i64,
    /// The number of workers.
    pub world: i64,
    /// The number of times that torchrun has restarted the group.
    pub restart: i64,
    /// Its machine.
    pub host: String,
    /// Its process id.
    pub process: i64,
}

/// A request for a shard.
#[derive(Debug, Deserialize, ToSchema)]
pub struct LeaseRequest {
    /// The worker that asks.
    #[serde(default)]
    pub worker: ProbeWorker,
}

/// A shard, how long to wait for one, or the end of the run.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub enum LeaseView {
    /// A shard.
    Shard(LeasedShard),
    /// Other workers have the rest.
    Wait(LeaseWait),
    /// Every shard has a result.
    Done(LeaseDone),
}

/// A shard to run.
#[derive(Debug, Serialize, ToSchema)]
pub struct LeasedShard {
    /// Its number.
    pub shard: i64,
    /// The lease: a secret that the other requests about the shard need.
    pub lease: String,
    /// The duration of the lease, in seconds.
    pub seconds: f64,
    /// The part.
    pub part: String,
    /// The items to run.
    pub items: Vec<String>,
    /// The items to report as crashes.
    pub quarantined: Vec<String>,
    /// The number of processes that each item has killed.
    pub kills: BTreeMap<String, i64>,
}

/// When to ask again.
#[derive(Debug, Serialize, ToSchema)]
pub struct LeaseWait {
    /// The number of seconds to wait.
    pub wait: f64,
}

/// The end of the run.
#[derive(Debug, Serialize, ToSchema)]
pub struct LeaseDone {
    /// Always true.
    pub done: bool,
}

/// A lease to renew.
#[derive(Debug, Deserialize, ToSchema)]
pub struct LeaseRenewal {
    /// The lease.
    pub lease: String,
    /// The item that runs now.
    pub begun: Option<String>,
    /// An item that killed its process.
    pub killed: Option<String>,
    /// The number of processes that this item has killed so far; by default one more than before.
    pub kills: Option<u32>,
}

/// A lease to end.
#[derive(Debug, Deserialize, ToSchema)]
pub struct LeaseRelease {
    /// The lease.
    pub lease: String,
}

/// The result of a shard.
#[derive(Debug, Deserialize, ToSchema)]
pub struct ShardResultBody {
    /// The lease.
    pub lease: String,
    /// The worker that sends it.
    #[serde(default)]
    pub worker: ProbeWorker,
    /// The SHA-256 of the rows as canonical JSON.
    pub digest: String,
    /// A row for each item, an object with the texts `item` and `outcome`.
    pub rows: Vec<serde_json::Value>,
}

/// The tables of a process.
#[derive(Debug, Deserialize, ToSchema)]
pub struct NewProbeTables {
    /// The address of the revision.
    pub revision: String,
    /// The release of the process.
    pub torch: String,
    /// The SHA-256 of a list with the dump as canonical JSON.
    pub digest: String,
    /// The dump.
    pub dump: BTreeMap<String, serde_json::Value>,
}

/// The request succeeded.
#[derive(Debug, Serialize, ToSchema)]
pub struct ProbeDone {}

/// The progress of a run.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct ProbeProgress {
    /// The name of the run.
    pub run: String,
    /// The revision as it was named.
    pub revision: String,
    /// The SHA-256 of the revision, over the lines `HEX  NAME` of its files.
    pub digest: String,
    /// The release of the workers.
    pub torch: String,
    /// The device.
    pub device: String,
    /// Whether every shard has a result.
    pub done: bool,
    /// Its shards.
    pub shards: ShardCounts,
    /// Items by outcome.
    pub outcomes: BTreeMap<String, u64>,
    /// The work done by each rank.
    pub ranks: BTreeMap<String, RankView>,
    /// The items that are not handed out again.
    pub quarantined: Vec<String>,
    /// The shards that are leased.
    pub working: Vec<WorkingView>,
    /// When it was opened.
    #[schema(format = DateTime)]
    pub created_at: String,
}

/// Shards by state.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct ShardCounts {
    /// Shards with a result.
    pub done: u64,
    /// Leased shards.
    pub leased: u64,
    /// Other shards.
    pub waiting: u64,
}

/// The work done by a rank.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct RankView {
    /// Its shards.
    pub shards: u64,
    /// The items in them.
    pub items: u64,
}

/// A shard that is leased.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct WorkingView {
    /// The shard.
    pub shard: i64,
    /// The item that runs now.
    pub item: Option<String>,
    /// The worker that has it.
    pub worker: ProbeWorker,
}

/// The results of a run.
#[derive(Debug, Serialize, ToSchema)]
pub struct ProbeResults {
    /// The rows by part and item, each with its `part` and without its duration.
    pub rows: Vec<serde_json::Value>,
}

impl From<NewProbeRun> for OpenRun {
    fn from(run: NewProbeRun) -> Self {
        Self {
            key: run.key,
            revision: run.revision,
            torch: run.torch,
            device: run.device,
            items: run.items,
            shard_seconds: run.shard_seconds,
            lease_seconds: run.lease_seconds,
        }
    }
}

impl From<OpenedRun> for ProbeRunView {
    fn from(run: OpenedRun) -> Self {
        Self {
            run: run.run,
            shards: run.shards,
        }
    }
}

impl From<ProbeWorker> for Worker {
    fn from(worker: ProbeWorker) -> Self {
        Self {
            rank: worker.rank,
            world: worker.world,
            restart: worker.restart,
            host: worker.host,
            process: worker.process,
        }
    }
}

impl From<Worker> for ProbeWorker {
    fn from(worker: Worker) -> Self {
        Self {
            rank: worker.rank,
            world: worker.world,
            restart: worker.restart,
            host: worker.host,
            process: worker.process,
        }
    }
}

impl From<LeaseAnswer> for LeaseView {
    fn from(answer: LeaseAnswer) -> Self {
        match answer {
            LeaseAnswer::Shard {
                shard,
                lease,
                seconds,
                part,
                items,
                quarantined,
                kills,
            } => Self::Shard(LeasedShard {
                shard,
                lease,
                seconds,
                part,
                items,
                quarantined,
                kills,
            }),
            LeaseAnswer::Wait(wait) => Self::Wait(LeaseWait { wait }),
            LeaseAnswer::Done => Self::Done(LeaseDone { done: true }),
        }
    }
}

impl From<Progress> for ProbeProgress {
    fn from(progress: Progress) -> Self {
        let [done, leased, waiting] = progress.shards;
        let rank = |(rank, share): (i64, RankShare)| {
            let share = RankView {
                shards: share.shards,
                items: share.items,
            };
            (rank.to_string(), share)
        };
        let working = |working: Working| WorkingView {
            shard: working.shard,
            item: working.item,
            worker: working.worker.into(),
        };
        Self {
            run: progress.run,
            revision: progress.revision,
            digest: progress.digest.to_string(),
            created_at: timestamp(progress.created_at),
            torch: progress.torch,
            device: progress.device,
            done: leased + waiting == 0,
            shards: ShardCounts {
                done,
                leased,
                waiting,
            },
            outcomes: progress.outcomes,
            ranks: progress.ranks.into_iter().map(rank).collect(),
            quarantined: progress.quarantined,
            working: progress.working.into_iter().map(working).collect(),
        }
    }
}
