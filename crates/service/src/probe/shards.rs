//! Shards: lease, renew, release, finish; and the progress of a run.

use std::collections::BTreeMap;

use bytes::Bytes;
use rustc_hash::FxHashMap;
use serde_json::Value;

use opatlas_source::Digest;

use super::ProbeRefusal;
use super::results::{expect_items, read_result, rows};
use crate::Service;
use crate::answers::LARGEST_ANSWER;
use crate::error::ServiceError;
use crate::secrets::random;
use opatlas_store::{
    Conflict, LeaseHolder, Leased, ProbeItem, ProjectName, Renewal, ShardResult, StoreError,
};

/// An item that kills this many processes is quarantined.
const MOST_KILLS: i64 = 2;
/// An item that was running in this many lost workers is quarantined. Fewer prove nothing.
const MOST_LOSSES: i64 = 10;
/// How long a worker waits before it asks again, in seconds: minimum and maximum.
const WAIT: (f64, f64) = (0.05, 2.0);
const SECRET_BYTES: usize = 16;
const LONGEST_HOST: usize = 300;

/// A worker, with the numbers of torchrun.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Worker {
    /// Its rank.
    pub rank: i64,
    /// The number of workers.
    pub world: i64,
    /// How often torchrun has restarted the group.
    pub restart: i64,
    /// Its host name.
    pub host: String,
    /// Its process id.
    pub process: i64,
}

/// The answer to a worker that asks for a shard.
#[derive(Debug, Clone, PartialEq)]
pub enum LeaseAnswer {
    /// A leased shard.
    Shard {
        /// Its number.
        shard: i64,
        /// The secret of the lease.
        lease: String,
        /// The length of the lease, in seconds.
        seconds: f64,
        /// The part.
        part: String,
        /// The items to run.
        items: Vec<String>,
        /// The items to report as crashes without running them.
        quarantined: Vec<String>,
        /// How many processes each item has killed.
        kills: BTreeMap<String, i64>,
    },
    /// Ask again after this many seconds.
    Wait(f64),
    /// All shards have a result.
    Done,
}

/// The work of a rank.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RankShare {
    /// Finished shards.
    pub shards: u64,
    /// The items in them.
    pub items: u64,
}

/// A leased shard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Working {
    /// The shard.
    pub shard: i64,
    /// The item that is running.
    pub item: Option<String>,
    /// The worker that holds the lease.
    pub worker: Worker,
}

/// The progress of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    /// Its name.
    pub run: String,
    /// The name that was used for the revision.
    pub revision: String,
    /// The digest of the revision.
    pub digest: Digest,
    /// The PyTorch release of the workers.
    pub torch: String,
    /// The device.
    pub device: String,
    /// Numbers of finished, leased and remaining shards.
    pub shards: [u64; 3],
    /// Items by outcome.
    pub outcomes: BTreeMap<String, u64>,
    /// The work of each rank.
    pub ranks: BTreeMap<i64, RankShare>,
    /// Quarantined items, by name.
    pub quarantined: Vec<String>,
    /// The leased shards.
    pub working: Vec<Working>,
    /// When the run was opened, in microseconds since 1970-01-01 UTC.
    pub created_at: i64,
}

impl Worker {
    fn stored(&self) -> String {
        serde_json::json!({
            "rank": self.rank, "world": self.world, "restart": self.restart,
            "host": self.host, "process": self.process,
        })
        .to_string()
    }

    fn of(stored: Option<&str>) -> Self {
        let stored: Value = stored
            .and_then(|text| serde_json::from_str(text).ok())
            .unwrap_or_default();
        let number = |name| stored[name].as_i64().unwrap_or_default();
        Self {
            rank: number("rank"),
            world: number("world"),
            restart: number("restart"),
            host: stored["host"].as_str().unwrap_or_default().to_owned(),
            process: number("process"),
        }
    }
}

impl Service {
    /// Leases a shard to a worker. The lease is a new secret, bound to the token with this id.
    /// Fails with [`ServiceError::Failed`] if the system has no random numbers.
    pub async fn lease_shard(
        &self,
        project: &str,
        run: &str,
        worker: &Worker,
        token: Option<&str>,
    ) -> Result<LeaseAnswer, ServiceError> {
        let project = ProjectName::parse(project)?;
        if worker.host.chars().count() > LONGEST_HOST {
            let must = format!("at most {LONGEST_HOST} characters long");
            return Err(ProbeRefusal::member("worker.host", &must).into());
        }
        let now = self.now();
        let worker = worker.stored();
        let secret = random::<SECRET_BYTES>()?;
        let holder = holder(&secret, token);
        let leased = self.store.lease_shard(&project, run, &holder, &worker, now);
        let (leased, known) = leased.await?;
        Ok(match leased {
            Leased::Done => LeaseAnswer::Done,
            Leased::Wait(until) => {
                let seconds = until.saturating_sub(now) as f64 / 1e6;
                LeaseAnswer::Wait(seconds.clamp(WAIT.0, WAIT.1))
            }
            Leased::Shard {
                shard,
                part,
                items,
                lease,
            } => shard_answer((shard, secret), part, &items, lease, &known)?,
        })
    }

    /// Renews a lease. Fails with [`Conflict::LeaseLost`], or [`ProbeRefusal::Malformed`] for an
    /// item that the shard does not have.
    pub async fn renew_lease(
        &self,
        project: &str,
        shard: (&str, i64),
        (lease, token): (&str, Option<&str>),
        renewal: Renewal<'_>,
    ) -> Result<(), ServiceError> {
        let project = ProjectName::parse(project)?;
        let holder = holder(lease, token);
        let (run, number) = shard;
        let record = self.store.probe_shard(&project, run, number).await?;
        let now = self.now();
        // Checked first, so that only the holder learns what is in the shard.
        if !record.is_held_by(&holder, now) {
            return Err(StoreError::from(Conflict::LeaseLost(number)).into());
        }
        let items = names(&record.items)?;
        for (member, item) in [("begun", renewal.begun), ("killed", renewal.killed)] {
            if item.is_some_and(|item| !items.iter().any(|known| known == item)) {
                return Err(ProbeRefusal::member(member, "an item of the shard").into());
            }
        }
        let renewed = self
            .store
            .renew_lease(&project, shard, &holder, renewal, now);
        Ok(renewed.await?)
    }

    /// Releases a lease. Fails with [`Conflict::LeaseLost`].
    pub async fn release_lease(
        &self,
        project: &str,
        shard: (&str, i64),
        (lease, token): (&str, Option<&str>),
    ) -> Result<(), ServiceError> {
        let project = ProjectName::parse(project)?;
        let (holder, now) = (holder(lease, token), self.now());
        let released = self.store.release_lease(&project, shard, &holder, now);
        Ok(released.await?)
    }

    /// Stores the result of a shard; false if the same result was stored before. Fails with
    /// [`Conflict::LeaseLost`], [`Conflict::ShardDone`], [`ProbeRefusal::Incomplete`] or
    /// [`ProbeRefusal::Malformed`].
    pub async fn finish_shard(
        &self,
        project: &str,
        (run, shard): (&str, i64),
        token: Option<&str>,
        body: Bytes,
    ) -> Result<bool, ServiceError> {
        let project = ProjectName::parse(project)?;
        let given = self.compute(move |_| Ok(read_result(&body))).await??;
        let holder = holder(&given.lease, token);
        let record = self.store.probe_shard(&project, run, shard).await?;
        let now = self.now();
        match record.digest {
            Some(digest) if digest == given.digest => return Ok(false),
            Some(_) => return Err(StoreError::from(Conflict::ShardDone(shard)).into()),
            None if !record.is_held_by(&holder, now) => {
                return Err(StoreError::from(Conflict::LeaseLost(shard)).into());
            }
            None => expect_items(names(&record.items)?, given.items)?,
        }
        let result = ShardResult {
            shard,
            rows: given.rows,
            digest: given.digest,
            rank: given.rank,
            outcomes: serde_json::json!(given.outcomes).to_string(),
            durations: given.durations,
        };
        let finished = self
            .store
            .finish_shard(&project, run, &holder, &result, now);
        Ok(finished.await?)
    }

    /// The progress of a run.
    pub async fn probe_progress(&self, project: &str, run: &str) -> Result<Progress, ServiceError> {
        let project = ProjectName::parse(project)?;
        let stored = self.store.probe_progress(&project, run, self.now()).await?;
        let quarantined = stored.items.iter().filter(|item| is_quarantined(item));
        let mut progress = Progress {
            run: stored.run.name,
            revision: stored.run.address,
            digest: stored.run.revision,
            created_at: stored.run.created_at,
            torch: stored.run.torch,
            device: stored.run.device,
            shards: [0; 3],
            outcomes: BTreeMap::new(),
            ranks: BTreeMap::new(),
            quarantined: quarantined.map(|item| item.item.clone()).collect(),
            working: Vec::new(),
        };
        for shard in stored.shards {
            let Some(outcomes) = shard.outcomes else {
                progress.shards[if shard.is_leased { 1 } else { 2 }] += 1;
                if shard.is_leased {
                    progress.working.push(Working {
                        shard: shard.number,
                        item: shard.begun,
                        worker: Worker::of(shard.worker.as_deref()),
                    });
                }
                continue;
            };
            progress.shards[0] += 1;
            let share = progress.ranks.entry(shard.rank.unwrap_or_default());
            let share = share.or_default();
            share.shards += 1;
            for (outcome, count) in counts_of(&outcomes)? {
                share.items += count;
                *progress.outcomes.entry(outcome).or_default() += count;
            }
        }
        Ok(progress)
    }

    /// All rows of a run as JSON, `{"rows": [...]}`, sorted by part and item, so that equal
    /// behavior gives the same text. Fails with [`ServiceError::LargeAnswer`].
    pub async fn probe_results(&self, project: &str, run: &str) -> Result<Bytes, ServiceError> {
        let project = ProjectName::parse(project)?;
        let _place = self.place().await?;
        let stored = self.store.probe_results(&project, run, LARGEST_ANSWER);
        let Some(stored) = stored.await? else {
            let limit = LARGEST_ANSWER;
            return Err(ServiceError::LargeAnswer { limit });
        };
        self.make(move |_| rows(&stored)).await
    }
}

fn shard_answer(
    (shard, secret): (i64, String),
    part: String,
    items: &str,
    lease: i64,
    known: &[ProbeItem],
) -> Result<LeaseAnswer, ServiceError> {
    let known: FxHashMap<&str, &ProbeItem> = known.iter().map(|item| (&*item.item, item)).collect();
    let is_out = |item: &String| known.get(&**item).is_some_and(|item| is_quarantined(item));
    let all = names(items)?;
    let kills = all.iter().filter_map(|item| {
        let kills = known.get(&**item)?.kills;
        (kills > 0).then(|| (item.clone(), kills))
    });
    let kills = kills.collect();
    let (quarantined, items) = all.into_iter().partition(is_out);
    Ok(LeaseAnswer::Shard {
        shard,
        lease: secret,
        seconds: lease as f64 / 1e6,
        part,
        items,
        quarantined,
        kills,
    })
}

fn is_quarantined(item: &ProbeItem) -> bool {
    item.kills >= MOST_KILLS || item.losses >= MOST_LOSSES
}

fn holder(secret: &str, token: Option<&str>) -> LeaseHolder {
    LeaseHolder {
        secret: Digest::of(secret.as_bytes()),
        token: token.map(str::to_owned),
    }
}

fn names(stored: &str) -> Result<Vec<String>, ServiceError> {
    serde_json::from_str(stored).map_err(damaged)
}

/// The stored numbers of rows by outcome.
pub(super) fn counts_of(stored: &str) -> Result<BTreeMap<String, u64>, ServiceError> {
    serde_json::from_str(stored).map_err(damaged)
}

fn damaged(error: serde_json::Error) -> ServiceError {
    StoreError::corrupt(format!(
        "what is stored of a probe run is not JSON: {error}"
    ))
    .into()
}
