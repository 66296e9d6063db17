//! Who follows whom: generated operators, delegates, groups, and forms of one operator.

use std::slice;

use rustc_hash::FxHashMap;

use crate::change::{Change, Note, Subject};
use crate::revision::Comparison;
use crate::rules::ChangeRuleId;
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::operator::OperatorId;
use opatlas_schema::types::BaseType;

/// An operator of a comparison: its id in the base, or else in the head, or else its name. Of several operators with
/// the same name it is the id of the first, so two of these are equal exactly if the names are. To compare ids needs
/// no look at names, which lie all over memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Known<'n> {
    Base(OperatorId),
    Head(OperatorId),
    Neither(&'n str),
}

/// What is known of operators.
pub(super) struct OfOperators<'n, T> {
    of_base: Vec<Option<T>>,
    of_head: Vec<Option<T>>,
    of_names: FxHashMap<&'n str, T>,
}

impl<'n, T: Copy> OfOperators<'n, T> {
    pub(super) fn new(kin: &Kin<'_>) -> Self {
        let [of_base, of_head] = kin.sides.map(|side| vec![None; side.operators.len()]);
        Self {
            of_base,
            of_head,
            of_names: FxHashMap::default(),
        }
    }

    pub(super) fn get(&self, operator: Known<'_>) -> Option<T> {
        match operator {
            Known::Base(id) => self.of_base.get(id.index()).copied().flatten(),
            Known::Head(id) => self.of_head.get(id.index()).copied().flatten(),
            Known::Neither(name) => self.of_names.get(name).copied(),
        }
    }

    pub(super) fn set(&mut self, operator: Known<'n>, value: T) {
        let place = match operator {
            Known::Base(id) => self.of_base.get_mut(id.index()),
            Known::Head(id) => self.of_head.get_mut(id.index()),
            Known::Neither(name) => {
                self.of_names.insert(name, value);
                None
            }
        };
        if let Some(place) = place {
            *place = Some(value);
        }
    }
}

/// The relations of operators on both sides.
pub(super) struct Kin<'a> {
    sides: [&'a Catalogue; 2],
    /// The change that the table of an operator follows from, by its index in the base.
    of_table: Vec<Option<&'a Change>>,
    /// The types that removed operators of the base went with.
    lost_types: FxHashMap<OperatorId, BaseType>,
}

impl<'a> Kin<'a> {
    pub(super) fn new(
        comparison: &'a Comparison,
        base: &'a Catalogue,
        head: &'a Catalogue,
    ) -> Self {
        let mut of_table = vec![None; base.operators.len()];
        for table in &comparison.tables {
            let (old, _) = table.ids();
            if let Some(place) = of_table.get_mut(old.index()) {
                *place = table.cause.and_then(|cause| comparison.changes.get(cause));
            }
        }
        Self {
            sides: [base, head],
            of_table: of_table
                .into_iter()
                .map(|change| change.map(|it| &**it))
                .collect(),
            lost_types: lost_types(comparison, base, head),
        }
    }

    /// The operator of this name.
    fn known<'n>(&self, name: &'n str) -> Known<'n> {
        known(name, self.sides.map(|side| side.find_qualified(name)))
    }

    /// The operator itself if an entry declares it on either side, else the one that it is generated
    /// from.
    fn owner<'n>(&self, name: &'n str) -> Known<'n>
    where
        'a: 'n,
    {
        let ids = self.sides.map(|side| side.find_qualified(name));
        self.owner_in(name, ids)
    }

    /// The same of the operator of a change, and the operator itself.
    pub(super) fn owner_of<'n>(&self, change: &'n Change) -> [Known<'n>; 2]
    where
        'a: 'n,
    {
        let ids = change.ids(self.sides);
        let own = known(&change.operator, ids);
        [self.owner_in(&change.operator, ids), own]
    }

    fn owner_in<'n>(&self, name: &'n str, ids: [Option<OperatorId>; 2]) -> Known<'n>
    where
        'a: 'n,
    {
        let own = known(name, ids);
        let mut owner = None;
        for (side, id) in self.sides.into_iter().zip(ids) {
            let Some(id) = id else {
                continue;
            };
            match side.generated_from(id) {
                None => return own,
                Some(from) => owner = owner.or(Some((side, from))),
            }
        }
        owner.map_or(own, |(side, from)| self.in_side(side, from))
    }

    /// An operator of a side.
    fn in_side<'n>(&self, side: &'n Catalogue, id: OperatorId) -> Known<'n> {
        let is_base = std::ptr::eq(side, self.sides[0]);
        match is_base && !side.shares_name(id) {
            true => Known::Base(id),
            false => self.known(side.operator(id).qualified_name()),
        }
    }

    /// Its name.
    pub(super) fn name<'n>(&self, operator: Known<'n>) -> &'n str
    where
        'a: 'n,
    {
        let [base, head] = self.sides;
        match operator {
            Known::Base(id) => base.operator(id).qualified_name(),
            Known::Head(id) => head.operator(id).qualified_name(),
            Known::Neither(name) => name,
        }
    }

    /// The operators that an effect names: removed variants, copies, replaced overloads.
    pub(super) fn named<'c>(&self, change: &'c Change) -> impl Iterator<Item = Known<'c>>
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
    pub(super) fn related<'n>(&self, operator: Known<'n>) -> impl Iterator<Item = Known<'n>>
    where
        'a: 'n,
    {
        let of_table = match operator {
            Known::Base(id) => self.of_table.get(id.index()).copied().flatten(),
            Known::Head(_) | Known::Neither(_) => None,
        };
        let of_table = of_table.map(|change| self.owner_of(change)[0]);
        let sides = self.sides.into_iter();
        let found = sides.filter_map(move |side| {
            let is_base = std::ptr::eq(side, self.sides[0]);
            let id = match operator {
                Known::Base(id) if is_base => id,
                Known::Head(_) if is_base => return None,
                Known::Head(id) => id,
                operator => side.find_qualified(self.name(operator))?,
            };
            Some((side, id))
        });
        let of_sides = found.flat_map(move |(side, id)| {
            let delegate = side.operator(id).structured_delegate();
            let delegate = delegate.map(|delegate| self.owner(delegate.as_str()));
            let members = side.groups.of(id).members();
            let members = members.map(move |id| match side.generated_from(id) {
                // It is declared here, so it is its own.
                None => self.in_side(side, id),
                Some(_) => self.owner(side.operator(id).qualified_name()),
            });
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

/// The operator of this name, which has these ids.
fn known(name: &str, ids: [Option<OperatorId>; 2]) -> Known<'_> {
    match ids {
        [Some(id), _] => Known::Base(id),
        [None, Some(id)] => Known::Head(id),
        [None, None] => Known::Neither(name),
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
    // The pairs are far fewer than the changes.
    let removed = comparison.pairs.iter();
    let removed = removed.filter(|pair| pair.is_gone() && !pair.is_generated);
    let removed = removed.filter_map(|pair| base.find_qualified(&pair.name));
    let mut removed: Vec<OperatorId> = removed.collect();
    if removed.is_empty() {
        return FxHashMap::default();
    }
    removed.sort_unstable();
    let used = removed
        .iter()
        .flat_map(|id| base.operator(*id).used_types());
    let mut unused: Vec<BaseType> = used.filter(|used| !COMMON.contains(used)).collect();
    if !unused.is_empty() {
        let of_head: Vec<BaseType> = head.used_types().collect();
        unused.retain(|used| !of_head.contains(used));
    }
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
