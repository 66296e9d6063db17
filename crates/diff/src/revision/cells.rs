//! The dispatch tables that changed, and their cells. A long comparison has tens of thousands of cells, and
//! most reports show none of them, so they are computed on demand.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::sync::{Arc, OnceLock};

use opatlas_dispatch::{Precedence, Reason, Verdict, View};
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::key_set::{KeySet, Slot};

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

/// What changed in a table, but for the names of kernels. Between 2.1.0 and 2.15.0 the tables of 2,919 operators
/// changed in 367 shapes.
#[derive(Debug)]
pub(super) struct Shape {
    pub(super) moved: Box<[Moved]>,
    /// What the cells have in common, once somebody asks for cells.
    sorts: OnceLock<Sorts>,
}

/// Sorts of cells, in their order as far as that is not a matter of kernels.
#[derive(Debug)]
struct Sorts {
    all: Box<[SortOfCells]>,
    /// Whether kernels may put cells in another order, or join those of two sorts.
    depends_on_kernels: bool,
}

/// Keys whose cells are the same in each table of a shape.
#[derive(Debug)]
struct SortOfCells {
    slots: KeySet,
    before: Served,
    after: Served,
    /// Whether kernels decide if these cells are those of a sort before.
    may_join: bool,
}

/// A cell but for its kernel, with what finds that.
#[derive(Debug)]
struct Served {
    slot: Slot,
    rule: Precedence,
    source_key: Option<&'static str>,
    verdict: Option<Verdict>,
}

impl Served {
    fn of(view: View<'_>, slot: Slot, rule: Precedence, verdict: Option<Verdict>) -> Self {
        let source = rule.source(slot);
        Self {
            slot,
            rule,
            source_key: source.map(|key| view.keys().name(key)),
            verdict,
        }
    }

    /// The order of two cells where their kernels are the same.
    fn order(&self, other: &Self) -> Ordering {
        let of = |it: &Self| (it.rule.reason(), it.source_key, it.verdict);
        of(self).cmp(&of(other))
    }

    /// Whether any kernels leave that order as it is: they are compared behind the key that serves, and a key has one
    /// kernel in a table.
    fn is_ordered(&self, other: &Self) -> bool {
        let of = |it: &Self| (it.rule.reason(), it.source_key);
        let has_one_kernel = self.source_key.is_some() || self.rule == Precedence::Missing;
        of(self) != of(other) || has_one_kernel
    }

    /// Whether the cells are alike where their kernels are.
    fn is_like(&self, other: &Self) -> bool {
        self.order(other) == Ordering::Equal
    }
}

impl SortOfCells {
    fn order(&self, other: &Self) -> Ordering {
        let of_before = self.before.order(&other.before);
        of_before.then_with(|| self.after.order(&other.after))
    }

    /// Whether the cells of this sort come before those of the other one, whatever their kernels are.
    fn is_before(&self, other: &Self) -> bool {
        match self.before.order(&other.before) {
            Ordering::Less => self.before.is_ordered(&other.before),
            Ordering::Equal => {
                let is_after_less = self.after.order(&other.after) == Ordering::Less;
                let is_ordered = |a: &Served, b| a.is_ordered(b);
                is_after_less
                    && is_ordered(&self.before, &other.before)
                    && is_ordered(&self.after, &other.after)
            }
            Ordering::Greater => false,
        }
    }
}

impl Shape {
    pub(super) fn new(moved: Vec<Moved>) -> Self {
        Self {
            moved: moved.into(),
            sorts: OnceLock::new(),
        }
    }

    fn sorts(&self, base: View<'_>, head: View<'_>) -> &Sorts {
        self.sorts.get_or_init(|| self.find_sorts(base, head))
    }

    fn find_sorts(&self, base: View<'_>, head: View<'_>) -> Sorts {
        let mut sorts: Vec<(Option<Sort>, SortOfCells)> = Vec::new();
        for moved in &self.moved {
            let sort = moved.sort();
            let mut alike = sorts.iter_mut().filter(|_| sort.is_some());
            if let Some((_, known)) = alike.find(|(known, _)| *known == sort) {
                known.slots.insert(moved.base);
                continue;
            }
            let (was, is) = moved.verdicts.unzip();
            let before = Served::of(base, moved.base, moved.before, was);
            let after = Served::of(head, moved.head, moved.after, is);
            let is_like =
                |other: &SortOfCells| other.before.is_like(&before) && other.after.is_like(&after);
            let may_join = sorts.iter().any(|(_, other)| is_like(other));
            let slots = KeySet::only(moved.base);
            let found = SortOfCells {
                slots,
                before,
                after,
                may_join,
            };
            sorts.push((sort, found));
        }
        let mut all: Box<[SortOfCells]> = sorts.into_iter().map(|(_, sort)| sort).collect();
        all.sort_by(SortOfCells::order);
        Sorts {
            depends_on_kernels: !all.is_sorted_by(SortOfCells::is_before),
            all,
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
    pub(super) fn ids(&self) -> (OperatorId, OperatorId) {
        self.ids
    }

    /// A value from each place in memory that cells need, to be read ahead.
    #[must_use]
    pub fn glimpse(&self, base: View<'_>, head: View<'_>) -> [usize; 2] {
        [(base, self.ids.0), (head, self.ids.1)].map(|(view, id)| {
            let kernels = view.inputs.catalogue.kernels(id).iter();
            let beginnings = kernels.filter_map(|kernel| kernel.kernel.name.as_bytes().first());
            beginnings.map(|&byte| usize::from(byte)).sum()
        })
    }

    /// The cells that changed, by what served them, as they are in the views that were compared.
    #[must_use]
    pub fn cells<'a>(&self, base: View<'a>, head: View<'a>) -> Vec<CellChange<'a>> {
        let (old, new) = self.ids;
        let sorts = self.shape.sorts(base, head);
        let mut cells: Vec<CellChange<'a>> = Vec::with_capacity(sorts.all.len());
        // An alias serves many keys with one kernel, and a handful of kernels serve all of a table.
        let mut kernels: (Kernels<'a>, Kernels<'a>) = Default::default();
        for sort in &sorts.all {
            let before = kernels.0.cell(base, old, &sort.before);
            let after = kernels.1.cell(head, new, &sort.after);
            let is_alike = |cells: &&mut CellChange<'_>| {
                sort.may_join && cells.before == before && cells.after == after
            };
            match cells.iter_mut().find(is_alike) {
                Some(known) => known.slots = known.slots | sort.slots,
                None => cells.push(CellChange {
                    slots: sort.slots,
                    before,
                    after,
                }),
            }
        }
        if sorts.depends_on_kernels {
            cells.sort_unstable_by(|a, b| (&a.before, &a.after).cmp(&(&b.before, &b.after)));
        }
        cells
    }
}

/// The kernels of an operator on one side, by the rule that an alias serves keys by.
#[derive(Default)]
struct Kernels<'a>(Vec<(Precedence, Option<Cow<'a, str>>)>);

impl<'a> Kernels<'a> {
    fn cell(&mut self, view: View<'a>, id: OperatorId, served: &Served) -> Cell<'a> {
        let rule = served.rule;
        let is_shared = rule.alias().is_some();
        let known = self.0.iter().find(|(known, _)| is_shared && *known == rule);
        let kernel = match known {
            Some((_, kernel)) => kernel.clone(),
            None => {
                let kernel = view.kernel(id, served.slot, rule);
                if is_shared {
                    self.0.push((rule, kernel.clone()));
                }
                kernel
            }
        };
        Cell {
            reason: rule.reason(),
            source_key: served.source_key,
            kernel,
            verdict: served.verdict,
        }
    }
}
