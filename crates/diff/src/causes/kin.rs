//! Who follows whom: generated operators, delegates, groups, and forms of one operator.

use std::slice;

use rustc_hash::FxHashMap;

use crate::change::{Change, Note, Subject};
use crate::revision::{Comparison, sized};
use crate::rules::ChangeRuleId;
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::operator::OperatorId;
use opatlas_schema::types::BaseType;

/// The relations of operators on both sides.
pub(super) struct Kin<'a> {
    sides: [&'a Catalogue; 2],
    /// The operator whose change an operator's table follows from.
    of_table: FxHashMap<&'a str, &'a str>,
    /// The types that removed operators of the base went with.
    lost_types: FxHashMap<OperatorId, BaseType>,
}

impl<'a> Kin<'a> {
    pub(super) fn new(
        comparison: &'a Comparison,
        base: &'a Catalogue,
        head: &'a Catalogue,
    ) -> Self {
        let followed = comparison.tables.iter().filter_map(|table| {
            let cause = comparison.changes.get(table.cause?)?;
            Some((&*table.operator, &*cause.operator))
        });
        let mut of_table = sized(comparison.tables.len());
        of_table.extend(followed);
        Self {
            sides: [base, head],
            of_table,
            lost_types: lost_types(comparison, base, head),
        }
    }

    /// The base and the head.
    pub(super) fn sides(&self) -> [&'a Catalogue; 2] {
        self.sides
    }

    /// The operator itself if an entry declares it on either side, else the one that it is generated
    /// from.
    pub(super) fn owner<'n>(&self, name: &'n str) -> &'n str
    where
        'a: 'n,
    {
        let ids = self.sides.map(|side| side.find_qualified(name));
        self.owner_in(name, ids)
    }

    /// The same of an operator with its places on both sides.
    pub(super) fn owner_in<'n>(&self, name: &'n str, ids: [Option<OperatorId>; 2]) -> &'n str
    where
        'a: 'n,
    {
        let mut owner = None;
        for (side, id) in self.sides.into_iter().zip(ids) {
            let Some(id) = id else {
                continue;
            };
            match side.operator(id).generated_from() {
                None => return name,
                Some(from) => {
                    owner = owner.or(Some(side.operator(from).qualified_name()));
                }
            }
        }
        owner.unwrap_or(name)
    }

    /// The operators that an effect names: removed variants, copies, replaced overloads.
    pub(super) fn named<'c>(&self, change: &'c Change) -> impl Iterator<Item = &'c str>
    where
        'a: 'c,
    {
        let of_note = |note: &'c Note| match note {
            Note::Missing(missing) => &**missing,
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

    /// Operators that an operator follows, the likeliest first.
    pub(super) fn related(&self, name: &str) -> impl Iterator<Item = &'a str> {
        let of_table = self.of_table.get(name).map(|name| self.owner(name));
        let sides = self.sides.into_iter();
        let found = sides.filter_map(move |side| Some((side, side.find_qualified(name)?)));
        let of_sides = found.flat_map(|(side, id)| {
            let delegate = side.operator(id).structured_delegate();
            let delegate = delegate.map(|delegate| self.owner(delegate.as_str()));
            let members = side.groups.of(id).members();
            let members = members.map(|id| self.owner(side.operator(id).qualified_name()));
            delegate.into_iter().chain(members)
        });
        of_table.into_iter().chain(of_sides)
    }

    /// The type that an operator was removed with, where nothing of the head uses it.
    pub(super) fn lost_type(&self, change: &Change) -> Option<BaseType> {
        if self.lost_types.is_empty() || !is_removal(change) {
            return None;
        }
        let [base, _] = self.sides;
        let id = base.find_qualified(&change.operator)?;
        self.lost_types.get(&id).copied()
    }
}

fn is_removal(change: &Change) -> bool {
    matches!(
        change.rule.id,
        ChangeRuleId::OperatorRemoved | ChangeRuleId::OverloadRemoved
    )
}

/// Types that say nothing of what an operator is about.
const COMMON: [BaseType; 7] = [
    BaseType::Bool,
    BaseType::Float,
    BaseType::Int,
    BaseType::Scalar,
    BaseType::Str,
    BaseType::SymInt,
    BaseType::Tensor,
];

/// The type that each removed operator went with, where nothing of the head uses it. Removed
/// entries that stand next to each other were one edit, so one that does not use the type goes with
/// its neighbours.
fn lost_types(
    comparison: &Comparison,
    base: &Catalogue,
    head: &Catalogue,
) -> FxHashMap<OperatorId, BaseType> {
    let removed = comparison
        .changes
        .iter()
        .filter(|change| is_removal(change));
    let removed = removed.filter_map(|change| base.find_qualified(&change.operator));
    let mut removed: Vec<OperatorId> = removed.collect();
    if removed.is_empty() {
        return FxHashMap::default();
    }
    removed.sort_unstable();
    let used = removed
        .iter()
        .flat_map(|id| base.operator(*id).used_types());
    let mut unused: Vec<BaseType> = used.filter(|used| !COMMON.contains(used)).collect();
    unused.retain(|used| !head.used_types().contains(used));
    let is_lost = |used: &BaseType| unused.contains(used);
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
    // A search for one character is several times as quick as one for two.
    let name = match name.rfind(':') {
        Some(_) => name.rsplit("::").next().unwrap_or(name),
        None => name,
    };
    let base = name.split('.').next().unwrap_or(name);
    let base = base.strip_prefix("_foreach_").unwrap_or(base);
    let base = base.strip_suffix("_copy").unwrap_or(base);
    let is_dunder = base.starts_with("__") && base.ends_with("__");
    match base
        .strip_suffix('_')
        .filter(|stem| !stem.is_empty() && !is_dunder)
    {
        Some(stem) => stem,
        None => base,
    }
}

/// The first of the named places for each stem.
pub(super) fn stems<'n>(
    named: impl Iterator<Item = (&'n str, usize)>,
) -> FxHashMap<&'n str, usize> {
    let mut stems: FxHashMap<&str, usize> = FxHashMap::default();
    for (name, place) in named {
        let known = stems.entry(stem(name)).or_insert(place);
        *known = (*known).min(place);
    }
    stems
}
