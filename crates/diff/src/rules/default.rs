//! Rules about defaults.

use super::{ChangeRule, Example, Group, Impacts, Level, Official};
use crate::rules::ChangeRuleId as Id;

const fn rule(id: Id, level: Level) -> ChangeRule {
    ChangeRule::new(
        id,
        Group::Default,
        level,
        "aten/src/ATen/core/function_schema.cpp",
    )
}

pub(super) const RULES: &[ChangeRule] = &[
    ChangeRule {
        backward: Official::Compatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("...xr..."),
        what: "A required argument gained a default.",
        why: "Existing calls pass it anyway. A new call may omit it, which fails on an old \
              runtime.",
        example: Some(Example {
            old: "op(Tensor self, int x) -> Tensor",
            new: "op(Tensor self, int x=0) -> Tensor",
        }),
        ..rule(Id::DefaultAdded, Level::ForwardBreaking)
    },
    ChangeRule {
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("xxxrx..."),
        what: "An argument lost its default.",
        why: "Calls that omit the argument fail. This includes stored models, which do not store \
              trailing defaults.",
        instead: Some("Keep the default."),
        example: Some(Example {
            old: "op(Tensor self, int x=0) -> Tensor",
            new: "op(Tensor self, int x) -> Tensor",
        }),
        ..rule(Id::DefaultRemoved, Level::Breaking)
    },
    ChangeRule {
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("xxxxxr.."),
        what: "The value of a default changed.",
        why: "Calls that omit the argument continue to work, but with another result. A change \
              from `1` to `1.0` counts, because it can change the dtype of the result.",
        instead: Some("Keep the default, and let callers request the new behavior."),
        example: Some(Example {
            old: "op(Tensor self, int x=1) -> Tensor",
            new: "op(Tensor self, int x=0) -> Tensor",
        }),
        ..rule(Id::DefaultChanged, Level::Breaking)
    },
    ChangeRule {
        backward: Official::Compatible,
        forward: Official::Compatible,
        what: "A default is written differently but means the same.",
        why: "PyTorch's check compares evaluated defaults: `0` is `[0, 0]` for a list of two, `1` \
              is `1.0` for a float, `Mean` is `1`. Types still count, so `False` is not `0`.",
        example: Some(Example {
            old: "pad2(Tensor self, int[2] size=0) -> Tensor",
            new: "pad2(Tensor self, int[2] size=[0,0]) -> Tensor",
        }),
        source: "torch/csrc/jit/frontend/function_schema_parser.cpp",
        ..rule(Id::DefaultRespelled, Level::None)
    },
    ChangeRule {
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("xxxxxx.."),
        what: "Both the type and the default of an argument changed.",
        why: "Callers that pass it use the new type, and callers that omit it get the new value. \
              Both changes are reported.",
        instead: Some("Add an overload."),
        example: Some(Example {
            old: "op(Tensor self, int x=1) -> Tensor",
            new: "op(Tensor self, float x=1.0) -> Tensor",
        }),
        ..rule(Id::DefaultChangedWithType, Level::Breaking)
    },
];
