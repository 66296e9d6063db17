//! The operators that a failing one needs, and the chain of calls to the first of them.

use std::collections::VecDeque;

use opatlas_operators::operator::OperatorId;
use rustc_hash::FxHashMap;

use super::calls::{Calls, Edge};
use super::column::{Column, Served};
use super::{MOST_NEEDS, Support, Verdict};

/// The leaves below a kernel that makes these calls. `of` is its operator.
pub(super) struct Search<'c> {
    pub(super) column: &'c Column,
    pub(super) calls: &'c Calls,
    pub(super) of: OperatorId,
}

impl Search<'_> {
    /// The support of an operator with this verdict and these calls.
    pub(super) fn support(&self, verdict: Verdict, edges: Vec<Edge>) -> Support {
        let mut support = Support::of(verdict);
        let mut reached = FxHashMap::default();
        reached.insert(self.of, self.of);
        if verdict == Verdict::Fails {
            // First what every call runs into, then what some do.
            self.walk(edges.clone(), true, &mut reached, &mut support);
            reached.retain(|id, _| *id == self.of || support.needs.contains(id));
        }
        self.walk(edges, false, &mut reached, &mut support);
        support
    }

    /// Walks breadth first over what does not work. `reached` has of each operator who called it.
    fn walk(
        &self,
        edges: Vec<Edge>,
        only_always: bool,
        reached: &mut FxHashMap<OperatorId, OperatorId>,
        support: &mut Support,
    ) {
        let mut open: VecDeque<(OperatorId, Edge)> =
            edges.into_iter().map(|edge| (self.of, edge)).collect();
        while let Some((from, edge)) = open.pop_front() {
            if !self.is_followed(edge, only_always) || reached.contains_key(&edge.id) {
                continue;
            }
            reached.insert(edge.id, from);
            if self.column.served(edge.id) == Served::Nothing {
                if support.needs.is_empty() {
                    support.through = self.chain(edge.id, reached);
                }
                support.needs.push(edge.id);
                if support.needs.len() == MOST_NEEDS {
                    return;
                }
                continue;
            }
            let next = self.column.calls(self.calls, edge.id);
            open.extend(next.map(|next| (edge.id, next)));
        }
    }

    fn is_followed(&self, edge: Edge, only_always: bool) -> bool {
        match self.column.verdict(edge.id) {
            Verdict::Fails => edge.always || !only_always,
            Verdict::Partly => !only_always,
            _ => false,
        }
    }

    fn chain(
        &self,
        leaf: OperatorId,
        reached: &FxHashMap<OperatorId, OperatorId>,
    ) -> Vec<OperatorId> {
        let mut chain = vec![leaf];
        let mut at = leaf;
        while at != self.of {
            let Some(&from) = reached.get(&at) else { break };
            chain.push(from);
            at = from;
        }
        chain.reverse();
        chain
    }
}
