//! Stretches of a timeline in which one thing served an operator at a key.

use crate::snapshot::Snapshot;
use opatlas_dispatch::Reason;
use opatlas_dispatch::autograd_key;
use opatlas_pytorch::keys::Keys;
use opatlas_verdict::Verdict;

use super::step::StoredCell;
use super::timeline::{Range, Timeline};
use super::words::Word;

/// A stretch of a timeline in which one thing served an operator at a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRange {
    /// The runtime key.
    pub key: String,
    /// From where to where.
    pub range: Range,
    /// Why it served.
    pub reason: Reason,
    /// The registered key that served; `None` where nothing or a fallback did.
    pub source_key: Option<String>,
    /// The kernel, by the name that it had at the end.
    pub kernel: Option<String>,
    /// Whether a call works; `None` on keys that are not a backend's.
    pub verdict: Option<Verdict>,
}

impl KeyRange {
    /// Whether a call worked; on keys that are not a backend's, whether it got to a kernel.
    #[must_use]
    pub fn is_supported(&self) -> bool {
        match self.verdict {
            Some(verdict) => verdict.works(),
            None => self.reason.is_served(),
        }
    }
}

/// What served a key, where it changed: at this place from the first to the second.
pub(super) type Move = (usize, StoredCell, StoredCell);

/// What serves an operator at a key in a revision; `None` where either is unknown there.
pub(super) fn cell(snapshot: &Snapshot, operator: &str, key: &str) -> Option<StoredCell> {
    let id = snapshot.catalogue.find_qualified(operator)?;
    let view = snapshot.view();
    let slot = view.keys().slot(key)?;
    let entry = view.entry(id, slot)?;
    Some(StoredCell {
        reason: Word(entry.reason),
        source_key: entry.source_name(view.keys()).map(Into::into),
        kernel: entry.kernel.as_deref().map(Into::into),
        verdict: autograd_key(view.keys(), slot).map(|_| Word(view.verdict(id, slot))),
    })
}

/// The stretches at a key while the operator was there (`present`); `moves` lie in it, in order,
/// and `last` is what served at its end.
pub(super) fn of_key(
    timeline: &Timeline,
    key: &str,
    present: &Range,
    moves: &[Move],
    last: Option<&StoredCell>,
) -> Vec<KeyRange> {
    let is_known = |place: &usize| {
        let release = timeline.items[*place].judged.release;
        Keys::of(release).slot(key).is_some()
    };
    let Some(mut start) = present.clone().find(is_known) else {
        return Vec::new();
    };
    let mut ranges = Vec::new();
    for (place, before, _) in moves {
        if *place > start {
            ranges.push(range(key, start..=place - 1, before));
            start = *place;
        }
    }
    let after = moves.last().map(|(_, _, after)| after);
    if let Some(cell) = last.or(after) {
        ranges.push(range(key, start..=*present.end(), cell));
    }
    ranges
}

fn range(key: &str, range: Range, cell: &StoredCell) -> KeyRange {
    KeyRange {
        key: key.to_owned(),
        range,
        reason: cell.reason.0,
        source_key: cell.source_key.clone(),
        kernel: cell.kernel.clone(),
        verdict: cell.verdict.map(|word| word.0),
    }
}
