//! Search over all revisions of a timeline: by name, argument, type or kernel.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::service::Service;
use crate::service::error::ServiceError;
use crate::service::search::{Filter, search};

use opatlas_operators::sought::{Candidate, Sought, Texts};
use opatlas_source::Stop;

use super::step::Says;
use super::timeline::{Range, Timeline};

/// How many rows of steps are looked at.
const ROWS: u32 = 5000;

/// Which operators of a timeline are searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// Those of all revisions.
    All,
    /// Those that the last revision does not have.
    Removed,
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
        let words = words.trim();
        // What is stored has names without what C++ and Python write before them.
        let plain = Some(Sought::parse(words).plain()).filter(|plain| !plain.is_empty());
        let plain = plain.unwrap_or_else(|| words.to_owned());
        let resolved = timeline.resolved(timeline.last());
        let snapshot = self.snapshot(&resolved).await?;
        let filter = Filter {
            words: Some(words.to_owned()),
            ..Filter::default()
        };
        let last = Arc::clone(&snapshot);
        let lower = plain.to_lowercase();
        let current = self.workers.run(move |stop| {
            let catalogue = &last.catalogue;
            let mut found = search(catalogue, &filter, stop)?;
            let operators = catalogue.iter().take_while(|_| !stop.is_requested());
            let by_kernel = operators.filter(|(id, _)| {
                let kernels = catalogue.kernels(*id).iter();
                let mut names = kernels.map(|kernel| kernel.kernel.name.to_lowercase());
                names.any(|name| name.contains(&lower))
            });
            let by_kernel: Vec<_> = by_kernel.map(|(id, _)| id).collect();
            stop.check()?;
            let mut known: FxHashSet<_> = found.iter().copied().collect();
            found.extend(by_kernel.into_iter().filter(|id| known.insert(*id)));
            let names = found
                .iter()
                .map(|id| catalogue.operator(*id).qualified_name());
            Ok(names.collect::<Vec<String>>())
        });
        let current = current.await?;
        let rows = self.store.steps_saying(&timeline.project, &plain, ROWS);
        let rows = rows.await?;
        let before_timeline = Arc::clone(timeline);
        let before = move |stop: &Stop| {
            let mut before: BTreeMap<String, Vec<usize>> = BTreeMap::new();
            for (operator, step, says) in rows {
                stop.check()?;
                let places = before_timeline.places_of(step);
                if places.len() == 0 {
                    continue;
                }
                match Says::decode(&says) {
                    Ok(says) if says_so(&operator, &says, &plain) => {
                        before.entry(operator).or_default().extend(places);
                    }
                    Ok(_) => {}
                    Err(error) => return Ok(Err(error)),
                }
            }
            Ok(Ok(before))
        };
        let mut before = self.workers.run(before).await??;
        let mut names: Vec<(String, bool)> = Vec::new();
        let known: FxHashSet<&String> = current.iter().collect();
        let gone = before.keys().filter(|operator| !known.contains(operator));
        let mut gone: Vec<&String> = gone.collect();
        let is_removed = |operator: &&String| snapshot.catalogue.find_qualified(operator).is_none();
        match which {
            Which::Removed => gone.retain(is_removed),
            Which::All => names.extend(current.iter().map(|name| (name.clone(), true))),
        }
        let (sought, mut texts) = (Sought::parse(words), Texts::default());
        gone.sort_by_cached_key(|operator| {
            let rank = name_rank(&sought, &mut texts, operator);
            (rank.unwrap_or(u32::MAX), operator.len())
        });
        names.extend(gone.into_iter().map(|operator| (operator.clone(), false)));
        names.sort_by_cached_key(|(operator, is_current)| {
            let is_named = name_rank(&sought, &mut texts, operator).is_some();
            (!is_named, !is_current)
        });
        names.truncate(limit);
        let mut found = Vec::with_capacity(names.len());
        for (operator, is_current) in names {
            let life = self.life(timeline, &operator).await?;
            let mut places = before.remove(&operator).unwrap_or_default();
            places.sort_unstable();
            places.dedup();
            found.push(HistoryMatch {
                present: life.present,
                places,
                is_current,
                operator,
            });
        }
        Ok(found)
    }
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

/// Whether the words occur in the content of a step, not only in its encoding.
fn says_so(operator: &str, says: &Says, words: &str) -> bool {
    let words = words.to_lowercase();
    let holds = |text: &str| text.to_lowercase().contains(&words);
    let side = |text: &Option<String>| text.as_deref().is_some_and(holds);
    let cells = says.cells.iter();
    let mut kernels = cells.flat_map(|cells| [&cells.before.kernel, &cells.after.kernel]);
    holds(operator)
        || says
            .events
            .iter()
            .any(|event| side(&event.old) || side(&event.new))
        || kernels.any(side)
}
