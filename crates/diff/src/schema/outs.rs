//! Out arguments, and arguments that became or ceased to be one.

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
    let gone = alignment
        .removed
        .iter()
        .filter(|&&i| old.arguments[i].is_out());
    let came = alignment
        .added
        .iter()
        .filter(|&&j| new.arguments[j].is_out());
    let (gone, came): (Vec<_>, Vec<_>) = (gone.copied().collect(), came.copied().collect());
    replaced(found);
    for old in gone {
        let change = found.argument(ChangeRuleId::OutArgumentRemoved, Some(old), None);
        found.add(change);
    }
    for new in came {
        let change = found.argument(ChangeRuleId::OutArgumentAdded, None, Some(new));
        found.add(change);
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

/// Out arguments traded for plain ones or the reverse: where one side has fewer of the one and at
/// least as many more of the other, torch looks past the end of the list
/// (`docs/spec/compatibility.md`, section 2.6).
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
