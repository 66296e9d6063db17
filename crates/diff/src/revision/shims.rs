//! Breaks of packages compiled ahead of time: functions of the C shim of AOTInductor, and
//! operators that the stable headers call by name (`docs/spec/ways.md`).

use std::sync::Arc;

use super::side::entry_place;
use crate::change::{Change, Fragment, Note, Subject};
use crate::rules::ChangeRuleId;
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::operator::{Operator, OperatorId};
use opatlas_operators::shim::{DeviceShim, ShimLists, device_shims, lost_shims, version_entry};
use opatlas_pytorch::ways::{Registry, facts};
use opatlas_schema::types::Type;

/// Adds the changes of all operators that the base's lists name.
pub(super) fn compare(base: &Catalogue, head: &Catalogue, changes: &mut Vec<Change>) {
    let lists = ShimLists::of_revision;
    let (Some(old), Some(new), Some(facts)) = (lists(base), lists(head), facts(base.release))
    else {
        return;
    };
    for name in old.names() {
        if let Some(id) = base.find_qualified(name) {
            changes.extend(shim((base, id, &old), (head, &new)));
        }
    }
    let stable_names = facts.members(Registry::StableOps).map(|(name, _)| name);
    // The headers call the C function of an operator that has one for all devices.
    for name in stable_names.filter(|name| old.shimified(name).is_none()) {
        let ids = base.find_qualified(name).zip(head.find_qualified(name));
        changes.extend(ids.and_then(|ids| stable((base, ids.0), (head, ids.1))));
    }
}

/// The change of one listed operator.
fn shim(
    (base, old, old_lists): (&Catalogue, OperatorId, &ShimLists),
    (head, new_lists): (&Catalogue, &ShimLists),
) -> Option<Change> {
    let operator = base.operator(old);
    let name = operator.shared_name();
    let before = device_shims(base, old, old_lists);
    let Some(new) = head.find_qualified(&name) else {
        let lost = lost_shims(&before, &[]);
        return removed((base, old), &lost);
    };
    let after = device_shims(head, new, new_lists);
    let lost = lost_shims(&before, &after);
    let Some(first) = lost.first() else {
        return version_added((base, old, &before), (head, new, &after));
    };
    let Some(now) = counterpart(first, &after) else {
        return removed((base, old), &lost);
    };
    let change = Change::new(
        ChangeRuleId::ShimChanged,
        Arc::clone(&name),
        functions(&lost),
    )
    .old(fragment(base, old, first))
    .new_side(fragment(head, new, now));
    let schema = head.operator(new).schema();
    let entry = version_entry(&before, operator.schema(), (head, new), schema, new_lists);
    Some(match entry {
        Some(entry) => change.note(Note::ShimVersion(entry.into())),
        None => change,
    })
}

/// The declaration of the same function after the change.
fn counterpart<'a>(lost: &str, after: &'a [DeviceShim]) -> Option<&'a str> {
    let name = function(lost);
    let mut all = after.iter().flat_map(|shim| &shim.declarations);
    let found = all.find(|declaration| function(declaration) == name);
    found.map(String::as_str)
}

/// `aoti_torch_cpu_cat` of its declaration.
fn function(declaration: &str) -> &str {
    let name = declaration.split('(').next().unwrap_or_default();
    name.rsplit(' ').next().unwrap_or_default()
}

fn functions(declarations: &[&str]) -> Subject {
    let names = declarations.iter().map(|one| function(one).into());
    Subject::Names(names.collect())
}

/// The declaration without the macro and the type that all of them have.
fn fragment(catalogue: &Catalogue, id: OperatorId, declaration: &str) -> Fragment {
    let name = function(declaration);
    let parameters = declaration.find('(').map(|at| &declaration[at..]);
    let text = format!(
        "{name}{}",
        parameters.unwrap_or_default().trim_end_matches(';')
    );
    let source = catalogue.operator(id).generated_from().unwrap_or(id);
    Fragment::of_field(text, entry_place(catalogue, source))
}

fn removed((base, old): (&Catalogue, OperatorId), lost: &[&str]) -> Option<Change> {
    let first = lost.first()?;
    let name = base.operator(old).shared_name();
    let change = Change::new(ChangeRuleId::ShimRemoved, name, functions(lost));
    Some(change.old(fragment(base, old, first)))
}

fn version_added(
    (base, old, before): (&Catalogue, OperatorId, &[DeviceShim]),
    (head, new, after): (&Catalogue, OperatorId, &[DeviceShim]),
) -> Option<Change> {
    let newest = |shims: &[DeviceShim]| {
        let counts = shims.iter().map(|shim| shim.declarations.len());
        counts.max().unwrap_or_default()
    };
    if before.is_empty() || newest(after) <= newest(before) {
        return None;
    }
    let shims = after.iter();
    let added: Vec<&str> = shims
        .filter_map(|shim| shim.declarations.first().map(String::as_str))
        .collect();
    let name = base.operator(old).shared_name();
    let change = Change::new(ChangeRuleId::ShimVersionAdded, name, functions(&added));
    Some(change.new_side(fragment(head, new, added.first()?)))
}

/// The change of an operator that the stable headers call, if it takes or returns other types.
fn stable(
    (base, old): (&Catalogue, OperatorId),
    (head, new): (&Catalogue, OperatorId),
) -> Option<Change> {
    let (before, after) = (base.operator(old), head.operator(new));
    if types(before).eq(types(after)) {
        return None;
    }
    let text = |catalogue, id, operator: &Operator| {
        Fragment::of_field(operator.canonical(), entry_place(catalogue, id))
    };
    let change = Change::new(
        ChangeRuleId::StableOperatorChanged,
        before.shared_name(),
        Subject::Operator,
    );
    Some(
        change
            .old(text(base, old, before))
            .new_side(text(head, new, after)),
    )
}

/// The types of all arguments and returns, in the order of the stack.
fn types(operator: &Operator) -> impl Iterator<Item = Option<&Type>> {
    let schema = operator.schema();
    let arguments = schema.arguments.all().iter().map(|one| Some(&one.ty));
    let returns = schema.returns.iter().map(|one| Some(&one.ty));
    arguments.chain([None]).chain(returns)
}
