//! Operators by their whole schema.

use rustc_hash::FxHashMap;

use crate::operator::OperatorId;
use crate::table::OperatorTable;

/// The first operator of each schema. A schema begins with the name, and nearly all operators have a name
/// of their own; only the others are kept by their texts.
pub(super) struct Schemas<'a> {
    catalogue: &'a OperatorTable,
    of_shared_names: FxHashMap<&'a str, OperatorId>,
}

impl<'a> Schemas<'a> {
    pub(super) fn of(catalogue: &'a OperatorTable) -> Self {
        let mut of_shared_names = FxHashMap::default();
        for &id in catalogue.shared_names().flat_map(|(_, ids)| ids) {
            let schema = catalogue.operator(id).canonical();
            let first = of_shared_names.entry(schema).or_insert(id);
            *first = id.min(*first);
        }
        Self {
            catalogue,
            of_shared_names,
        }
    }

    /// The first operator with this canonical schema.
    pub(super) fn find(&self, schema: &str) -> Option<OperatorId> {
        let (name, _) = schema.split_once('(')?;
        let found = self.catalogue.find(name)?;
        if self.catalogue.shares_name(found) {
            return self.of_shared_names.get(schema).copied();
        }
        (self.catalogue.operator(found).canonical() == schema).then_some(found)
    }

    /// The first operator with the schema of an operator: itself, unless it shares its name.
    pub(super) fn first(&self, id: OperatorId) -> OperatorId {
        if !self.catalogue.shares_name(id) {
            return id;
        }
        let schema = self.catalogue.operator(id).canonical();
        self.of_shared_names.get(schema).copied().unwrap_or(id)
    }
}
