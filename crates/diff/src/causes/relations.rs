//! Which operators an operator follows: its source, delegate, group, and other forms.

use std::slice;

use rustc_hash::FxHashMap;

use crate::change::{Change, Note, Subject};
use crate::revision::Comparison;
use crate::rules::ChangeRuleId;
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::operator::OperatorId;
use opatlas_schema::types::BaseType;

/// The relations of operators on both sides. Operators go by their names.
pub(super) struct Relations<'a> {
    sides: [&'a Catalogue; 2],
    /// The operator of the change that an operator's table follows from.
    of_table: FxHashMap<&'a str, &'a str>,
    lost_types: FxHashMap<OperatorId, BaseType>,
}

impl<'a> Relations<'a> {
    pub(super) fn new(
        comparison: &'a Comparison,
        base: &'a Catalogue,
        head: &'a Catalogue,
    ) -> Self {
        let of_table = comparison.tables.iter().filter_map(|table| {
            let cause = comparison.changes.get(table.cause?)?;
            Some((&*table.operator, &*cause.operator))
        });
        Self {
            sides: [base, head],
            of_table: of_table.collect(),
            lost_types: lost_types(comparison, base, head),
        }
    }

    /// The operator itself if either side declares it, else the operator that it is generated from.
    pub(super) fn owner(&self, name: &'a str) -> &'a str {
        let mut owner = None;
        for side in self.sides {
            let Some(id) = side.find_qualified(name) else {
                continue;
            };
            match side.operator(id).generated_from() {
                None => return name,
                Some(source) => owner = owner.or(Some(side.operator(source).qualified_name())),
            }
        }
        owner.unwrap_or(name)
    }

    /// The operators that a consequence mentions: removed variants, copies, replaced overloads.
    pub(super) fn mentioned(&self, change: &'a Change) -> impl Iterator<Item = &'a str> {
        let of_note = |note: &'a Note| match note {
            Note::Missing(missing) | Note::NeedsRemoved(missing) => &**missing,
            Note::WentWith(name) | Note::Sibling(name) => slice::from_ref(name),
            _ => &[],
        };
        let shadowed = match (change.rule.id, &change.subject) {
            (ChangeRuleId::OverloadShadowing, Subject::Names(others)) => &**others,
            _ => &[],
        };
        let names = change.notes.iter().flat_map(of_note).chain(shadowed);
        names.map(|name| self.owner(name))
    }

    pub(super) fn related(&self, operator: &'a str) -> impl Iterator<Item = &'a str> {
        let of_table = self.of_table.get(operator).copied();
        let of_sides = self.sides.into_iter().flat_map(move |side| {
            let id = side.find_qualified(operator);
            let delegate = id.and_then(|id| side.operator(id).structured_delegate());
            let members = id.map(|id| side.groups.of(id).members());
            let members = members.into_iter().flatten();
            let members = members.map(|id| side.operator(id).qualified_name());
            delegate
                .map(|name| name.as_str())
                .into_iter()
                .chain(members)
        });
        of_table
            .into_iter()
            .chain(of_sides)
            .map(|name| self.owner(name))
    }

    /// `true` if the head has no operators.
    pub(super) fn is_emptied(&self) -> bool {
        self.sides[1].operators.is_empty()
    }

    pub(super) fn lost_type(&self, change: &Change) -> Option<BaseType> {
        let is_removal = matches!(
            change.rule.id,
            ChangeRuleId::OperatorRemoved | ChangeRuleId::OverloadRemoved
        );
        let id = self.sides[0].find_qualified(&change.operator)?;
        let lost = self.lost_types.get(&id).copied();
        lost.filter(|_| is_removal && !self.is_emptied())
    }
}

/// Types that reveal nothing about an operator's purpose.
const COMMON: [BaseType; 7] = [
    BaseType::Bool,
    BaseType::Float,
    BaseType::Int,
    BaseType::Scalar,
    BaseType::Str,
    BaseType::SymInt,
    BaseType::Tensor,
];

/// The type that each removed operator was removed with, if the head no longer uses it. Adjacent
/// removed entries are one edit, so one that does not use the type belongs to its neighbors.
fn lost_types(
    comparison: &Comparison,
    base: &Catalogue,
    head: &Catalogue,
) -> FxHashMap<OperatorId, BaseType> {
    let mut removed: Vec<OperatorId> = comparison
        .pairs
        .iter()
        .filter(|pair| pair.is_gone() && !pair.is_generated)
        .filter_map(|pair| base.find_qualified(&pair.name))
        .collect();
    removed.sort_unstable();
    let of_head: Vec<BaseType> = head.used_types().collect();
    let is_lost = |used: &BaseType| !COMMON.contains(used) && !of_head.contains(used);
    let own = |id: &OperatorId| base.operator(*id).used_types().filter(is_lost).min();
    let mut lost = FxHashMap::default();
    for run in removed.chunk_by(|a, b| a.0 + 1 == b.0) {
        if let Some(shared) = run.iter().find_map(own) {
            lost.extend(run.iter().map(|id| (*id, own(id).unwrap_or(shared))));
        }
    }
    lost
}

/// The name that the forms of an operator share: `add` of `add.out`, `add_`, `_foreach_add.List` and
/// `add_copy`.
#[must_use]
pub fn stem(name: &str) -> &str {
    let name = name.rsplit("::").next().unwrap_or(name);
    let base = name.split('.').next().unwrap_or(name);
    let base = base.strip_prefix("_foreach_").unwrap_or(base);
    let base = base.strip_suffix("_copy").unwrap_or(base);
    if base.starts_with("__") && base.ends_with("__") {
        return base;
    }
    match base.strip_suffix('_') {
        Some(stem) if !stem.is_empty() => stem,
        _ => base,
    }
}
