//! What follows from the removal of an operator: operators that call it fail.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::change::{Change, Note};
use crate::rules::ChangeRuleId;

/// Lists in the change of each removed operator the operators that fail without it.
pub(super) fn add_callers(of_schemas: &mut [Change], of_tables: &[Change]) {
    let mut callers: BTreeMap<&str, BTreeSet<&Arc<str>>> = BTreeMap::new();
    let lost = of_tables.iter();
    for change in lost.filter(|change| change.rule.id == ChangeRuleId::BackendSupportLost) {
        for note in &change.notes {
            let Note::NeedsRemoved(removed) = note else {
                continue;
            };
            for name in removed {
                let failing = callers.entry(name).or_default();
                failing.insert(&change.operator);
                failing.extend(&change.also);
            }
        }
    }
    for change in of_schemas {
        let is_removal = matches!(
            change.rule.id,
            ChangeRuleId::OperatorRemoved | ChangeRuleId::OverloadRemoved
        );
        if let Some(failing) = callers.get(&*change.operator)
            && is_removal
        {
            let failing = failing.iter().map(|name| Arc::clone(name)).collect();
            change.notes.push(Note::CallersFail(failing));
        }
    }
}
