//! Rules about the file itself.

use super::{ChangeRule, Example, Group, Impacts, Level};
use crate::rules::ChangeRuleId as Id;

const fn rule(id: Id, level: Level) -> ChangeRule {
    ChangeRule::new(id, Group::File, level, "torchgen/gen.py")
}

pub(super) const RULES: &[ChangeRule] = &[ChangeRule {
    impacts: Impacts::row("........"),
    what: "An entry moved within the file.",
    why: "The order of entries has no meaning.",
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
    ..rule(Id::EntryMoved, Level::None)
}];
