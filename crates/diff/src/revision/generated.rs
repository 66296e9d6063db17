//! Operators that `autogen` makes: they are registered like any other, but no entry shows them.

use crate::rules::ChangeRuleId;
use rustc_hash::FxHashSet;

use super::pairing::Pairing;
use crate::change::{Change, Fragment, Note, Subject};
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::entry::{Entry, Field};
use opatlas_operators::operator::OperatorId;
use opatlas_schema::name::OperatorName;

/// Of more pairs than that only entries with `autogen` are looked at: they are a fifth of all, and entries lie all
/// over memory. Which these are is found once for a revision, by a look at each entry.
const FEW: usize = 256;

/// Adds generated operators that came, went, or changed places with written ones, and names that
/// `autogen` lists or no longer lists.
pub(super) fn compare(
    base: &Catalogue,
    head: &Catalogue,
    pairing: &Pairing<'_>,
    changes: &mut Vec<Change>,
) {
    let touched = touched(base, head, pairing);
    let listed = [base, head].map(|side| Listed::among(side, &touched));
    for &(old, new) in &pairing.common.unshared {
        let is_generated =
            [base.generated_from(old), head.generated_from(new)].map(|it| it.is_some());
        if is_generated == [false, false] {
            continue;
        }
        let before = base.operator(old);
        let name = before.name_text();
        let rule = match is_generated.into() {
            (true, false) => ChangeRuleId::AutogenBecameExplicit,
            (false, true) => ChangeRuleId::AutogenAdded,
            (true, true) if !touched.contains(name) => continue,
            // It is generated whether or not it is listed; the declaration changed all the same.
            (true, true) => match (listed[0].holds(name), listed[1].holds(name)) {
                (true, false) => ChangeRuleId::AutogenRemoved,
                (false, true) => ChangeRuleId::AutogenAdded,
                _ => continue,
            },
            (false, false) => continue,
        };
        let mut change = Change::new(rule, before.shared_name(), Subject::Operator)
            .old(declared(base, old))
            .new_side(declared(head, new));
        if is_generated == [true, true] {
            change = change.note(Note::StillGenerated);
        }
        changes.push(change);
    }
    let gone: FxHashSet<OperatorId> = pairing.removed.iter().copied().collect();
    for &id in pairing
        .removed
        .iter()
        .filter(|id| base.operator(**id).is_generated())
    {
        let operator = base.operator(id);
        let mut change = Change::new(
            ChangeRuleId::AutogenRemoved,
            operator.shared_name(),
            Subject::Operator,
        )
        .old(declared(base, id));
        if let Some(owner) = operator
            .generated_from()
            .filter(|owner| gone.contains(owner))
        {
            let owner = base.operator(owner).shared_name();
            change = change.note(Note::WentWith(owner));
        }
        changes.push(change);
    }
    for &id in pairing
        .added
        .iter()
        .filter(|id| head.operator(**id).is_generated())
    {
        let operator = head.operator(id);
        let change = Change::new(
            ChangeRuleId::AutogenAdded,
            operator.shared_name(),
            Subject::Operator,
        );
        changes.push(change.new_side(declared(head, id)));
    }
}

/// The names that may be in `autogen` on one side alone: those in entries whose lists differ.
fn touched<'a>(
    base: &'a Catalogue,
    head: &'a Catalogue,
    pairing: &Pairing<'_>,
) -> FxHashSet<&'a str> {
    let mut touched = FxHashSet::default();
    let mut add = |entry: Option<&'a Entry>| {
        touched.extend(entry.into_iter().flat_map(names).map(OperatorName::as_str));
    };
    let common = pairing.common;
    let listing = || {
        let of_base = base.listing().filter_map(|old| {
            let new = common.in_head[old.index()]?;
            (common.in_base[new.index()] == Some(old)).then_some((old, new))
        });
        let of_head = head.listing();
        let of_head = of_head.filter_map(|new| Some((common.in_base[new.index()]?, new)));
        of_base.chain(of_head).collect::<Vec<_>>()
    };
    let found;
    let pairs = match common.unshared.len() > FEW {
        true => {
            found = listing();
            &found
        }
        false => &common.unshared,
    };
    for &(old, new) in pairs {
        let (before, after) = (entry(base, old), entry(head, new));
        let names = |entry: Option<&'a Entry>| entry.into_iter().flat_map(names);
        if !names(before).eq(names(after)) {
            add(before);
            add(after);
        }
    }
    let renamed = pairing.renamed.iter();
    for (old, new) in renamed.map(|pair| (pair.base, pair.head)) {
        add(entry(base, old));
        add(entry(head, new));
    }
    for &old in &pairing.removed {
        add(entry(base, old));
    }
    for &new in &pairing.added {
        add(entry(head, new));
    }
    for side in [base, head] {
        // Entries without a readable schema are not operators, but they list names all the same.
        if side.entry_of.len() < side.native_functions.entries.len() {
            let entries = side.native_functions.entries.iter();
            let unread = entries.filter(|placed| placed.entry.schema.is_none());
            unread.for_each(|placed| add(Some(&placed.entry)));
        }
    }
    touched
}

fn entry(catalogue: &Catalogue, id: OperatorId) -> Option<&Entry> {
    catalogue.entry(id).map(|placed| &*placed.entry)
}

/// What an entry lists in `autogen`.
fn names(entry: &Entry) -> impl Iterator<Item = &OperatorName> {
    entry.autogen.iter().map(|name| &name.value)
}

/// What the entries of a side list in `autogen`, of the names that may have moved.
struct Listed<'a>(FxHashSet<&'a str>);

impl<'a> Listed<'a> {
    fn among(catalogue: &'a Catalogue, wanted: &FxHashSet<&str>) -> Self {
        if wanted.is_empty() {
            return Self(FxHashSet::default());
        }
        let entries = catalogue.native_functions.entries.iter();
        let listed = entries.flat_map(|placed| names(&placed.entry));
        let listed = listed.map(OperatorName::as_str);
        Self(listed.filter(|name| wanted.contains(name)).collect())
    }

    fn holds(&self, name: &str) -> bool {
        self.0.contains(name)
    }
}

/// The operator's schema, at the place that brings it into being: its own entry, or `autogen` in
/// that of its owner.
fn declared(catalogue: &Catalogue, id: OperatorId) -> Option<Fragment> {
    let operator = catalogue.operator(id);
    let place = match operator.declared() {
        Some(placed) => placed.place(placed.entry.func_at),
        None => {
            let placed = catalogue.operator(operator.generated_from()?).declared()?;
            let entry = &placed.entry;
            let named = entry
                .autogen
                .iter()
                .find(|name| name.value == *operator.name());
            let field = || entry.field(Field::Autogen).map(|field| field.value);
            placed.place(
                named
                    .map(|name| name.at)
                    .or_else(field)
                    .unwrap_or(entry.func_at),
            )
        }
    };
    Some(Fragment::of_field(operator.canonical(), Some(place)))
}
