//! The first operator of a model that fails on a key, and the kernel that its call misses first.

use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::key_set::Slot;

use crate::needs::{Search, Walk};
use crate::{Support, Verdict, View};

/// A call that fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstMissing {
    /// The place of the operator in the list.
    pub at: usize,
    /// The operator.
    pub operator: OperatorId,
    /// `fails`, or `partly` for a call that fails in some cases.
    pub verdict: Verdict,
    /// The operator without a kernel that the call reaches first; `None` if something else is the
    /// reason.
    pub missing: Option<OperatorId>,
}

impl View<'_> {
    /// The first of the operators, in the order of their calls, whose call fails on a key, always or in most
    /// of the cases that were recorded. A call that rarely fails is passed over.
    pub fn first_missing(
        self,
        slot: Slot,
        operators: impl IntoIterator<Item = OperatorId>,
    ) -> Option<FirstMissing> {
        let mut walk = Walk::default();
        let mut operators = operators.into_iter().enumerate();
        operators.find_map(|(at, operator)| {
            let support = self.support_with(operator, slot, &mut walk);
            let missing = self.first_needed(operator, slot, &support);
            let fails = support.verdict.fails() || support.verdict.lacks() && missing.is_some();
            fails.then_some(FirstMissing {
                at,
                operator,
                verdict: support.verdict,
                missing,
            })
        })
    }

    /// The first of [`Support::needs`] that a call usually reaches; `None` if only unusual calls reach one.
    /// Calls are recorded in the order in which a kernel makes them.
    #[must_use]
    pub fn first_needed(self, of: OperatorId, slot: Slot, support: &Support) -> Option<OperatorId> {
        let nearest = support.needs.first().copied();
        let calls = self.calls();
        if !support.verdict.lacks() || !calls.backends.contains(slot) {
            return nearest;
        }
        let column = self.column_of(slot);
        let search = Search {
            column: &column,
            calls: &calls,
            of,
        };
        match support.verdict {
            Verdict::Partly => search.first(),
            _ => search.first().or(nearest),
        }
    }
}
