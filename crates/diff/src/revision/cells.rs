//! The dispatch tables that changed, and their cells. A long comparison has tens of thousands of cells, and
//! most reports show none of them, so they are computed on demand.

use std::borrow::Cow;
use std::sync::Arc;

use opatlas_dispatch::{Precedence, Reason};
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::key_set::{KeySet, Slot};
use opatlas_verdict::{Verdict, View};

/// An operator whose dispatch table changed.
#[derive(Debug, Clone)]
pub struct TableChange {
    /// The operator; the base's name.
    pub operator: Arc<str>,
    /// The change of an entry that this follows from, as an index into the changes of the comparison.
    pub cause: Option<usize>,
    ids: (OperatorId, OperatorId),
    shape: Arc<Shape>,
}

/// The keys of a table that changed. Many tables share a shape.
#[derive(Debug)]
pub(super) struct Shape {
    pub(super) moved: Box<[Moved]>,
}

impl Shape {
    pub(super) fn new(moved: Vec<Moved>) -> Self {
        Self {
            moved: moved.into(),
        }
    }
}

/// Cells of a table that changed alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellChange<'a> {
    /// The runtime keys, of the base's release.
    pub slots: KeySet,
    /// What served them.
    pub before: Cell<'a>,
    /// What serves them now.
    pub after: Cell<'a>,
}

/// What serves a key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell<'a> {
    /// Why.
    pub reason: Reason,
    /// The registered key that serves it; `None` where nothing or a fallback does.
    pub source_key: Option<&'static str>,
    /// The kernel; `None` where there is none.
    pub kernel: Option<Cow<'a, str>>,
    /// Whether a call works; `None` on keys that are not a backend's.
    pub verdict: Option<Verdict>,
}

/// A key whose rule or verdict changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Moved {
    pub(super) base: Slot,
    pub(super) head: Slot,
    pub(super) before: Precedence,
    pub(super) after: Precedence,
    /// The verdicts on the key of a backend.
    pub(super) verdicts: Option<(Verdict, Verdict)>,
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
        }
    }
}

impl TableChange {
    pub(super) fn new(
        operator: Arc<str>,
        ids: (OperatorId, OperatorId),
        shape: &Arc<Shape>,
    ) -> Self {
        Self {
            operator,
            cause: None,
            ids,
            shape: Arc::clone(shape),
        }
    }

    /// The operator in the base and in the head.
    pub(crate) fn ids(&self) -> (OperatorId, OperatorId) {
        self.ids
    }

    /// The cells that changed, by what served them, as they are in the views that were compared.
    #[must_use]
    pub fn cells<'a>(&self, base: View<'a>, head: View<'a>) -> Vec<CellChange<'a>> {
        let mut cells: Vec<CellChange<'a>> = Vec::new();
        for moved in &self.shape.moved {
            let (was, is) = moved.verdicts.unzip();
            let before = Cell::new(base, self.ids.0, (moved.base, moved.before), was);
            let after = Cell::new(head, self.ids.1, (moved.head, moved.after), is);
            let is_alike =
                |cells: &&mut CellChange<'_>| cells.before == before && cells.after == after;
            match cells.iter_mut().find(is_alike) {
                Some(known) => known.slots.insert(moved.base),
                None => cells.push(CellChange {
                    slots: KeySet::only(moved.base),
                    before,
                    after,
                }),
            }
        }
        cells.sort_unstable_by(|a, b| (&a.before, &a.after).cmp(&(&b.before, &b.after)));
        cells
    }
}
