//! Tags that came and went (`docs/spec/compatibility.md`, section 5, tag). What is written counts:
//! tags that a release adds by itself come with the release, not with the entry.

use std::sync::Arc;

use super::side::DeclaredEntry;
use crate::change::{Change, Subject};
use crate::rules::ChangeRuleId;
use opatlas_operators::entry::Field;
use opatlas_operators::tags::{DeclaredTags, written};

/// Adds what changed between the tags of two entries of one operator. `known` are the head's.
pub(super) fn compare(
    operator: &Arc<str>,
    old: DeclaredEntry<'_>,
    new: DeclaredEntry<'_>,
    known: &DeclaredTags,
    changes: &mut Vec<Change>,
) {
    if written(old.entry()).eq(written(new.entry())) {
        return;
    }
    let mut before: Vec<&str> = written(old.entry()).collect();
    let mut after: Vec<&str> = written(new.entry()).collect();
    before.sort_unstable();
    after.sort_unstable();
    before.dedup();
    after.dedup();
    if before == after {
        return;
    }
    // Both are sorted.
    let came = after
        .iter()
        .filter(|tag| before.binary_search(tag).is_err());
    let went = before
        .iter()
        .filter(|tag| after.binary_search(tag).is_err());
    let mut by_rule: Vec<(ChangeRuleId, Vec<Arc<str>>)> = Vec::new();
    let moved = came
        .map(|tag| (*tag, true))
        .chain(went.map(|tag| (*tag, false)));
    for (tag, is_new) in moved {
        let rule = match is_new && known.find(tag).is_none() {
            true => ChangeRuleId::TagUnknown,
            false => rule_of(tag, is_new),
        };
        match by_rule.iter_mut().find(|(known, _)| *known == rule) {
            Some((_, tags)) => tags.push(tag.into()),
            None => by_rule.push((rule, vec![tag.into()])),
        }
    }
    for (rule, tags) in by_rule {
        let change = Change::new(rule, Arc::clone(operator), Subject::Names(tags))
            .old(old.field(Field::Tags, before.join(", ")))
            .new_side(new.field(Field::Tags, after.join(", ")));
        changes.push(change);
    }
}

fn rule_of(tag: &str, is_new: bool) -> ChangeRuleId {
    match tag {
        "core" if is_new => ChangeRuleId::TagCoreAdded,
        "core" => ChangeRuleId::TagCoreRemoved,
        "inplace_view" | "view_copy" | "maybe_aliasing_or_mutating" => {
            ChangeRuleId::TagAliasBehaviourChanged
        }
        "nondeterministic_seeded" | "nondeterministic_bitwise" => {
            ChangeRuleId::TagDeterminismChanged
        }
        "dynamic_output_shape" | "data_dependent_output" => ChangeRuleId::TagShapeChanged,
        "needs_exact_strides"
        | "needs_fixed_stride_order"
        | "needs_contiguous_strides"
        | "flexible_layout" => ChangeRuleId::TagLayoutChanged,
        _ => ChangeRuleId::TagClassificationChanged,
    }
}
