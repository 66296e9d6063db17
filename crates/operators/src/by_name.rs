//! Operators by name, without a copy of any name.

use std::hash::{BuildHasher as _, BuildHasherDefault};

use hashbrown::HashTable;
use rustc_hash::FxHasher;

use super::operator::{Operator, OperatorId};

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
        let is_wanted = |id: &OperatorId| name_of(operators, *id) == name;
        self.0.find(hash(name), is_wanted).copied()
    }

    /// Adds an operator, unless there is one of its name: that is returned then.
    pub(crate) fn insert(&mut self, operators: &[Operator], id: OperatorId) -> Option<OperatorId> {
        let name = name_of(operators, id);
        let known = self.find(operators, name);
        if known.is_none() {
            let rehash = |id: &OperatorId| hash(name_of(operators, *id));
            self.0.insert_unique(hash(name), id, rehash);
        }
        known
    }
}

fn name_of(operators: &[Operator], id: OperatorId) -> &str {
    operators[id.index()].name().as_str()
}

fn hash(name: &str) -> u64 {
    BuildHasherDefault::<FxHasher>::default().hash_one(name)
}
