//! The dispatch tables that changed, and their cells. A long comparison has tens of thousands of cells, and
//! most reports show none of them, so they are computed on demand.

use std::borrow::Cow;

use opatlas_dispatch::{Precedence, Reason, Verdict, View};
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::key_set::{KeySet, Slot};

/// An operator whose dispatch table changed.
#[derive(Debug, Clone)]
pub struct TableChange {
    /// The operator; the base's name.
    pub operator: Box<str>,
    /// The change of an entry that this follows from, as an index into the changes of the comparison.
    pub cause: Option<usize>,
    ids: (OperatorId, OperatorId),
    moved: Box<[Moved]>,
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
#[derive(Debug, Clone, Copy)]
pub(super) struct Moved {
    pub(super) base: Slot,
    pub(super) head: Slot,
    pub(super) before: Precedence,
    pub(super) after: Precedence,
    /// The verdicts on the key of a backend.
    pub(super) verdicts: Option<(Verdict, Verdict)>,
}

/// Rules and verdicts before and after.
type Sort = (Precedence, Precedence, Option<(Verdict, Verdict)>);

impl Moved {
    /// Of an operator, all keys of a sort have the same cells; `None` where a kernel depends on the key.
    fn sort(&self) -> Option<Sort> {
        let is_of_rule = |rule: Precedence| rule.alias().is_some() || rule == Precedence::Missing;
        let is_sort = is_of_rule(self.before) && is_of_rule(self.after);
        is_sort.then_some((self.before, self.after, self.verdicts))
    }
}

impl TableChange {
    pub(super) fn new(operator: Box<str>, ids: (OperatorId, OperatorId), moved: &[Moved]) -> Self {
        Self {
            operator,
            cause: None,
            ids,
            moved: moved.into(),
        }
    }

    /// The operator in the base and in the head.
    pub(super) fn ids(&self) -> (OperatorId, OperatorId) {
        self.ids
    }

    /// The cells that changed, by what served them, as they are in the views that were compared.
    #[must_use]
    pub fn cells<'a>(&self, base: View<'a>, head: View<'a>) -> Vec<CellChange<'a>> {
        let (old, new) = self.ids;
        let mut cells: Vec<CellChange<'a>> = Vec::new();
        // An alias serves many keys with one kernel, and a handful of kernels serve all of a table.
        let mut kernels: (Kernels<'a>, Kernels<'a>) = Default::default();
        let mut told: Vec<(Sort, usize)> = Vec::new();
        for moved in &self.moved {
            let sort = moved.sort();
            let known = told.iter().find(|(known, _)| sort == Some(*known));
            if let Some(&(_, at)) = known {
                cells[at].slots.insert(moved.base);
                continue;
            }
            let (was, is) = moved.verdicts.unzip();
            let before = kernels.0.cell(base, old, (moved.base, moved.before, was));
            let after = kernels.1.cell(head, new, (moved.head, moved.after, is));
            // There are few, and the next key mostly changed as the last one did.
            let is_alike = |cells: &CellChange<'_>| cells.before == before && cells.after == after;
            let at = match cells.iter().rposition(is_alike) {
                Some(at) => {
                    cells[at].slots.insert(moved.base);
                    at
                }
                None => {
                    cells.push(CellChange {
                        slots: KeySet::only(moved.base),
                        before,
                        after,
                    });
                    cells.len() - 1
                }
            };
            told.extend(sort.map(|sort| (sort, at)));
        }
        cells.sort_unstable_by(|a, b| (&a.before, &a.after).cmp(&(&b.before, &b.after)));
        cells
    }
}

/// The kernels of an operator on one side, by the rule that an alias serves keys by.
#[derive(Default)]
struct Kernels<'a>(Vec<(Precedence, Option<Cow<'a, str>>)>);

impl<'a> Kernels<'a> {
    fn cell(
        &mut self,
        view: View<'a>,
        id: OperatorId,
        (slot, rule, verdict): (Slot, Precedence, Option<Verdict>),
    ) -> Cell<'a> {
        let is_shared = rule.alias().is_some();
        let known = self.0.iter().find(|(known, _)| is_shared && *known == rule);
        let kernel = match known {
            Some((_, kernel)) => kernel.clone(),
            None => {
                let kernel = view.kernel(id, slot, rule);
                if is_shared {
                    self.0.push((rule, kernel.clone()));
                }
                kernel
            }
        };
        Cell {
            reason: rule.reason(),
            source_key: rule.source(slot).map(|key| view.keys().name(key)),
            kernel,
            verdict,
        }
    }
}
