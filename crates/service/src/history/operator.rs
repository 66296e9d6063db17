//! The history of one operator: its events, and the kernels that served it.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::Service;
use crate::dispatch::runtime_key;
use crate::error::ServiceError;
use crate::snapshot::Snapshot;
use opatlas_diff::Subject;
use opatlas_diff::history::EventKind;
use opatlas_diff::rules::Level;
use opatlas_pytorch::keys::{Key, Keys};
use opatlas_report::changes::message::message;
use opatlas_store::StoreError;
use opatlas_verdict::ways::FateChange;

use super::event::StoredEvent;
use super::ranges::{self, KeyRange, Move};
use super::step::OperatorStep;
use super::timeline::{Range, Timeline};

/// An event in the history of an operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryEvent {
    /// The first place on the timeline with the change.
    pub place: usize,
    /// What kind it is.
    pub kind: EventKind,
    /// The change rule.
    pub rule: String,
    /// The level of the change before any profile.
    pub level: Level,
    /// The dispatch keys of the change, if it concerns any.
    pub keys: Vec<String>,
    /// The argument, tags or other names of the change.
    pub names: Vec<String>,
    /// The operator whose change caused this one.
    pub follows: Option<String>,
    /// The old text.
    pub old: Option<String>,
    /// The new text.
    pub new: Option<String>,
    /// A sentence about the change.
    pub message: String,
}

/// The history of an operator.
#[derive(Debug, Clone)]
pub struct OperatorHistory {
    /// The timeline.
    pub timeline: Arc<Timeline>,
    /// The operator's qualified name; `aten` is omitted.
    pub operator: String,
    /// The requested range.
    pub asked: Range,
    /// The events in the requested range, in order.
    pub events: Vec<HistoryEvent>,
    /// The ranges in which the operator exists, limited to the requested range.
    pub present: Vec<Range>,
    /// The kernels at the requested keys, limited to the requested range.
    pub ranges: Vec<KeyRange>,
    /// The changes of its fates on ways to run it, from the release after the first revision of the
    /// requested range to that of the last one. Empty if a key is requested.
    pub ways: Vec<FateChange>,
}

pub(super) struct Life {
    pub(super) steps: Vec<(usize, OperatorStep)>,
    pub(super) present: Vec<Range>,
}

impl Service {
    /// The history of an operator in a range of the timeline, on backends with dense tensors. `key`
    /// limits it to one runtime key and to events that do not concern keys. Fails with
    /// [`ServiceError::UnknownOperator`] if no revision has it, and [`ServiceError::UnknownKey`].
    pub async fn history(
        &self,
        timeline: &Arc<Timeline>,
        operator: &str,
        asked: Range,
        key: Option<&str>,
    ) -> Result<OperatorHistory, ServiceError> {
        let operator = operator.strip_prefix("aten::").unwrap_or(operator);
        let newest = timeline.items[*asked.end()].judged.release;
        if let Some(key) = key {
            runtime_key(newest, key)?;
        }
        let life = self.life(timeline, operator).await?;
        let mut events: Vec<HistoryEvent> = Vec::new();
        for (place, says) in &life.steps {
            if asked.contains(place) {
                let told = says.events.iter();
                events.extend(told.map(|event| read(*place, operator, event)));
            }
        }
        if let Some(key) = key {
            events.retain_mut(|event| of_key(event, key));
        }
        let keys = match key {
            Some(key) => vec![key.to_owned()],
            None => backends(Keys::of(newest)),
        };
        let ranges = self.ranges(timeline, operator, &life, &keys).await?;
        let ranges = ranges.into_iter().filter_map(|mut range| {
            range.range = cut(&range.range, &asked)?;
            Some(range)
        });
        let ways = match key {
            Some(_) => Vec::new(),
            None => self.fate_changes(timeline, operator, &life, &asked).await?,
        };
        Ok(OperatorHistory {
            timeline: Arc::clone(timeline),
            operator: operator.to_owned(),
            events,
            present: life.present.iter().filter_map(|p| cut(p, &asked)).collect(),
            ranges: ranges.collect(),
            ways,
            asked,
        })
    }

    /// The changes of fate in a range, by the schema that the operator has in the last revision with it.
    async fn fate_changes(
        &self,
        timeline: &Timeline,
        operator: &str,
        life: &Life,
        asked: &Range,
    ) -> Result<Vec<FateChange>, ServiceError> {
        let Some(present) = life.present.last() else {
            return Ok(Vec::new());
        };
        let snapshot = self.snapshot(&timeline.resolved(*present.end())).await?;
        let Some(id) = snapshot.catalogue.find_qualified(operator) else {
            return Ok(Vec::new());
        };
        let release = |place: usize| timeline.items[place].judged.release;
        let (first, last) = (release(*asked.start()), release(*asked.end()));
        let mut changes = snapshot.view().fate_changes(id);
        changes.retain(|change| first < change.release && change.release <= last);
        Ok(changes)
    }

    pub(crate) async fn expect_ever(
        &self,
        timeline: &Timeline,
        operator: &str,
    ) -> Result<(), ServiceError> {
        self.life(timeline, operator).await.map(drop)
    }

    pub(super) async fn life(
        &self,
        timeline: &Timeline,
        operator: &str,
    ) -> Result<Life, ServiceError> {
        // Limit the query to this timeline: others of the project may have thousands of steps.
        let among = timeline.steps_within;
        let found = self
            .store
            .steps_of_operator(&timeline.project, operator, among);
        let mut steps = Vec::new();
        for (step, says) in found.await? {
            let places = timeline.places_of(step);
            if places.len() > 0 {
                let says = OperatorStep::decode(&says)?;
                steps.extend(places.map(|place| (place, says.clone())));
            }
        }
        steps.sort_by_key(|(place, _)| *place);
        let comings = steps.iter().flat_map(|(place, says)| {
            let kinds = says.events.iter().map(|event| event.kind.0);
            kinds
                .filter(|kind| matches!(kind, EventKind::Introduced | EventKind::Removed))
                .map(move |kind| (*place, kind == EventKind::Introduced))
        });
        let comings: Vec<(usize, bool)> = comings.collect();
        // With no add or remove event, it was present throughout or never.
        let was_there = match comings.first() {
            Some((_, came)) => !came,
            None if !steps.is_empty() => true,
            None => {
                let last = timeline.resolved(timeline.last());
                let snapshot = self.snapshot(&last).await?;
                snapshot.find(&last, operator)?;
                true
            }
        };
        Ok(Life {
            present: present(was_there, &comings, timeline.last()),
            steps,
        })
    }

    pub(super) async fn ranges(
        &self,
        timeline: &Timeline,
        operator: &str,
        life: &Life,
        keys: &[String],
    ) -> Result<Vec<KeyRange>, ServiceError> {
        let mut ranges = Vec::new();
        for present in &life.present {
            let last: Arc<Snapshot> = self.snapshot(&timeline.resolved(*present.end())).await?;
            for key in keys {
                let moves = moves(timeline, life, key, present)?;
                let cell = ranges::cell(&last, operator, key);
                let of_key = ranges::of_key(timeline, key, present, &moves, cell.as_ref());
                ranges.extend(of_key);
            }
        }
        let mut order: FxHashMap<&str, usize> = FxHashMap::default();
        for (at, key) in keys.iter().enumerate() {
            order.entry(key).or_insert(at);
        }
        ranges.sort_by_key(|range: &KeyRange| {
            let key = order.get(&*range.key).copied();
            (key, *range.range.start())
        });
        Ok(ranges)
    }
}

fn moves(
    timeline: &Timeline,
    life: &Life,
    key: &str,
    present: &Range,
) -> Result<Vec<Move>, StoreError> {
    let mut moves = Vec::new();
    for (place, says) in &life.steps {
        if !present.contains(place) || *place == 0 {
            continue;
        }
        let base = timeline.items[place - 1].judged.release;
        for cells in &says.cells {
            if cells.holds(base, key)? {
                moves.push((*place, cells.before.clone(), cells.after.clone()));
                break;
            }
        }
    }
    Ok(moves)
}

fn backends(keys: &'static Keys) -> Vec<String> {
    let dense = keys.slots().filter(|&slot| {
        keys.functionality(slot) == "Dense" && opatlas_dispatch::autograd_key(keys, slot).is_some()
    });
    let names = dense.map(|slot| keys.name(Key::Runtime(slot)).to_owned());
    names.collect()
}

pub(super) fn present(was_there: bool, comings: &[(usize, bool)], last: usize) -> Vec<Range> {
    let mut ranges = Vec::new();
    let mut since = was_there.then_some(0);
    for &(place, came) in comings {
        match (since, came) {
            (None, true) => since = Some(place),
            (Some(start), false) => {
                ranges.push(start..=place.saturating_sub(1));
                since = None;
            }
            _ => {}
        }
    }
    ranges.extend(since.map(|start| start..=last));
    ranges
}

pub(super) fn cut(range: &Range, within: &Range) -> Option<Range> {
    let start = *range.start().max(within.start());
    let end = *range.end().min(within.end());
    (start <= end).then_some(start..=end)
}

fn read(place: usize, operator: &str, event: &StoredEvent) -> HistoryEvent {
    let change = event.change(operator);
    let follows = event.follows().map(str::to_owned);
    let (mut keys, mut names) = (Vec::new(), Vec::new());
    match &change.subject {
        Subject::Keys(_) => keys = change.subject.names(),
        // Arguments of the operator that it follows are not its own.
        _ if follows.is_some() => {}
        subject => names = subject.names(),
    }
    HistoryEvent {
        place,
        kind: event.kind.0,
        rule: change.rule.id.as_str().to_owned(),
        level: change.level,
        keys,
        names,
        follows,
        message: message(&change).to_string(),
        old: event.old.clone(),
        new: event.new.clone(),
    }
}

/// Whether an event concerns a key, or no keys at all. Removes other keys from it.
fn of_key(event: &mut HistoryEvent, key: &str) -> bool {
    if event.keys.is_empty() {
        return true;
    }
    let is_there = event.keys.iter().any(|other| other == key);
    if is_there {
        event.keys = vec![key.to_owned()];
    }
    is_there
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presence_follows_from_comings_and_goings() {
        let check = |was_there, comings: &[(usize, bool)], expected: &[Range]| {
            assert_eq!(present(was_there, comings, 9), expected);
        };
        check(true, &[], &[0..=9]);
        check(false, &[(3, true)], &[3..=9]);
        check(true, &[(3, false)], &[0..=2]);
        check(true, &[(3, false), (5, true)], &[0..=2, 5..=9]);
        check(false, &[(1, true), (1, true), (9, false)], &[1..=8]);
    }
}
