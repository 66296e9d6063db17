//! The history of operators and backends over a project's timeline.
//!
//! The changes of each step are stored by operator, so a history is read, not computed. A step is a
//! function of two revisions, their releases and [`STEP_FORMAT`], so it can be missing but never
//! wrong. Missing steps are computed on first use or when a history is imported.

mod commits;
mod event;
mod facts;
mod index;
mod items;
mod listing;
mod matches;
mod operator;
mod packed;
mod ranges;
mod search;
mod step;
mod support;
mod timeline;
mod ways;
mod words;

pub use commits::{CommitBatch, CommitFiles, CommitPlaces, ParsedTip, StoredBatch, StoredTip};
pub use facts::{Facts, KeyFacts, StepFacts, percent};
pub(super) use items::judged;
pub use listing::{Listing, NamedBy, RevisionName};
pub use operator::{HistoryEvent, OperatorHistory};
pub use ranges::KeyRange;
pub use search::{HistoryMatch, Which};
pub use support::{Support, SupportCell};
pub use timeline::{Item, Line, Range, Timeline};
pub use ways::FateCounts;

use std::sync::{Arc, PoisonError, Weak};

use moka::future::Cache;
use rustc_hash::FxHashMap;
use tokio::sync::Mutex;

use super::Service;
use super::error::ServiceError;
use super::snapshot::Snapshot;
use opatlas_source::Stop;
use opatlas_store::{ProjectName, StepKey, StepRecord};

use self::search::ProjectIndex;

/// The version of the computation and encoding of steps. Increment it with every change of what a
/// step contains, for example by a change rule, so that older steps are recomputed.
pub const STEP_FORMAT: i64 = 12;
const STEPS_AT_ONCE: usize = 32;
const TIMELINES: u64 = 64;
const WARMED: u32 = 8;
const WARMED_RELEASES: usize = 64;

/// Size limit of all search indexes together, in bytes.
const INDEX_BYTES: u64 = 48 << 20;

pub(super) struct Histories {
    timelines: Cache<(ProjectName, Option<Line>), Arc<Timeline>>,
    listings: Cache<ProjectName, Arc<Listing>>,
    indexes: Cache<ProjectName, Arc<ProjectIndex>>,
    /// Locks of projects, so that steps and indexes are computed only once.
    locks: std::sync::Mutex<FxHashMap<ProjectName, Weak<Mutex<()>>>>,
}

impl Default for Histories {
    fn default() -> Self {
        Self {
            timelines: Cache::new(TIMELINES),
            listings: Cache::new(TIMELINES),
            indexes: Cache::builder()
                .name("said")
                .weigher(|_, index: &Arc<ProjectIndex>| index.weight())
                .max_capacity(INDEX_BYTES)
                .build(),
            locks: std::sync::Mutex::default(),
        }
    }
}

impl Histories {
    fn lock_of(&self, project: &ProjectName) -> Arc<Mutex<()>> {
        let mut locks = self.locks.lock().unwrap_or_else(PoisonError::into_inner);
        locks.retain(|_, lock| lock.strong_count() > 0);
        if let Some(lock) = locks.get(project).and_then(Weak::upgrade) {
            return lock;
        }
        let lock = Arc::default();
        locks.insert(project.clone(), Arc::downgrade(&lock));
        lock
    }

    pub(super) async fn size(&self) -> (u64, u64) {
        self.indexes.run_pending_tasks().await;
        (self.indexes.entry_count(), self.indexes.weighted_size())
    }

    pub(super) fn clear(&self) {
        self.timelines.invalidate_all();
        self.listings.invalidate_all();
        self.indexes.invalidate_all();
    }

    /// Caches a timeline under the requested kind and under its actual kind.
    async fn keep(&self, asked: Option<Line>, timeline: &Arc<Timeline>) {
        let own = Some(timeline.line);
        let key = (timeline.project.clone(), own);
        self.timelines.insert(key, Arc::clone(timeline)).await;
        if asked != own {
            let key = (timeline.project.clone(), asked);
            self.timelines.insert(key, Arc::clone(timeline)).await;
        }
    }
}

impl Service {
    /// The timeline of a project, with all its steps computed. Fails with
    /// [`ServiceError::NoRevisions`] and [`ServiceError::NoCommits`].
    pub async fn timeline(
        &self,
        project: &str,
        line: Option<Line>,
    ) -> Result<Arc<Timeline>, ServiceError> {
        let project = ProjectName::parse(project)?;
        let key = (project.clone(), line);
        let cached = self.histories.timelines.get(&key).await;
        let stamp = self.store.stamp(&project).await?;
        if let Some(cached) = cached.filter(|cached| cached.stamp == stamp) {
            return Ok(cached);
        }
        let lock = self.histories.lock_of(&project);
        let _guard = lock.lock().await;
        // Another request may have read it in the meantime.
        let stamp = self.store.stamp(&project).await?;
        let cached = self.histories.timelines.get(&key).await;
        if let Some(cached) = cached.as_ref().filter(|cached| cached.stamp == stamp) {
            return Ok(Arc::clone(cached));
        }
        let previous = cached
            .as_deref()
            .filter(|cached| cached.stamp.of == stamp.of);
        let mut timeline = Timeline::load(&*self.store, project, line, stamp, previous).await?;
        if timeline.items.is_empty() {
            return Err(match line {
                Some(Line::Commits) => ServiceError::NoCommits(timeline.project),
                _ => ServiceError::NoRevisions(timeline.project),
            });
        }
        let missing = timeline.missing();
        if !missing.is_empty() {
            self.compute_steps(&timeline, &missing).await?;
            timeline.find_steps(&*self.store, &missing).await?;
        }
        let timeline = Arc::new(timeline);
        self.histories.keep(line, &timeline).await;
        Ok(timeline)
    }

    /// Reads timelines of projects and their last revisions into memory, then further releases,
    /// newest first, as far as there is room.
    pub async fn warm(&self) -> Result<(), ServiceError> {
        let mut releases = Vec::new();
        for project in self.store.projects(None, WARMED).await?.items {
            let project = project.name;
            let stamp = self.store.stamp(&project).await?;
            for line in [None, Some(Line::Commits)] {
                let store = &*self.store;
                let timeline = Timeline::load(store, project.clone(), line, stamp, None).await?;
                if timeline.items.is_empty() || !timeline.missing().is_empty() {
                    continue;
                }
                let last = timeline.resolved(timeline.last());
                self.tabulated(&last).await?;
                self.search_index(&timeline).await?;
                if timeline.line == Line::Releases {
                    let newest = (0..timeline.items.len()).rev().take(WARMED_RELEASES);
                    releases.extend(newest.map(|place| timeline.resolved(place)));
                }
                self.histories.keep(line, &Arc::new(timeline)).await;
            }
        }
        for release in releases {
            if !self.snapshots.has_room() {
                break;
            }
            self.checked(&release).await?;
            self.settled(&release).await?;
        }
        Ok(())
    }

    async fn compute_steps(
        &self,
        timeline: &Timeline,
        places: &[usize],
    ) -> Result<(), ServiceError> {
        let mut steps = Vec::new();
        let mut last: Option<(usize, Arc<Snapshot>)> = None;
        for &place in places {
            let base = match (place.checked_sub(1), last.take()) {
                (None, _) => None,
                (Some(before), Some((at, snapshot))) if at == before => Some(snapshot),
                (Some(before), _) => Some(self.snapshot(&timeline.resolved(before)).await?),
            };
            let head = self.snapshot(&timeline.resolved(place)).await?;
            last = Some((place, Arc::clone(&head)));
            let Some(key) = timeline.step_key(place) else {
                continue;
            };
            steps.push(self.step(key, base, head).await?);
            if steps.len() == STEPS_AT_ONCE {
                self.save_steps(&timeline.project, &mut steps).await?;
            }
        }
        self.save_steps(&timeline.project, &mut steps).await
    }

    async fn step(
        &self,
        key: StepKey,
        base: Option<Arc<Snapshot>>,
        head: Arc<Snapshot>,
    ) -> Result<StepRecord, ServiceError> {
        let work = move |stop: &Stop| step::record(key, base.as_ref(), &head, stop);
        self.workers.run(work).await
    }

    async fn save_steps(
        &self,
        project: &ProjectName,
        steps: &mut Vec<StepRecord>,
    ) -> Result<(), ServiceError> {
        if !steps.is_empty() {
            self.store.save_steps(project, STEP_FORMAT, steps).await?;
            steps.clear();
        }
        Ok(())
    }

    /// The counts of the revisions at these places of a timeline.
    pub async fn facts(
        &self,
        timeline: &Timeline,
        places: &[usize],
    ) -> Result<Vec<Facts>, ServiceError> {
        let steps: Vec<i64> = places
            .iter()
            .map(|&place| timeline.facts_step(place))
            .collect();
        let stored = self.store.step_facts(&steps).await?;
        let facts = stored.iter().zip(places).map(|(stored, &place)| {
            let mut facts = Facts::decode(stored)?;
            if place > 0 && timeline.step_key(place).is_none() {
                // The counts are those of an earlier place, and nothing changed since.
                facts.step = Some(StepFacts::default());
            }
            Ok(facts)
        });
        facts.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_slow_project_does_not_delay_others() {
        let histories = Histories::default();
        let lock = |name: &str| histories.lock_of(&ProjectName::parse(name).unwrap());
        let slow = lock("slow");
        let held = slow.lock().await;
        assert!(lock("slow").try_lock().is_err());
        assert!(lock("other").try_lock().is_ok());
        drop(held);
        assert!(lock("slow").try_lock().is_ok());
        drop(slow);
        lock("third");
        assert_eq!(histories.locks.lock().unwrap().len(), 1);
    }
}
