//! The operators that a failing one needs, and the chain of calls to the first of them.

use std::collections::VecDeque;

use opatlas_operators::operator::OperatorId;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::because::Because;
use crate::calls::{Calls, Edge};
use crate::column::{Column, Served};
use crate::rare::Chain;
use crate::{MOST_NEEDS, Support, Verdict};

/// What a search works with, kept for the next one: of a comparison there are a thousand.
#[derive(Debug, Default)]
pub struct Walk {
    /// Of each operator who called it, and who made the call in its place.
    reached: FxHashMap<OperatorId, (OperatorId, Option<Chain>)>,
    /// Calls to look at, each with who makes it.
    open: VecDeque<(OperatorId, Edge)>,
}

/// The leaves below a kernel that makes these calls. `of` is its operator.
pub(crate) struct Search<'c> {
    pub(crate) column: &'c Column,
    pub(crate) calls: &'c Calls,
    pub(crate) of: OperatorId,
}

impl Search<'_> {
    /// The support of an operator with this verdict and these calls.
    pub(crate) fn support(
        &self,
        verdict: Verdict,
        edges: impl Iterator<Item = Edge> + Clone,
        walk: &mut Walk,
    ) -> Support {
        let mut support = Support::of(verdict);
        support.rarely = self.rarely();
        if verdict == Verdict::Unknown {
            let is_lacking = self.column.undeclared(self.calls, self.of).next().is_some();
            support.because = Some(match is_lacking {
                true => Because::CallsUndeclared,
                false => Because::CallsUnknown,
            });
        }
        if !verdict.lacks() {
            return support;
        }
        self.add_undeclared(self.of, &mut support);
        walk.reached.clear();
        walk.reached.insert(self.of, (self.of, None));
        if verdict == Verdict::Fails {
            // First what every call runs into, then what some do.
            self.walk(edges.clone(), true, walk, &mut support);
            let is_known = |id: &OperatorId| *id == self.of || support.needs.contains(id);
            walk.reached.retain(|id, _| is_known(id));
        }
        self.walk(edges, false, walk, &mut support);
        support
    }

    /// What the composite kernel calls in rare cases and does not work.
    fn rarely(&self) -> Vec<OperatorId> {
        let is_composite = self.column.served(self.of) == Served::Calls;
        let calls = self.calls.rare.of(self.of).iter().copied();
        let lacking = calls.filter(|&id| self.column.verdict(id).lacks());
        lacking.filter(|_| is_composite).collect()
    }

    /// Walks breadth first over what does not work.
    fn walk(
        &self,
        edges: impl Iterator<Item = Edge>,
        only_always: bool,
        Walk { reached, open }: &mut Walk,
        support: &mut Support,
    ) {
        open.clear();
        open.extend(edges.map(|edge| (self.of, edge)));
        while let Some((from, edge)) = open.pop_front() {
            if !self.is_followed(edge, only_always) || reached.contains_key(&edge.id) {
                continue;
            }
            reached.insert(edge.id, (from, edge.by));
            let served = self.column.served(edge.id);
            if served.is_leaf() || served == Served::InferenceOnly {
                if support.needs.is_empty() {
                    support.through = self.chain(edge.id, reached);
                }
                support.needs.push(edge.id);
                if support.needs.len() == MOST_NEEDS {
                    return;
                }
                continue;
            }
            self.add_undeclared(edge.id, support);
            let next = self.column.calls(self.calls, edge.id);
            open.extend(next.map(|next| (edge.id, next)));
        }
    }

    /// The first of the leaves that a call reaches, in the order of the calls of each kernel. Of a kernel
    /// that always fails, a call that always fails is the reason; of others, the calls that they always
    /// make and those that most recorded cases made count.
    pub(crate) fn first(&self) -> Option<OperatorId> {
        let mut seen = FxHashSet::default();
        let mut open = vec![self.of];
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            let served = self.column.served(id);
            if served.is_leaf() || served == Served::InferenceOnly {
                return Some(id);
            }
            let calls = || self.column.calls(self.calls, id);
            let fails = |edge: &Edge| edge.always && self.column.verdict(edge.id).fails();
            let is_certain = calls().any(|edge| fails(&edge));
            let begin = open.len();
            let followed = calls().filter(|edge| {
                let is_usual = edge.always || self.calls.mostly.contains(&(id, edge.id));
                match is_certain {
                    true => fails(edge),
                    false => is_usual && self.column.verdict(edge.id).lacks(),
                }
            });
            open.extend(followed.map(|edge| edge.id));
            if let Some(added) = open.get_mut(begin..) {
                added.reverse();
            }
        }
        None
    }

    /// Adds the operators that a kernel calls and that are gone.
    fn add_undeclared(&self, of: OperatorId, support: &mut Support) {
        if self.column.served(of) != Served::Calls {
            return;
        }
        for call in self.column.undeclared(self.calls, of) {
            if call.is_gone && !support.undeclared.contains(&call.name) {
                support.undeclared.push(call.name);
            }
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
        reached: &FxHashMap<OperatorId, (OperatorId, Option<Chain>)>,
    ) -> Vec<OperatorId> {
        let mut chain = vec![leaf];
        let mut at = leaf;
        while at != self.of {
            let Some(&(from, by)) = reached.get(&at) else {
                break;
            };
            chain.extend(self.calls.rare.chain(by).iter().rev());
            chain.push(from);
            at = from;
        }
        chain.reverse();
        chain
    }
}
