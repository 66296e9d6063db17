//! Which changes are edits of an entry, and which edits are the same.

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::change::{Change, Fragment, Note, Subject};
use crate::rules::{ChangeRuleId, Group, Level};
use opatlas_operators::derivatives::tokens::{difference, is_not_implemented};
use opatlas_schema::types::BaseType;

use super::{Entry, kin};

/// Whether a change of a declared operator is an edit of its entry, and not something that follows.
pub(super) fn is_edit(change: &Change) -> bool {
    match change.rule.group {
        Group::Computed | Group::Policy => false,
        Group::Generated => change.rule.id == ChangeRuleId::AutogenBecameExplicit,
        Group::Operator => {
            change.rule.id != ChangeRuleId::VariantGroupIncomplete && !change.is_compound()
        }
        _ => true,
    }
}

/// Whether a change has no meaning by itself: the entry moved, or its schema is respelled.
pub(super) fn is_without_meaning(change: &Change) -> bool {
    change.rule.group == Group::File || change.level == Level::None
}

/// Whether a change of a generated operator may be an edit of `autogen`.
pub(super) fn is_listed_edit(change: &Change) -> bool {
    matches!(
        change.rule.id,
        ChangeRuleId::AutogenAdded | ChangeRuleId::AutogenRemoved
    )
}

/// What edits of several operators have in common; equal for the same edit.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Shared {
    /// Operators of a type that nothing uses any more were removed.
    LostType(BaseType),
    /// Operators of one stem came or went.
    Stem(ChangeRuleId, Box<str>),
    /// Operators were added.
    Added,
    /// The same edits, as [`Details`] writes them.
    Edits(Box<[u8]>),
}

/// What edits have in common is put together here, since most of it is thrown away.
#[derive(Debug, Default)]
pub(super) struct Details {
    text: String,
    /// The edits of an operator, each with its detail in the text.
    parts: Vec<(ChangeRuleId, Range<usize>)>,
}

impl Details {
    /// The edits of an operator, each once, in an order that does not depend on that of the changes; `None` where one is
    /// about the operator alone, or where there is none.
    fn of<'c>(&mut self, edits: impl Iterator<Item = &'c Change>) -> Option<Box<[u8]>> {
        let Self { text, parts } = self;
        text.clear();
        parts.clear();
        for change in edits {
            let from = text.len();
            push_detail(change, text)?;
            parts.push((change.rule.id, from..text.len()));
        }
        let detail = |(id, part): &(ChangeRuleId, Range<usize>)| (*id, &text[part.clone()]);
        parts.sort_by(|a, b| detail(a).cmp(&detail(b)));
        parts.dedup_by(|a, b| detail(a) == detail(b));
        const LENGTH: usize = size_of::<usize>();
        let sizes = parts
            .iter()
            .map(|(id, part)| LENGTH + id.as_str().len() + 1 + part.len());
        let mut all = Vec::with_capacity(sizes.sum());
        for (id, detail) in parts.iter().map(detail) {
            // The length first: a detail may hold anything.
            all.extend_from_slice(&detail.len().to_le_bytes());
            all.extend_from_slice(id.as_str().as_bytes());
            all.push(0);
            all.extend_from_slice(detail.as_bytes());
        }
        (!all.is_empty()).then(|| all.into())
    }
}

/// What the edits of an operator may have in common with those of another one; `None` where they
/// are its own alone.
pub(super) fn shared(
    changes: &[Arc<Change>],
    entry: &Entry<'_>,
    lost_type: Option<BaseType>,
    details: &mut Details,
) -> Option<Shared> {
    let edits = &entry.edits;
    let all = edits.iter().map(|&i| &*changes[i]);
    if let Some(lost) = lost_type {
        return Some(Shared::LostType(lost));
    }
    let first = all.clone().next()?;
    match first.rule.id {
        ChangeRuleId::OperatorAdded | ChangeRuleId::OverloadAdded => return Some(Shared::Added),
        ChangeRuleId::OperatorRemoved | ChangeRuleId::OverloadRemoved => {
            let stem = kin::stem(entry.operator).into();
            return Some(Shared::Stem(ChangeRuleId::OperatorRemoved, stem));
        }
        _ => {}
    }
    let is_one = edits.len() == 1;
    let all = all.filter(|change| change.rule.group != Group::File || is_one);
    details.of(all).map(Shared::Edits)
}

/// Appends what besides the rule two changes have in common that are the same edit; `None` for changes
/// that are about one operator alone.
fn push_detail(change: &Change, text: &mut String) -> Option<()> {
    fn side(fragment: Option<&Fragment>) -> &str {
        fragment.map_or("", |fragment| &fragment.text)
    }
    let (old, new) = (side(change.old.as_ref()), side(change.new.as_ref()));
    let names = |text: &mut String| change.subject.push_joined(text);
    let texts = |text: &mut String| {
        names(text);
        for part in ["\0", old, "\0", new] {
            text.push_str(part);
        }
    };
    match change.rule.id {
        ChangeRuleId::FormulaAdded => return Some(()),
        ChangeRuleId::FormulaRemoved => {
            text.push_str(end_of_formula(new));
            return Some(());
        }
        ChangeRuleId::FormulaChanged => {
            let (old, new) = difference(old, new);
            for part in [old, "\0", new] {
                text.push_str(part);
            }
            return Some(());
        }
        _ => {}
    }
    match change.rule.group {
        // A new name is a name of its own.
        Group::Operator if change.rule.id != ChangeRuleId::SignatureRespelled => return None,
        Group::Argument
        | Group::Default
        | Group::Alias
        | Group::Out
        | Group::Return
        | Group::Schema
        | Group::Runtime => texts(text),
        Group::Binding => match change.subject {
            Subject::Operator => {}
            _ => names(text),
        },
        Group::Tag => push_tag_moves(change, text),
        // Formulas that one edit of derivatives.yaml removed, whatever keys they served.
        Group::Computed if change.notes.contains(&Note::FormulaRemoved) => {}
        Group::Dispatch | Group::Computed => names(text),
        Group::Operator | Group::Generated | Group::Policy | Group::File => {}
    }
    Some(())
}

/// What ended a formula, whichever operator it was of.
fn end_of_formula(new: &str) -> &'static str {
    if is_not_implemented(new) {
        return "raises";
    }
    match new {
        "" => "gone",
        new if new.starts_with("output_differentiability") => "outputs",
        _ => "nothing",
    }
}

/// Appends the tags that came and went, whatever other tags there are.
fn push_tag_moves(change: &Change, text: &mut String) {
    let head = change.new.as_ref().map_or("", |fragment| &fragment.text);
    let head: FxHashSet<&str> = head.split(", ").collect();
    let is_new = |tag: &str| head.contains(tag);
    change.subject.each_name(|at, tag| {
        text.push_str(if at > 0 { "," } else { "" });
        text.push(if is_new(tag) { '+' } else { '-' });
        text.push_str(tag);
    });
}
