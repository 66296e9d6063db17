//! What changed, in one sentence with the names and values at hand. One file a family of rules.

mod arguments;
mod entry;
pub(super) mod formulas;
mod operators;

use opatlas_diff::rules::Group;
use opatlas_diff::{Change, Fragment, Note, Subject};
use opatlas_operators::entry::KeyName;
use opatlas_source::{Message, message};

/// What changed, in a sentence without the operator's name before it and without a full stop.
///
/// Names and values are code.
#[must_use]
pub fn message(change: &Change) -> Message {
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
    told.unwrap_or_else(|| change.rule.what.trim_end_matches('.').into())
}

/// A name as code.
fn tick(name: &str) -> Message {
    Message::code(name)
}

/// A sentence gives at most this many names of one kind; a change of a release has far fewer.
const MOST_NAMES: usize = 200;

/// Names as code, with `and` before the last. Of very many the first, and how many more there are.
fn ticks<S: AsRef<str>>(names: &[S]) -> Message {
    let mut message = Message::default();
    push_ticks(&mut message, names.len(), names.iter().map(AsRef::as_ref));
    message
}

/// Appends the same of `count` names.
fn push_ticks<'n>(message: &mut Message, count: usize, names: impl Iterator<Item = &'n str>) {
    let shown = count.min(MOST_NAMES);
    if shown == 0 {
        return message.push_str("nothing");
    }
    let more = count - shown;
    for (i, name) in names.take(shown).enumerate() {
        message.push_str(match i {
            0 => "",
            i if i + 1 == shown && more == 0 => " and ",
            _ => ", ",
        });
        message.push_code(name);
    }
    if more > 0 {
        message.push_str(&format!(" and {more} more"));
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
        Subject::Keys(keys) => keys.iter().map(KeyName::as_str).collect(),
        Subject::Names(names) => names.iter().map(|name| &**name).collect(),
    }
}

/// What a note holds, for the first one that the function takes.
fn note<'a, T>(change: &'a Change, take: impl Fn(&'a Note) -> Option<T>) -> Option<T> {
    change.notes.iter().find_map(take)
}

/// `from X to Y`, where either may be nothing.
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
        assert!(ticks(MOST_NAMES).ends_with(", `198` and `199`"));
        assert!(ticks(MOST_NAMES + 7).ends_with("`198`, `199` and 7 more"));
    }
}
