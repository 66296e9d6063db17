//! Operators by name, without a copy of any name.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use super::operator::{Operator, OperatorId, hash};

/// The first operator of each name. A name that is looked up is compared with those of the operators
/// themselves, which must be the same list each time.
#[derive(Debug, Default)]
pub(crate) struct ByName(HashTable<OperatorId>);

impl ByName {
    /// With room for so many names.
    pub(crate) fn with_capacity(count: usize) -> Self {
        Self(HashTable::with_capacity(count))
    }

    /// The operator of a name.
    pub(crate) fn find(&self, operators: &[Operator], name: &str) -> Option<OperatorId> {
        let hash = hash(name);
        let is_wanted = |id: &OperatorId| {
            let operator = &operators[id.index()];
            operator.name_hash() == hash && operator.name_text() == name
        };
        self.0.find(hash, is_wanted).copied()
    }

    /// Adds an operator, unless there is one of its name: that is returned then.
    pub(crate) fn insert(&mut self, operators: &[Operator], id: OperatorId) -> Option<OperatorId> {
        let hash_of = |id: &OperatorId| operators[id.index()].name_hash();
        let name = |id: &OperatorId| operators[id.index()].name_text();
        let hash = hash_of(&id);
        let is_same = |known: &OperatorId| hash_of(known) == hash && name(known) == name(&id);
        match self.0.entry(hash, is_same, hash_of) {
            Entry::Occupied(known) => Some(*known.get()),
            Entry::Vacant(place) => {
                place.insert(id);
                None
            }
        }
    }
}
