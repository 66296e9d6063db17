//! Data shared by the faces of all operators of a revision.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use crate::bindings::{BoundNames, Generator};
use crate::deprecated::Deprecated;
use crate::deprecated::matching::DeprecatedMatches;
use crate::operator::{Operator, OperatorId};
use crate::table::OperatorTable;

#[derive(Debug)]
pub(crate) struct FaceIndex {
    /// Keys in the order of their first kernel.
    order_of_keys: OnceLock<FxHashMap<Box<str>, usize>>,
    names: OnceLock<BoundNames>,
    deprecated: DeprecatedMatches,
}

impl FaceIndex {
    pub(crate) fn new(table: &OperatorTable, deprecated: Option<&Deprecated>) -> Self {
        let deprecated = match deprecated {
            Some(file) => {
                let generator = Generator::new(table);
                let is_bound = |id| generator.binds(table.operator(id));
                DeprecatedMatches::new(table, file, is_bound)
            }
            None => DeprecatedMatches::default(),
        };
        Self {
            order_of_keys: OnceLock::new(),
            names: OnceLock::new(),
            deprecated,
        }
    }

    pub(crate) fn names(&self, table: &OperatorTable) -> &BoundNames {
        self.names.get_or_init(|| BoundNames::new(table))
    }

    /// The rank of a key by its first kernel; keys without one come last.
    pub(crate) fn order(&self, table: &OperatorTable, key: &str) -> usize {
        let order = self.order_of_keys.get_or_init(|| {
            let mut order: FxHashMap<Box<str>, usize> = FxHashMap::default();
            for kernel in table.operators.iter().flat_map(Operator::kernels) {
                let (key, next) = (kernel.key.as_str(), order.len());
                if !order.contains_key(key) {
                    order.insert(key.into(), next);
                }
            }
            order
        });
        order.get(key).copied().unwrap_or(usize::MAX)
    }

    pub(crate) fn deprecated(&self) -> &DeprecatedMatches {
        &self.deprecated
    }

    pub(crate) fn is_bound(&self, table: &OperatorTable, id: OperatorId) -> bool {
        self.names(table).is_reached(id)
    }
}
