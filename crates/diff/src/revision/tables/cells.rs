//! Dispatch tables that changed, and their cells. A comparison of distant releases has tens of
//! thousands of cells, so they are computed on demand.

use std::borrow::Cow;
use std::sync::Arc;

use opatlas_dispatch::{Precedence, Reason};
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::key_set::{KeySet, Slot};
use opatlas_verdict::{Because, Shift, Side, Verdict, View, is_ambiguous};

/// An operator whose dispatch table changed.
#[derive(Debug, Clone)]
pub struct TableChange {
    /// The base's name of the operator.
    pub operator: Arc<str>,
    /// The change of an entry that this follows from, as an index into the changes of the comparison.
    pub cause: Option<usize>,
    pub(super) ids: (OperatorId, OperatorId),
    /// The keys that changed, in table order.
    pub(super) keys: Box<[KeyChange]>,
}

/// Cells of a table with equal changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellChange<'a> {
    /// The runtime keys, of the base's release.
    pub slots: KeySet,
    /// The cell in the base.
    pub before: Cell<'a>,
    /// The cell in the head.
    pub after: Cell<'a>,
}

/// The kernel for a key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell<'a> {
    /// Why this kernel serves the key.
    pub reason: Reason,
    /// The registered key that serves it; `None` if nothing or a fallback does.
    pub source_key: Option<&'static str>,
    /// The kernel; `None` if there is none.
    pub kernel: Option<Cow<'a, str>>,
    /// Whether a call works; `None` on keys that are not a backend's.
    pub verdict: Option<Verdict>,
    /// Why the verdict is unknown.
    pub because: Option<Because>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct KeyChange {
    pub base: Slot,
    pub head: Slot,
    pub before: Precedence,
    pub after: Precedence,
    /// Whether both sides claim anything about the backend.
    pub is_claimed: bool,
    pub verdicts: Option<(Verdict, Verdict)>,
}

impl KeyChange {
    /// What became of the support on a backend.
    pub(super) fn shift(&self) -> Option<Shift> {
        let (before, after) = self.verdicts?;
        let side = |rule, verdict| Side { rule, verdict };
        let (before, after) = (side(self.before, before), side(self.after, after));
        Some(Shift::between(before, after, self.is_claimed))
    }

    pub(super) fn is_ambiguity(&self) -> bool {
        !is_ambiguous(self.before) && is_ambiguous(self.after)
    }
}

impl<'a> Cell<'a> {
    fn new(
        view: View<'a>,
        id: OperatorId,
        (slot, rule): (Slot, Precedence),
        verdict: Option<Verdict>,
    ) -> Self {
        Self {
            reason: rule.reason(),
            source_key: rule.source(slot).map(|key| view.keys().name(key)),
            kernel: view.kernel(id, slot, rule),
            verdict,
            because: verdict.and_then(|_| view.unknown_because(id, slot)),
        }
    }
}

impl TableChange {
    /// The cells that changed, grouped by their change, in the two views that were compared.
    #[must_use]
    pub fn cells<'a>(&self, base: View<'a>, head: View<'a>) -> Vec<CellChange<'a>> {
        let mut cells: Vec<CellChange<'a>> = Vec::new();
        for key in &self.keys {
            let (was, is) = key.verdicts.unzip();
            let before = Cell::new(base, self.ids.0, (key.base, key.before), was);
            let after = Cell::new(head, self.ids.1, (key.head, key.after), is);
            let is_equal =
                |cells: &&mut CellChange<'_>| cells.before == before && cells.after == after;
            match cells.iter_mut().find(is_equal) {
                Some(known) => known.slots.insert(key.base),
                None => cells.push(CellChange {
                    slots: KeySet::only(key.base),
                    before,
                    after,
                }),
            }
        }
        cells.sort_unstable_by(|a, b| (&a.before, &a.after).cmp(&(&b.before, &b.after)));
        cells
    }
}
