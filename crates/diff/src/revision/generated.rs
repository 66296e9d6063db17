//! Operators that `autogen` generates: they are registered like any other, without an entry.

use crate::rules::ChangeRuleId;
use rustc_hash::FxHashSet;

use super::pairing::Pairing;
use super::side::entry_place;
use crate::change::{Change, Fragment, Note, Subject};
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::entry::Field;
use opatlas_operators::operator::OperatorId;
use opatlas_schema::name::OperatorName;

/// Adds generated operators that were added, removed or declared, and names that `autogen` lists or
/// no longer lists.
pub(super) fn compare(
    base: &Catalogue,
    head: &Catalogue,
    pairing: &Pairing<'_>,
    changes: &mut Vec<Change>,
) {
    common(base, head, pairing, changes);
    let removed: FxHashSet<OperatorId> = pairing.removed.iter().copied().collect();
    for &id in &pairing.removed {
        let operator = base.operator(id);
        let Some(source) = operator.generated_from() else {
            continue;
        };
        let rule = ChangeRuleId::AutogenRemoved;
        let change = Change::new(rule, operator.shared_name(), Subject::Operator);
        let mut change = change.old(declaration(base, id));
        if removed.contains(&source) {
            change = change.note(Note::WentWith(base.operator(source).shared_name()));
        }
        changes.push(change);
    }
    for &id in &pairing.added {
        let operator = head.operator(id);
        if operator.is_generated() {
            let rule = ChangeRuleId::AutogenAdded;
            let change = Change::new(rule, operator.shared_name(), Subject::Operator);
            changes.push(change.new_side(declaration(head, id)));
        }
    }
}

/// Operators that both sides have, and at least one of them generates.
fn common(base: &Catalogue, head: &Catalogue, pairing: &Pairing<'_>, changes: &mut Vec<Change>) {
    let (old_names, new_names) = (listed_names(base), listed_names(head));
    for &(old, new) in &pairing.common.unshared {
        let operator = base.operator(old);
        let name = operator.name_text();
        let is_generated = (operator.is_generated(), head.operator(new).is_generated());
        let is_listed = (old_names.contains(name), new_names.contains(name));
        let rule = match (is_generated, is_listed) {
            ((true, false), _) => ChangeRuleId::AutogenBecameExplicit,
            ((false, true), _) => ChangeRuleId::AutogenAdded,
            // It is generated whether or not it is listed, but the declaration changed.
            ((true, true), (true, false)) => ChangeRuleId::AutogenRemoved,
            ((true, true), (false, true)) => ChangeRuleId::AutogenAdded,
            _ => continue,
        };
        let words = |(is_generated, is_listed): (bool, bool)| match (is_generated, is_listed) {
            (false, _) => "declared",
            (true, true) => "generated, listed in `autogen`",
            (true, false) => "generated, not listed in `autogen`",
        };
        let side = |catalogue, id, state| {
            let declaration = declaration(catalogue, id)?;
            Some(Fragment::of_field(
                words(state),
                declaration.place.map(|place| place.span),
            ))
        };
        let mut change = Change::new(rule, operator.shared_name(), Subject::Operator)
            .old(side(base, old, (is_generated.0, is_listed.0)))
            .new_side(side(head, new, (is_generated.1, is_listed.1)));
        if is_generated == (true, true) {
            change = change.note(Note::StillGenerated);
        }
        changes.push(change);
    }
}

fn listed_names(catalogue: &Catalogue) -> FxHashSet<&str> {
    let entries = catalogue.native_functions.entries.iter();
    let names = entries.flat_map(|placed| &placed.entry.autogen);
    names
        .map(|name| OperatorName::as_str(&name.value))
        .collect()
}

/// The operator's schema, placed at its entry, or at its name in the `autogen` of its source.
fn declaration(catalogue: &Catalogue, id: OperatorId) -> Option<Fragment> {
    let operator = catalogue.operator(id);
    let place = match entry_place(catalogue, id) {
        Some(place) => place,
        None => {
            let placed = catalogue.operator(operator.generated_from()?).declared()?;
            let entry = &placed.entry;
            let mut names = entry.autogen.iter();
            let name = names.find(|name| name.value == *operator.name());
            let field = || entry.field(Field::Autogen).map(|field| field.value);
            placed.place(
                name.map(|name| name.at)
                    .or_else(field)
                    .unwrap_or(entry.func_at),
            )
        }
    };
    Some(Fragment::of_field(operator.canonical(), Some(place)))
}
