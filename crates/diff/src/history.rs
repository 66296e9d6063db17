//! What a comparison of two revisions says of each operator by itself: the events of its history.
//!
//! Turns a comparison into changes and tables by operator. Contains exactly the results of the
//! change rules, except changes without meaning (level `none`) and changes that only represent
//! others.

use crate::rules::ChangeRuleId;
use std::collections::BTreeMap;

use super::change::{Change, Subject};
use super::revision::{Comparison, TableChange};
use super::rules::Group;

/// What kind of event a change is in the life of an operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EventKind {
    /// It came.
    Introduced,
    /// It went.
    Removed,
    /// Its schema is another one.
    Schema,
    /// A kernel came, went or is another one, or what serves a backend.
    Kernel,
    /// It has another tag.
    Tag,
    /// Something else in its entry: how it is bound, or what happens around a call.
    Entry,
}

impl EventKind {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Introduced,
        Self::Removed,
        Self::Schema,
        Self::Kernel,
        Self::Tag,
        Self::Entry,
    ];

    /// The kind for a word.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }

    /// The word used in every rendering and in the API.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Introduced => "introduced",
            Self::Removed => "removed",
            Self::Schema => "schema",
            Self::Kernel => "kernel",
            Self::Tag => "tag",
            Self::Entry => "entry",
        }
    }
}

/// A change as it befalls one operator.
#[derive(Debug, Clone, Copy)]
pub struct Event<'a> {
    /// What kind it is.
    pub kind: EventKind,
    /// The change.
    pub change: &'a Change,
    /// Whether the change belongs to another operator, which this one follows.
    pub follows: bool,
}

/// What happened to one operator.
#[derive(Debug, Clone, Default)]
pub struct OperatorStep<'a> {
    /// Its events, the worst first.
    pub events: Vec<Event<'a>>,
    /// Its dispatch table, if that changed.
    pub table: Option<&'a TableChange>,
}

/// What a comparison says of each operator, by name.
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
    for change in comparison.changes.iter().filter(|c| c.is_counted()) {
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

/// What kind of event a change is.
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
        Group::Binding | Group::Runtime | Group::Computed | Group::Policy | Group::File => {
            EventKind::Entry
        }
    }
}

/// Whether an operator goes by another name now, which is the text of the new side.
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
