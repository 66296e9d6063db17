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

use std::cmp::Reverse;
use std::sync::Arc;

use rustc_hash::{FxBuildHasher, FxHashMap};

use super::change::Change;
use super::official::Verdict;
use super::rules::Group;
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::operator::{Operator, OperatorId};
use opatlas_source::{InTurn, READ_AHEAD, Stop, Stopped, both, read_ahead};

use pairing::{Common, Pairing};
use side::DeclaredEntry;
use support::{joined, shared};

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
    Stop::unstopped(|stop| compare_until(base, head, &InTurn, stop))
}

/// Like [`compare`], but can be stopped. `in_parts` may run two chains at the same time: one compares schemas and
/// formulas, the other one entries and then dispatch tables. The chain that ends first takes over some tables.
///
/// # Errors
/// [`Stopped`].
pub fn compare_until(
    base: Revision<'_>,
    head: Revision<'_>,
    in_parts: &dyn opatlas_source::Pair,
    stop: &Stop,
) -> Result<Comparison, Stopped> {
    stop.check()?;
    let (old, new) = (base.catalogue, head.catalogue);
    let common = Common::new(old, new, in_parts, stop)?;
    let views = base.view.zip(head.view);
    let of_schemas = || {
        let mut pairing = Pairing::new(old, new, &common, stop)?;
        let unread = unread::take(&mut pairing, old, new);
        let mut changes = Vec::new();
        let pairs = operators::compare(old, new, &pairing, &mut changes, stop)?;
        generated::compare(old, new, &pairing, &mut changes);
        stop.check()?;
        groups::compare(old, new, &pairing, &mut changes, stop)?;
        policy_rules::compare(old, new, &pairs, &mut changes);
        shadowing::compare(old, new, &pairing, &mut changes, stop)?;
        moved::compare(old, new, &pairing, &mut changes);
        deprecated::compare(old, new, &mut changes);
        let faces = audiences::Faces::of(old, new, &pairs, &changes, stop)?;
        let of_formulas = views.map(|views| formulas::compare(views, &pairing, stop));
        let changes = (shared(changes), of_formulas.transpose()?);
        Ok((pairs, changes, faces, unread))
    };
    let of_entries = || {
        let tables = || views.map(|(a, b)| support::Tables::new(a, b, &common));
        let (changes, tables) = both(in_parts, || entries(old, new, &common, stop), tables);
        let changes = changes?;
        let found = tables.map(|tables| tables.after(&changes).compare(&common, in_parts, stop));
        Ok((changes, found.transpose()?))
    };
    let (of_schemas, of_entries) = both(in_parts, of_schemas, of_entries);
    let (pairs, (of_schemas, of_formulas), faces, unread) = of_schemas?;
    let (of_entries, found) = of_entries?;
    let support::Found {
        changes: of_tables,
        mut tables,
    } = found.unwrap_or_default();
    let of_formulas = of_formulas.unwrap_or_default().beside(&of_tables);
    // What an entry says of itself is what its table follows from, before what is generated from it.
    let lists = vec![of_entries, of_schemas, of_tables, shared(of_formulas)];
    let mut changes = joined(lists);
    audiences::refine(old, &faces, &mut changes, in_parts);
    stop.check()?;
    let (order, ()) = both(
        in_parts,
        || order(&changes, in_parts),
        || name_causes((old, new), &common, &changes, &mut tables),
    );
    let mut places = vec![0; order.len()];
    for (place, &old) in order.iter().enumerate() {
        places[old] = place;
    }
    for table in &mut tables {
        table.cause = table.cause.map(|cause| places[cause]);
    }
    let mut unsorted: Vec<_> = changes.into_iter().map(Some).collect();
    let sorted = order.iter().filter_map(|&old| unsorted[old].take());
    stop.check()?;
    Ok(Comparison {
        pairs,
        changes: sorted.collect(),
        tables,
        has_dispatch: views.is_some(),
        unread,
    })
}

/// The fields of every entry that both sides write.
fn entries(
    base: &Catalogue,
    head: &Catalogue,
    common: &Common,
    stop: &Stop,
) -> Result<Vec<Arc<Change>>, Stopped> {
    // Those of one entry, and all. What grows holds pointers: changes are megabytes.
    let (mut found, mut changes) = (Vec::new(), Vec::new());
    for part in common.unshared.chunks(READ_AHEAD) {
        stop.check()?;
        let entries = part.iter();
        read_ahead(entries.map(|&(old, new)| {
            let entry = |side: &Catalogue, id| Some(side.operator(id).declared()?.entry.glimpse());
            (entry(base, old), entry(head, new))
        }));
        for &(old, new) in part {
            let sides = (DeclaredEntry::of(base, old), DeclaredEntry::of(head, new));
            if let (Some(before), Some(after)) = sides {
                let name = before.operator.shared_name();
                fields::compare(&name, before, after, &mut found);
                kernels::compare(&name, (base, before), (head, after), &mut found);
                tag_changes::compare(&name, before, after, &head.tags, &mut found);
                let found = found.drain(..);
                changes.extend(found.map(|change| Arc::new(change.at((old, new)))));
            }
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
    let declared = changes.iter().enumerate().filter(|(_, change)| {
        change.rule.group == Group::Dispatch || change.rule.group == Group::Generated
    });
    for (i, change) in declared {
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
        let in_base = || {
            let operator = base.operator(old);
            match operator.generated_from() {
                Some(from) => of_base[from.index()],
                None => of_delegate(operator),
            }
        };
        let in_head = || {
            let operator = head.operator(new);
            match operator.generated_from() {
                Some(from) => match common.in_base[from.index()] {
                    Some(from) => of_base[from.index()],
                    None => of_name(head.operator(from).qualified_name()),
                },
                None => of_delegate(operator),
            }
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

/// From so many changes on, they are sorted in two halves: below, to begin the second one costs more than it spares.
const MANY: usize = 1_000;

/// By operator, the worst first, so that related changes are adjacent: which change stands where.
fn order(changes: &[Arc<Change>], in_parts: &dyn opatlas_source::Pair) -> Vec<usize> {
    let rank = |change: &Change| {
        let of_operator = !change.is_compound();
        (of_operator, Reverse(change.level), change.rule.id)
    };
    // Names are scattered in memory, and the first bytes of most already differ.
    let beginnings = changes.iter().map(|change| beginning(&change.operator));
    let mut order: Vec<_> = beginnings.zip(0..changes.len()).collect();
    let compare = |&(first, a): &(u128, usize), &(second, b): &(u128, usize)| {
        if first != second {
            return first.cmp(&second);
        }
        let (a, b) = (&changes[a], &changes[b]);
        let by_rank = || rank(a).cmp(&rank(b));
        // Few agree in all that comes before, so the text is seldom made.
        let by_subject = || a.subject.joined().cmp(&b.subject.joined());
        let by_operator = a.operator.cmp(&b.operator);
        by_operator.then_with(by_rank).then_with(by_subject)
    };
    if order.len() > MANY {
        let (one, other) = order.split_at_mut(changes.len() / 2);
        let sort = |half: &mut [(u128, usize)]| half.sort_by(compare);
        both(in_parts, || sort(one), || sort(other));
    }
    // Where both halves are sorted, this merges them.
    order.sort_by(compare);
    order.into_iter().map(|(_, at)| at).collect()
}

/// The first bytes of a name as a number, which is less where the name comes before.
fn beginning(name: &str) -> u128 {
    let mut bytes = [0; size_of::<u128>()];
    for (byte, &letter) in bytes.iter_mut().zip(name.as_bytes()) {
        *byte = letter;
    }
    u128::from_be_bytes(bytes)
}
