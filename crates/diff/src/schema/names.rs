//! Changes of a schema's name.

use super::ChangeCollector;
use crate::change::Subject;
use crate::rules::ChangeRuleId;

/// The rule for a change of name; `None` if the names are equal. A name is a namespace, base name and
/// overload name.
#[must_use]
pub fn rename_rule(old: (&str, &str, &str), new: (&str, &str, &str)) -> Option<ChangeRuleId> {
    let ((old_namespace, old_base, old_overload), (new_namespace, new_base, new_overload)) =
        (old, new);
    if old_namespace == new_namespace && old_base == new_base {
        return match (old_overload, new_overload) {
            (old, new) if old == new => None,
            ("", _) => Some(ChangeRuleId::OverloadNameAdded),
            (_, "") => Some(ChangeRuleId::OverloadNameRemoved),
            _ => Some(ChangeRuleId::OverloadRenamed),
        };
    }
    let same_otherwise = old_namespace == new_namespace && old_overload == new_overload;
    let is = |longer: &str, prefix: &str, shorter: &str, suffix: &str| {
        longer
            .strip_prefix(prefix)
            .and_then(|rest| rest.strip_suffix(suffix))
            == Some(shorter)
    };
    Some(if same_otherwise && is(new_base, "_", old_base, "") {
        ChangeRuleId::OperatorBecamePrivate
    } else if same_otherwise && is(old_base, "_", new_base, "") {
        ChangeRuleId::OperatorBecamePublic
    } else if same_otherwise && is(new_base, "", old_base, "_") {
        ChangeRuleId::OperatorBecameInplace
    } else if same_otherwise && is(old_base, "", new_base, "_") {
        ChangeRuleId::OperatorBecameFunctional
    } else {
        ChangeRuleId::OperatorRenamed
    })
}

/// Adds the change of name, if any. Returns whether the operator became in-place or functional, so that
/// its annotations had to change too.
pub(super) fn compare(found: &mut ChangeCollector<'_>) -> bool {
    let (old, new) = (found.old.schema, found.new.schema);
    let rule = rename_rule(
        (old.namespace, old.name, old.overload),
        (new.namespace, new.name, new.overload),
    );
    let Some(rule) = rule else {
        return false;
    };
    let change = found.change(rule, Subject::Operator);
    let change = change.old(found.old.name()).new_side(found.new.name());
    found.add(change);
    matches!(
        rule,
        ChangeRuleId::OperatorBecameInplace | ChangeRuleId::OperatorBecameFunctional
    )
}
