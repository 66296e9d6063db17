//! Schemas of operators that both sides have.

use std::sync::Arc;

use crate::rules::ChangeRuleId;
use rustc_hash::FxHashMap;

use super::super::Pair;
use super::super::pairing::Pairing;
use super::super::side::{ParsedSchema, place};
use crate::change::{Change, Fragment, Subject};
use crate::official::{self, Verdict};
use crate::schema;
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::operator::{Operator, OperatorId, PlacedEntry};
use opatlas_source::{Span, Stop, Stopped};

struct SchemaDiff<'a> {
    name: Arc<str>,
    base: (OperatorId, &'a Operator),
    head: (OperatorId, &'a Operator),
    verdict: Option<Verdict>,
    changes: Vec<Change>,
}

/// Adds the changes of schemas. A change that a generated operator has in common with its source
/// belongs to the source, and [`Change::also`] lists the generated operator.
pub(super) fn compare(
    base: &Catalogue,
    head: &Catalogue,
    pairing: &Pairing<'_>,
    changes: &mut Vec<Change>,
    stop: &Stop,
) -> Result<Vec<Pair>, Stopped> {
    let mut diffs: Vec<SchemaDiff<'_>> = Vec::new();
    let mut of_base: FxHashMap<OperatorId, usize> = FxHashMap::default();
    for &(old, new) in &pairing.common.unshared {
        stop.check()?;
        let (before, after) = (base.operator(old), head.operator(new));
        if before.canonical() == after.canonical() {
            respelling(base, head, before, after, changes);
            continue;
        }
        of_base.insert(old, diffs.len());
        diffs.push(SchemaDiff::new((old, before), (new, after)));
    }
    for i in 0..diffs.len() {
        stop.check()?;
        let source = diffs[i].base.1.generated_from();
        let source = source.and_then(|source| of_base.get(&source)).copied();
        if let Some(source) = source.filter(|source| *source != i) {
            move_shared_changes(&mut diffs, i, source);
        }
    }
    let mut pairs = Vec::with_capacity(diffs.len());
    for mut diff in diffs {
        if diff.base.1.is_generated()
            && let Some(compound) = schema::compound(&diff.name, &diff.changes)
        {
            diff.changes.insert(0, compound);
        }
        changes.append(&mut diff.changes);
        pairs.push(Pair::new(
            diff.name,
            Some(diff.base),
            Some(diff.head),
            diff.verdict,
        ));
    }
    Ok(pairs)
}

impl<'a> SchemaDiff<'a> {
    fn new(base: (OperatorId, &'a Operator), head: (OperatorId, &'a Operator)) -> Self {
        let name = base.1.shared_name();
        let (old, new) = (ParsedSchema::new(base.1), ParsedSchema::new(head.1));
        let verdict =
            (old.by_torch && new.by_torch).then(|| official::compare(&old.schema, &new.schema));
        let mut changes = schema::compare(Arc::clone(&name), old.side(), new.side());
        for change in &mut changes {
            place(&mut change.old, base.1);
            place(&mut change.new, head.1);
        }
        Self {
            name,
            base,
            head,
            verdict,
            changes,
        }
    }
}

fn move_shared_changes(diffs: &mut [SchemaDiff<'_>], generated: usize, source: usize) {
    let own = std::mem::take(&mut diffs[generated].changes);
    let name = diffs[generated].name.clone();
    let mut of_source: FxHashMap<(ChangeRuleId, Subject), usize> = FxHashMap::default();
    for (at, change) in diffs[source].changes.iter().enumerate() {
        let key = (change.rule.id, change.subject.clone());
        of_source.entry(key).or_insert(at);
    }
    let mut rest = Vec::new();
    for change in own.into_iter().filter(|change| !change.is_compound()) {
        match of_source.get(&(change.rule.id, change.subject.clone())) {
            Some(&at) => diffs[source].changes[at].also.push(name.clone()),
            None => rest.push(change),
        }
    }
    diffs[generated].changes = rest;
}

fn respelling(
    base: &Catalogue,
    head: &Catalogue,
    before: &Operator,
    after: &Operator,
    changes: &mut Vec<Change>,
) {
    let (Some(a), Some(b)) = (before.declared(), after.declared()) else {
        return;
    };
    let ((old, old_span), (new, new_span)) = (source_text(base, a), source_text(head, b));
    if old != new {
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

fn source_text<'a>(catalogue: &'a Catalogue, placed: &PlacedEntry) -> (&'a str, Span) {
    let span = placed.place(placed.entry.func_at);
    let text = span.slice(&catalogue.native_functions.text).trim();
    let quoted = |quote: char| Some(text.strip_prefix(quote)?.strip_suffix(quote)?.trim());
    let inner = quoted('"').or_else(|| quoted('\''));
    (inner.unwrap_or(text), span)
}
