//! Search over all revisions of a timeline: by name, argument, type or kernel.

use std::ops::Range;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use opatlas_operators::sought::Sought;
use opatlas_source::{Stop, Stopped};

use crate::Service;
use crate::error::ServiceError;
use crate::way_gaps::of_way;
use opatlas_diff::revision::CORE;
use opatlas_store::{Stamp, StoreError};
use opatlas_verdict::ways::SoughtWay;

use super::index::SearchIndex;
use super::matches::{current, merged};
use super::step::OperatorStep;
use super::timeline::Timeline;

const PAGE: u32 = 2000;

type Row = (String, i64, Vec<u8>);

/// The operators of a timeline to search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// Those of all revisions.
    All,
    /// Those that the last revision does not have.
    Removed,
}

#[derive(Debug, Clone)]
pub(super) struct Question {
    pub(super) words: String,
    /// The words without C++ and Python prefixes, as names are stored.
    pub(super) plain: String,
    pub(super) which: Which,
    pub(super) limit: usize,
}

/// A matching operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryMatch {
    /// The operator.
    pub operator: String,
    /// The ranges in which it exists.
    pub present: Vec<super::timeline::Range>,
    /// The places with a change that contains the words.
    pub places: Vec<usize>,
    /// Whether the last revision of the timeline has it and matches.
    pub is_current: bool,
}

impl Service {
    /// The operators with these words in their name, schema, or the name of a kernel, in any
    /// revision; of the whole list, those at these positions. Matching names come first, and among equals those of the last revision.
    /// Fails with [`ServiceError::Busy`].
    pub async fn search_history(
        &self,
        timeline: &Arc<Timeline>,
        words: &str,
        part: Range<usize>,
        which: Which,
    ) -> Result<Vec<HistoryMatch>, ServiceError> {
        let question = Question::new(words.trim(), which, part.end);
        let resolved = timeline.resolved(timeline.last());
        let snapshot = self.snapshot(&resolved).await?;
        let index = self.search_index(timeline).await?;
        let (on, of) = (Arc::clone(timeline), Arc::clone(&index));
        let work = move |stop: &Stop| {
            let now = current(&snapshot, &question, stop)?;
            let index = of.read();
            let matches = index.find(&question.plain, stop)?;
            let mut found = merged(&snapshot, &question, &now, index.names(&on, &matches));
            found.drain(..part.start.min(found.len()));
            let names = found.iter().map(|(operator, _)| &**operator);
            let places = index.places(&on, &matches, names);
            let found = found.into_iter().zip(places);
            let found = found.map(|((operator, is_current), places)| HistoryMatch {
                present: index.present(&on, &operator),
                places,
                is_current,
                operator,
            });
            Ok(found.collect::<Vec<_>>())
        };
        let mut found = self.workers.run(work).await?;
        self.complete_presence(timeline, &index, &mut found).await?;
        Ok(found)
    }

    /// The operators of the last revision that nothing of their own serves on a way, and whose names
    /// contain the words besides it; of the whole list, those at these positions.
    pub async fn search_way(
        &self,
        timeline: &Arc<Timeline>,
        sought: &SoughtWay,
        part: Range<usize>,
    ) -> Result<Vec<HistoryMatch>, ServiceError> {
        let snapshot = self.snapshot(&timeline.resolved(timeline.last())).await?;
        let index = self.search_index(timeline).await?;
        let (on, of, sought) = (Arc::clone(timeline), Arc::clone(&index), sought.clone());
        let work = move |stop: &Stop| {
            let words = Question::new(&sought.rest, Which::All, part.end).plain;
            let gaps = of_way(&snapshot, sought.way, sought.is_core.then_some(CORE));
            stop.check()?;
            let names = gaps.missing.into_iter();
            let names = names.map(|id| snapshot.catalogue.operator(id).qualified_name());
            let names = names.filter(|name| name.to_lowercase().contains(&words.to_lowercase()));
            let index = of.read();
            let found = names.skip(part.start).take(part.len());
            let found = found.map(|name| HistoryMatch {
                operator: name.to_owned(),
                present: index.present(&on, name),
                places: Vec::new(),
                is_current: true,
            });
            Ok(found.collect::<Vec<_>>())
        };
        let mut found = self.workers.run(work).await?;
        self.complete_presence(timeline, &index, &mut found).await?;
        Ok(found)
    }

    /// Takes from the stored steps what a full index lacks.
    async fn complete_presence(
        &self,
        timeline: &Timeline,
        index: &ProjectIndex,
        found: &mut [HistoryMatch],
    ) -> Result<(), ServiceError> {
        if index.read().is_full() {
            for found in found {
                found.present = self.life(timeline, &found.operator).await?.present;
            }
        }
        Ok(())
    }

    pub(super) async fn search_index(
        &self,
        timeline: &Timeline,
    ) -> Result<Arc<ProjectIndex>, ServiceError> {
        let (project, indexes) = (&timeline.project, &self.histories.indexes);
        let known = indexes.get(project).await;
        if let Some(known) = known.filter(|known| known.has(timeline)) {
            return Ok(known);
        }
        let lock = self.histories.lock_of(project);
        let _guard = lock.lock().await;
        // Removed first, so that an index that cannot be completed is not used again.
        let known = indexes.remove(project).await;
        let known = known.filter(|known| known.is_of_past(timeline.stamp));
        let index = known.unwrap_or_else(|| Arc::new(ProjectIndex::new(timeline.stamp)));
        if !index.has(timeline) {
            self.complete(&index, timeline).await?;
        }
        indexes.insert(project.clone(), Arc::clone(&index)).await;
        Ok(index)
    }

    async fn complete(
        &self,
        index: &Arc<ProjectIndex>,
        timeline: &Timeline,
    ) -> Result<(), ServiceError> {
        let (_, last) = timeline.steps_within;
        let within = (index.complete.load(Ordering::Acquire), last);
        let mut after = (String::new(), 0);
        while !index.read().is_full() {
            let (operator, step) = &after;
            let page = self
                .store
                .steps_said(&timeline.project, within, (operator, *step), PAGE);
            let rows = page.await?;
            let next = rows.last().filter(|_| rows.len() == PAGE as usize);
            let next = next.map(|(operator, step, _)| (operator.clone(), *step));
            let growing = Arc::clone(index);
            let add = move |stop: &Stop| growing.add(&rows, stop);
            self.workers.run(add).await??;
            match next {
                Some(next) => after = next,
                None => break,
            }
        }
        index.complete.fetch_max(last, Ordering::AcqRel);
        Ok(())
    }
}

#[derive(Debug)]
pub(super) struct ProjectIndex {
    index: RwLock<SearchIndex>,
    /// The state of the project when the index was created.
    stamp: Stamp,
    complete: AtomicI64,
}

impl ProjectIndex {
    fn new(stamp: Stamp) -> Self {
        Self {
            index: RwLock::default(),
            stamp,
            complete: AtomicI64::new(0),
        }
    }

    fn read(&self) -> RwLockReadGuard<'_, SearchIndex> {
        self.index.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// A former project of the same name, or a rearranged timeline, can have other steps with the
    /// same ids.
    fn is_of_past(&self, stamp: Stamp) -> bool {
        let now = self.stamp.now;
        stamp.of == self.stamp.of && stamp.commits <= now && stamp.revisions <= now
    }

    fn has(&self, timeline: &Timeline) -> bool {
        let (_, last) = timeline.steps_within;
        self.is_of_past(timeline.stamp) && self.complete.load(Ordering::Acquire) >= last
    }

    fn add(&self, rows: &[Row], stop: &Stop) -> Result<Result<(), StoreError>, Stopped> {
        let mut index = self.index.write().unwrap_or_else(PoisonError::into_inner);
        for (operator, step, changes) in rows {
            stop.check()?;
            match OperatorStep::decode(changes) {
                Ok(changes) => index.add(operator, *step, &changes),
                Err(error) => return Ok(Err(error)),
            }
        }
        Ok(Ok(()))
    }

    pub(super) fn weight(&self) -> u32 {
        u32::try_from(self.read().bytes() + 256).unwrap_or(u32::MAX)
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
    use std::fmt::Write as _;

    use opatlas_source::Bundle;

    use super::*;
    use crate::{Ingest, Limits, Protection, Strictness};
    use opatlas_store::SqliteStore;

    async fn service() -> Service {
        let store = SqliteStore::open("sqlite::memory:").await.unwrap();
        let clock = Arc::new(|| 1_700_000_000_000_000);
        let service = Service::new(Arc::new(store), clock, Limits::default());
        service.create_project("p", None, None).await.unwrap();
        let operators = PAGE as usize / 2 + 100;
        for (label, count, changed) in [
            ("2.7.0", operators, ""),
            ("2.8.0", operators, ", int Width=0"),
            ("2.9.0", operators / 2, ", float height=1"),
        ] {
            let mut text = (0..count).fold(String::new(), |mut text, at| {
                let _ = writeln!(text, "- func: op{at:04}(Tensor self{changed}) -> Tensor");
                text
            });
            if label == "2.9.0" {
                text += "- func: late(Tensor self) -> Tensor\n";
            }
            let ingest = Ingest {
                project: "p",
                bundle: Bundle::of_native_functions(text.into_bytes()),
                label: Some(label),
                release: None,
                protection: Protection::Kept,
                strictness: Strictness::Lenient,
                caller: None,
            };
            service.ingest(ingest).await.unwrap();
        }
        service
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn rows_of_all_pages_are_found() {
        let service = service().await;
        let timeline = service.timeline("p", None).await.unwrap();
        for (words, all, removed) in [
            ("wIDTH", 1100, 550),
            ("op0", 1000, 450),
            ("height=1.0", 0, 0),
            ("100%", 0, 0),
            ("no\0thing", 0, 0),
        ] {
            for (which, expected) in [(Which::All, all), (Which::Removed, removed)] {
                let found = service
                    .search_history(&timeline, words, 0..5000, which)
                    .await;
                assert_eq!(found.unwrap().len(), expected, "{words} {which:?}");
            }
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn presence_is_right_without_an_index() {
        let service = service().await;
        let timeline = service.timeline("p", None).await.unwrap();
        let full = ProjectIndex::new(timeline.stamp);
        *full.index.write().unwrap() = SearchIndex::full();
        let project = timeline.project.clone();
        service
            .histories
            .indexes
            .insert(project, Arc::new(full))
            .await;
        for (words, expected) in [("late", 2..=2), ("op0001", 0..=2)] {
            let found = service
                .search_history(&timeline, words, 0..5, Which::All)
                .await;
            assert_eq!(found.unwrap()[0].present, [expected], "{words}");
        }
    }

    #[test]
    fn damaged_rows_and_stops_are_reported() {
        let row = ("a".to_owned(), 1, Vec::new());
        let index = ProjectIndex::new(Stamp::default());
        let stop = Stop::new();
        stop.request();
        assert!(index.add(std::slice::from_ref(&row), &stop).is_err());
        assert!(index.add(&[row], &Stop::never()).unwrap().is_err());
    }

    #[test]
    fn an_index_of_a_former_project_or_order_is_not_used() {
        let created = Stamp {
            of: (7, 100),
            now: 5,
            commits: 3,
            revisions: 4,
        };
        let index = ProjectIndex::new(created);
        let later = Stamp { now: 9, ..created };
        assert!(index.is_of_past(created) && index.is_of_past(later));
        for other in [
            Stamp {
                of: (8, 200),
                ..created
            },
            // A project that reuses the id.
            Stamp {
                of: (7, 200),
                ..created
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
