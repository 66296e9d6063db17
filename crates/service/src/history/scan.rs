//! The search over all revisions of a project that says more than the index in memory may hold: its
//! rows are read in pages, and each is looked at.

use std::collections::BTreeMap;
use std::sync::Arc;

use opatlas_source::{Stop, Stopped};

use super::fitting::{current, merged};
use super::said::texts;
use super::search::{HistoryMatch, PAGE, Question, Row};
use super::step::Says;
use super::timeline::Timeline;
use crate::Service;
use crate::error::ServiceError;
use crate::snapshot::Snapshot;
use opatlas_store::StoreError;

/// How many rows that say the words are looked for; those of further operators, by name, are left out.
const FOUND: usize = 5000;
/// How many rows are looked at for one request: some seconds of work.
const LOOKED_AT: usize = 1_000_000;

/// The operators of which steps say the words, by name, with the places of those steps.
#[derive(Debug, Default)]
struct Found {
    places: BTreeMap<String, Vec<usize>>,
    rows: usize,
}

impl Found {
    /// Looks at rows.
    fn look(
        mut self,
        rows: &[Row],
        timeline: &Timeline,
        words: &str,
        stop: &Stop,
    ) -> Result<Result<Self, StoreError>, Stopped> {
        for (operator, step, says) in rows {
            stop.check()?;
            let places = timeline.places_of(*step);
            if places.len() == 0 {
                continue;
            }
            match Says::decode(says) {
                Ok(says) if says_so(operator, &says, words) => {
                    self.rows += 1;
                    let known = self.places.entry(operator.clone()).or_default();
                    known.extend(places);
                }
                Ok(_) => {}
                Err(error) => return Ok(Err(error)),
            }
        }
        Ok(Ok(self))
    }

    fn sorted(mut self) -> BTreeMap<String, Vec<usize>> {
        for places in self.places.values_mut() {
            places.sort_unstable();
            places.dedup();
        }
        self.places
    }
}

impl Service {
    /// As [`Service::search_history`], without an index. A worker is asked for anew for every page, so
    /// that other requests get their turns, and the reading ends with the request.
    pub(super) async fn search_stored(
        &self,
        timeline: &Arc<Timeline>,
        snapshot: Arc<Snapshot>,
        question: Question,
    ) -> Result<Vec<HistoryMatch>, ServiceError> {
        let before = self.scan(timeline, &question.plain, FOUND).await?;
        let work = move |stop: &Stop| {
            let now = current(&snapshot, None, &question, stop)?;
            let names = before.keys().map(|name| &**name);
            Ok((merged(&snapshot, &question, &now, names), before))
        };
        let mut found = Vec::new();
        let (names, mut before) = self.workers.run(work).await?;
        for (operator, is_current) in names {
            found.push(HistoryMatch {
                present: self.life(timeline, &operator).await?.present,
                places: before.remove(&operator).unwrap_or_default(),
                is_current,
                operator,
            });
        }
        Ok(found)
    }

    /// The operators of which steps of a timeline say these words, letter case aside, by name, with the
    /// places of those steps. No further page is read once so many rows say them.
    async fn scan(
        &self,
        timeline: &Arc<Timeline>,
        words: &str,
        most: usize,
    ) -> Result<BTreeMap<String, Vec<usize>>, ServiceError> {
        let (first, last) = timeline.steps_within;
        let within = (first.saturating_sub(1), last);
        let mut found = Found::default();
        let mut after = (String::new(), 0);
        for _ in 0..LOOKED_AT / PAGE as usize {
            let (rows, next) = self.said_after(timeline, within, &after).await?;
            let (on, words) = (Arc::clone(timeline), words.to_owned());
            let look = move |stop: &Stop| found.look(&rows, &on, &words, stop);
            found = self.workers.run(look).await??;
            match next {
                Some(next) if found.rows < most => after = next,
                _ => break,
            }
        }
        Ok(found.sorted())
    }
}

/// Whether the words occur in what a step says of an operator, or in its name.
pub(super) fn says_so(operator: &str, says: &Says, words: &str) -> bool {
    let words = words.to_lowercase();
    let holds = |text: &str| text.to_lowercase().contains(&words);
    holds(operator) || texts(says).any(holds)
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use opatlas_source::Bundle;

    use super::*;
    use crate::history::Which;
    use crate::{Ingest, Limits, Protection};
    use opatlas_store::SqliteStore;

    /// Revisions whose steps say more than a page of rows.
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
            let text = (0..count).fold(String::new(), |mut text, at| {
                let changed = if at % 400 == 399 {
                    ", bool rare=True"
                } else {
                    changed
                };
                let _ = writeln!(text, "- func: op{at:04}(Tensor self{changed}) -> Tensor");
                text
            });
            let bundle = Bundle::of_native_functions(text.into_bytes());
            let ingest = Ingest {
                project: "p",
                bundle,
                label: Some(label),
                release: None,
                protection: Protection::Kept,
            };
            service.ingest(ingest).await.unwrap();
        }
        service
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn it_finds_what_the_index_finds() {
        let service = service().await;
        let timeline = service.timeline("p", None).await.unwrap();
        let last = timeline.resolved(timeline.last());
        let snapshot = service.snapshot(&last).await.unwrap();
        for (words, is_found) in [
            ("wIDTH", true),
            ("rare", true),
            ("op1099", true),
            ("op0", true),
            ("height=1.0", false),
            ("100%", false),
            ("no\0thing", false),
        ] {
            for which in [Which::All, Which::Removed] {
                let found = service.search_history(&timeline, words, 100, which).await;
                let question = Question::new(words, which, 100);
                let stored = service.search_stored(&timeline, Arc::clone(&snapshot), question);
                let (found, stored) = (found.unwrap(), stored.await.unwrap());
                assert_eq!(stored, found, "{words}");
                assert!(which == Which::Removed || found.is_empty() != is_found);
            }
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn it_looks_for_so_many_rows_and_no_more() {
        let service = service().await;
        let timeline = service.timeline("p", None).await.unwrap();
        let all = service.scan(&timeline, "int Width", FOUND).await.unwrap();
        assert_eq!(all.len(), PAGE as usize / 2 + 100 - 2);
        let page = service.scan(&timeline, "int Width", 1).await.unwrap();
        assert!(!page.is_empty() && page.len() < all.len());
        assert!(page.iter().zip(&all).all(|(one, other)| one.0 == other.0));
        let stop = Stop::new();
        stop.request();
        let row = ("a".to_owned(), 1, Vec::new());
        let stopped = Found::default().look(std::slice::from_ref(&row), &timeline, "a", &stop);
        assert!(stopped.is_err());
        let damaged = Found::default().look(&[row], &timeline, "a", &Stop::never());
        assert!(damaged.unwrap().is_err());
    }
}
