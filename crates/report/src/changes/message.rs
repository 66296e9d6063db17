//! What changed, in one sentence with the names and values at hand. One file a family of rules.

mod arguments;
mod entry;
pub(super) mod formulas;
mod operators;

use opatlas_diff::rules::Group;
use opatlas_diff::{Change, Fragment, Note, Subject};

/// What changed, in a sentence without the operator's name before it and without a full stop.
///
/// Names are in backticks, as in every message of Opatlas.
#[must_use]
pub fn message(change: &Change) -> String {
    let told = match change.rule.group {
        Group::Operator | Group::Generated | Group::Policy | Group::File => {
            operators::message(change)
        }
        Group::Argument
        | Group::Default
        | Group::Alias
        | Group::Out
        | Group::Return
        | Group::Schema => arguments::message(change),
        Group::Binding | Group::Dispatch | Group::Tag | Group::Runtime | Group::Computed => {
            entry::message(change)
        }
    };
    told.unwrap_or_else(|| change.rule.what.trim_end_matches('.').to_owned())
}

/// A name between backticks.
fn tick(name: &str) -> String {
    format!("`{name}`")
}

/// A sentence gives at most this many names of one kind; a change of a release has far fewer.
const MOST_NAMES: usize = 200;

/// Names between backticks, with `and` before the last. Of very many the first, and how many more
/// there are.
fn ticks<S: AsRef<str>>(names: &[S]) -> String {
    let shown = names.iter().take(MOST_NAMES);
    let mut shown: Vec<String> = shown.map(|name| tick(name.as_ref())).collect();
    if let more @ 1.. = names.len().saturating_sub(MOST_NAMES) {
        shown.push(format!("{more} more"));
    }
    match shown.as_slice() {
        [] => "nothing".to_owned(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// The text of a side, or an empty one.
fn text(fragment: Option<&Fragment>) -> &str {
    fragment.map_or("", |fragment| &fragment.text)
}

/// What the change is about, by name.
fn names(change: &Change) -> Vec<&str> {
    match &change.subject {
        Subject::Operator | Subject::Return(_) => Vec::new(),
        Subject::Argument(name) => vec![name],
        Subject::Keys(names) | Subject::Names(names) => names.iter().map(|name| &**name).collect(),
    }
}

/// What a note holds, for the first one that the function takes.
fn note<'a, T>(change: &'a Change, take: impl Fn(&'a Note) -> Option<T>) -> Option<T> {
    change.notes.iter().find_map(take)
}

/// `from X to Y`, where either may be nothing.
fn from_to(change: &Change, nothing: &str) -> String {
    let side = |fragment: Option<&Fragment>| match text(fragment) {
        "" => nothing.to_owned(),
        text => tick(text),
    };
    let (old, new) = (side(change.old.as_ref()), side(change.new.as_ref()));
    format!("from {old} to {new}")
}
