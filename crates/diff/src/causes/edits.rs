//! Which changes are edits of an entry, and which edits are equal.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::change::{Change, Fragment, Note};
use crate::rules::{ChangeRuleId, Group, Level};
use opatlas_operators::derivatives::tokens::{difference, is_not_implemented};
use opatlas_schema::types::BaseType;

use super::Entry;
use super::relations::stem;

pub(super) fn is_edit(change: &Change) -> bool {
    if is_of_cpp(change.rule.id) {
        return false;
    }
    match change.rule.group {
        Group::Computed | Group::Way | Group::Policy => false,
        Group::Generated => change.rule.id == ChangeRuleId::AutogenBecameExplicit,
        Group::Operator => {
            let is_of_group = matches!(
                change.rule.id,
                ChangeRuleId::VariantGroupIncomplete | ChangeRuleId::VariantsOutOfStep
            );
            !is_of_group && !change.is_compound()
        }
        _ => true,
    }
}

/// `true` if a change only affects C++ headers and follows from a kernel or an overload.
fn is_of_cpp(rule: ChangeRuleId) -> bool {
    matches!(
        rule,
        ChangeRuleId::CppCallAmbiguous
            | ChangeRuleId::CppCallRebound
            | ChangeRuleId::DirectFunctionAdded
            | ChangeRuleId::DirectFunctionRemoved
            | ChangeRuleId::InternalFunctionRemoved
    )
}

/// Whether a change has no effect: the entry moved, or only the spelling of its schema changed.
pub(super) fn is_without_meaning(change: &Change) -> bool {
    change.rule.group == Group::File || change.level == Level::None
}

pub(super) fn is_listed_edit(change: &Change) -> bool {
    matches!(
        change.rule.id,
        ChangeRuleId::AutogenAdded | ChangeRuleId::AutogenRemoved
    )
}

/// Groups equal edits of several operators: they have equal keys.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum EditKey {
    /// Operators of a type that nothing uses any more were removed.
    LostType(BaseType),
    /// Operators of one stem were removed; of any if the head has none.
    Removed(Box<str>),
    Added,
    /// Other edits: the rule and details of each.
    Edits(BTreeSet<(ChangeRuleId, String)>),
}

/// The key by which the edits of an operator are merged with those of another one; `None` if they
/// concern it alone.
pub(super) fn edit_key(
    changes: &[Arc<Change>],
    entry: &Entry<'_>,
    lost_type: Option<BaseType>,
    is_emptied: bool,
) -> Option<EditKey> {
    if let Some(lost) = lost_type {
        return Some(EditKey::LostType(lost));
    }
    let edits = || entry.edits.iter().map(|&i| &*changes[i]);
    match edits().next()?.rule.id {
        ChangeRuleId::OperatorAdded | ChangeRuleId::OverloadAdded => return Some(EditKey::Added),
        ChangeRuleId::OperatorRemoved | ChangeRuleId::OverloadRemoved => {
            let of = if is_emptied { "" } else { stem(entry.operator) };
            return Some(EditKey::Removed(of.into()));
        }
        _ => {}
    }
    let is_only = entry.edits.len() == 1;
    let counted = edits().filter(|change| change.rule.group != Group::File || is_only);
    let keys: Option<BTreeSet<_>> = counted
        .map(|change| Some((change.rule.id, details(change)?)))
        .collect();
    keys.filter(|keys| !keys.is_empty()).map(EditKey::Edits)
}

/// What makes edits equal besides their rule; `None` for a change that concerns one
/// operator alone.
fn details(change: &Change) -> Option<String> {
    let text = |fragment: &Option<Fragment>| -> Arc<str> {
        fragment
            .as_ref()
            .map_or_else(Arc::default, |fragment| Arc::clone(&fragment.text))
    };
    let (old, new) = (text(&change.old), text(&change.new));
    let names = || change.subject.joined();
    match change.rule.id {
        ChangeRuleId::FormulaAdded => return Some(String::new()),
        ChangeRuleId::FormulaRemoved => return Some(end_of_formula(&new).to_owned()),
        ChangeRuleId::FormulaChanged => {
            let (old, new) = difference(&old, &new);
            return Some(format!("{old}\0{new}"));
        }
        ChangeRuleId::SignatureRespelled => return Some(String::new()),
        _ => {}
    }
    Some(match change.rule.group {
        // A new name concerns one operator.
        Group::Operator => return None,
        Group::Argument
        | Group::Default
        | Group::Alias
        | Group::Out
        | Group::Return
        | Group::Schema
        | Group::Runtime => format!("{}\0{old}\0{new}", names()),
        Group::Tag if change.is_about_tag() => String::new(),
        Group::Tag => tag_moves(change, &new),
        // One edit of derivatives.yaml removed these formulas, whatever keys they served.
        Group::Computed if change.notes.contains(&Note::FormulaRemoved) => String::new(),
        Group::Binding | Group::Dispatch | Group::Computed => names(),
        Group::Generated | Group::Way | Group::Policy | Group::File => String::new(),
    })
}

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

/// The tags that were added (`+`) or removed (`-`).
fn tag_moves(change: &Change, new: &str) -> String {
    let head: BTreeSet<&str> = new.split(", ").collect();
    let moves = change.subject.names().into_iter().map(|tag| {
        let sign = if head.contains(&*tag) { '+' } else { '-' };
        format!("{sign}{tag}")
    });
    moves.collect::<Vec<_>>().join(",")
}
