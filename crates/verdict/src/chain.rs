//! The chain behind a verdict: which kernel serves the operator, what that kernel calls, and so on
//! down to kernels on the key, recordings, and what is missing.

use std::collections::VecDeque;

use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::alias::Alias;
use opatlas_pytorch::calls::recorded_with;
use opatlas_pytorch::key_set::Slot;
use opatlas_pytorch::release::Release;
use rustc_hash::FxHashMap;

use crate::because::Because;
use crate::calls::{Calls, Edge};
use crate::column::{Column, Served};
use crate::site::Site;
use crate::{KnownFrom, Verdict, View};

/// The most operators that a chain describes.
pub const MOST_OPERATORS: usize = 12;

/// One statement of a chain, about an operator on a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The operator.
    pub operator: OperatorId,
    /// The key on which it is called.
    pub key: Slot,
    /// What is known about it.
    pub fact: Fact,
    /// What the statement is based on; `None` if it says that something is unknown.
    pub known_from: Option<KnownFrom>,
    /// The release of the recording, for measured calls.
    pub release: Option<Release>,
}

/// What a link states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fact {
    /// Builds register their kernels to this key instead.
    ServedBy(Slot),
    /// The key passes the call on to the key of its backend.
    PassedOn(Slot),
    /// A kernel on the key.
    Kernel,
    /// No kernel on the key, so that of an alias key runs.
    Default(Option<Alias>),
    /// Neither, so the fallback of the key runs.
    Fallback,
    /// No kernel that works.
    Missing,
    /// Calls raise for this reason.
    Raises(Because),
    /// It works in part for this reason.
    Partly(Because),
    /// It is unknown for this reason.
    Unknown(Because),
    /// What the kernel calls in every case, or in some.
    Calls {
        /// Whether every case makes these calls.
        always: bool,
        /// The operators.
        called: Vec<OperatorId>,
    },
    /// The kernel calls no other operator.
    CallsNothing,
    /// The kernel calls an operator that the revision does not declare.
    CallsUndeclared {
        /// Whether every case calls it.
        always: bool,
        /// The name of that operator.
        name: &'static str,
    },
    /// The chain ends here, and so many operators follow.
    More(usize),
}

impl View<'_> {
    /// Why an operator has its verdict on a key. If calls fail or it is unknown, the chain leads to the
    /// first operator that is the reason; otherwise it describes the operators that are called, nearest
    /// first, at most [`MOST_OPERATORS`].
    #[must_use]
    pub fn chain(self, id: OperatorId, slot: Slot) -> Vec<Link> {
        let site = self.site(id, slot);
        let calls = self.calls();
        let column = self.column_of(site.key);
        let mut chain = Chain {
            view: self,
            calls: &calls,
            column: &column,
            links: Vec::new(),
        };
        if let Some(on) = site.from {
            let fact = match site.is_renamed {
                true => Fact::ServedBy(site.key),
                false => Fact::PassedOn(site.key),
            };
            chain.add(id, on, fact, Some(KnownFrom::Inferred));
        }
        let support = self.support(id, slot);
        match support.verdict {
            Verdict::Partly | Verdict::Fails | Verdict::Unknown => {
                let path = chain.path(id, site, support.verdict, &support.through);
                chain.follow(&path, site);
            }
            _ => chain.spread(id, site),
        }
        chain.links
    }
}

/// A chain while it is made.
struct Chain<'c> {
    view: View<'c>,
    calls: &'c Calls,
    column: &'c Column,
    links: Vec<Link>,
}

impl Chain<'_> {
    fn add(&mut self, operator: OperatorId, key: Slot, fact: Fact, from: Option<KnownFrom>) {
        let is_call = matches!(
            fact,
            Fact::Calls { .. } | Fact::CallsNothing | Fact::CallsUndeclared { .. }
        );
        let release =
            (is_call && from == Some(KnownFrom::Measured)).then(|| self.recorded(operator));
        self.links.push(Link {
            operator,
            key,
            fact,
            known_from: from,
            release: release.flatten(),
        });
    }

    fn recorded(&self, id: OperatorId) -> Option<Release> {
        let catalogue = self.view.inputs.catalogue;
        recorded_with(catalogue.release, catalogue.operator(id).qualified_name())
    }

    /// Adds what serves an operator.
    fn serve(&mut self, id: OperatorId, key: Slot, served: Served) {
        let (fact, from) = match served {
            Served::Kernel | Served::OwnCalls => (Fact::Kernel, self.known_from_kernel(id, key)),
            Served::Calls => {
                let alias = self.calls.alias(id);
                (Fact::Default(alias), Some(KnownFrom::Declared))
            }
            Served::Fallback => (Fact::Fallback, self.known_from_kernel(id, key)),
            Served::InferenceOnly => {
                let fact = Fact::Partly(Because::InferenceModeOnly);
                (fact, Some(KnownFrom::Inferred))
            }
            Served::Nothing => (Fact::Missing, Some(KnownFrom::Inferred)),
            Served::Raises(why) => (Fact::Raises(why), Some(KnownFrom::Inferred)),
            Served::Unknown(why) => (Fact::Unknown(why), None),
            Served::Passes => (Fact::Unknown(Because::PassesOn), None),
        };
        self.add(id, key, fact, from);
    }

    fn known_from_kernel(&self, id: OperatorId, key: Slot) -> Option<KnownFrom> {
        let entry = self.view.entry(id, key)?;
        let verdict = Verdict::Runs;
        self.view.known_from(id, &entry, verdict)
    }

    /// Adds a group of calls, if there are any.
    fn call(&mut self, id: OperatorId, key: Slot, always: bool, called: Vec<OperatorId>) {
        if !called.is_empty() {
            let from = self.view.known_from_calls(id);
            self.add(id, key, Fact::Calls { always, called }, Some(from));
        }
    }

    fn edges(&self, id: OperatorId, served: Served) -> Vec<Edge> {
        match served {
            Served::Calls => {
                let edges = self.column.composite(self.calls, id);
                self.column.made(self.calls, edges).collect()
            }
            Served::OwnCalls | Served::Fallback => self.column.calls(self.calls, id).collect(),
            _ => Vec::new(),
        }
    }

    /// Describes an operator that works, and those that it calls.
    fn spread(&mut self, id: OperatorId, site: Site) {
        let mut seen = vec![id];
        let mut at = 0;
        while let Some(&id) = seen.get(at) {
            if at == MOST_OPERATORS {
                let fact = Fact::More(seen.len() - at);
                self.add(id, site.key, fact, Some(KnownFrom::Inferred));
                return;
            }
            let (key, served) = self.served(id, (at == 0).then_some(site), site.key);
            self.serve(id, key, served);
            let edges = self.edges(id, served);
            if edges.is_empty() && served == Served::Calls {
                let from = self.view.known_from_calls(id);
                self.add(id, key, Fact::CallsNothing, Some(from));
            }
            for always in [true, false] {
                let called = edges.iter().filter(|edge| edge.always == always);
                self.call(id, key, always, called.map(|edge| edge.id).collect());
            }
            for edge in edges {
                if !seen.contains(&edge.id) {
                    seen.push(edge.id);
                }
            }
            at += 1;
        }
    }

    /// What serves an operator of the chain: the first as its site says, others as their column does.
    fn served(&self, id: OperatorId, first: Option<Site>, key: Slot) -> (Slot, Served) {
        match first {
            Some(site) => (site.kernel_key(), site.served),
            None => (key, self.column.served(id)),
        }
    }

    /// Describes the operators of a path, each with the call to the next.
    fn follow(&mut self, path: &[OperatorId], site: Site) {
        for (at, &id) in path.iter().take(MOST_OPERATORS).enumerate() {
            let (key, served) = self.served(id, (at == 0).then_some(site), site.key);
            self.serve(id, key, served);
            if let Some(&next) = path.get(at + 1) {
                let edges = self.edges(id, served);
                let always = edges.iter().any(|edge| edge.id == next && edge.always);
                self.call(id, key, always, vec![next]);
            } else if served == Served::Calls {
                self.add_undeclared(id, key);
            }
        }
        if path.len() > MOST_OPERATORS
            && let Some(&last) = path.last()
        {
            let fact = Fact::More(path.len() - MOST_OPERATORS);
            self.add(last, site.key, fact, Some(KnownFrom::Inferred));
        }
    }

    fn add_undeclared(&mut self, id: OperatorId, key: Slot) {
        let undeclared: Vec<_> = self.column.undeclared(self.calls, id).collect();
        for call in undeclared {
            let fact = Fact::CallsUndeclared {
                always: call.always,
                name: call.name,
            };
            self.add(id, key, fact, Some(KnownFrom::Measured));
            if !call.is_gone {
                self.add(id, key, Fact::Unknown(Because::CallsUndeclared), None);
                return;
            }
        }
    }

    /// The operators from the first to the one that is the reason for its verdict.
    fn path(
        &self,
        id: OperatorId,
        site: Site,
        verdict: Verdict,
        through: &[OperatorId],
    ) -> Vec<OperatorId> {
        if !through.is_empty() {
            return through.to_vec();
        }
        let mut from: FxHashMap<OperatorId, OperatorId> = FxHashMap::default();
        let mut open = VecDeque::from([id]);
        from.insert(id, id);
        while let Some(at) = open.pop_front() {
            let served = match at == id {
                true => site.served,
                false => self.column.served(at),
            };
            let is_next = |edge: &Edge| match verdict {
                Verdict::Unknown => self.column.verdict(edge.id) == Verdict::Unknown,
                _ => self.column.verdict(edge.id).lacks(),
            };
            let next: Vec<Edge> = self.edges(at, served).into_iter().filter(is_next).collect();
            let is_reason = served == Served::Calls && self.calls.undeclared.contains_key(&at);
            if next.is_empty() || is_reason {
                return back(at, id, &from);
            }
            for edge in next {
                from.entry(edge.id).or_insert_with(|| {
                    open.push_back(edge.id);
                    at
                });
            }
        }
        vec![id]
    }
}

/// The way from the first operator to this one.
fn back(
    mut at: OperatorId,
    first: OperatorId,
    from: &FxHashMap<OperatorId, OperatorId>,
) -> Vec<OperatorId> {
    let mut path = vec![at];
    while at != first {
        let Some(&before) = from.get(&at) else { break };
        path.push(before);
        at = before;
    }
    path.reverse();
    path
}
