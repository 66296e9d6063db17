//! Defaults of an argument that both sides have.

use super::types::TypeChange;
use super::{ChangeCollector, Note};
use crate::official::{Argument, Value};
use crate::rules::ChangeRuleId;

/// Adds the change of the default. Like the runtime, this compares kinds and values
/// (`docs/spec/compatibility.md`, section 2.3).
pub(super) fn compare(found: &mut ChangeCollector<'_>, old: usize, new: usize, ty: TypeChange) {
    let before = &found.old.schema.arguments[old];
    let after = &found.new.schema.arguments[new];
    let rule = match (&before.default, &after.default) {
        (None, None) => return,
        (None, Some(_)) => ChangeRuleId::DefaultAdded,
        (Some(_), None) => ChangeRuleId::DefaultRemoved,
        (Some(a), Some(b)) if a == b => {
            if same_spelling(found, before, after) && !moved_silently(ty) {
                return;
            }
            ChangeRuleId::DefaultRespelled
        }
        (Some(_), Some(_)) if ty == TypeChange::Other => ChangeRuleId::DefaultChangedWithType,
        (Some(_), Some(_)) => ChangeRuleId::DefaultChanged,
    };
    let mut change = found.argument(rule, Some(old), Some(new));
    if let (Some(a), Some(b)) = (&before.default, &after.default)
        && a != b
        && number(a).is_some()
        && number(a) == number(b)
    {
        change = change.note(Note::SameNumberOtherKind);
    }
    found.add(change);
}

/// Whether an unchanged default is parsed for another type, because `int` and `SymInt` were exchanged.
fn moved_silently(ty: TypeChange) -> bool {
    matches!(ty, TypeChange::SymInt | TypeChange::DeSymInt)
}

fn same_spelling(found: &ChangeCollector<'_>, old: &Argument<'_>, new: &Argument<'_>) -> bool {
    let (Some(old), Some(new)) = (text(found.old, old), text(found.new, new)) else {
        return true;
    };
    old == new
}

fn text<'a>(side: super::Side<'a>, argument: &Argument<'_>) -> Option<&'a str> {
    if !side.has_spans {
        return None;
    }
    // Names and types do not contain `=`.
    let text = argument.span.slice(side.text);
    text.split_once('=').map(|(_, default)| default.trim())
}

#[expect(
    clippy::cast_precision_loss,
    reason = "only to tell whether two numbers look alike"
)]
fn number(value: &Value<'_>) -> Option<f64> {
    match value {
        Value::Bool(value) => Some(f64::from(u8::from(*value))),
        Value::Int(value) => Some(*value as f64),
        Value::Float(value) => Some(*value),
        _ => None,
    }
}
