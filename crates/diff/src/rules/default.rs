//! Rules about defaults.

use super::{ChangeRule, Example, Group, Impacts, Level, Official};
use crate::rules::ChangeRuleId;

pub(super) const RULES: &[ChangeRule] = &[
    ChangeRule {
        id: ChangeRuleId::DefaultAdded,
        group: Group::Default,
        level: Some(Level::ForwardBreaking),
        backward: Official::Compatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("...xr..."),
        what: "An argument that was required has a default.",
        why: "Old calls pass it anyway. A new call may leave it out, which an old runtime does \
              not understand.",
        instead: None,
        example: Some(Example {
            old: "op(Tensor self, int x) -> Tensor",
            new: "op(Tensor self, int x=0) -> Tensor",
        }),
        source: "aten/src/ATen/core/function_schema.cpp",
    },
    ChangeRule {
        id: ChangeRuleId::DefaultRemoved,
        group: Group::Default,
        level: Some(Level::Breaking),
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("xxxrx..."),
        what: "A default is gone.",
        why: "Calls that leave the argument out fail, stored models included, since trailing \
              defaults are not stored with them.",
        instead: Some("Keep the default."),
        example: Some(Example {
            old: "op(Tensor self, int x=0) -> Tensor",
            new: "op(Tensor self, int x) -> Tensor",
        }),
        source: "aten/src/ATen/core/function_schema.cpp",
    },
    ChangeRule {
        id: ChangeRuleId::DefaultChanged,
        group: Group::Default,
        level: Some(Level::Breaking),
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("xxxxxr.."),
        what: "A default has another value.",
        why: "Calls that leave the argument out go on working and give another result. A change \
              from `1` to `1.0` counts: it can change the dtype of the result.",
        instead: Some("Keep the default; let callers ask for the new behaviour."),
        example: Some(Example {
            old: "op(Tensor self, int x=1) -> Tensor",
            new: "op(Tensor self, int x=0) -> Tensor",
        }),
        source: "aten/src/ATen/core/function_schema.cpp",
    },
    ChangeRule {
        id: ChangeRuleId::DefaultRespelled,
        group: Group::Default,
        level: Some(Level::None),
        backward: Official::Compatible,
        forward: Official::Compatible,
        impacts: Impacts::row("........"),
        what: "A default is written in another way and means the same.",
        why: "Torch compares defaults after evaluation: `0` is `[0, 0]` for a list of two, `1` \
              is `1.0` for a float, `Mean` is `1`. Kinds still count, so `False` is not `0`.",
        instead: None,
        example: Some(Example {
            old: "pad2(Tensor self, int[2] size=0) -> Tensor",
            new: "pad2(Tensor self, int[2] size=[0,0]) -> Tensor",
        }),
        source: "torch/csrc/jit/frontend/function_schema_parser.cpp",
    },
    ChangeRule {
        id: ChangeRuleId::DefaultChangedWithType,
        group: Group::Default,
        level: Some(Level::Breaking),
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("xxxxxx.."),
        what: "The type and the default of an argument both changed.",
        why: "Callers that pass it meet the new type, callers that leave it out the new value. \
              Both changes are reported.",
        instead: Some("Add an overload."),
        example: Some(Example {
            old: "op(Tensor self, int x=1) -> Tensor",
            new: "op(Tensor self, float x=1.0) -> Tensor",
        }),
        source: "aten/src/ATen/core/function_schema.cpp",
    },
];
