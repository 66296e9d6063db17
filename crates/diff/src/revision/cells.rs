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
    layout: OnceLock<Layout>,
}

/// The cells of all tables of a shape, in their order as far as that is not a matter of kernels.
#[derive(Debug)]
pub struct Layout {
    sorts: Box<[SortOfCells]>,
    /// Where the kernels of the cells are found, in the base and in the head.
    kernels: [Vec<KernelOf>; 2],
    /// Whether kernels may put cells in another order.
    depends_on_kernels: bool,
}

/// Keys whose cells are the same in each table of a shape.
#[derive(Debug)]
pub struct SortOfCells {
    /// The runtime keys, of the base's release.
    pub slots: KeySet,
    /// What served them.
    pub before: Served,
    /// What serves them now.
    pub after: Served,
    /// Whether kernels decide if these cells are those of a sort before.
    may_join: bool,
}

/// A cell but for the name of its kernel.
#[derive(Debug)]
pub struct Served {
    rule: Precedence,
    /// As in [`Cell::source_key`].
    pub source_key: Option<&'static str>,
    /// As in [`Cell::verdict`].
    pub verdict: Option<Verdict>,
    /// Which of the kernels of its side it has, as [`TableChange::kernels`] gives them.
    pub kernel: usize,
}

/// What finds a kernel in any table of a shape.
#[derive(Debug, Clone, Copy)]
struct KernelOf {
    slot: Slot,
    rule: Precedence,
}

impl KernelOf {
    /// Whether the kernel is the same in all tables. An alias serves many keys with one kernel.
    fn is_same(self, other: Self) -> bool {
        let has_one = self.rule.alias().is_some() || self.rule == Precedence::Missing;
        self.rule == other.rule && (has_one || self.slot == other.slot)
    }
}

impl Served {
    /// As in [`Cell::reason`].
    #[must_use]
    pub fn reason(&self) -> Reason {
        self.rule.reason()
    }

    /// Adds its kernel to those of its side, unless it is among them.
    fn new(
        view: View<'_>,
        (slot, rule): (Slot, Precedence),
        verdict: Option<Verdict>,
        kernels: &mut Vec<KernelOf>,
    ) -> Self {
        let source = rule.source(slot);
        let own = KernelOf { slot, rule };
        let known = kernels.iter().position(|kernel| kernel.is_same(own));
        let kernel = known.unwrap_or_else(|| {
            kernels.push(own);
            kernels.len() - 1
        });
        Self {
            rule,
            source_key: source.map(|key| view.keys().name(key)),
            verdict,
            kernel,
        }
    }

    /// The order of two cells where their kernels are the same.
    fn order(&self, other: &Self) -> Ordering {
        let of = |it: &Self| (it.reason(), it.source_key, it.verdict);
        of(self).cmp(&of(other))
    }

    /// Whether any kernels leave that order as it is: they are compared behind the key that serves, and a key has one
    /// kernel in a table.
    fn is_ordered(&self, other: &Self) -> bool {
        let of = |it: &Self| (it.reason(), it.source_key);
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

impl Layout {
    fn of(moved: &[Moved], base: View<'_>, head: View<'_>) -> Self {
        let mut sorts: Vec<(Option<Sort>, SortOfCells)> = Vec::new();
        let mut kernels: [Vec<KernelOf>; 2] = Default::default();
        for moved in moved {
            let sort = moved.sort();
            let mut alike = sorts.iter_mut().filter(|_| sort.is_some());
            if let Some((_, known)) = alike.find(|(known, _)| *known == sort) {
                known.slots.insert(moved.base);
                continue;
            }
            let (was, is) = moved.verdicts.unzip();
            let [olds, news] = &mut kernels;
            let before = Served::new(base, (moved.base, moved.before), was, olds);
            let after = Served::new(head, (moved.head, moved.after), is, news);
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
        let mut sorts: Box<[SortOfCells]> = sorts.into_iter().map(|(_, sort)| sort).collect();
        sorts.sort_by(SortOfCells::order);
        Self {
            depends_on_kernels: !sorts.is_sorted_by(SortOfCells::is_before),
            sorts,
            kernels,
        }
    }

    /// The cells of each table of the shape in order, where they are the same in all; `None` where the kernels of a
    /// table decide.
    #[must_use]
    pub fn fixed(&self) -> Option<&[SortOfCells]> {
        let may_join = self.sorts.iter().any(|sort| sort.may_join);
        (!self.depends_on_kernels && !may_join).then_some(&self.sorts)
    }
}

impl Shape {
    pub(super) fn new(moved: Vec<Moved>) -> Self {
        Self {
            moved: moved.into(),
            layout: OnceLock::new(),
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
    pub(crate) fn ids(&self) -> (OperatorId, OperatorId) {
        self.ids
    }

    /// What its cells have in common with those of other tables, in the views that were compared.
    #[must_use]
    pub fn layout(&self, base: View<'_>, head: View<'_>) -> &Layout {
        let find = || Layout::of(&self.shape.moved, base, head);
        self.shape.layout.get_or_init(find)
    }

    /// The kernels of its cells in the base and in the head, as [`Served::kernel`] counts them.
    pub fn kernels<'a>(
        &self,
        layout: &Layout,
        base: View<'a>,
        head: View<'a>,
    ) -> [impl Iterator<Item = Option<Cow<'a, str>>>; 2] {
        let [olds, news] = &layout.kernels;
        let sides = [(olds, base, self.ids.0), (news, head, self.ids.1)];
        sides.map(|(kernels, view, id)| {
            let kernels = kernels.iter();
            kernels.map(move |of| view.kernel(id, of.slot, of.rule))
        })
    }

    /// The cells that changed, by what served them, as they are in the views that were compared.
    #[must_use]
    pub fn cells<'a>(&self, base: View<'a>, head: View<'a>) -> Vec<CellChange<'a>> {
        let layout = self.layout(base, head);
        let kernels = self.kernels(layout, base, head);
        let kernels = kernels.map(Iterator::collect::<Vec<_>>);
        let cell = |kernels: &[Option<Cow<'a, str>>], served: &Served| Cell {
            reason: served.reason(),
            source_key: served.source_key,
            kernel: kernels[served.kernel].clone(),
            verdict: served.verdict,
        };
        let mut cells: Vec<CellChange<'a>> = Vec::with_capacity(layout.sorts.len());
        for sort in &layout.sorts {
            let before = cell(&kernels[0], &sort.before);
            let after = cell(&kernels[1], &sort.after);
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
        if layout.depends_on_kernels {
            cells.sort_unstable_by(|a, b| (&a.before, &a.after).cmp(&(&b.before, &b.after)));
        }
        cells
    }
}
