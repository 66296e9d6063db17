//! Rules about the shape of the whole schema.

use super::{ChangeRule, Example, Group, Impacts, Level, Official};
use crate::rules::ChangeRuleId as Id;

const fn rule(id: Id, level: Level) -> ChangeRule {
    ChangeRule::new(
        id,
        Group::Schema,
        level,
        "aten/src/ATen/core/function_schema.cpp",
    )
}

pub(super) const RULES: &[ChangeRule] = &[
    ChangeRule {
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("xxxxxxxx"),
        what: "`...` was added to or removed from the end of the arguments.",
        why: "The set of possible calls changes. Entries of `native_functions.yaml` never have it.",
        instead: Some("Add an overload."),
        example: Some(Example {
            old: "op(Tensor self) -> Tensor",
            new: "op(Tensor self, ...) -> Tensor",
        }),
        ..rule(Id::VarargChanged, Level::Breaking)
    },
    ChangeRule {
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("xxxxxxxx"),
        what: "`...` was added to or removed from the end of the returns.",
        why: "The number of values that a call returns changes. Entries of `native_functions.yaml` \
              never have it.",
        instead: Some("Add an overload."),
        example: Some(Example {
            old: "op(Tensor self) -> ()",
            new: "op(Tensor self) -> ...",
        }),
        ..rule(Id::VarretChanged, Level::Breaking)
    },
];
