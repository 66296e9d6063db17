//! Ranges of a timeline in which the same kernel served an operator at a key.

use crate::snapshot::Snapshot;
use opatlas_dispatch::Reason;
use opatlas_dispatch::autograd_key;
use opatlas_pytorch::keys::Keys;
use opatlas_verdict::{Because, Standing, Verdict};

use super::step::StoredCell;
use super::timeline::{Range, Timeline};
use super::words::Word;

/// A range of a timeline in which the same kernel served an operator at a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRange {
    /// The runtime key.
    pub key: String,
    /// The places.
    pub range: Range,
    /// Why this kernel served, or none.
    pub reason: Reason,
    /// The registered key of the kernel; `None` for a backend fallback or no kernel.
    pub source_key: Option<String>,
    /// The kernel's name at the end of the range.
    pub kernel: Option<String>,
    /// Whether a call works; `None` for keys that are not backends.
    pub verdict: Option<Verdict>,
    /// Why the verdict is unknown.
    pub because: Option<Because>,
}

impl KeyRange {
    /// Whether a call worked. For keys that are not backends, whether it reached a kernel.
    #[must_use]
    pub fn is_supported(&self) -> bool {
        self.standing().works()
    }

    /// How the operator stood.
    #[must_use]
    pub fn standing(&self) -> Standing {
        Standing::of(self.verdict, self.reason)
    }
}

/// A place where the cell of a key changed, with the cell before and after.
pub(super) type Move = (usize, StoredCell, StoredCell);

pub(super) fn cell(snapshot: &Snapshot, operator: &str, key: &str) -> Option<StoredCell> {
    let id = snapshot.catalogue.find_qualified(operator)?;
    let view = snapshot.view();
    let slot = view.keys().slot(key)?;
    let entry = view.entry(id, slot)?;
    let verdict = autograd_key(view.keys(), slot).map(|_| view.verdict(id, slot));
    Some(StoredCell {
        reason: Word(entry.reason),
        source_key: entry.source_name(view.keys()).map(Into::into),
        kernel: entry.kernel.as_deref().map(Into::into),
        verdict: verdict.map(Word),
        because: verdict.and_then(|_| view.unknown_because(id, slot).map(Word)),
    })
}

/// `moves` lie in the range `present`, in order, and `last` is the cell at its end.
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
        because: cell.because.map(|word| word.0),
    }
}
