//! Why operators are unknown on a key, counted by reason.

use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::key_set::Slot;

use crate::because::Because;
use crate::{Verdict, View};

impl View<'_> {
    /// Why an operator is unknown on a key; `None` if it is not.
    #[must_use]
    pub fn unknown_because(self, id: OperatorId, slot: Slot) -> Option<Because> {
        match self.verdict(id, slot) {
            Verdict::Unknown => self.support(id, slot).because,
            _ => None,
        }
    }

    /// The declared operators that are unknown on a key by reason, the most frequent first.
    #[must_use]
    pub fn unknowns(self, slot: Slot) -> Vec<(Because, u32)> {
        let mut counts: Vec<(Because, u32)> = Vec::new();
        let declared = self.inputs.catalogue.iter();
        let declared = declared.filter(|(_, operator)| !operator.is_generated());
        for why in declared.filter_map(|(id, _)| self.unknown_because(id, slot)) {
            match counts.iter_mut().find(|(known, _)| *known == why) {
                Some((_, count)) => *count += 1,
                None => counts.push((why, 1)),
            }
        }
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        counts
    }
}
