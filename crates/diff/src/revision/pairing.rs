//! Which operator of the base is which of the head (`docs/spec/compatibility.md`, section 4, items
//! 1 to 3).

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::renames::{self, Renamed};
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::operator::{Operator, OperatorId};
use opatlas_source::{Stop, Stopped};

/// The operators that both revisions have by the same name.
#[derive(Debug, Default)]
pub(super) struct Common {
    /// In the base's order: written ones first, then generated ones.
    pub same: Vec<(OperatorId, OperatorId)>,
    /// Those of [`Self::same`] that may differ in themselves: all but written ones of which both
    /// sides share one reading of one text.
    pub unshared: Vec<(OperatorId, OperatorId)>,
    /// What [`counterpart`] finds in the head for each operator of the base, by its index.
    pub in_head: Vec<Option<OperatorId>>,
    /// The operator of the base that [`Self::same`] pairs with each of the head, by its index.
    pub in_base: Vec<Option<OperatorId>>,
}

/// The operators of two revisions, paired.
#[derive(Debug)]
pub(super) struct Pairing<'c> {
    /// Equal names.
    pub common: &'c Common,
    /// Another name for what is likely the same operator.
    pub renamed: Vec<Renamed>,
    /// Only in the base.
    pub removed: Vec<OperatorId>,
    /// Only in the head.
    pub added: Vec<OperatorId>,
}

impl Common {
    /// Pairs the operators of two revisions.
    ///
    /// # Errors
    /// [`Stopped`].
    pub(super) fn new(base: &Catalogue, head: &Catalogue, stop: &Stop) -> Result<Self, Stopped> {
        let mut common = Self {
            in_base: vec![None; head.operators.len()],
            ..Self::default()
        };
        let mut search = Search {
            there: head,
            next: 0,
        };
        for (id, operator) in base.iter() {
            stop.check()?;
            let found = search.counterpart(operator);
            common.in_head.push(found.map(|found| found.id));
            if let Some(found) = found
                // Of entries that share a name, which the rules refuse, the first counts.
                && common.in_base[found.id.index()].is_none()
            {
                common.in_base[found.id.index()] = Some(id);
                common.same.push((id, found.id));
                if !found.is_shared {
                    common.unshared.push((id, found.id));
                }
            }
        }
        Ok(common)
    }
}

impl<'c> Pairing<'c> {
    /// With the operators that only one side has by their names.
    ///
    /// # Errors
    /// [`Stopped`].
    pub(super) fn new(
        base: &Catalogue,
        head: &Catalogue,
        common: &'c Common,
        stop: &Stop,
    ) -> Result<Self, Stopped> {
        let in_head = base.iter().zip(&common.in_head);
        let removed = in_head.filter(|(_, found)| found.is_none());
        let mut pairing = Self {
            removed: removed.map(|((id, _), _)| id).collect(),
            renamed: Vec::new(),
            added: Vec::new(),
            common,
        };
        for (id, operator) in head.iter() {
            stop.check()?;
            if common.in_base[id.index()].is_none() && counterpart(base, operator).is_none() {
                pairing.added.push(id);
            }
        }
        pairing.rename(base, head, stop)?;
        Ok(pairing)
    }

    /// Takes pairs out of what was removed and added: written operators only, since generated ones
    /// follow what they are generated from.
    fn rename(&mut self, base: &Catalogue, head: &Catalogue, stop: &Stop) -> Result<(), Stopped> {
        self.renamed = renames::find(base, head, (&self.removed, &self.added), stop)?;
        let olds: FxHashSet<_> = self.renamed.iter().map(|pair| pair.base).collect();
        let news: FxHashSet<_> = self.renamed.iter().map(|pair| pair.head).collect();
        self.removed.retain(|id| !olds.contains(id));
        self.added.retain(|id| !news.contains(id));
        Ok(())
    }
}

/// A counterpart that was found.
#[derive(Debug, Clone, Copy)]
struct Counterpart {
    id: OperatorId,
    /// Whether both sides share one reading of one text.
    is_shared: bool,
}

/// Finds counterparts of operators that come in the order of their own side. Two revisions name
/// most operators in the same order, so the next one is tried before any name is looked up.
struct Search<'a> {
    there: &'a Catalogue,
    next: usize,
}

impl Search<'_> {
    /// What [`counterpart`] finds.
    fn counterpart(&mut self, operator: &Operator) -> Option<Counterpart> {
        let next = self.there.operators.get(self.next);
        // Of a name that several operators share, the next one need not be the first.
        let is_alone = || !self.there.shares_name(OperatorId::of_index(self.next));
        let next = next.filter(|_| is_alone());
        let found = match next {
            Some(next) if is_shared(operator, next) => {
                self.next += 1;
                return Some(Counterpart {
                    id: OperatorId::of_index(self.next - 1),
                    is_shared: true,
                });
            }
            Some(next) if operator.is_namesake_of(next) => OperatorId::of_index(self.next),
            _ => counterpart(self.there, operator)?,
        };
        self.next = found.index() + 1;
        Some(Counterpart {
            id: found,
            is_shared: is_shared(operator, self.there.operator(found)),
        })
    }
}

/// Whether two operators are one reading of one text.
pub(super) fn is_shared(a: &Operator, b: &Operator) -> bool {
    match (a.declared(), b.declared()) {
        (Some(a), Some(b)) => Arc::ptr_eq(&a.entry, &b.entry),
        _ => false,
    }
}

/// The first operator of the same name and namespace.
pub(super) fn counterpart(there: &Catalogue, operator: &Operator) -> Option<OperatorId> {
    there.find_in(operator.namespace(), operator.name_text())
}
