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
        what: "Inputs are no longer checked to be on one device.",
        why: "A call with inputs on several devices reaches the kernel, which has to cope.",
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
        what: "Inputs are checked to be on one device.",
        why: "Calls that mixed devices and worked now raise.",
        instead: Some("Keep `device_check: NoCheck` if the kernel copes with several devices."),
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
        what: "Whether the device of the inputs is made current before the kernel runs is \
               another.",
        why: "A kernel that allocates or launches on the current device may do so on the wrong \
              one.",
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
