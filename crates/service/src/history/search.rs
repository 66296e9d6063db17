//! Search over all revisions of a timeline: by name, argument, type or kernel.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard};

use opatlas_operators::sought::{Lowered, Sought};
use opatlas_source::{Digest, Stop, Stopped};

use crate::Service;
use crate::error::ServiceError;
use crate::snapshot::Snapshot;
use opatlas_store::{Stamp, StoreError};

use super::fitting::{current, lowered, merged};
use super::said::Said;
use super::step::Says;
use super::timeline::{Range, Timeline};

/// How many rows are read at once.
pub(super) const PAGE: u32 = 2000;
/// Of how many revisions of a project the operators are kept in lower case: the last release and the last
/// commit.
const LOWERED: usize = 2;

/// An operator, a step, and what that did to it.
pub(super) type Row = (String, i64, Vec<u8>);

/// Which operators of a timeline are searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// Those of all revisions.
    All,
    /// Those that the last revision does not have.
    Removed,
}

/// What is searched for.
#[derive(Debug, Clone)]
pub(super) struct Question {
    pub(super) words: String,
    /// The words as what is stored has names: without what C++ and Python write before them.
    pub(super) plain: String,
    pub(super) which: Which,
    pub(super) limit: usize,
}

/// An operator that some revision has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryMatch {
    /// The operator.
    pub operator: String,
    /// The stretches in which it is there.
    pub present: Vec<Range>,
    /// The places at which what changed says the words; empty where the last revision does.
    pub places: Vec<usize>,
    /// Whether the last revision of the timeline has it and says the words.
    pub is_current: bool,
}

impl Service {
    /// Operators that say these words in any revision of a timeline: in their name, their schema,
    /// or the name of a kernel; at most `limit`. Those whose names fit come first, and of these and of
    /// the others those of the last revision. [`Which::Removed`] leaves out those that the last revision has.
    ///
    /// # Errors
    /// What the store says.
    pub async fn search_history(
        &self,
        timeline: &Arc<Timeline>,
        words: &str,
        limit: usize,
        which: Which,
    ) -> Result<Vec<HistoryMatch>, ServiceError> {
        let question = Question::new(words.trim(), which, limit);
        let resolved = timeline.resolved(timeline.last());
        let snapshot = self.snapshot(&resolved).await?;
        let Some(index) = self.said(timeline).await? else {
            return self.search_stored(timeline, snapshot, question).await;
        };
        let (on, of) = (Arc::clone(timeline), Arc::clone(&index));
        let work = move |stop: &Stop| {
            let (lowered, is_new) = of.lowered(&snapshot);
            let now = current(&snapshot, lowered.as_deref(), &question, stop)?;
            let said = of.read();
            let saying = said.saying(&question.plain, stop)?;
            let found = merged(&snapshot, &question, &now, said.names(&on, &saying));
            let names = found.iter().map(|(operator, _)| &**operator);
            let places = said.places(&on, &saying, names);
            let found = found.into_iter().zip(places);
            let found = found.map(|((operator, is_current), places)| HistoryMatch {
                present: said.present(&on, &operator),
                places,
                is_current,
                operator,
            });
            Ok((found.collect(), is_new))
        };
        let (found, is_new) = self.workers.run(work).await?;
        if is_new {
            self.weigh(timeline, index).await;
        }
        Ok(found)
    }

    /// Makes what a search over a timeline needs, whose last revision this is.
    ///
    /// # Errors
    /// What the store says.
    pub(super) async fn prepare_search(
        &self,
        timeline: &Timeline,
        last: Arc<Snapshot>,
    ) -> Result<(), ServiceError> {
        if let Some(index) = self.said(timeline).await? {
            let of = Arc::clone(&index);
            let lower = move |_: &Stop| Ok(of.lowered(&last).1);
            if self.workers.run(lower).await? {
                self.weigh(timeline, index).await;
            }
        }
        Ok(())
    }

    /// Lets the cache count anew what an index takes.
    async fn weigh(&self, timeline: &Timeline, index: Arc<Index>) {
        let said = &self.histories.said;
        said.insert(timeline.project.clone(), index).await;
    }

    /// The index of what the steps of a project said, with all those of a timeline in it; none where
    /// that is too much.
    pub(super) async fn said(
        &self,
        timeline: &Timeline,
    ) -> Result<Option<Arc<Index>>, ServiceError> {
        let project = &timeline.project;
        let known = self.histories.said.get(project).await;
        if let Some(known) = known.filter(|known| known.has(timeline)) {
            return Ok(known.fitting());
        }
        let lock = self.histories.lock_of(project);
        let _alone = lock.lock().await;
        // One that is not completed for whatever reason is not used again.
        let known = self.histories.said.get(project).await;
        self.histories.said.invalidate(project).await;
        // What was rearranged may have other steps under the same numbers.
        let known = known.filter(|known| known.is_of_past(timeline.stamp));
        let index = known.unwrap_or_else(|| Arc::new(Index::new(timeline.stamp)));
        if !index.has(timeline) {
            self.complete(&index, timeline).await?;
        }
        let said = &self.histories.said;
        said.insert(project.clone(), Arc::clone(&index)).await;
        Ok(index.fitting())
    }

    /// A page of what the steps of a timeline say, and where the next one begins, if there is one.
    pub(super) async fn said_after(
        &self,
        timeline: &Timeline,
        within: (i64, i64),
        (operator, step): &(String, i64),
    ) -> Result<(Vec<Row>, Option<(String, i64)>), ServiceError> {
        let after = (&**operator, *step);
        let rows = self
            .store
            .steps_said(&timeline.project, within, after, PAGE);
        let rows = rows.await?;
        let last = rows.last().filter(|_| rows.len() == PAGE as usize);
        let next = last.map(|(operator, step, _)| (operator.clone(), *step));
        Ok((rows, next))
    }

    /// Adds to an index what the steps up to the last of a timeline say.
    async fn complete(&self, index: &Arc<Index>, timeline: &Timeline) -> Result<(), ServiceError> {
        let (_, last) = timeline.steps_within;
        let within = (index.complete.load(Ordering::Acquire), last);
        let mut after = (String::new(), 0);
        loop {
            let (rows, next) = self.said_after(timeline, within, &after).await?;
            let grown = Arc::clone(index);
            let add = move |stop: &Stop| grown.add(&rows, stop);
            let is_full = self.workers.run(add).await??;
            match next {
                Some(next) if !is_full => after = next,
                _ => break,
            }
        }
        index.complete.fetch_max(last, Ordering::AcqRel);
        Ok(())
    }
}

/// An index in use, which grows as the timelines of its project do.
#[derive(Debug)]
pub(super) struct Index {
    said: RwLock<Said>,
    /// The operators of the last revisions of timelines, the one used last behind the others.
    lowered: Mutex<Vec<(Digest, Arc<Lowered>)>>,
    /// The state of the project when it was begun.
    stamp: Stamp,
    /// The step up to which all that was said is in it.
    complete: AtomicI64,
}

impl Index {
    fn new(stamp: Stamp) -> Self {
        Self {
            said: RwLock::default(),
            lowered: Mutex::default(),
            stamp,
            complete: AtomicI64::new(0),
        }
    }

    fn read(&self) -> RwLockReadGuard<'_, Said> {
        self.said.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether it is of the same project, not of a former one of that name, and nothing was rearranged
    /// since it was begun.
    fn is_of_past(&self, stamp: Stamp) -> bool {
        let now = self.stamp.now;
        stamp.of == self.stamp.of && stamp.commits <= now && stamp.revisions <= now
    }

    /// Whether all that the steps of a timeline say is in it.
    fn has(&self, timeline: &Timeline) -> bool {
        let (_, last) = timeline.steps_within;
        self.is_of_past(timeline.stamp) && self.complete.load(Ordering::Acquire) >= last
    }

    /// Adds rows, and tells whether it is too large now.
    fn add(&self, rows: &[Row], stop: &Stop) -> Result<Result<bool, StoreError>, Stopped> {
        let mut said = self.said.write().unwrap_or_else(PoisonError::into_inner);
        for (operator, step, says) in rows {
            stop.check()?;
            match Says::decode(says) {
                Ok(says) => said.add(operator, *step, &says),
                Err(error) => return Ok(Err(error)),
            }
        }
        Ok(Ok(said.is_too_large()))
    }

    /// The operators of a revision in lower case, and whether they were not there yet; none of one that is
    /// unusually large.
    fn lowered(&self, snapshot: &Snapshot) -> (Option<Arc<Lowered>>, bool) {
        let known = |all: &[(Digest, Arc<Lowered>)]| {
            let mut all = all.iter();
            all.position(|(digest, _)| *digest == snapshot.digest)
        };
        let lock = || self.lowered.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all = lock();
        if let Some(at) = known(&all) {
            let used = all.remove(at);
            all.push(used);
            return (all.last().map(|(_, lowered)| Arc::clone(lowered)), false);
        }
        drop(all);
        let Some(made) = lowered(snapshot).map(Arc::new) else {
            return (None, false);
        };
        let mut all = lock();
        if known(&all).is_none() {
            all.push((snapshot.digest, Arc::clone(&made)));
            let most = all.len().saturating_sub(LOWERED);
            all.drain(..most);
        }
        (Some(made), true)
    }

    /// What it takes in bytes, by estimate.
    pub(super) fn weight(&self) -> u32 {
        let lowered = self.lowered.lock().unwrap_or_else(PoisonError::into_inner);
        let lowered: usize = lowered.iter().map(|(_, lowered)| lowered.bytes()).sum();
        u32::try_from(self.read().bytes() + lowered + 256).unwrap_or(u32::MAX)
    }

    /// It, unless it is too large.
    fn fitting(self: Arc<Self>) -> Option<Arc<Self>> {
        let is_too_large = self.read().is_too_large();
        (!is_too_large).then_some(self)
    }
}

impl Question {
    pub(super) fn new(words: &str, which: Which, limit: usize) -> Self {
        let plain = Some(Sought::parse(words).plain()).filter(|plain| !plain.is_empty());
        Self {
            words: words.to_owned(),
            plain: plain.unwrap_or_else(|| words.to_owned()),
            which,
            limit,
        }
    }
}

#[cfg(test)]
mod tests {
    use opatlas_pytorch::release::Release;
    use opatlas_source::Bundle;

    use super::*;

    #[test]
    fn few_revisions_are_kept_in_lower_case_and_counted() {
        let index = Index::new(Stamp {
            of: (7, 100),
            now: 5,
            commits: 3,
            revisions: 4,
        });
        let empty = index.weight();
        let snapshot = |name: &str| {
            let text = format!("- func: {name}(Tensor self) -> Tensor\n");
            let bundle = Bundle::of_native_functions(text.into_bytes());
            Snapshot::read(bundle, Release::LATEST, None)
        };
        let [one, two, three] = ["one", "two", "three"].map(snapshot);
        for (asked, is_new) in [
            (&one, true),
            (&two, true),
            (&one, false),
            // Takes the place of the second.
            (&three, true),
            (&one, false),
            (&two, true),
        ] {
            let (lowered, made) = index.lowered(asked);
            assert!(lowered.is_some());
            assert_eq!(made, is_new, "{}", asked.native_functions().text);
        }
        assert_eq!(index.lowered.lock().unwrap().len(), LOWERED);
        assert!(index.weight() > empty);
    }

    #[test]
    fn an_index_of_a_former_project_or_order_is_not_used() {
        let begun = Stamp {
            of: (7, 100),
            now: 5,
            commits: 3,
            revisions: 4,
        };
        let index = Index::new(begun);
        let later = Stamp { now: 9, ..begun };
        assert!(index.is_of_past(begun) && index.is_of_past(later));
        for other in [
            // Another project of that name, and one that got its id besides.
            Stamp {
                of: (8, 200),
                ..begun
            },
            Stamp {
                of: (7, 200),
                ..begun
            },
            Stamp {
                commits: 6,
                ..later
            },
            Stamp {
                revisions: 9,
                ..later
            },
        ] {
            assert!(!index.is_of_past(other), "{other:?}");
        }
    }
}
