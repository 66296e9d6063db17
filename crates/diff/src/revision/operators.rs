//! Operators that came, went, were renamed, or have another schema.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::pairing::Pairing;
use super::renames::Renamed;
use super::schemas::{self, Compared};
use super::side::{Read, place};
use super::{DeclaredEntry, Pair};
use crate::change::{Change, Fragment, Note, Part, Subject};
use crate::near::Names;
use crate::official;
use crate::rules::ChangeRuleId;
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::operator::{Operator, OperatorId};
use opatlas_source::{Stop, Stopped};

/// The maximum number of candidates to replace a removed operator.
const CANDIDATES: usize = 3;

/// Adds the changes of operators as a whole and of their schemas. Gives the pairs that differ,
/// sorted by name.
///
/// # Errors
/// [`Stopped`].
pub(super) fn compare(
    base: &Catalogue,
    head: &Catalogue,
    pairing: &Pairing<'_>,
    changes: &mut Vec<Change>,
    stop: &Stop,
) -> Result<Vec<Pair>, Stopped> {
    let mut pairs = schemas::compare(base, head, pairing, changes, stop)?;
    for renamed in &pairing.renamed {
        stop.check()?;
        pairs.push(rename(base, head, *renamed, changes));
    }
    let mut added = Added::new(head, pairing);
    let of_head = Bases::of(head);
    for &id in &pairing.removed {
        stop.check()?;
        pairs.push(gone((base, id), &of_head, &mut added, changes));
    }
    let of_base = Bases::of(base);
    for &id in &pairing.added {
        stop.check()?;
        pairs.push(came((head, id), &of_base, changes));
    }
    pairs.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(pairs)
}

/// The base names of a side, with their namespaces.
struct Bases<'a> {
    catalogue: &'a Catalogue,
    /// Those of vendors' operators, which the catalogue does not sort.
    of_vendors: FxHashSet<(&'a str, &'a str)>,
}

impl<'a> Bases<'a> {
    fn of(catalogue: &'a Catalogue) -> Self {
        let of_vendors = catalogue.operators.iter().skip(catalogue.native().len());
        Self {
            catalogue,
            of_vendors: of_vendors.map(|o| (o.namespace(), o.base_name())).collect(),
        }
    }

    /// Whether the side has an operator of the same namespace and base name.
    fn has_overload_of(&self, operator: &Operator) -> bool {
        let wanted = (operator.namespace(), operator.base_name());
        self.catalogue.has_overload(wanted.0, wanted.1) || self.of_vendors.contains(&wanted)
    }
}

fn rename(base: &Catalogue, head: &Catalogue, renamed: Renamed, changes: &mut Vec<Change>) -> Pair {
    let (old, new) = (base.operator(renamed.base), head.operator(renamed.head));
    let name = old.shared_name();
    let side = |operator: &Operator| {
        let text = operator.shared_name();
        let mut fragment = Some(Fragment::of_schema(text, Part::Name, None));
        place(&mut fragment, operator);
        fragment
    };
    let mut change = Change::new(renamed.rule, Arc::clone(&name), Subject::Operator)
        .old(side(old))
        .new_side(side(new));
    if let Some(likeness) = renamed.guess {
        change = change.note(Note::Guess(likeness));
    }
    changes.push(change);
    let (a, b) = (Read::of(old), Read::of(new));
    let verdict = (a.by_torch && b.by_torch).then(|| official::compare(&a.schema, &b.schema));
    Pair {
        name,
        base: Some(renamed.base),
        head: Some(renamed.head),
        is_generated: false,
        old: Some(old.canonical().into()),
        new: Some(new.canonical().into()),
        verdict,
    }
}

fn gone(
    (base, id): (&Catalogue, OperatorId),
    head: &Bases<'_>,
    added: &mut Added,
    changes: &mut Vec<Change>,
) -> Pair {
    let operator = base.operator(id);
    let name = operator.shared_name();
    // Generated ones follow what they are generated from. Those of vendors' files have no entry.
    if !operator.is_generated() {
        let rule = match head.has_overload_of(operator) {
            true => ChangeRuleId::OverloadRemoved,
            false => ChangeRuleId::OperatorRemoved,
        };
        let place = DeclaredEntry::of(base, id).map(|written| written.at(None));
        let mut change = Change::new(rule, Arc::clone(&name), Subject::Operator)
            .old(Fragment::of_field(operator.canonical(), place));
        let candidates = added.candidates(operator);
        if !candidates.is_empty() {
            change = change.note(Note::Candidates(candidates));
        }
        changes.push(change);
    }
    Pair {
        name,
        base: Some(id),
        head: None,
        is_generated: operator.is_generated(),
        old: Some(operator.canonical().into()),
        new: None,
        verdict: None,
    }
}

/// The names of new operators.
struct Added(Names);

impl Added {
    fn new(head: &Catalogue, pairing: &Pairing<'_>) -> Self {
        let names = pairing.added.iter();
        Self(
            names
                .map(|id| head.operator(*id).qualified_name().to_owned())
                .collect(),
        )
    }

    /// The names similar to that of a removed operator.
    fn candidates(&mut self, gone: &Operator) -> Vec<Arc<str>> {
        let near = self.0.near(gone.qualified_name(), CANDIDATES);
        near.into_iter().map(Into::into).collect()
    }
}

fn came((head, id): (&Catalogue, OperatorId), base: &Bases<'_>, changes: &mut Vec<Change>) -> Pair {
    let operator = head.operator(id);
    let name = operator.shared_name();
    if !operator.is_generated() {
        let rule = match base.has_overload_of(operator) {
            true => ChangeRuleId::OverloadAdded,
            false => ChangeRuleId::OperatorAdded,
        };
        let place = DeclaredEntry::of(head, id).map(|written| written.at(None));
        let change = Change::new(rule, Arc::clone(&name), Subject::Operator);
        changes.push(change.new_side(Fragment::of_field(operator.canonical(), place)));
    }
    Pair {
        name,
        base: None,
        head: Some(id),
        is_generated: operator.is_generated(),
        old: None,
        new: Some(operator.canonical().into()),
        verdict: None,
    }
}

/// What was compared of one operator, as the pair that the comparison lists.
pub(super) fn pair(compared: &Compared<'_>) -> Pair {
    Pair {
        name: compared.name.clone(),
        base: Some(compared.base.0),
        head: Some(compared.head.0),
        is_generated: compared.base.1.is_generated(),
        old: Some(compared.base.1.canonical().into()),
        new: Some(compared.head.1.canonical().into()),
        verdict: compared.verdict.clone(),
    }
}
