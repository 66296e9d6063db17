//! The history of operators and backends over a project's timeline.
//!
//! The changes of each step of the timeline are stored by operator, so that the history of an
//! operator is read, not computed. A step is a function of two revisions, their releases and
//! [`STEP_FORMAT`], so it can be missing but never wrong. Missing steps are computed on first use,
//! and immediately when a history is imported.

mod commits;
mod event;
mod facts;
mod fitting;
mod items;
mod listing;
mod operator;
mod packed;
mod ranges;
mod said;
mod scan;
mod search;
mod step;
mod support;
mod timeline;
mod words;

pub use commits::{CommitFiles, LastRead, LastStored, Placed, ReadCommits, Taken};
pub use facts::{Facts, KeyFacts, StepFacts, percent};
pub(super) use items::judged;
pub use listing::{Listing, Named, NamedBy};
pub use operator::{HistoryEvent, OperatorHistory};
pub use ranges::KeyRange;
pub use search::{HistoryMatch, Which};
pub use support::{Support, SupportCell};
pub use timeline::{Item, Line, Range, Timeline};

use std::sync::{Arc, PoisonError, Weak};

use moka::future::Cache;
use rustc_hash::FxHashMap;
use tokio::sync::Mutex;

use super::Service;
use super::error::ServiceError;
use super::snapshot::Snapshot;
use opatlas_source::Stop;
use opatlas_store::{Mark, ProjectName, StepKey, StepRecord};

/// The number of the way in which steps are computed and written. Whoever changes what a step says,
/// by a change rule or otherwise, raises it; older steps are then computed anew.
pub const STEP_FORMAT: i64 = 7;
/// How many steps are stored at once.
const STEPS_AT_ONCE: usize = 32;
/// How many timelines are kept in memory; one can go by two names.
const TIMELINES: u64 = 64;
/// Of how many projects they are read before anybody asks.
const WARMED: u32 = 8;
/// How many releases of each are, at most.
const WARMED_RELEASES: usize = 64;

/// Timelines in memory.
pub(super) struct Histories {
    known: Cache<(ProjectName, Option<Line>), Arc<Timeline>>,
    /// Those that are current as long as the database has a mark.
    current: Cache<(ProjectName, Option<Line>), (Mark, Arc<Timeline>)>,
    /// The names of revisions.
    listed: Cache<ProjectName, Arc<Listing>>,
    /// What the steps of projects said, within a bound in bytes.
    said: Cache<ProjectName, Arc<search::Index>>,
    /// Held while the steps of a project are computed, to compute them only once; unused locks are
    /// dropped.
    computing: std::sync::Mutex<FxHashMap<ProjectName, Weak<Mutex<()>>>>,
}

impl Default for Histories {
    fn default() -> Self {
        Self {
            known: Cache::new(TIMELINES),
            current: Cache::new(TIMELINES),
            listed: Cache::new(TIMELINES),
            said: Cache::builder()
                .name("said")
                .weigher(|_, index: &Arc<search::Index>| index.weight())
                .max_capacity(said::BUDGET as u64)
                .build(),
            computing: std::sync::Mutex::default(),
        }
    }
}

impl Histories {
    /// The lock of a project, so that a slow one delays no other.
    fn lock_of(&self, project: &ProjectName) -> Arc<Mutex<()>> {
        let locks = self.computing.lock();
        let mut locks = locks.unwrap_or_else(PoisonError::into_inner);
        locks.retain(|_, lock| lock.strong_count() > 0);
        if let Some(lock) = locks.get(project).and_then(Weak::upgrade) {
            return lock;
        }
        let lock = Arc::default();
        locks.insert(project.clone(), Arc::downgrade(&lock));
        lock
    }

    /// How many indexes of what steps said there are, and how many bytes they take by estimate.
    pub(super) async fn size(&self) -> (u64, u64) {
        self.said.run_pending_tasks().await;
        (self.said.entry_count(), self.said.weighted_size())
    }

    /// Forgets all: a project is gone, and another may come to have its name, and its id.
    pub(super) fn forget(&self) {
        self.known.invalidate_all();
        self.current.invalidate_all();
        self.listed.invalidate_all();
        self.said.invalidate_all();
    }

    /// Caches a timeline under the requested kind and under its actual kind.
    async fn keep(&self, asked: Option<Line>, timeline: &Arc<Timeline>) {
        let own = Some(timeline.line);
        let key = (timeline.project.clone(), own);
        self.known.insert(key, Arc::clone(timeline)).await;
        if asked != own {
            let key = (timeline.project.clone(), asked);
            self.known.insert(key, Arc::clone(timeline)).await;
        }
    }
}

impl Service {
    /// The timeline of a project, with all its steps computed.
    ///
    /// # Errors
    /// [`ServiceError::NoRevisions`] for a project without any, and what the store says.
    pub async fn timeline(
        &self,
        project: &str,
        line: Option<Line>,
    ) -> Result<Arc<Timeline>, ServiceError> {
        let project = ProjectName::parse(project)?;
        let key = (project.clone(), line);
        // Before the look, so that what it finds holds for the mark.
        let mark = self.mark().await;
        if let Some((then, known)) = self.histories.current.get(&key).await
            && mark == Some(then)
        {
            return Ok(known);
        }
        let timeline = self.read_timeline(key).await?;
        if let Some(mark) = mark {
            let current = (mark, Arc::clone(&timeline));
            let key = (project, line);
            self.histories.current.insert(key, current).await;
        }
        Ok(timeline)
    }

    /// The same, asking the database whether the one in memory is current.
    async fn read_timeline(
        &self,
        key: (ProjectName, Option<Line>),
    ) -> Result<Arc<Timeline>, ServiceError> {
        let (project, line) = key.clone();
        let known = self.histories.known.get(&key).await;
        let stamp = self.store.stamp(&project).await?;
        if let Some(known) = known.filter(|known| known.stamp == stamp) {
            return Ok(known);
        }
        let lock = self.histories.lock_of(&project);
        let _alone = lock.lock().await;
        // Another request may have read it in the meantime.
        let stamp = self.store.stamp(&project).await?;
        let known = self.histories.known.get(&key).await;
        if let Some(known) = known.as_ref().filter(|known| known.stamp == stamp) {
            return Ok(Arc::clone(known));
        }
        let known = known.as_deref().filter(|known| known.stamp.of == stamp.of);
        let mut timeline = Timeline::load(&*self.store, project, line, stamp, known).await?;
        if timeline.items.is_empty() {
            return Err(ServiceError::NoRevisions(timeline.project));
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

    /// Reads the timelines of projects into memory, and the revisions at their ends; then further
    /// releases, newest first, as far as there is memory for them. So who is the first to ask for a
    /// history or a comparison does not wait for files to be read. Nothing is computed that is stored.
    ///
    /// # Errors
    /// What the store says.
    pub async fn warm(&self) -> Result<(), ServiceError> {
        let mut releases = Vec::new();
        for project in self.store.projects(None, WARMED).await?.items {
            let project = project.name;
            let stamp = self.store.stamp(&project).await?;
            for line in [None, Some(Line::Commits)] {
                let store = &*self.store;
                self.workers.quiet().await;
                let timeline = Timeline::load(store, project.clone(), line, stamp, None).await?;
                if timeline.items.is_empty() || !timeline.missing().is_empty() {
                    continue;
                }
                let last = timeline.resolved(timeline.last());
                self.workers.quiet().await;
                let last = self.tabulated(&last).await?;
                self.workers.quiet().await;
                self.prepare_search(&timeline, last).await?;
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
            self.workers.quiet().await;
            self.checked(&release).await?;
            self.settled(&release).await?;
        }
        Ok(())
    }

    /// Computes the steps that lead to these places, and stores them.
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

    /// Computes a step.
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
    ///
    /// # Errors
    /// What the store says.
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
                // The counts are those of an earlier place with the same files; nothing changed since.
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
    async fn a_slow_project_delays_no_other() {
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
        assert_eq!(histories.computing.lock().unwrap().len(), 1);
    }
}
