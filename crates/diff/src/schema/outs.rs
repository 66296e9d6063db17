//! Out arguments, and arguments that became or stopped being out arguments.

use super::ChangeCollector;
use super::align::Alignment;
use super::types::{TypeChange, size_change, type_change};
use crate::change::Subject;
use crate::rules::ChangeRuleId;

pub(super) fn compare(found: &mut ChangeCollector<'_>, alignment: &Alignment) {
    for &(old, new) in &alignment.became_out {
        let change = found.argument(ChangeRuleId::ArgumentBecameOut, Some(old), Some(new));
        found.add(change);
    }
    for &(old, new) in &alignment.became_plain {
        let change = found.argument(ChangeRuleId::OutArgumentBecameInput, Some(old), Some(new));
        found.add(change);
    }
    for &(old, new) in &alignment.out {
        pair(found, old, new);
    }
    let (old, new) = (found.old.schema, found.new.schema);
    replaced(found);
    for &i in &alignment.removed {
        if old.arguments[i].is_out() {
            let change = found.argument(ChangeRuleId::OutArgumentRemoved, Some(i), None);
            found.add(change);
        }
    }
    for &j in &alignment.added {
        if new.arguments[j].is_out() {
            let change = found.argument(ChangeRuleId::OutArgumentAdded, None, Some(j));
            found.add(change);
        }
    }
}

fn pair(found: &mut ChangeCollector<'_>, old: usize, new: usize) {
    let before = &found.old.schema.arguments[old];
    let after = &found.new.schema.arguments[new];
    let mut rules = Vec::new();
    if before.name != after.name {
        rules.extend([
            ChangeRuleId::ArgumentRenamed,
            ChangeRuleId::OutArgumentRenamed,
        ]);
    }
    rules.extend(match type_change((found.old, found.new), (before, after)) {
        TypeChange::Same => {
            size_change(before, after).map(|_| ChangeRuleId::OutArgumentTypeChanged)
        }
        TypeChange::Widened => Some(ChangeRuleId::OutArgumentTypeWidened),
        TypeChange::Narrowed => Some(ChangeRuleId::OutArgumentTypeNarrowed),
        _ => Some(ChangeRuleId::OutArgumentTypeChanged),
    });
    for rule in rules {
        let change = found.argument(rule, Some(old), Some(new));
        found.add(change);
    }
}

/// Out arguments replaced by plain ones or the reverse. torch's check then reads past the end of the
/// list (`docs/spec/compatibility.md`, section 2.6).
fn replaced(found: &mut ChangeCollector<'_>) {
    let (old, new) = (found.old.schema, found.new.schema);
    let outs = |schema: &super::RuntimeSchema<'_>| schema.arguments.len() - schema.out_start();
    let (old_outs, new_outs) = (outs(old), outs(new));
    let traded = match old_outs.cmp(&new_outs) {
        std::cmp::Ordering::Greater => new.arguments.len() >= old.arguments.len(),
        std::cmp::Ordering::Less => old.arguments.len() >= new.arguments.len(),
        std::cmp::Ordering::Equal => false,
    };
    if traded {
        let change = found.change(ChangeRuleId::OutArgumentsReplaced, Subject::Operator);
        let change = change.old(found.old.whole()).new_side(found.new.whole());
        found.add(change);
    }
}
