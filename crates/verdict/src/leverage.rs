//! Which missing kernels help most: for each the operators that would work if just that kernel
//! existed, and greedily the next ones after it.

use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::key_set::Slot;

use crate::View;
use crate::applicability::{Foreign, foreign};
use crate::calls::Calls;
use crate::column::{Column, Served};
use crate::leads::below;

/// The answer for a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leverage {
    /// The weight of the operators that work.
    pub working: u64,
    /// Kernels to write one after the other, the one that helps most first.
    pub steps: Vec<Step>,
}

/// A kernel to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The operator that needs the kernel.
    pub operator: OperatorId,
    /// The operators that work then and did not before, itself included, in their order.
    pub unlocks: Vec<OperatorId>,
    /// Their weight.
    pub gain: u64,
    /// The operators that need the kernel and others besides.
    pub blocks: usize,
}

/// What an operator that does not work still needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lacks {
    /// Nothing that a kernel would give.
    Nothing,
    /// One kernel.
    One(OperatorId),
    /// More.
    Many,
}

impl Lacks {
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Nothing, other) => other,
            (own, Self::Nothing) => own,
            (Self::One(a), Self::One(b)) if a == b => self,
            _ => Self::Many,
        }
    }
}

impl View<'_> {
    /// The `most` kernels that help most on a key, one after the other; on a key of which nothing is
    /// known, on a device that has only the kernels that every device must have. `weight` says what
    /// an operator counts for. Takes time in proportion to `most` and the calls.
    #[must_use]
    pub fn leverage(self, slot: Slot, most: usize, weight: impl Fn(OperatorId) -> u64) -> Leverage {
        let calls = self.calls();
        // An autograd key passes calls on, so the kernels of its backend help.
        let slot = below(self.keys(), slot).unwrap_or(slot);
        let column = match self.claims(slot) {
            true => self.column_of(slot),
            false => self.bare_column(&calls),
        };
        let foreign = foreign(self, &calls, &column, slot);
        let mut state = State::new(&calls, &column, &foreign);
        let ids = || (0..column.len()).map(OperatorId::of_index);
        let working = ids()
            .filter(|&id| column.verdict(id).works())
            .map(&weight)
            .sum();
        let steps = std::iter::from_fn(|| state.step(&weight)).take(most);
        Leverage {
            working,
            steps: steps.collect(),
        }
    }
}

/// The leaves that still lack a kernel.
struct State<'c> {
    calls: &'c Calls,
    column: &'c Column,
    /// Operators that the backend does without: no kernel of theirs is proposed.
    foreign: &'c Foreign,
    missing: Vec<bool>,
}

impl<'c> State<'c> {
    fn new(calls: &'c Calls, column: &'c Column, foreign: &'c Foreign) -> Self {
        let ids = (0..column.len()).map(OperatorId::of_index);
        let is_missing =
            |id| column.served(id) == Served::Nothing && foreign.of(id).is_applicable();
        Self {
            calls,
            column,
            foreign,
            missing: ids.map(is_missing).collect(),
        }
    }

    fn step(&mut self, weight: &impl Fn(OperatorId) -> u64) -> Option<Step> {
        let lacks = self.lacks();
        let mut gains = vec![(0_u64, 0_usize); lacks.len()];
        for (index, lacks) in lacks.iter().enumerate() {
            if let Lacks::One(leaf) = lacks
                && let Some((gain, count)) = gains.get_mut(leaf.index())
            {
                *gain += weight(OperatorId::of_index(index));
                *count += 1;
            }
        }
        // Of equals the one that comes first.
        let best = gains
            .iter()
            .enumerate()
            .filter(|(_, (_, count))| *count > 0)
            .max_by_key(|(index, gain)| (**gain, std::cmp::Reverse(*index)))?
            .0;
        let operator = OperatorId::of_index(best);
        let all = lacks.iter().enumerate();
        let unlocked = all.filter(|(_, lacks)| **lacks == Lacks::One(operator));
        let unlocks: Vec<OperatorId> = unlocked
            .map(|(index, _)| OperatorId::of_index(index))
            .collect();
        let blocks = self.reach(operator) - unlocks.len();
        if let Some(missing) = self.missing.get_mut(best) {
            *missing = false;
        }
        Some(Step {
            operator,
            gain: gains.get(best).map_or(0, |(gain, _)| *gain),
            unlocks,
            blocks,
        })
    }

    /// What each operator lacks, from the leaves up: every value changes at most twice.
    fn lacks(&self) -> Vec<Lacks> {
        let mut lacks = vec![Lacks::Nothing; self.missing.len()];
        let mut open: Vec<OperatorId> = Vec::new();
        for (index, (lacks, missing)) in lacks.iter_mut().zip(&self.missing).enumerate() {
            let id = OperatorId::of_index(index);
            *lacks = match self.column.served(id) {
                _ if *missing => Lacks::One(id),
                _ if !self.foreign.of(id).is_applicable() => Lacks::Many,
                // One kernel does not help where it is not known what else is called.
                Served::Unknown(_) | Served::Passes | Served::Raises(_) => Lacks::Many,
                _ => continue,
            };
            open.push(id);
        }
        while let Some(id) = open.pop() {
            let own = lacks.get(id.index()).copied().unwrap_or(Lacks::Nothing);
            for edge in self.column.callers(self.calls, id) {
                if let Some(known) = lacks.get_mut(edge.id.index()) {
                    let joined = known.and(own);
                    if joined != *known {
                        *known = joined;
                        open.push(edge.id);
                    }
                }
            }
        }
        lacks
    }

    /// How many operators call this one, through others too, itself included.
    fn reach(&self, leaf: OperatorId) -> usize {
        let mut seen = vec![false; self.missing.len()];
        let mut open = vec![leaf];
        let mut count = 0;
        while let Some(id) = open.pop() {
            match seen.get_mut(id.index()) {
                Some(seen) if !*seen => *seen = true,
                _ => continue,
            }
            count += 1;
            open.extend(self.column.callers(self.calls, id).map(|edge| edge.id));
        }
        count
    }
}
