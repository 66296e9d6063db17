//! What changed between two revisions: operators, their entries, what is generated of them, and
//! what follows for every backend (`docs/spec/compatibility.md`, section 4).
//!
//! Nothing is judged here: levels are those of [`super::rules`], before any profile, policy or
//! exception ([`super::policy`]).

mod audiences;
mod cells;
mod deprecated;
mod fields;
mod formulas;
mod generated;
mod groups;
mod kernels;
mod moved;
mod operators;
mod pairing;
mod policy_rules;
mod renames;
mod schemas;
mod shadowing;
mod side;
mod support;
mod tag_changes;
mod training;
mod unread;
mod upgraders;
mod verdicts;

use std::cmp::{Ordering, Reverse};
use std::sync::Arc;

use rustc_hash::{FxBuildHasher, FxHashMap};

use super::change::Change;
use super::official::Verdict;
use super::rules::Group;
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::operator::{Operator, OperatorId};
use opatlas_source::{Stop, Stopped};

use audiences::{Faces, Refiner};
use pairing::{Common, Pairing};
use side::DeclaredEntry;

pub use cells::{Cell, CellChange, TableChange};
pub use policy_rules::CORE;
pub use side::Revision;
pub use unread::{Unread, UnreadSide};

/// Everything that differs between two revisions.
#[derive(Debug, Clone, Default)]
pub struct Comparison {
    /// The operators whose schema is another one, or that one side lacks, by name.
    pub pairs: Vec<Pair>,
    /// What changed, operator by operator.
    pub changes: Vec<Arc<Change>>,
    /// The dispatch tables that changed, by operator.
    pub tables: Vec<TableChange>,
    /// Whether dispatch tables were compared.
    pub has_dispatch: bool,
    /// What could not be read, and operators of which nothing can be said for that reason.
    pub unread: Vec<Unread>,
}

/// An operator with another schema on each side, or with none on one.
#[derive(Debug, Clone)]
pub struct Pair {
    /// Its name, qualified unless its namespace is `aten`; the base's where both sides have it.
    pub name: Arc<str>,
    /// It in the base.
    pub base: Option<OperatorId>,
    /// It in the head, also where its name is another one there.
    pub head: Option<OperatorId>,
    /// Whether the base has it from `autogen`, or the head where the base lacks it.
    pub is_generated: bool,
    /// Its canonical schemas.
    pub old: Option<Box<str>>,
    /// The head's.
    pub new: Option<Box<str>>,
    /// The verdict of PyTorch's own check; `None` if one side lacks the operator or PyTorch cannot
    /// parse it.
    pub verdict: Option<Verdict>,
}

impl Pair {
    /// Whether no operator of this name is left in the head.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        self.base.is_some() && self.verdict.is_none() && self.head.is_none()
    }

    /// PyTorch's backward verdict. A removed or renamed operator is incompatible; a new one is
    /// compatible.
    #[must_use]
    pub fn is_backward_compatible(&self) -> bool {
        match &self.verdict {
            Some(verdict) => verdict.backward,
            None => self.base.is_none(),
        }
    }

    /// PyTorch's forward verdict; a removed operator counts as incompatible.
    #[must_use]
    pub fn is_forward_compatible(&self) -> bool {
        match &self.verdict {
            Some(verdict) => verdict.forward,
            None => self.base.is_none(),
        }
    }
}

/// Compares two revisions. Both views or none should be given; with one, nothing is said of
/// dispatch.
#[must_use]
pub fn compare(base: Revision<'_>, head: Revision<'_>) -> Comparison {
    Stop::unstopped(|stop| compare_until(base, head, stop))
}

/// Like [`compare`], but can be stopped.
///
/// # Errors
/// [`Stopped`].
pub fn compare_until(
    base: Revision<'_>,
    head: Revision<'_>,
    stop: &Stop,
) -> Result<Comparison, Stopped> {
    let (old, new) = (base.catalogue, head.catalogue);
    let views = base.view.zip(head.view);
    let common = Common::new(old, new, stop)?;
    let refiner = Refiner::new(old);
    let mut pairing = Pairing::new(old, new, &common, stop)?;
    let unread = unread::take(&mut pairing, old, new);
    let (pairs, of_schemas) = schemas((old, new), &pairing, &refiner, stop)?;
    let of_entries = entries(old, new, (&common, &refiner), stop)?;
    let (mut of_tables, mut of_formulas) = (support::Found::default(), Vec::new());
    if let Some((before, after)) = views {
        let tables = support::Tables::new(before, after, &common).after(&of_entries);
        of_tables = tables.compare((&common, &refiner), stop)?;
        let found = formulas::compare((before, after), &pairing, stop)?;
        of_formulas = found.beside(&of_tables.changes);
    }
    let of_formulas = of_formulas.into_iter().map(|mut change| {
        refiner.refine(&mut change);
        Arc::new(change)
    });
    let of_formulas = of_formulas.collect();
    // The cause of a table is the first change of its operator in this order.
    let changes = [of_entries, of_schemas, of_tables.changes, of_formulas].concat();
    let mut tables = of_tables.tables;
    name_causes((old, new), &common, &changes, &mut tables);
    Ok(Comparison {
        pairs,
        changes: sorted(changes, &mut tables),
        tables,
        has_dispatch: views.is_some(),
        unread,
    })
}

/// Changes of schemas, and of what is generated or bound by them.
fn schemas(
    (old, new): (&Catalogue, &Catalogue),
    pairing: &Pairing<'_>,
    refiner: &Refiner<'_>,
    stop: &Stop,
) -> Result<(Vec<Pair>, Vec<Arc<Change>>), Stopped> {
    let mut changes = Vec::new();
    let pairs = operators::compare(old, new, pairing, &mut changes, stop)?;
    generated::compare(old, new, pairing, &mut changes);
    stop.check()?;
    groups::compare(old, new, pairing, &mut changes, stop)?;
    policy_rules::compare(old, new, &pairs, &mut changes);
    shadowing::compare(old, new, pairing, &mut changes, stop)?;
    moved::compare(old, new, pairing, &mut changes);
    deprecated::compare(old, new, &mut changes);
    let faces = Faces::of(old, new, &pairs, &changes, stop)?;
    let refined = changes.into_iter().map(|mut change| {
        refiner.refine_by(&mut change, &faces);
        Arc::new(change)
    });
    Ok((pairs, refined.collect()))
}

/// Sorts changes by operator, with the worst first, and updates the causes of tables.
fn sorted(changes: Vec<Arc<Change>>, tables: &mut [TableChange]) -> Vec<Arc<Change>> {
    let mut order: Vec<usize> = (0..changes.len()).collect();
    order.sort_by(|&a, &b| by_operator(&changes[a], &changes[b]));
    let mut places = vec![0; changes.len()];
    for (place, &at) in order.iter().enumerate() {
        places[at] = place;
    }
    for table in tables {
        table.cause = table.cause.map(|cause| places[cause]);
    }
    let in_order = order.into_iter().map(|at| Arc::clone(&changes[at]));
    in_order.collect()
}

/// The order of changes. A compound change comes before the changes that it represents.
fn by_operator(a: &Change, b: &Change) -> Ordering {
    let rank = |change: &Change| {
        let level = Reverse(change.level);
        (!change.is_compound(), level, change.rule.id)
    };
    let by_name = a.operator.cmp(&b.operator);
    by_name
        .then_with(|| rank(a).cmp(&rank(b)))
        .then_with(|| a.subject.order(&b.subject))
}

/// The fields of every entry that both sides write.
fn entries(
    base: &Catalogue,
    head: &Catalogue,
    (common, refiner): (&Common, &Refiner<'_>),
    stop: &Stop,
) -> Result<Vec<Arc<Change>>, Stopped> {
    // The changes of one entry, and all changes.
    let (mut found, mut changes) = (Vec::new(), Vec::new());
    let mut text = String::new();
    for &(old, new) in &common.unshared {
        stop.check()?;
        let sides = (DeclaredEntry::of(base, old), DeclaredEntry::of(head, new));
        if let (Some(before), Some(after)) = sides {
            let name = before.operator.shared_name();
            fields::compare(&name, before, after, &mut found);
            kernels::compare(&name, (base, before), (head, after), &mut found, &mut text);
            tag_changes::compare(&name, before, after, &head.tags, &mut found);
            changes.extend(found.drain(..).map(|change| {
                let mut change = change.at((old, new));
                refiner.refine(&mut change);
                Arc::new(change)
            }));
        }
    }
    Ok(changes)
}

/// Names what tables follow from: what changed in the operator's own entry, or in that of the
/// operator that it delegates to or is generated from.
fn name_causes(
    (base, head): (&Catalogue, &Catalogue),
    common: &Common,
    changes: &[Arc<Change>],
    tables: &mut [TableChange],
) {
    if tables.is_empty() {
        return;
    }
    // By the index of the operator in the base, and of operators that only the head has by name.
    let mut of_base: Vec<Option<usize>> = vec![None; base.operators.len()];
    let mut of_head: FxHashMap<&str, usize> = FxHashMap::default();
    for (i, change) in changes.iter().enumerate() {
        if !matches!(change.rule.group, Group::Dispatch | Group::Generated) {
            continue;
        }
        match change.base_id(base) {
            Some(id) => _ = of_base[id.index()].get_or_insert(i),
            None => _ = of_head.entry(&change.operator).or_insert(i),
        }
    }
    let of_name = |name: &str| match base.find_qualified(name) {
        Some(id) => of_base[id.index()],
        None => of_head.get(name).copied(),
    };
    let of_delegate = |operator: &Operator| of_name(operator.structured_delegate()?.as_str());
    let cause = |table: &TableChange| {
        let (old, new) = table.ids();
        let in_base = || match base.generated_from(old) {
            Some(from) => of_base[from.index()],
            None => of_delegate(base.operator(old)),
        };
        let in_head = || match head.generated_from(new) {
            Some(from) => match common.in_base[from.index()] {
                Some(from) => of_base[from.index()],
                None => of_name(head.operator(from).qualified_name()),
            },
            None => of_delegate(head.operator(new)),
        };
        of_base[old.index()].or_else(in_base).or_else(in_head)
    };
    for table in tables {
        table.cause = cause(table);
    }
}

/// A map with room for so many.
pub(crate) fn sized<K, V>(count: usize) -> FxHashMap<K, V> {
    FxHashMap::with_capacity_and_hasher(count, FxBuildHasher)
}
