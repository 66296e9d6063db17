//! The number, names, types and annotations of returns.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::ChangeCollector;
use super::alias::AliasMoves;
use super::align::Alignment;
use super::types::{TypeChange, size_change, type_change};
use crate::change::Subject;
use crate::official::{Argument, Type, same};
use crate::rules::ChangeRuleId;

pub(super) fn compare(found: &mut ChangeCollector<'_>, alignment: &Alignment, is_other_kind: bool) {
    let (old, new) = (found.old.schema, found.new.schema);
    let whole = |found: &ChangeCollector<'_>, rule| {
        let change = found.change(rule, Subject::Operator);
        change
            .old(found.old.returns())
            .new_side(found.new.returns())
    };
    if old.is_varret != new.is_varret {
        let change = whole(found, ChangeRuleId::VarretChanged);
        found.add(change);
    }
    if old.returns.len() != new.returns.len() {
        let change = whole(found, ChangeRuleId::ReturnCountChanged);
        found.add(change);
        if gathered(&old.returns, &new.returns) || gathered(&new.returns, &old.returns) {
            let change = whole(found, ChangeRuleId::ReturnTypeChanged);
            found.add(change);
        }
        return;
    }
    let order = order(&old.returns, &new.returns);
    if order.is_some() {
        let change = whole(found, ChangeRuleId::ReturnReordered);
        found.add(change);
    }
    let order = order.unwrap_or_else(|| (0..old.returns.len()).collect());
    names(found, &order);
    let moves = AliasMoves::new(old, new, alignment);
    for (i, j) in order.into_iter().enumerate() {
        let (before, after) = (&old.returns[i], &new.returns[j]);
        let rule = match type_change((found.old, found.new), (before, after)) {
            TypeChange::Same => size_change(before, after).map(|_| ChangeRuleId::ReturnTypeChanged),
            TypeChange::SymInt | TypeChange::DeSymInt => Some(ChangeRuleId::ReturnTypeSymint),
            TypeChange::Erased => Some(ChangeRuleId::ReturnTypeChangedErased),
            TypeChange::Widened => Some(ChangeRuleId::ReturnTypeWidened),
            TypeChange::Narrowed => Some(ChangeRuleId::ReturnTypeNarrowed),
            TypeChange::Other => Some(ChangeRuleId::ReturnTypeChanged),
        };
        if let Some(rule) = rule {
            let change = found.result(rule, i, j);
            found.add(change);
        }
        if !is_other_kind && moves.is_own_change(before, after) {
            let change = found.result(ChangeRuleId::ReturnAliasChanged, i, j);
            found.add(change);
        }
    }
}

fn gathered(several: &[Argument<'_>], one: &[Argument<'_>]) -> bool {
    match one {
        [
            Argument {
                ty: Type::List(item),
                ..
            },
        ] => several.len() > 1 && several.iter().all(|ret| same(&ret.ty, item)),
        _ => false,
    }
}

/// The new position of each old return if the returns were reordered, by name and type. `None` if the
/// order is the same or unknown.
fn order(old: &[Argument<'_>], new: &[Argument<'_>]) -> Option<Vec<usize>> {
    let label = |ret: &Argument<'_>| match ret.name {
        "" => ret.ty.text(),
        name => format!("{name}:"),
    };
    let olds: Vec<String> = old.iter().map(label).collect();
    let news: Vec<String> = new.iter().map(label).collect();
    if olds == news {
        return None;
    }
    let mut free: FxHashMap<&str, VecDeque<usize>> = FxHashMap::default();
    for (j, label) in news.iter().enumerate() {
        free.entry(label).or_default().push_back(j);
    }
    let there = |label: &String| free.get_mut(&**label)?.pop_front();
    olds.iter().map(there).collect()
}

/// Names that were added, removed or changed. Adding or removing several names is one change.
fn names(found: &mut ChangeCollector<'_>, order: &[usize]) {
    let (old, new) = (found.old.schema, found.new.schema);
    let (mut is_added, mut is_removed) = (false, false);
    for (i, &j) in order.iter().enumerate() {
        match (old.returns[i].name, new.returns[j].name) {
            (a, b) if a == b => {}
            ("", _) => is_added = true,
            (_, "") => is_removed = true,
            _ => {
                let change = found.result(ChangeRuleId::ReturnRenamed, i, j);
                found.add(change);
            }
        }
    }
    for (rule, is_changed) in [
        (ChangeRuleId::ReturnNameAdded, is_added),
        (ChangeRuleId::ReturnNameRemoved, is_removed),
    ] {
        if is_changed {
            let change = found
                .change(rule, Subject::Operator)
                .old(found.old.returns())
                .new_side(found.new.returns());
            found.add(change);
        }
    }
}
