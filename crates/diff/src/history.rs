//! The events in the history of each operator, from the comparison of two revisions.
//!
//! These are all changes except those without effect (level `none`), compound ones, and changes of
//! fate on a way.

use crate::rules::ChangeRuleId;
use std::collections::BTreeMap;

use super::change::{Change, Subject};
use super::revision::{Comparison, TableChange};
use super::rules::Group;

opatlas_source::words! {
    /// The kind of an event.
    pub enum EventKind {
        /// The operator was added.
        Introduced = "introduced",
        /// The operator was removed.
        Removed = "removed",
        /// Its schema changed.
        Schema = "schema",
        /// A kernel or the support of a backend changed.
        Kernel = "kernel",
        /// Its tags changed.
        Tag = "tag",
        /// Another field of its entry changed, such as a binding or a device check.
        Entry = "entry",
    }
}

/// A change that affects one operator.
#[derive(Debug, Clone, Copy)]
pub struct Event<'a> {
    /// The kind.
    pub kind: EventKind,
    /// The change.
    pub change: &'a Change,
    /// Whether the change belongs to another operator that this one follows.
    pub follows: bool,
}

/// The changes of one operator.
#[derive(Debug, Clone, Default)]
pub struct OperatorStep<'a> {
    /// Its events, the worst first.
    pub events: Vec<Event<'a>>,
    /// Its dispatch table, if it changed.
    pub table: Option<&'a TableChange>,
}

/// The changes by operator name.
#[must_use]
pub fn by_operator(comparison: &Comparison) -> BTreeMap<&str, OperatorStep<'_>> {
    let mut operators: BTreeMap<&str, OperatorStep<'_>> = BTreeMap::new();
    let mut add = |operator, kind, change, follows| {
        let step = operators.entry(operator).or_default();
        step.events.push(Event {
            kind,
            change,
            follows,
        });
    };
    let events = comparison.changes.iter().filter(|change| is_event(change));
    for change in events {
        let kind = kind(change);
        add(&*change.operator, kind, change, false);
        if is_renaming(change)
            && let Some(new) = &change.new
        {
            add(&*new.text, EventKind::Introduced, change, false);
        }
        for also in &change.also {
            add(&**also, kind, change, true);
        }
    }
    for table in &comparison.tables {
        let step = operators.entry(&*table.operator).or_default();
        step.table = Some(table);
    }
    operators
}

/// Omits changes of fate, because the answer for a path already says since when it applies, and changes
/// of tags themselves, which belong to no operator. The events of kernels imply new direct functions
/// and lost internal ones.
fn is_event(change: &Change) -> bool {
    let is_implied = matches!(
        change.rule.id,
        ChangeRuleId::WayChanged
            | ChangeRuleId::WayGained
            | ChangeRuleId::WayLost
            | ChangeRuleId::DirectFunctionAdded
            | ChangeRuleId::InternalFunctionRemoved
    );
    change.is_counted() && !is_implied && !change.is_about_tag()
}

/// The kind of event for a change.
#[must_use]
pub fn kind(change: &Change) -> EventKind {
    let (had, has) = (change.old.is_some(), change.new.is_some());
    match change.rule.group {
        Group::Operator | Group::Generated => match change.rule.id {
            ChangeRuleId::OperatorAdded | ChangeRuleId::OverloadAdded => EventKind::Introduced,
            ChangeRuleId::AutogenAdded if !had => EventKind::Introduced,
            ChangeRuleId::OperatorRemoved | ChangeRuleId::OverloadRemoved => EventKind::Removed,
            ChangeRuleId::AutogenRemoved if !has => EventKind::Removed,
            _ if is_renaming(change) => EventKind::Removed,
            _ => EventKind::Entry,
        },
        Group::Dispatch => EventKind::Kernel,
        Group::Computed if matches!(change.subject, Subject::Keys(_)) => EventKind::Kernel,
        Group::Tag => EventKind::Tag,
        Group::Argument
        | Group::Default
        | Group::Alias
        | Group::Out
        | Group::Return
        | Group::Schema => EventKind::Schema,
        Group::Binding
        | Group::Runtime
        | Group::Computed
        | Group::Way
        | Group::Policy
        | Group::File => EventKind::Entry,
    }
}

/// Whether the change renames the operator. The new side's text is then the new name.
fn is_renaming(change: &Change) -> bool {
    let id = change.rule.id;
    let is_of_name = id.as_str().starts_with("operator-became-")
        || matches!(
            id,
            ChangeRuleId::OverloadRenamed
                | ChangeRuleId::OverloadNameAdded
                | ChangeRuleId::OverloadNameRemoved
                | ChangeRuleId::OperatorRenamed
        );
    is_of_name && change.subject == Subject::Operator && change.new.is_some()
}
