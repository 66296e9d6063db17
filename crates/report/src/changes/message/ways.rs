//! Sentences about ways to run an operator besides a plain call.

use super::{names, ticks};
use opatlas_diff::Change;
use opatlas_diff::rules::ChangeRuleId;
use opatlas_source::{Message, message};

pub(super) fn message(change: &Change) -> Option<Message> {
    let functions = ticks(&names(change));
    Some(match change.rule.id {
        ChangeRuleId::ShimChanged => message!(
            "packages compiled by AOTInductor break: the C declaration of {} changed",
            functions
        ),
        ChangeRuleId::ShimRemoved => message!(
            "packages compiled by AOTInductor break: the C shim lost {}",
            functions
        ),
        ChangeRuleId::ShimVersionAdded => message!("the C shim gained {}", functions),
        ChangeRuleId::StableOperatorChanged => {
            "`torch/csrc/stable/ops.h` calls it with other arguments or returns".into()
        }
        _ => return None,
    })
}
