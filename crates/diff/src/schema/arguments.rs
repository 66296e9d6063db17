//! Plain arguments that changed, or were added or removed.

use super::align::{Alignment, Pair};
use super::defaults;
use super::types::{SizeChange, TypeChange, moves_symint, size_change, type_change};
use super::{ChangeCollector, Note};
use crate::change::Subject;
use crate::official::Argument;
use crate::rules;
use crate::rules::ChangeRuleId;
use crate::rules::{Audience, Audiences, Impacts};

pub(super) fn compare(found: &mut ChangeCollector<'_>, alignment: &Alignment) {
    variadic(found);
    for &(old, new) in &alignment.plain {
        pair(found, old, new);
    }
    reordered(found, alignment);
    for &old in &alignment.removed {
        removed(found, alignment, old);
    }
    let out_start = found.new.schema.out_start();
    let plain = alignment.plain.iter().map(|&(_, j)| j);
    let last_plain = plain.filter(|&j| j < out_start).max();
    for &new in &alignment.added {
        added(found, (out_start, last_plain), new);
    }
}

fn variadic(found: &mut ChangeCollector<'_>) {
    let (old, new) = (found.old, found.new);
    if old.schema.is_vararg != new.schema.is_vararg {
        let change = found.change(ChangeRuleId::VarargChanged, Subject::Operator);
        found.add(change.old(old.whole()).new_side(new.whole()));
    }
}

fn pair(found: &mut ChangeCollector<'_>, old: usize, new: usize) {
    let before = &found.old.schema.arguments[old];
    let after = &found.new.schema.arguments[new];
    let mut rules: Vec<ChangeRuleId> = Vec::new();
    if before.name != after.name {
        rules.push(ChangeRuleId::ArgumentRenamed);
    }
    let ty = type_change((found.old, found.new), (before, after));
    rules.extend(match ty {
        TypeChange::Same => None,
        TypeChange::SymInt => Some(ChangeRuleId::ArgumentTypeSymint),
        TypeChange::DeSymInt => Some(ChangeRuleId::ArgumentTypeDeSymint),
        TypeChange::Erased => Some(ChangeRuleId::ArgumentTypeChangedErased),
        TypeChange::Widened => Some(ChangeRuleId::ArgumentTypeWidened),
        TypeChange::Narrowed => Some(ChangeRuleId::ArgumentTypeNarrowed),
        TypeChange::Other => Some(ChangeRuleId::ArgumentTypeChanged),
    });
    rules.extend(size_change(before, after).map(|size| match size {
        SizeChange::Added => ChangeRuleId::ListSizeHintAdded,
        SizeChange::Removed => ChangeRuleId::ListSizeHintRemoved,
        SizeChange::Changed => ChangeRuleId::ListSizeHintChanged,
    }));
    match (before.is_kwarg_only, after.is_kwarg_only) {
        (false, true) => rules.push(ChangeRuleId::ArgumentBecameKwargOnly),
        (true, false) => rules.push(ChangeRuleId::ArgumentBecamePositional),
        _ => {}
    }
    let is_wider = matches!(ty, TypeChange::Widened | TypeChange::Narrowed);
    let also_symint = is_wider && moves_symint(&before.ty, &after.ty);
    for rule in rules {
        let mut change = found.argument(rule, Some(old), Some(new));
        if is_about_star(rule) {
            let sides = (found.old.whole_at(old), found.new.whole_at(new));
            change = change.old(sides.0).new_side(sides.1);
        }
        if also_symint && rule.as_str().starts_with("argument-type") {
            let symint = rules::of(ChangeRuleId::ArgumentTypeDeSymint);
            change.impacts = both(change.impacts, symint.impacts);
            change = change.note(Note::AlsoSymInt);
        }
        found.add(change);
    }
    defaults::compare(found, old, new, ty);
}

/// Whether the argument is the same, and only the `*` before or after it shows the change.
fn is_about_star(rule: ChangeRuleId) -> bool {
    matches!(
        rule,
        ChangeRuleId::ArgumentBecameKwargOnly | ChangeRuleId::ArgumentBecamePositional
    )
}

fn both(a: Impacts, b: Impacts) -> Impacts {
    let breaks = a.breaks.union(b.breaks);
    Impacts {
        breaks,
        risks: a.risks.union(b.risks).without(breaks),
    }
}

/// Reordered arguments. Out arguments are ordered among themselves.
fn reordered(found: &mut ChangeCollector<'_>, alignment: &Alignment) {
    if let Some(moved) = out_of_order(&alignment.out) {
        order(found, ChangeRuleId::OutArgumentReordered, &moved, false);
    }
    let mut all = [&alignment.plain[..], &alignment.out[..]].concat();
    all.sort_unstable();
    let moved = out_of_order(&alignment.plain).or_else(|| {
        // A plain argument that moved past an out argument.
        let all = out_of_order(&all)?;
        let is_out = |&(i, _): &Pair| found.old.schema.arguments[i].is_out();
        let of_both_kinds = all.iter().any(is_out) && !all.iter().all(is_out);
        of_both_kinds.then_some(all)
    });
    let Some(moved) = moved else {
        return;
    };
    let (old, new) = (&found.old.schema.arguments, &found.new.schema.arguments);
    let all_kwarg_only = moved
        .iter()
        .all(|&(i, j)| old[i].is_kwarg_only && new[j].is_kwarg_only);
    let swapped: Vec<&Pair> = moved.iter().filter(|&&(i, j)| i != j).collect();
    let silent = !swapped.is_empty()
        && swapped.iter().all(|&&(i, j)| {
            let now_there = &new[i.min(new.len() - 1)];
            old[i].ty.text() == now_there.ty.text() && new[j].name != now_there.name
        });
    let rule = if all_kwarg_only {
        ChangeRuleId::ArgumentReorderedKwargOnly
    } else {
        ChangeRuleId::ArgumentReordered
    };
    order(found, rule, &moved, silent && !all_kwarg_only);
}

fn order(found: &mut ChangeCollector<'_>, rule: ChangeRuleId, moved: &[Pair], silent: bool) {
    let old = &found.old.schema.arguments;
    let names = moved.iter().map(|&(i, _)| old[i].name.into()).collect();
    let mut change = found
        .change(rule, Subject::Names(names))
        .old(found.old.whole())
        .new_side(found.new.whole());
    if silent {
        change = change.note(Note::SilentSwap);
    }
    found.add(change);
}

/// The reordered pairs, in the old side's order; `None` if there are none.
fn out_of_order(pairs: &[Pair]) -> Option<Vec<Pair>> {
    // A pair is reordered if it crosses a pair before or after it.
    let mut least_behind = vec![usize::MAX; pairs.len() + 1];
    for (at, &(_, new)) in pairs.iter().enumerate().rev() {
        least_behind[at] = new.min(least_behind[at + 1]);
    }
    let (mut moved, mut most_before) = (Vec::new(), None);
    for (at, pair) in pairs.iter().enumerate() {
        if most_before > Some(pair.1) || least_behind[at + 1] < pair.1 {
            moved.push(*pair);
        }
        most_before = most_before.max(Some(pair.1));
    }
    (!moved.is_empty()).then_some(moved)
}

fn removed(found: &mut ChangeCollector<'_>, alignment: &Alignment, old: usize) {
    let argument = &found.old.schema.arguments[old];
    if argument.is_out() {
        return;
    }
    let has_default = argument.default.is_some();
    let is_last = alignment.plain.last().is_none_or(|&(i, _)| i < old);
    let mut change = found.argument(ChangeRuleId::ArgumentRemoved, Some(old), None);
    if !has_default || !is_last {
        // Without the argument, a call for the new side fails on the old one or binds the following
        // arguments wrongly.
        change.impacts.breaks = change
            .impacts
            .breaks
            .union(Audiences::of(&[Audience::NewModel]));
        change.impacts.risks = change.impacts.risks.without(change.impacts.breaks);
    }
    if !has_default {
        change = change.note(Note::HadNoDefault);
    }
    found.add(change);
}

/// `last_plain` is the last argument of both sides before the out arguments.
fn added(
    found: &mut ChangeCollector<'_>,
    (out_start, last_plain): (usize, Option<usize>),
    new: usize,
) {
    let argument = &found.new.schema.arguments[new];
    if argument.is_out() {
        return;
    }
    let rule = if new > out_start {
        ChangeRuleId::ArgumentAddedAfterOut
    } else if last_plain > Some(new) {
        ChangeRuleId::ArgumentInserted
    } else {
        match &argument.default {
            None => ChangeRuleId::ArgumentAddedRequired,
            Some(default) if default.is_list() => ChangeRuleId::ArgumentAddedContainerDefault,
            Some(_) => ChangeRuleId::ArgumentAddedWithDefault,
        }
    };
    let mut change = found.argument(rule, None, Some(new));
    if rule == ChangeRuleId::ArgumentInserted && binds_by_name(argument) {
        let python = Audiences::of(&[Audience::PythonKeyword, Audience::PythonPositional]);
        change.impacts.breaks = change.impacts.breaks.without(python);
        change.impacts.risks = change.impacts.risks.without(python);
        change = change.note(Note::KeywordOnlyInPython);
    }
    found.add(change);
}

fn binds_by_name(argument: &Argument<'_>) -> bool {
    argument.is_kwarg_only && argument.default.is_some()
}
