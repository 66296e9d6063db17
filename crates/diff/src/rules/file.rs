//! Rules about the file itself.

use super::{ChangeRule, Example, Group, Impacts, Level, Official};
use crate::rules::ChangeRuleId;

pub(super) const RULES: &[ChangeRule] = &[ChangeRule {
    id: ChangeRuleId::EntryMoved,
    group: Group::File,
    level: Some(Level::None),
    backward: Official::NotChecked,
    forward: Official::NotChecked,
    impacts: Impacts::row("........"),
    what: "An entry moved within the file.",
    why: "The order of entries has no meaning.",
    instead: None,
    example: Some(Example {
        old: concat!(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n",
            "- func: keep(Tensor self) -> Tensor\n",
        ),
        new: concat!(
            "- func: keep(Tensor self) -> Tensor\n",
            "- func: blend(Tensor self, Tensor other) -> Tensor\n",
        ),
    }),
    source: "torchgen/gen.py",
}];
