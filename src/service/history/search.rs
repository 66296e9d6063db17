//! Search over all revisions of a timeline: by name, argument, type or kernel.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::service::Service;
use crate::service::error::ServiceError;
use crate::service::search::{Filter, search};

use opatlas_source::Stop;

use super::step::Says;
use super::timeline::{Range, Timeline};

/// How many rows of steps are looked at.
const ROWS: u32 = 5000;

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
    /// or the name of a kernel; at most `limit`, those of the last revision first.
    ///
    /// # Errors
    /// What the store says.
    pub async fn search_history(
        &self,
        timeline: &Arc<Timeline>,
        words: &str,
        limit: usize,
    ) -> Result<Vec<HistoryMatch>, ServiceError> {
        let words = words.trim();
        let resolved = timeline.resolved(timeline.last());
        let snapshot = self.snapshot(&resolved).await?;
        let wanted = words.to_owned();
        let current = self.workers.run(move |stop| {
            let filter = Filter {
                words: Some(wanted.clone()),
                ..Filter::default()
            };
            let catalogue = &snapshot.catalogue;
            let mut found = search(catalogue, &filter, stop)?;
            let lower = wanted.to_lowercase();
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
        let rows = self.store.steps_saying(&timeline.project, words, ROWS);
        let rows = rows.await?;
        let (before_timeline, wanted) = (Arc::clone(timeline), words.to_owned());
        let before = move |stop: &Stop| {
            let mut before: BTreeMap<String, Vec<usize>> = BTreeMap::new();
            for (operator, step, says) in rows {
                stop.check()?;
                let places = before_timeline.places_of(step);
                if places.len() == 0 {
                    continue;
                }
                match Says::decode(&says) {
                    Ok(says) if says_so(&operator, &says, &wanted) => {
                        before.entry(operator).or_default().extend(places);
                    }
                    Ok(_) => {}
                    Err(error) => return Ok(Err(error)),
                }
            }
            Ok(Ok(before))
        };
        let mut before = self.workers.run(before).await??;
        let mut names: Vec<(String, bool)> = current.into_iter().map(|name| (name, true)).collect();
        let known: FxHashSet<String> = names.iter().map(|(name, _)| name.clone()).collect();
        let gone = before.keys().filter(|operator| !known.contains(*operator));
        names.extend(gone.map(|operator| (operator.clone(), false)));
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
