//! Operators that came, went, were renamed, or have another schema.

use super::pairing::{Pairing, Renamed};
use super::schemas::{self, Compared};
use super::side::{Read, place};
use super::{Pair, Written};
use crate::diff::change::{Change, Fragment, Note, Part, Subject};
use crate::diff::official;
use crate::model::catalogue::Catalogue;
use crate::model::operator::{Operator, OperatorId};
use rustc_hash::FxHashSet;

/// How many operators are named as what may have become of one that is gone.
const CANDIDATES: usize = 3;

/// Adds the changes of operators as a whole and of their schemas. Gives the pairs that differ,
/// sorted by name.
pub(super) fn compare(
    base: &Catalogue,
    head: &Catalogue,
    pairing: &Pairing,
    changes: &mut Vec<Change>,
) -> Vec<Pair> {
    let mut pairs = schemas::compare(base, head, pairing, changes);
    for renamed in &pairing.renamed {
        pairs.push(rename(base, head, *renamed, changes));
    }
    let names = families(head, &pairing.removed);
    for &id in &pairing.removed {
        pairs.push(gone((base, id), head, &names, pairing, changes));
    }
    let names = families(base, &pairing.added);
    for &id in &pairing.added {
        pairs.push(came(head, id, &names, changes));
    }
    pairs.sort_by(|a, b| a.name.cmp(&b.name));
    pairs
}

/// What the overloads of an operator have in common: namespace and base name.
type Family<'a> = (&'a str, &'a str);

fn family(operator: &Operator) -> Family<'_> {
    (operator.namespace(), operator.name().base())
}

/// The families of one side, where operators of the other have to be looked for among them.
fn families<'a>(catalogue: &'a Catalogue, wanted: &[OperatorId]) -> FxHashSet<Family<'a>> {
    match wanted.is_empty() {
        true => FxHashSet::default(),
        false => catalogue.operators.iter().map(family).collect(),
    }
}

fn rename(base: &Catalogue, head: &Catalogue, renamed: Renamed, changes: &mut Vec<Change>) -> Pair {
    let (old, new) = (base.operator(renamed.base), head.operator(renamed.head));
    let name = old.qualified_name();
    let side = |operator: &Operator| {
        let text = operator.qualified_name();
        let mut fragment = Some(Fragment::of_schema(text, Part::Name, None));
        place(&mut fragment, operator);
        fragment
    };
    let mut change = Change::new(renamed.rule, &*name, Subject::Operator)
        .old(side(old))
        .new_side(side(new));
    if let Some(likeness) = renamed.guess {
        change = change.note(Note::Guess(likeness));
    }
    changes.push(change);
    let (a, b) = (Read::of(old), Read::of(new));
    let verdict = (a.by_torch && b.by_torch).then(|| official::compare(&a.schema, &b.schema));
    Pair {
        name: name.into(),
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
    head: &Catalogue,
    families: &FxHashSet<Family<'_>>,
    pairing: &Pairing,
    changes: &mut Vec<Change>,
) -> Pair {
    let operator = base.operator(id);
    let name = operator.qualified_name();
    if let Some(written) = Written::of(base, id) {
        let rule = match families.contains(&family(operator)) {
            true => "overload-removed",
            false => "operator-removed",
        };
        let place = written.at(None);
        let mut change = Change::new(rule, &*name, Subject::Operator)
            .old(Fragment::of_field(operator.canonical(), Some(place)));
        let candidates = candidates(operator, head, pairing);
        if !candidates.is_empty() {
            change = change.note(Note::Candidates(candidates));
        }
        changes.push(change);
    }
    Pair {
        name: name.into(),
        base: Some(id),
        head: None,
        is_generated: operator.is_generated(),
        old: Some(operator.canonical().into()),
        new: None,
        verdict: None,
    }
}

/// New operators with a name much like that of one that is gone.
fn candidates(gone: &Operator, head: &Catalogue, pairing: &Pairing) -> Vec<Box<str>> {
    let wanted = gone.qualified_name();
    let names: Vec<String> = pairing
        .added
        .iter()
        .map(|id| head.operator(*id).qualified_name())
        .collect();
    let near = crate::suggest::nearest_few(&wanted, names.iter().map(|name| &**name), CANDIDATES);
    near.into_iter().map(Into::into).collect()
}

fn came(
    head: &Catalogue,
    id: OperatorId,
    families: &FxHashSet<Family<'_>>,
    changes: &mut Vec<Change>,
) -> Pair {
    let operator = head.operator(id);
    let name = operator.qualified_name();
    if let Some(written) = Written::of(head, id) {
        let rule = match families.contains(&family(operator)) {
            true => "overload-added",
            false => "operator-added",
        };
        let place = written.at(None);
        let change = Change::new(rule, &*name, Subject::Operator);
        changes.push(change.new_side(Fragment::of_field(operator.canonical(), Some(place))));
    }
    Pair {
        name: name.into(),
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
