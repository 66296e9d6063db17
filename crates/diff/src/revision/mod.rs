//! What changed between two revisions: operators, their entries, the operators that `autogen`
//! generates, and backend support (`docs/spec/compatibility.md`, section 4).
//!
//! Levels are those of [`super::rules`]. [`super::policy`] applies profiles, policies and exceptions.

mod audiences;
mod cpp_calls;
mod deprecated;
mod direct;
mod entries;
mod formulas;
mod generated;
mod groups;
mod moved;
mod operators;
mod pair;
mod pairing;
mod policy_rules;
mod removals;
mod shadowing;
mod shims;
mod side;
mod tables;
mod tag_members;
mod unread;
mod ways;

use std::cmp::{Ordering, Reverse};
use std::sync::Arc;

use super::change::Change;
use opatlas_operators::catalogue::Catalogue;
use opatlas_source::{Stop, Stopped};

use audiences::{DeclarationMatches, Refiner};
use pairing::{Common, Pairing};

pub use pair::Pair;
pub use policy_rules::CORE;
pub use side::Revision;
pub use tables::{Cell, CellChange, TableChange};
pub use unread::{Unread, UnreadSide};

/// Everything that differs between two revisions.
#[derive(Debug, Clone, Default)]
pub struct Comparison {
    /// The operators whose schema differs or that only one side has, by name.
    pub pairs: Vec<Pair>,
    /// All changes, sorted by operator, the worst first.
    pub changes: Vec<Arc<Change>>,
    /// The dispatch tables that changed, by operator.
    pub tables: Vec<TableChange>,
    /// Whether dispatch tables were compared.
    pub has_dispatch: bool,
    /// Entries that could not be read, and operators that may be hidden in them.
    pub unread: Vec<Unread>,
}

/// Compares two revisions. Dispatch tables are compared only if both sides have a view.
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
    let mut pairing = Pairing::new(old, new, &common, stop)?;
    let unread = unread::take(&mut pairing, old, new);
    let mut changes = entries::compare(old, new, &common, stop)?;
    tag_members::compare(old, new, &mut changes);
    let (pairs, mut of_schemas, declarations) = schemas(old, new, &pairing, stop)?;
    let mut tables = Vec::new();
    let mut of_tables = Vec::new();
    if let Some((before, after)) = views {
        (tables, of_tables) = tables::compare(before, after, &common, &changes, stop)?;
        let of_ways = ways::compare(before, after, &common, &changes, stop)?;
        let of_formulas = formulas::compare(before, after, &pairing, &of_tables, stop)?;
        of_tables.extend(of_formulas);
        of_tables.extend(of_ways);
        removals::add_callers(&mut of_schemas, &of_tables);
    }
    // A table follows from the first change of its operator in this order.
    changes.extend(of_schemas);
    changes.extend(of_tables);
    let refiner = Refiner::new(old, &declarations);
    for change in &mut changes {
        refiner.refine(change);
    }
    tables::set_causes(&mut tables, old, new, &changes);
    Ok(Comparison {
        pairs,
        changes: sorted(changes, &mut tables),
        tables,
        has_dispatch: views.is_some(),
        unread,
    })
}

fn schemas(
    old: &Catalogue,
    new: &Catalogue,
    pairing: &Pairing<'_>,
    stop: &Stop,
) -> Result<(Vec<Pair>, Vec<Change>, DeclarationMatches), Stopped> {
    let mut changes = Vec::new();
    let pairs = operators::compare(old, new, pairing, &mut changes, stop)?;
    generated::compare(old, new, pairing, &mut changes);
    stop.check()?;
    groups::compare(old, new, pairing, &mut changes, stop)?;
    policy_rules::compare(old, new, &pairs, &mut changes);
    shadowing::compare(old, new, pairing, &mut changes, stop)?;
    cpp_calls::compare(old, new, pairing, &mut changes, stop)?;
    direct::compare(old, new, pairing.common, &mut changes, stop)?;
    moved::compare(old, new, pairing, &mut changes);
    deprecated::compare(old, new, &mut changes);
    shims::compare(old, new, &mut changes);
    let declarations = DeclarationMatches::new(old, new, &pairs, &changes, stop)?;
    Ok((pairs, changes, declarations))
}

fn sorted(changes: Vec<Change>, tables: &mut [TableChange]) -> Vec<Arc<Change>> {
    let mut changes: Vec<(usize, Change)> = changes.into_iter().enumerate().collect();
    changes.sort_by(|(_, a), (_, b)| by_operator(a, b));
    let mut places = vec![0; changes.len()];
    for (place, (at, _)) in changes.iter().enumerate() {
        places[*at] = place;
    }
    for table in tables {
        table.cause = table.cause.map(|cause| places[cause]);
    }
    changes
        .into_iter()
        .map(|(_, change)| Arc::new(change))
        .collect()
}

/// The order of changes. A compound change comes before the changes that it represents.
fn by_operator(a: &Change, b: &Change) -> Ordering {
    let rank = |change: &Change| (!change.is_compound(), Reverse(change.level), change.rule.id);
    a.operator
        .cmp(&b.operator)
        .then_with(|| rank(a).cmp(&rank(b)))
        .then_with(|| a.subject.joined().cmp(&b.subject.joined()))
}
