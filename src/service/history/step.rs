//! What a step did, as it is stored: short JSON by operator. Written and read here alone.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::service::compare::Compared;
use crate::service::snapshot::Snapshot;
use crate::store::{StepKey, StepRecord};
use opatlas_diff::history::{Event, EventKind, by_operator};
use opatlas_diff::revision::{Cell, DispatchChange};
use opatlas_diff::rules::ChangeRuleId;
use opatlas_diff::rules::Level;
use opatlas_diff::{Comparison, Subject};
use opatlas_dispatch::Reason;
use opatlas_pytorch::keys::Keys;
use opatlas_pytorch::release::Release;
use opatlas_report::changes::message::message;

use super::facts::{Facts, StepFacts};

/// What a step did to an operator.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Says {
    /// Its events.
    #[serde(rename = "e", default, skip_serializing_if = "Vec::is_empty")]
    pub(super) events: Vec<StoredEvent>,
    /// Cells of its dispatch table.
    #[serde(rename = "c", default, skip_serializing_if = "Vec::is_empty")]
    pub(super) cells: Vec<StoredCells>,
}

/// An event: its kind, rule, level, what it is about, the old and the new side, whether it is told
/// of another operator, and the sentence.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct StoredEvent(
    pub(super) u8,
    pub(super) String,
    pub(super) u8,
    pub(super) About,
    pub(super) Option<String>,
    pub(super) Option<String>,
    pub(super) String,
);

/// What an event is about: dispatch keys, or other names.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) enum About {
    /// Dispatch keys.
    #[serde(rename = "k")]
    Keys(Vec<String>),
    /// An argument, tags, or other names.
    #[serde(rename = "n")]
    Names(Vec<String>),
    /// The operator as a whole.
    #[serde(rename = "o")]
    Operator,
    /// An operator that this one follows, and the names there.
    #[serde(rename = "f")]
    Follows(String),
}

/// Cells that changed alike: keys as stretches of the base release's table, then what served them
/// and what serves them now.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct StoredCells(
    pub(super) String,
    pub(super) StoredCell,
    pub(super) StoredCell,
);

/// A reason by its number, the key that serves, and the kernel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct StoredCell(
    pub(super) u8,
    pub(super) Option<String>,
    pub(super) Option<String>,
);

const LEVELS: [Level; 6] = [
    Level::None,
    Level::Safe,
    Level::Info,
    Level::Dangerous,
    Level::ForwardBreaking,
    Level::Breaking,
];

impl StoredEvent {
    pub(super) fn kind(&self) -> EventKind {
        let kind = EventKind::ALL.get(usize::from(self.0));
        kind.copied().unwrap_or(EventKind::Entry)
    }

    /// The rule's id; that of a rule that is no more stays as it was written.
    pub(super) fn rule(&self) -> Option<ChangeRuleId> {
        ChangeRuleId::parse(&self.1)
    }

    pub(super) fn level(&self) -> Level {
        let level = LEVELS.get(usize::from(self.2));
        level.copied().unwrap_or(Level::None)
    }
}

impl StoredCell {
    fn of(cell: &Cell) -> Self {
        Self(
            cell.reason as u8,
            cell.source_key.map(Into::into),
            cell.kernel.as_deref().map(Into::into),
        )
    }

    pub(super) fn reason(&self) -> Reason {
        let reason = Reason::ALL.get(usize::from(self.0));
        reason.copied().unwrap_or(Reason::Missing)
    }
}

impl Says {
    pub(super) fn decode(text: &str) -> Self {
        // What a database with other hands in it holds says nothing.
        serde_json::from_str(text).unwrap_or_default()
    }

    fn encode(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// Computes a step; before the first revision there is only what the first one is.
pub(super) fn record(
    key: StepKey,
    base: Option<&Arc<Snapshot>>,
    head: &Arc<Snapshot>,
) -> StepRecord {
    let mut facts = Facts::of(head);
    let mut said = Vec::new();
    if let Some(base) = base {
        let compared = Compared::of(Arc::clone(base), Arc::clone(head));
        facts.step = Some(StepFacts::of(&compared.comparison));
        said = operators(Keys::of(base.release()), &compared.comparison);
    }
    StepRecord {
        key,
        facts: facts.encode(),
        operators: said,
    }
}

fn operators(keys: &Keys, comparison: &Comparison) -> Vec<(String, String)> {
    let by_operator = by_operator(comparison);
    let says = by_operator.into_iter().map(|(operator, step)| {
        let says = Says {
            events: step.events.iter().map(event).collect(),
            cells: step.cells.iter().map(|cells| stored(keys, cells)).collect(),
        };
        (operator.to_owned(), says.encode())
    });
    says.collect()
}

fn event(event: &Event<'_>) -> StoredEvent {
    let change = event.change;
    let owned = |names: &[Box<str>]| names.iter().map(|name| name.to_string()).collect();
    let about = match &change.subject {
        _ if event.follows => About::Follows(change.operator.to_string()),
        Subject::Keys(names) => About::Keys(owned(names)),
        Subject::Operator => About::Operator,
        subject => About::Names(subject.names()),
    };
    let text = |fragment: Option<&opatlas_diff::Fragment>| fragment.map(|f| f.text.to_string());
    StoredEvent(
        event.kind as u8,
        change.rule.id.as_str().to_owned(),
        LEVELS
            .iter()
            .position(|level| *level == change.level)
            .and_then(|at| u8::try_from(at).ok())
            .unwrap_or(0),
        about,
        text(change.old.as_ref()),
        text(change.new.as_ref()),
        message(change),
    )
}

fn stored(keys: &Keys, cells: &DispatchChange) -> StoredCells {
    let places = cells.keys.iter().filter_map(|key| keys.slot(key));
    let places: Vec<usize> = places.map(|slot| slot.index()).collect();
    StoredCells(
        stretches(places),
        StoredCell::of(&cells.before),
        StoredCell::of(&cells.after),
    )
}

impl StoredCells {
    /// Whether a runtime key of the release that the step leads from is among them.
    pub(super) fn holds(&self, base: Release, key: &str) -> bool {
        let Some(slot) = Keys::of(base).slot(key) else {
            return false;
        };
        places(&self.0).any(|place| place == slot.index())
    }
}

/// Numbers as stretches: `1-9,14`.
fn stretches(mut numbers: Vec<usize>) -> String {
    numbers.sort_unstable();
    let mut stretches: Vec<(usize, usize)> = Vec::new();
    for number in numbers {
        match stretches.last_mut() {
            Some((_, end)) if *end + 1 == number => *end = number,
            _ => stretches.push((number, number)),
        }
    }
    let texts: Vec<String> = stretches
        .iter()
        .map(|(start, end)| match start == end {
            true => start.to_string(),
            false => format!("{start}-{end}"),
        })
        .collect();
    texts.join(",")
}

fn places(text: &str) -> impl Iterator<Item = usize> + use<'_> {
    let stretches = text.split(',').filter_map(|stretch| {
        let (start, end) = stretch.split_once('-').unwrap_or((stretch, stretch));
        Some(start.parse::<usize>().ok()?..=end.parse::<usize>().ok()?)
    });
    stretches.flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_come_back() {
        for numbers in [vec![], vec![3], vec![0, 1, 2], vec![1, 2, 3, 9, 14, 15]] {
            let text = stretches(numbers.clone());
            assert_eq!(places(&text).collect::<Vec<_>>(), numbers, "{text}");
        }
        assert_eq!(stretches(vec![2, 1, 9]), "1-2,9");
    }
}
