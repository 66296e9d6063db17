//! The dispatch tables of all operators of a revision. Operators with equal registered keys share a table.

use rustc_hash::FxHashMap;

use super::resolve::{Precedence, Registered, Table, resolve};
use opatlas_pytorch::key_set::{KeySet, Slot};
use opatlas_pytorch::keys::Keys;

/// Tables by operator, in the order of the input.
#[derive(Clone, Debug, Default)]
pub struct Tables {
    distinct: Vec<Distinct>,
    of_operator: Vec<u32>,
}

/// A table that operators share.
#[derive(Clone, Debug)]
pub struct Distinct {
    /// The registered keys.
    pub registered: Registered,
    /// The table.
    pub table: Table,
    /// The number of operators with this table.
    pub operators: usize,
}

impl Tables {
    /// Computes the tables for these registered keys. `fallbacks` as for [`resolve`].
    #[must_use]
    pub fn new(
        keys: &Keys,
        fallbacks: KeySet,
        operators: impl IntoIterator<Item = Registered>,
    ) -> Self {
        let mut tables = Self::default();
        let mut known: FxHashMap<Registered, u32> = FxHashMap::default();
        for registered in operators {
            let id = *known.entry(registered).or_insert_with(|| {
                let table = resolve(keys, &registered, fallbacks);
                tables.distinct.push(Distinct {
                    registered,
                    table,
                    operators: 0,
                });
                u32::try_from(tables.distinct.len() - 1).unwrap_or(u32::MAX)
            });
            if let Some(distinct) = tables.distinct.get_mut(id as usize) {
                distinct.operators += 1;
            }
            tables.of_operator.push(id);
        }
        tables
    }

    /// The number of operators.
    #[must_use]
    pub fn len(&self) -> usize {
        self.of_operator.len()
    }

    /// Whether there are no operators.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.of_operator.is_empty()
    }

    /// The table of the operator with this index.
    #[must_use]
    pub fn table(&self, operator: usize) -> Option<&Table> {
        self.shared(operator).map(|distinct| &distinct.table)
    }

    /// The table of the operator with this index, with its registered keys.
    #[must_use]
    pub fn shared(&self, operator: usize) -> Option<&Distinct> {
        let id = *self.of_operator.get(operator)?;
        self.distinct.get(id as usize)
    }

    /// The distinct tables, in order of first use.
    #[must_use]
    pub fn distinct(&self) -> &[Distinct] {
        &self.distinct
    }

    /// The rule that serves one key, for each operator.
    pub fn column(&self, slot: Slot) -> impl Iterator<Item = Precedence> + use<'_> {
        let rules: Vec<_> = self
            .distinct
            .iter()
            .map(|distinct| distinct.table.rule(slot))
            .collect();
        self.of_operator.iter().map(move |&id| {
            rules
                .get(id as usize)
                .copied()
                .unwrap_or(Precedence::Missing)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use opatlas_pytorch::release::Release;

    #[test]
    fn equal_patterns_share_a_table() {
        let keys = Keys::of(Release::V2_9);
        let registered = |names: &[&str]| -> Registered {
            names
                .iter()
                .map(|name| keys.registrable(name).unwrap())
                .collect()
        };
        let operators = [
            registered(&["CPU", "Autograd"]),
            registered(&["CompositeImplicitAutograd"]),
            registered(&["Autograd", "CPU"]),
        ];
        let tables = Tables::new(keys, keys.fallbacks(), operators);
        assert_eq!((tables.len(), tables.distinct().len()), (3, 2));
        assert_eq!(tables.distinct()[0].operators, 2);
        for (place, registered) in operators.iter().enumerate() {
            assert_eq!(
                tables.table(place),
                Some(&resolve(keys, registered, keys.fallbacks()))
            );
        }
        assert_eq!(tables.table(3), None);
        let column: Vec<_> = tables.column(keys.slot("CPU").unwrap()).collect();
        assert_eq!(
            column,
            [Precedence::Direct, Precedence::Implicit, Precedence::Direct]
        );
    }
}
