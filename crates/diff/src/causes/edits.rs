//! Which changes are edits of an entry, and which edits are the same.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::change::{Change, Fragment, Note, Subject};
use crate::rules::{ChangeRuleId, Group, Level};
use opatlas_operators::derivatives::tokens::{difference, is_not_implemented};
use opatlas_schema::types::BaseType;

use super::kin;

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
    /// The same edits by rule and detail.
    Edits(Vec<(ChangeRuleId, String)>),
}

/// What the edits of an operator may have in common with those of another one; `None` where they
/// are its own alone.
pub(super) fn shared(
    changes: &[Arc<Change>],
    operator: &str,
    edits: &[usize],
    lost_type: Option<BaseType>,
) -> Option<Shared> {
    let all = || edits.iter().map(|&i| &changes[i]);
    if let Some(lost) = lost_type {
        return Some(Shared::LostType(lost));
    }
    let first = all().next()?;
    match first.rule.id {
        ChangeRuleId::OperatorAdded | ChangeRuleId::OverloadAdded => return Some(Shared::Added),
        ChangeRuleId::OperatorRemoved | ChangeRuleId::OverloadRemoved => {
            let stem = kin::stem(operator).into();
            return Some(Shared::Stem(ChangeRuleId::OperatorRemoved, stem));
        }
        _ => {}
    }
    let mut parts: Vec<(ChangeRuleId, String)> = Vec::new();
    for change in all().filter(|change| change.rule.group != Group::File || edits.len() == 1) {
        parts.push((change.rule.id, detail(change)?));
    }
    parts.sort();
    parts.dedup();
    (!parts.is_empty()).then_some(Shared::Edits(parts))
}

/// What besides the rule two changes have in common that are the same edit; `None` for changes
/// that are about one operator alone.
fn detail(change: &Change) -> Option<String> {
    fn text(fragment: Option<&Fragment>) -> &str {
        fragment.map_or("", |fragment| &fragment.text)
    }
    let (old, new) = (text(change.old.as_ref()), text(change.new.as_ref()));
    let names = || change.subject.joined();
    let texts = || [&*names(), old, new].join("\0");
    match change.rule.id {
        ChangeRuleId::FormulaAdded => return Some(String::new()),
        ChangeRuleId::FormulaRemoved => return Some(end_of_formula(new).to_owned()),
        ChangeRuleId::FormulaChanged => {
            let (old, new) = difference(old, new);
            return Some(format!("{old}\0{new}"));
        }
        _ => {}
    }
    match change.rule.group {
        // A new name is a name of its own.
        Group::Operator if change.rule.id != ChangeRuleId::SignatureRespelled => None,
        Group::Argument | Group::Default | Group::Alias | Group::Out | Group::Return => {
            Some(texts())
        }
        Group::Schema | Group::Runtime => Some(texts()),
        Group::Binding => Some(match change.subject {
            Subject::Operator => String::new(),
            _ => names(),
        }),
        Group::Tag => Some(tag_moves(change)),
        // Formulas that one edit of derivatives.yaml removed, whatever keys they served.
        Group::Computed if change.notes.contains(&Note::FormulaRemoved) => Some(String::new()),
        Group::Dispatch | Group::Computed => Some(names()),
        Group::Operator | Group::Generated | Group::Policy | Group::File => Some(String::new()),
    }
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

/// The tags that came and went, whatever other tags there are.
fn tag_moves(change: &Change) -> String {
    let head = change.new.as_ref().map_or("", |fragment| &fragment.text);
    let head: FxHashSet<&str> = head.split(", ").collect();
    let is_new = |tag: &String| head.contains(&**tag);
    let tags = change.subject.names();
    let marked = tags
        .iter()
        .map(|tag| format!("{}{tag}", if is_new(tag) { '+' } else { '-' }));
    marked.collect::<Vec<_>>().join(",")
}
