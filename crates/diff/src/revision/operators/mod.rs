//! Operators that were added, removed or renamed, or whose schema changed.

mod schemas;

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::Pair;
use super::pairing::{Pairing, Rename};
use super::side::{ParsedSchema, entry_place, place};
use crate::change::{Change, Fragment, Note, Part, Subject};
use crate::near::Names;
use crate::official;
use crate::rules::ChangeRuleId;
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::operator::{Operator, OperatorId};
use opatlas_source::{Stop, Stopped};

/// The maximum number of candidates to replace a removed operator.
const CANDIDATES: usize = 3;

/// Adds the changes of whole operators and of their schemas. Returns the pairs that differ, sorted
/// by name.
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
    let new_names = pairing.added.iter();
    let new_names = new_names.map(|id| head.operator(*id).qualified_name().to_owned());
    let (mut new_names, names) = (new_names.collect(), BaseNames::new(head));
    for &id in &pairing.removed {
        stop.check()?;
        pairs.push(removed((base, id), &names, &mut new_names, changes));
    }
    let names = BaseNames::new(base);
    for &id in &pairing.added {
        stop.check()?;
        pairs.push(added((head, id), &names, changes));
    }
    pairs.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(pairs)
}

struct BaseNames<'a>(FxHashSet<(&'a str, &'a str)>);

impl<'a> BaseNames<'a> {
    fn new(catalogue: &'a Catalogue) -> Self {
        let operators = catalogue.operators.iter();
        Self(operators.map(|o| (o.namespace(), o.base_name())).collect())
    }

    fn has_overload_of(&self, operator: &Operator) -> bool {
        self.0
            .contains(&(operator.namespace(), operator.base_name()))
    }
}

fn rename(base: &Catalogue, head: &Catalogue, renamed: Rename, changes: &mut Vec<Change>) -> Pair {
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
    if let Some(similarity) = renamed.similarity {
        change = change.note(Note::Guess(similarity));
    }
    changes.push(change);
    let (a, b) = (ParsedSchema::new(old), ParsedSchema::new(new));
    let verdict = (a.by_torch && b.by_torch).then(|| official::compare(&a.schema, &b.schema));
    Pair::new(
        name,
        Some((renamed.base, old)),
        Some((renamed.head, new)),
        verdict,
    )
}

/// A generated operator has no change of its own: it follows its source.
fn removed(
    (base, id): (&Catalogue, OperatorId),
    head: &BaseNames<'_>,
    new_names: &mut Names,
    changes: &mut Vec<Change>,
) -> Pair {
    let operator = base.operator(id);
    let name = operator.shared_name();
    if !operator.is_generated() {
        let rule = if head.has_overload_of(operator) {
            ChangeRuleId::OverloadRemoved
        } else {
            ChangeRuleId::OperatorRemoved
        };
        let schema = Fragment::of_field(operator.canonical(), entry_place(base, id));
        let mut change = Change::new(rule, Arc::clone(&name), Subject::Operator).old(schema);
        let candidates = new_names.near(operator.qualified_name(), CANDIDATES);
        if !candidates.is_empty() {
            let candidates = candidates.into_iter().map(Into::into).collect();
            change = change.note(Note::Candidates(candidates));
        }
        changes.push(change);
    }
    Pair::new(name, Some((id, operator)), None, None)
}

fn added(
    (head, id): (&Catalogue, OperatorId),
    base: &BaseNames<'_>,
    changes: &mut Vec<Change>,
) -> Pair {
    let operator = head.operator(id);
    let name = operator.shared_name();
    if !operator.is_generated() {
        let rule = if base.has_overload_of(operator) {
            ChangeRuleId::OverloadAdded
        } else {
            ChangeRuleId::OperatorAdded
        };
        let schema = Fragment::of_field(operator.canonical(), entry_place(head, id));
        let change = Change::new(rule, Arc::clone(&name), Subject::Operator);
        changes.push(change.new_side(schema));
    }
    Pair::new(name, None, Some((id, operator)), None)
}
