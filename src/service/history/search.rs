//! Search over all revisions of a timeline: by name, argument, type or kernel.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use memchr::memmem;
use opatlas_operators::sought::{Candidate, Sought, Texts};
use opatlas_source::{Stop, Stopped};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::service::Service;
use crate::service::error::ServiceError;
use crate::service::search::{Filter, search};
use crate::service::snapshot::Snapshot;
use crate::store::{Stamp, StoreError};

use super::said::Said;
use super::step::Says;
use super::timeline::{Range, Timeline};

/// How many rows are read at once.
pub(super) const PAGE: u32 = 2000;

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
    words: String,
    /// The words as what is stored has names: without what C++ and Python write before them.
    pub(super) plain: String,
    which: Which,
    limit: usize,
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
        let timeline = Arc::clone(timeline);
        let work = move |stop: &Stop| {
            let now = current(&snapshot, &question, stop)?;
            let said = index.read();
            let before = said.find(&timeline, &question.plain, stop)?;
            let found = merged(&snapshot, &question, now, before).into_iter();
            let found = found.map(|(operator, places, is_current)| HistoryMatch {
                present: said.present(&timeline, &operator),
                places,
                is_current,
                operator,
            });
            Ok(found.collect())
        };
        self.workers.run(work).await
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
    /// The state of the project when it was begun.
    stamp: Stamp,
    /// The step up to which all that was said is in it.
    complete: AtomicI64,
}

impl Index {
    fn new(stamp: Stamp) -> Self {
        Self {
            said: RwLock::default(),
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

    /// What it takes in bytes, by estimate.
    pub(super) fn weight(&self) -> u32 {
        u32::try_from(self.read().bytes() + 256).unwrap_or(u32::MAX)
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

/// The operators of a revision that say the words, those first whose names fit best.
pub(super) fn current(
    snapshot: &Snapshot,
    question: &Question,
    stop: &Stop,
) -> Result<Vec<String>, Stopped> {
    let filter = Filter {
        words: Some(question.words.clone()),
        ..Filter::default()
    };
    let catalogue = &snapshot.catalogue;
    let mut found = search(catalogue, &filter, stop)?;
    let mut known: FxHashSet<_> = found.iter().copied().collect();
    let lower = question.plain.to_lowercase();
    let finder = memmem::Finder::new(&lower);
    let mut name = String::new();
    for (id, _) in catalogue.iter() {
        stop.check()?;
        let mut kernels = catalogue.kernels(id).iter();
        let says_so = kernels.any(|kernel| {
            name.clear();
            name.push_str(&kernel.kernel.name);
            name.make_ascii_lowercase();
            finder.find(name.as_bytes()).is_some()
        });
        if says_so && known.insert(id) {
            found.push(id);
        }
    }
    let names = found.iter().map(|id| catalogue.operator(*id));
    Ok(names.map(|operator| operator.qualified_name()).collect())
}

/// What is found, in its order: the operators, the places at which what changed says the words, and
/// whether the last revision has them and says the words.
pub(super) fn merged(
    snapshot: &Snapshot,
    question: &Question,
    now: Vec<String>,
    before: Vec<(String, Vec<usize>)>,
) -> Vec<(String, Vec<usize>, bool)> {
    let known: FxHashSet<&str> = now.iter().map(|name| &**name).collect();
    let gone = before.iter().map(|(name, _)| name);
    let mut gone: Vec<String> = gone
        .filter(|name| !known.contains(&***name))
        .cloned()
        .collect();
    let mut names: Vec<(String, bool)> = Vec::new();
    match question.which {
        Which::Removed => gone.retain(|name| snapshot.catalogue.find_qualified(name).is_none()),
        Which::All => names.extend(now.into_iter().map(|name| (name, true))),
    }
    let (sought, mut texts) = (Sought::parse(&question.words), Texts::default());
    gone.sort_by_cached_key(|operator| {
        let rank = name_rank(&sought, &mut texts, operator);
        (rank.unwrap_or(u32::MAX), operator.len())
    });
    names.extend(gone.into_iter().map(|name| (name, false)));
    names.sort_by_cached_key(|(operator, is_current)| {
        let is_named = name_rank(&sought, &mut texts, operator).is_some();
        (!is_named, !is_current)
    });
    names.truncate(question.limit);
    let mut before: FxHashMap<String, Vec<usize>> = before.into_iter().collect();
    let found = names.into_iter().map(|(name, is_current)| {
        let places = before.remove(&name).unwrap_or_default();
        (name, places, is_current)
    });
    found.collect()
}

/// How well the name of an operator fits, whatever its schema; `None` when it does not.
fn name_rank(sought: &Sought, texts: &mut Texts, operator: &str) -> Option<u32> {
    let (namespace, name) = operator.split_once("::").unwrap_or(("aten", operator));
    let candidate = Candidate {
        namespace,
        name,
        schema: "",
    };
    sought.rank(texts, candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

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
