//! The message of a change: one sentence with its names and values. One file for each family of
//! rules.

mod arguments;
mod entry;
pub(super) mod formulas;
mod operators;
mod training;
mod ways;

use std::sync::Arc;

use opatlas_diff::rules::Group;
use opatlas_diff::{Change, Fragment, Note, Subject};
use opatlas_operators::entry::KeyName;
use opatlas_source::sentence::codes;
use opatlas_source::{Message, message};

/// What changed, as a sentence without the operator's name and without a period. Names and values are
/// code.
#[must_use]
pub fn message(change: &Change) -> Message {
    let message = match change.rule.group {
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
        Group::Way => ways::message(change),
    };
    message.unwrap_or_else(|| change.rule.what.trim_end_matches('.').into())
}

fn tick(name: &str) -> Message {
    Message::code(name)
}

/// The most names in a sentence.
const MOST_NAMES: usize = 20;

/// Names as code, with `and` before the last. Beyond [`MOST_NAMES`], the rest is counted.
fn ticks<S: AsRef<str>>(names: &[S]) -> Message {
    if names.is_empty() {
        return "nothing".into();
    }
    let mut message = Message::default();
    let shown = names.len().min(MOST_NAMES);
    let more = names.len() - shown;
    for (i, name) in names.iter().take(shown).enumerate() {
        message.push_str(match i {
            0 => "",
            i if i + 1 == shown && more == 0 => " and ",
            _ => ", ",
        });
        message.push_code(name.as_ref());
    }
    if more > 0 {
        message.push_str(&format!(" and {more} more"));
    }
    message
}

fn text(fragment: Option<&Fragment>) -> &str {
    fragment.map_or("", |fragment| &fragment.text)
}

fn names(change: &Change) -> Vec<&str> {
    match &change.subject {
        Subject::Operator | Subject::Return(_) => Vec::new(),
        Subject::Argument(name) => vec![name],
        Subject::Keys(keys) => keys.iter().map(KeyName::as_str).collect(),
        Subject::Names(names) => names.iter().map(|name| &**name).collect(),
    }
}

/// The first five names, and how many more there are.
fn some(names: &[Arc<str>]) -> Message {
    const NAMED: usize = 5;
    let named = &names[..names.len().min(NAMED)];
    let mut message = codes(named);
    if names.len() > named.len() {
        message.push(&message!(" and {} more", names.len() - named.len()));
    }
    message
}

fn note<'a, T>(change: &'a Change, take: impl Fn(&'a Note) -> Option<T>) -> Option<T> {
    change.notes.iter().find_map(take)
}

/// `from X to Y`; `nothing` replaces an empty side.
fn from_to(change: &Change, nothing: &'static str) -> Message {
    let side = |fragment: Option<&Fragment>| match text(fragment) {
        "" => nothing.into(),
        text => tick(text),
    };
    let (old, new) = (side(change.old.as_ref()), side(change.new.as_ref()));
    message!("from {} to {}", old, new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_listed_and_many_are_counted() {
        let names: Vec<String> = (0..MOST_NAMES + 7).map(|i| i.to_string()).collect();
        let ticks = |count: usize| ticks(&names[..count]);
        assert_eq!(ticks(0), "nothing");
        assert_eq!(ticks(1), "`0`");
        assert_eq!(ticks(2), "`0` and `1`");
        assert_eq!(ticks(3), "`0`, `1` and `2`");
        assert!(ticks(MOST_NAMES).ends_with(", `18` and `19`"));
        assert!(ticks(MOST_NAMES + 7).ends_with("`18`, `19` and 7 more"));
    }
}
