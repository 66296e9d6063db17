//! Tags that were added or removed (`docs/spec/compatibility.md`, section 5, tag). Only declared
//! tags count, not those that the release adds.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::super::side::DeclaredEntry;
use crate::change::{Change, Subject};
use crate::rules::{Audience, Audiences, ChangeRuleId};
use opatlas_operators::entry::Field;
use opatlas_operators::tags::{DeclaredTags, written};

const POINTWISE: &str = "pointwise";

/// Inductor fuses, DTensor shards and jagged nested tensors run operators with the tag `pointwise`
/// (`torch/distributed/tensor/_ops/_pointwise_ops.py`, `torch/nested/_internal/ops.py`).
const BY_POINTWISE: Audiences = Audiences::of(&[Audience::Compiler, Audience::Transforms]);

/// Adds the changes between the tags of two entries of one operator. `known` are the head's tags.
pub(super) fn compare(
    operator: &Arc<str>,
    old: DeclaredEntry<'_>,
    new: DeclaredEntry<'_>,
    known: &DeclaredTags,
    changes: &mut Vec<Change>,
) {
    let before: BTreeSet<&str> = written(old.entry()).collect();
    let after: BTreeSet<&str> = written(new.entry()).collect();
    let added = after.difference(&before).map(|tag| (*tag, true));
    let removed = before.difference(&after).map(|tag| (*tag, false));
    let mut by_rule: Vec<(ChangeRuleId, Vec<Arc<str>>)> = Vec::new();
    for (tag, is_new) in added.chain(removed) {
        let rule = if is_new && known.find(tag).is_none() {
            ChangeRuleId::TagUnknown
        } else {
            rule_of(tag, is_new)
        };
        match by_rule.iter_mut().find(|(known, _)| *known == rule) {
            Some((_, tags)) => tags.push(tag.into()),
            None => by_rule.push((rule, vec![tag.into()])),
        }
    }
    let joined = |tags: &BTreeSet<&str>| tags.iter().copied().collect::<Vec<_>>().join(", ");
    for (rule, tags) in by_rule {
        let is_lost = |tag: &str| before.contains(tag) && !after.contains(tag);
        let loses_pointwise = tags.iter().any(|tag| &**tag == POINTWISE && is_lost(tag));
        let mut change = Change::new(rule, Arc::clone(operator), Subject::Names(tags))
            .old(old.field(Field::Tags, joined(&before)))
            .new_side(new.field(Field::Tags, joined(&after)));
        if loses_pointwise {
            change.impacts.risks = BY_POINTWISE;
        }
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
