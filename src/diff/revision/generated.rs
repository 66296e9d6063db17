//! Operators that `autogen` makes: they are registered like any other, but no entry shows them.

use rustc_hash::FxHashSet;

use super::pairing::Pairing;
use crate::diff::change::{Change, Fragment, Note, Subject};
use crate::model::catalogue::Catalogue;
use crate::model::entry::Field;
use crate::model::operator::{Operator, OperatorId};

/// Adds generated operators that came, went, or changed places with written ones, and names that
/// `autogen` lists or no longer lists.
pub(super) fn compare(
    base: &Catalogue,
    head: &Catalogue,
    pairing: &Pairing,
    changes: &mut Vec<Change>,
) {
    let (old_names, new_names) = (listed(base), listed(head));
    for &(old, new) in &pairing.same {
        let (before, after) = (base.operator(old), head.operator(new));
        let is_listed = |names: &FxHashSet<&str>| names.contains(before.name().as_str());
        let rule = match (before.is_generated(), after.is_generated()) {
            (true, false) => "autogen-became-explicit",
            (false, true) => "autogen-added",
            // It is generated whether or not it is listed; the declaration changed all the same.
            (true, true) => match (is_listed(&old_names), is_listed(&new_names)) {
                (true, false) => "autogen-removed",
                (false, true) => "autogen-added",
                _ => continue,
            },
            (false, false) => continue,
        };
        let mut change = Change::new(rule, before.qualified_name(), Subject::Operator)
            .old(declared(base, old))
            .new_side(declared(head, new));
        if before.is_generated() && after.is_generated() {
            change = change.note(Note::StillGenerated);
        }
        changes.push(change);
    }
    let gone: FxHashSet<OperatorId> = pairing.removed.iter().copied().collect();
    for &id in pairing
        .removed
        .iter()
        .filter(|id| base.operator(**id).is_generated())
    {
        let operator = base.operator(id);
        let mut change = Change::new(
            "autogen-removed",
            operator.qualified_name(),
            Subject::Operator,
        )
        .old(declared(base, id));
        if let Some(owner) = owner(operator).filter(|owner| gone.contains(owner)) {
            let owner = base.operator(owner).qualified_name();
            change = change.note(Note::WentWith(owner.into()));
        }
        changes.push(change);
    }
    for &id in pairing
        .added
        .iter()
        .filter(|id| head.operator(**id).is_generated())
    {
        let operator = head.operator(id);
        let change = Change::new(
            "autogen-added",
            operator.qualified_name(),
            Subject::Operator,
        );
        changes.push(change.new_side(declared(head, id)));
    }
}

/// All names in `autogen`.
fn listed(catalogue: &Catalogue) -> FxHashSet<&str> {
    let entries = catalogue.native_functions.entries.iter();
    entries
        .flat_map(|placed| &placed.entry.autogen)
        .map(|name| name.value.as_str())
        .collect()
}

fn owner(operator: &Operator) -> Option<OperatorId> {
    operator.generated().map(|generated| generated.from)
}

/// The operator's schema, at the place that brings it into being: its own entry, or `autogen` in
/// that of its owner.
fn declared(catalogue: &Catalogue, id: OperatorId) -> Option<Fragment> {
    let operator = catalogue.operator(id);
    let place = match operator.written() {
        Some(placed) => placed.place(placed.entry.func_at),
        None => {
            let placed = catalogue.operator(owner(operator)?).written()?;
            let entry = &placed.entry;
            let named = entry
                .autogen
                .iter()
                .find(|name| name.value == *operator.name());
            let field = || entry.field(Field::Autogen).map(|field| field.value);
            placed.place(
                named
                    .map(|name| name.at)
                    .or_else(field)
                    .unwrap_or(entry.func_at),
            )
        }
    };
    Some(Fragment::of_field(operator.canonical(), Some(place)))
}
