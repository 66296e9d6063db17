//! Schemas of operators that both sides have.

use std::sync::Arc;

use crate::rules::ChangeRuleId;
use rustc_hash::FxHashMap;

use super::pairing::Pairing;
use super::side::{Read, place};
use super::{Pair, operators};
use crate::change::{Change, Subject};
use crate::official::{self, Verdict};
use crate::schema;
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::operator::{Operator, OperatorId, PlacedEntry};
use opatlas_source::{Span, Stop, Stopped};

/// An operator with another schema on each side.
pub(super) struct Compared<'a> {
    pub name: Arc<str>,
    pub base: (OperatorId, &'a Operator),
    pub head: (OperatorId, &'a Operator),
    pub verdict: Option<Verdict>,
    changes: Vec<Change>,
}

/// Adds the changes of schemas. A generated operator follows its source: a change of both belongs
/// to the source, and [`Change::also`] lists the generated operator.
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
    let mut compared: Vec<Compared<'_>> = Vec::new();
    let mut of_base: FxHashMap<OperatorId, usize> = FxHashMap::default();
    for &(old, new) in &pairing.common.unshared {
        stop.check()?;
        let (before, after) = (base.operator(old), head.operator(new));
        if before.is_shared_with(after) || before.canonical() == after.canonical() {
            respelled(base, head, before, after, changes);
            continue;
        }
        of_base.insert(old, compared.len());
        compared.push(between((old, before), (new, after)));
    }
    for i in 0..compared.len() {
        stop.check()?;
        let from = compared[i].base.1.generated_from();
        let owner = from.and_then(|from| of_base.get(&from)).copied();
        if let Some(owner) = owner.filter(|owner| *owner != i) {
            follow(&mut compared, i, owner);
        }
    }
    let pairs = compared.iter().map(operators::pair).collect();
    stop.check()?;
    for mut one in compared {
        if one.base.1.is_generated()
            && let Some(compound) = schema::compound(&one.name, &one.changes)
        {
            one.changes.insert(0, compound);
        }
        changes.append(&mut one.changes);
    }
    Ok(pairs)
}

fn between<'a>(base: (OperatorId, &'a Operator), head: (OperatorId, &'a Operator)) -> Compared<'a> {
    let name: Arc<str> = base.1.shared_name();
    let (old, new) = (Read::of(base.1), Read::of(head.1));
    let verdict =
        (old.by_torch && new.by_torch).then(|| official::compare(&old.schema, &new.schema));
    let mut changes = schema::compare(Arc::clone(&name), old.side(), new.side());
    for change in &mut changes {
        place(&mut change.old, base.1);
        place(&mut change.new, head.1);
    }
    let changes = changes.into_iter();
    let changes = changes.map(|change| change.at((base.0, head.0))).collect();
    Compared {
        name,
        base,
        head,
        verdict,
        changes,
    }
}

/// Leaves to the owner what happened to it as well.
fn follow(compared: &mut [Compared<'_>], generated: usize, owner: usize) {
    let own = std::mem::take(&mut compared[generated].changes);
    let name = compared[generated].name.clone();
    let mut of_owner: FxHashMap<(ChangeRuleId, Subject), usize> = FxHashMap::default();
    for (at, change) in compared[owner].changes.iter().enumerate() {
        let alike = (change.rule.id, change.subject.clone());
        of_owner.entry(alike).or_insert(at);
    }
    let mut rest = Vec::new();
    for change in own.into_iter().filter(|change| !change.is_compound()) {
        match of_owner.get(&(change.rule.id, change.subject.clone())) {
            Some(&at) => compared[owner].changes[at].also.push(name.clone()),
            None => rest.push(change),
        }
    }
    compared[generated].changes = rest;
}

/// Tells of another spelling of the same schema, where both sides write it.
fn respelled(
    base: &Catalogue,
    head: &Catalogue,
    before: &Operator,
    after: &Operator,
    changes: &mut Vec<Change>,
) {
    let (Some(a), Some(b)) = (before.declared(), after.declared()) else {
        return;
    };
    let ((old, old_span), (new, new_span)) = (spelled(base, a), spelled(head, b));
    if old != new {
        use crate::change::Fragment;
        let change = Change::new(
            ChangeRuleId::SignatureRespelled,
            before.shared_name(),
            Subject::Operator,
        )
        .old(Fragment::of_field(old, Some(old_span)))
        .new_side(Fragment::of_field(new, Some(new_span)));
        changes.push(change);
    }
}

/// The schema as an entry has it, without quotation marks around it.
fn spelled<'a>(catalogue: &'a Catalogue, placed: &PlacedEntry) -> (&'a str, Span) {
    let span = placed.place(placed.entry.func_at);
    let text = span.slice(&catalogue.native_functions.text).trim();
    let quoted = |quote: char| Some(text.strip_prefix(quote)?.strip_suffix(quote)?.trim());
    let inner = quoted('"').or_else(|| quoted('\''));
    (inner.unwrap_or(text), span)
}
