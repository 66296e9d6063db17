//! Rules about what happens around a call.

use super::{ChangeRule, Example, Group, Impacts, Level, Official};
use crate::rules::ChangeRuleId;

pub(super) const RULES: &[ChangeRule] = &[
    ChangeRule {
        id: ChangeRuleId::DeviceCheckRemoved,
        group: Group::Runtime,
        level: Some(Level::Dangerous),
        backward: Official::NotChecked,
        forward: Official::NotChecked,
        impacts: Impacts::row("rr......"),
        what: "PyTorch no longer checks that all inputs are on one device.",
        why: "A call with inputs on several devices reaches the kernel, which must handle it.",
        instead: None,
        example: Some(Example {
            old: "- func: blend(Tensor self, Tensor other) -> Tensor\n",
            new: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  device_check: NoCheck\n",
            ),
        }),
        source: "aten/src/ATen/native/README.md",
    },
    ChangeRule {
        id: ChangeRuleId::DeviceCheckAdded,
        group: Group::Runtime,
        level: Some(Level::Dangerous),
        backward: Official::NotChecked,
        forward: Official::NotChecked,
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
        source: "aten/src/ATen/native/README.md",
    },
    ChangeRule {
        id: ChangeRuleId::DeviceGuardChanged,
        group: Group::Runtime,
        level: Some(Level::Dangerous),
        backward: Official::NotChecked,
        forward: Official::NotChecked,
        impacts: Impacts::row(".....r.."),
        what: "The device guard changed: whether PyTorch makes the device of the inputs current \
               before it calls the kernel.",
        why: "A kernel that allocates or launches on the current device may use the wrong one.",
        instead: None,
        example: Some(Example {
            old: "- func: blend(Tensor self, Tensor other) -> Tensor\n",
            new: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  device_guard: False\n",
            ),
        }),
        source: "aten/src/ATen/native/README.md",
    },
];
