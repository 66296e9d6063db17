//! The entry changes that table changes follow from.

use rustc_hash::FxHashMap;

use super::TableChange;
use crate::change::Change;
use crate::rules::Group;
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::operator::OperatorId;

/// Sets the cause of each table: the first change of the operator's own entry, or else of the entry
/// that it delegates to or is generated from.
pub(in crate::revision) fn set_causes(
    tables: &mut [TableChange],
    base: &Catalogue,
    head: &Catalogue,
    changes: &[Change],
) {
    let mut first: FxHashMap<&str, usize> = FxHashMap::default();
    for (i, change) in changes.iter().enumerate() {
        if matches!(change.rule.group, Group::Dispatch | Group::Generated) {
            first.entry(&change.operator).or_insert(i);
        }
    }
    let of_source = |catalogue: &Catalogue, id: OperatorId| {
        let operator = catalogue.operator(id);
        let source = match operator.generated_from() {
            Some(source) => catalogue.operator(source).qualified_name(),
            None => operator.structured_delegate()?.as_str(),
        };
        first.get(source).copied()
    };
    for table in tables {
        let (old, new) = table.ids;
        let own = first.get(&*table.operator).copied();
        table.cause = own
            .or_else(|| of_source(base, old))
            .or_else(|| of_source(head, new));
    }
}
