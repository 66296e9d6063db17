//! Pairs the operators of the base with those of the head (`docs/spec/compatibility.md`, section 4,
//! items 1 to 3).

mod renames;

use std::sync::Arc;

use rustc_hash::FxHashSet;

use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::operator::{Operator, OperatorId};
use opatlas_source::{Stop, Stopped};

pub(super) use renames::Rename;

#[derive(Debug, Default)]
pub(super) struct Common {
    /// In the base's order: declared operators first, then generated ones.
    pub same: Vec<(OperatorId, OperatorId)>,
    /// Those of [`Self::same`] that may differ. Both revisions share the parsed entry of the others.
    pub unshared: Vec<(OperatorId, OperatorId)>,
    /// The head's operator of the same name for each operator of the base, by index.
    pub in_head: Vec<Option<OperatorId>>,
    /// The operator of the base that [`Self::same`] pairs with each of the head, by index.
    pub in_base: Vec<Option<OperatorId>>,
}

#[derive(Debug)]
pub(super) struct Pairing<'c> {
    pub common: &'c Common,
    pub renamed: Vec<Rename>,
    pub removed: Vec<OperatorId>,
    pub added: Vec<OperatorId>,
}

impl Common {
    /// Pairs the operators of two revisions by name.
    pub(super) fn new(base: &Catalogue, head: &Catalogue, stop: &Stop) -> Result<Self, Stopped> {
        let mut common = Self {
            in_base: vec![None; head.operators.len()],
            ..Self::default()
        };
        for (id, operator) in base.iter() {
            stop.check()?;
            let found = counterpart(head, operator);
            common.in_head.push(found);
            let Some(found) = found else {
                continue;
            };
            // The first of several entries with one name counts; a rule rejects the others.
            if common.in_base[found.index()].is_none() {
                common.in_base[found.index()] = Some(id);
                common.same.push((id, found));
                if !shares_entry(operator, head.operator(found)) {
                    common.unshared.push((id, found));
                }
            }
        }
        Ok(common)
    }
}

impl<'c> Pairing<'c> {
    /// Adds the operators that only one side has by their names, and finds renames among them.
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

    /// Pairs removed operators with added ones. Only declared operators: generated ones follow their
    /// source.
    fn rename(&mut self, base: &Catalogue, head: &Catalogue, stop: &Stop) -> Result<(), Stopped> {
        self.renamed = renames::find(base, head, (&self.removed, &self.added), stop)?;
        let olds: FxHashSet<_> = self.renamed.iter().map(|pair| pair.base).collect();
        let news: FxHashSet<_> = self.renamed.iter().map(|pair| pair.head).collect();
        self.removed.retain(|id| !olds.contains(id));
        self.added.retain(|id| !news.contains(id));
        Ok(())
    }
}

fn shares_entry(a: &Operator, b: &Operator) -> bool {
    match (a.declared(), b.declared()) {
        (Some(a), Some(b)) => Arc::ptr_eq(&a.entry, &b.entry),
        _ => false,
    }
}

fn counterpart(catalogue: &Catalogue, operator: &Operator) -> Option<OperatorId> {
    catalogue.find_in(operator.namespace(), operator.name_text())
}
