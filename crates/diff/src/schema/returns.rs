//! Returns: how many, their names, types and annotations.

use super::align::Alignment;
use super::types::{TypeChange, size_change, type_change};
use super::{Found, alias};
use crate::change::Subject;
use crate::official::{Argument, Type, same};

pub(super) fn compare(found: &mut Found<'_>, alignment: &Alignment, is_other_kind: bool) {
    let (old, new) = (found.old.schema, found.new.schema);
    let whole = |found: &Found<'_>, rule| {
        let change = found.change(rule, Subject::Operator);
        change
            .old(found.old.returns())
            .new_side(found.new.returns())
    };
    if old.is_varret != new.is_varret {
        let change = whole(found, "varret-changed");
        found.add(change);
    }
    if old.returns.len() != new.returns.len() {
        let change = whole(found, "return-count-changed");
        found.add(change);
        if gathered(&old.returns, &new.returns) || gathered(&new.returns, &old.returns) {
            let change = whole(found, "return-type-changed");
            found.add(change);
        }
        return;
    }
    let order = order(&old.returns, &new.returns);
    if order.is_some() {
        let change = whole(found, "return-reordered");
        found.add(change);
    }
    let order = order.unwrap_or_else(|| (0..old.returns.len()).collect());
    names(found, &order);
    for (i, j) in order.into_iter().enumerate() {
        let (before, after) = (&old.returns[i], &new.returns[j]);
        let rule = match type_change((found.old, found.new), (before, after)) {
            TypeChange::Same => size_change(before, after).map(|_| "return-type-changed"),
            TypeChange::SymInt | TypeChange::DeSymInt => Some("return-type-symint"),
            TypeChange::Erased => Some("return-type-changed-erased"),
            TypeChange::Widened => Some("return-type-widened"),
            TypeChange::Narrowed => Some("return-type-narrowed"),
            TypeChange::Other => Some("return-type-changed"),
        };
        if let Some(rule) = rule {
            let change = found.result(rule, i, j);
            found.add(change);
        }
        if !is_other_kind && alias::return_changed(found, alignment, before, after) {
            let change = found.result("return-alias-changed", i, j);
            found.add(change);
        }
    }
}

/// Whether several returns of one type came together in a list of it.
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

/// The new place of each old return where the same ones stand in another order: by name where all
/// have one, else by type. `None` when the order is the same, or cannot be told.
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
    let mut taken = vec![false; news.len()];
    let mut order = Vec::with_capacity(olds.len());
    for label in &olds {
        let there = (0..news.len()).find(|&j| !taken[j] && news[j] == *label)?;
        taken[there] = true;
        order.push(there);
    }
    Some(order)
}

/// Names that came, went or changed. That they came or went together is one change.
fn names(found: &mut Found<'_>, order: &[usize]) {
    let (old, new) = (found.old.schema, found.new.schema);
    let (mut came, mut went) = (None, None);
    for (i, &j) in order.iter().enumerate() {
        match (old.returns[i].name, new.returns[j].name) {
            (a, b) if a == b => {}
            ("", _) => came = came.or(Some((i, j))),
            (_, "") => went = went.or(Some((i, j))),
            _ => {
                let change = found.result("return-renamed", i, j);
                found.add(change);
            }
        }
    }
    for (rule, first) in [("return-name-added", came), ("return-name-removed", went)] {
        if first.is_some() {
            let change = found
                .change(rule, Subject::Operator)
                .old(found.old.returns())
                .new_side(found.new.returns());
            found.add(change);
        }
    }
}
