//! Rules about what happens around a call.

use super::{ChangeRule, Example, Group, Impacts, Level};
use crate::rules::ChangeRuleId as Id;

const fn rule(id: Id, level: Level) -> ChangeRule {
    ChangeRule::new(id, Group::Runtime, level, "aten/src/ATen/native/README.md")
}

pub(super) const RULES: &[ChangeRule] = &[
    ChangeRule {
        impacts: Impacts::row("rr......"),
        what: "PyTorch no longer checks that all inputs are on one device.",
        why: "A call with inputs on several devices reaches the kernel, which must handle it.",
        example: Some(Example {
            old: "- func: blend(Tensor self, Tensor other) -> Tensor\n",
            new: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  device_check: NoCheck\n",
            ),
        }),
        ..rule(Id::DeviceCheckRemoved, Level::Dangerous)
    },
    ChangeRule {
        impacts: Impacts::row("rr......"),
        what: "PyTorch now checks that all inputs are on one device.",
        why: "Calls with inputs on several devices that used to work now raise an error.",
        instead: Some("Keep `device_check: NoCheck` if the kernel supports several devices."),
        example: Some(Example {
            old: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  device_check: NoCheck\n",
            ),
            new: "- func: blend(Tensor self, Tensor other) -> Tensor\n",
        }),
        ..rule(Id::DeviceCheckAdded, Level::Dangerous)
    },
    ChangeRule {
        impacts: Impacts::row(".....r.."),
        what: "The device guard changed: whether PyTorch makes the device of the inputs current \
               before it calls the kernel.",
        why: "A kernel that allocates or launches on the current device may use the wrong one.",
        example: Some(Example {
            old: "- func: blend(Tensor self, Tensor other) -> Tensor\n",
            new: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  device_guard: False\n",
            ),
        }),
        ..rule(Id::DeviceGuardChanged, Level::Dangerous)
    },
];
