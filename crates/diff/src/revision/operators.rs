//! Operators that came, went, were renamed, or have another schema.

use super::pairing::{Pairing, Renamed};
use super::schemas::{self, Compared};
use super::side::{Read, place};
use super::{Pair, Written};
use crate::change::{Change, Fragment, Note, Part, Subject};
use crate::official;
use crate::rules::ChangeRuleId;
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::operator::{Operator, OperatorId};

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
    let added = Added::new(head, pairing);
    for &id in &pairing.removed {
        pairs.push(gone((base, id), head, &added, changes));
    }
    for &id in &pairing.added {
        pairs.push(came((head, id), base, changes));
    }
    pairs.sort_by(|a, b| a.name.cmp(&b.name));
    pairs
}

/// Whether the other side has an operator of the same namespace and base name.
fn has_overload_of(there: &Catalogue, operator: &Operator) -> bool {
    let overloads = there.overloads(operator.name().base()).iter();
    let mut namespaces = overloads.map(|id| there.operator(*id).namespace());
    namespaces.any(|namespace| namespace == operator.namespace())
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
    added: &Added,
    changes: &mut Vec<Change>,
) -> Pair {
    let operator = base.operator(id);
    let name = operator.qualified_name();
    if let Some(written) = Written::of(base, id) {
        let rule = match has_overload_of(head, operator) {
            true => ChangeRuleId::OverloadRemoved,
            false => ChangeRuleId::OperatorRemoved,
        };
        let place = written.at(None);
        let mut change = Change::new(rule, &*name, Subject::Operator)
            .old(Fragment::of_field(operator.canonical(), Some(place)));
        let candidates = added.candidates(operator);
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

/// The names of new operators.
struct Added(Vec<String>);

impl Added {
    fn new(head: &Catalogue, pairing: &Pairing) -> Self {
        let names = pairing.added.iter();
        Self(
            names
                .map(|id| head.operator(*id).qualified_name())
                .collect(),
        )
    }

    /// Those much like the name of one that is gone.
    fn candidates(&self, gone: &Operator) -> Vec<Box<str>> {
        let wanted = gone.qualified_name();
        let names = self.0.iter().map(|name| &**name);
        let near = opatlas_source::suggest::nearest_few(&wanted, names, CANDIDATES);
        near.into_iter().map(Into::into).collect()
    }
}

fn came((head, id): (&Catalogue, OperatorId), base: &Catalogue, changes: &mut Vec<Change>) -> Pair {
    let operator = head.operator(id);
    let name = operator.qualified_name();
    if let Some(written) = Written::of(head, id) {
        let rule = match has_overload_of(base, operator) {
            true => ChangeRuleId::OverloadAdded,
            false => ChangeRuleId::OperatorAdded,
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
