//! The title of a cause: what was done, in a few words.

use super::message::formulas;
use super::outline::weight;
use super::{count, lists, message};
use opatlas_diff::causes::{Cause, stem};
use opatlas_diff::policy::Judged;
use opatlas_diff::rules::{ChangeRuleId, Group, Level};
use opatlas_diff::{Change, Note, Subject};
use opatlas_source::Message;
use opatlas_source::sentence::{Piece, codes};

/// The most operators named in a title.
const NAMED: usize = 3;

/// The title of a cause: `logit`, `logit_`: argument `eps` renamed to `epsilon`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Title<'a> {
    /// The named operators; empty if there are many.
    pub names: Vec<&'a str>,
    pub what: Message,
    /// The number of further edits of the only operator.
    pub more: usize,
}

impl Title<'_> {
    /// The edit, with the number of the others.
    pub(super) fn counted(&self) -> Message {
        match self.more {
            0 => self.what.clone(),
            more => message!("{} (and {})", self.what, count(more, "more change")),
        }
    }

    /// The edit with the named operators.
    pub(super) fn named(&self, what: &Message) -> Message {
        match &*self.names {
            [] => what.clone(),
            names => message!("{}: {}", codes(names), *what),
        }
    }
}

/// The title of a cause as a sentence without a period.
#[must_use]
pub fn cause_title(changes: &[Judged], cause: &Cause) -> Message {
    let title = title(changes, cause);
    title.named(&title.counted())
}

/// The title of a cause, with its worst consequence if that is worse than the edit.
pub(super) fn title<'a>(changes: &'a [Judged], cause: &'a Cause) -> Title<'a> {
    let title = edit_title(changes, cause);
    match outcome(changes, cause) {
        Some(worst) => Title {
            what: message!("{}; {}", title.what, worst),
            ..title
        },
        None => title,
    }
}

/// The worst consequence of a cause, if it is worse than the edit itself or means that the only
/// operator no longer trains.
fn outcome(changes: &[Judged], cause: &Cause) -> Option<Message> {
    let edits = cause.edited.iter().flat_map(|edited| &edited.edits);
    let edit = edits.map(|&i| weight(&changes[i])).max()?;
    let followed = cause.consequences.iter().map(|&i| &changes[i]);
    let followed = followed.filter(|judged| !judged.change.is_compound());
    // `rev` makes the first of equals the greatest.
    let worst = followed.rev().max_by_key(|judged| weight(judged))?;
    let is_worse = weight(worst) > edit && weight(worst) >= Level::Dangerous;
    let first = &changes[cause.first()].change;
    let worst = match training_loss(changes, cause, first) {
        Some(loss) => loss,
        None if is_worse => &worst.change,
        None => return None,
    };
    let mut edited = cause.edited.iter();
    Some(match cause.edited.len() {
        1 if edited.any(|edited| edited.operator == worst.operator) => message(worst),
        _ => message!("`{}`: {}", worst.operator, message(worst)),
    })
}

/// The title of a cause without its consequences.
pub(super) fn edit_title<'a>(changes: &'a [Judged], cause: &'a Cause) -> Title<'a> {
    let first = &changes[cause.first()].change;
    let number = cause.edited.len();
    if let [only] = &*cause.edited {
        let edits = only.edits.iter().map(|&i| &changes[i].change);
        let others = edits.filter(|c| c.rule.group != Group::File && !c.is_compound());
        return Title {
            // If only `autogen` was edited, the change is that of a generated operator.
            names: vec![&first.operator],
            what: message(first),
            more: others.count().saturating_sub(1),
        };
    }
    let all = count(number, "operator");
    let many = |what: Message| unnamed(message!("{}: {}", what, all));
    let named_or_counted = |what: Message| {
        if number <= NAMED {
            named(cause, what)
        } else {
            many(what)
        }
    };
    if let Some(lost) = cause.lost_type {
        return many(removed_with(changes, cause, lost.as_str()));
    }
    if first.is_about_tag() {
        return tags(cause, first);
    }
    match first.rule.id {
        ChangeRuleId::DispatchKernelAdded => many(kernels(first, "added")),
        ChangeRuleId::DispatchKernelRemoved => many(kernels(first, "removed")),
        ChangeRuleId::DispatchKernelRenamed => many(kernels(first, "renamed")),
        ChangeRuleId::OperatorAdded | ChangeRuleId::OverloadAdded if number <= NAMED => {
            named(cause, "new operators".into())
        }
        ChangeRuleId::OperatorAdded | ChangeRuleId::OverloadAdded => {
            unnamed(message!("{}", count(number, "new operator")))
        }
        ChangeRuleId::EntryMoved => unnamed(message!("{} moved", count(number, "entry"))),
        ChangeRuleId::OperatorRemoved | ChangeRuleId::OverloadRemoved => {
            let of = stem(&cause.edited[0].operator);
            let mut edited = cause.edited.iter();
            let is_one = edited.all(|edited| stem(&edited.operator) == of);
            match number <= NAMED {
                true => named(cause, "removed".into()),
                false if is_one => many(message!("forms of `{}` removed", of)),
                false => many("removed".into()),
            }
        }
        ChangeRuleId::FormulaAdded
        | ChangeRuleId::FormulaChanged
        | ChangeRuleId::FormulaRemoved => named_or_counted(formulas::of_several(first)),
        ChangeRuleId::AutogradSupportLost if first.notes.contains(&Note::FormulaRemoved) => {
            let what = "`derivatives.yaml` no longer has the formula, so autograd support is lost";
            named_or_counted(what.into())
        }
        _ => common(changes, cause, first),
    }
}

/// The removal of a type. Entries beside those that use it were removed with them.
fn removed_with(changes: &[Judged], cause: &Cause, lost: &str) -> Message {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let uses = |i: &usize| {
        let old = changes[*i].change.old.as_ref();
        old.is_some_and(|old| old.text.split(|c| !is_letter(c)).any(|word| word == lost))
    };
    let others = cause.edited.iter();
    let others = others
        .filter(|edited| !edited.edits.iter().any(uses))
        .count();
    match others {
        0 => message!("overloads with `{}` removed", lost),
        _ => message!(
            "overloads with `{}` and {} beside them removed",
            lost,
            others
        ),
    }
}

/// The loss of gradients by which an edit of a composite kernel is judged.
fn training_loss<'a>(changes: &'a [Judged], cause: &Cause, first: &Change) -> Option<&'a Change> {
    let is_of_composite = matches!(
        first.rule.id,
        ChangeRuleId::CompositeImplicitToExplicit | ChangeRuleId::DefaultCompositeLost
    );
    let consequences = cause.consequences.iter().filter(|_| is_of_composite);
    let mut consequences = consequences.map(|&i| &*changes[i].change);
    consequences.find(|change| {
        change.rule.id == ChangeRuleId::AutogradSupportLost && change.operator == first.operator
    })
}

fn tags<'a>(cause: &'a Cause, first: &Change) -> Title<'a> {
    let what = match first.rule.id {
        ChangeRuleId::TagMemberAdded => "added to `tags.yaml`",
        _ => "removed from `tags.yaml`",
    };
    if cause.edited.len() <= NAMED {
        return named(cause, what.into());
    }
    unnamed(message!(
        "{} {}",
        count(cause.edited.len(), "tag"),
        Message::from(what)
    ))
}

fn named(cause: &Cause, what: Message) -> Title<'_> {
    Title {
        names: cause
            .edited
            .iter()
            .map(|edited| &*edited.operator)
            .collect(),
        what,
        more: 0,
    }
}

fn unnamed(what: Message) -> Title<'static> {
    Title {
        names: Vec::new(),
        what,
        more: 0,
    }
}

/// The title if all operators have the same message, else the rule.
fn common<'a>(changes: &[Judged], cause: &'a Cause, first: &Change) -> Title<'a> {
    let common = message(first);
    let mut firsts = cause
        .edited
        .iter()
        .map(|edited| &changes[edited.edits[0]].change);
    let what = if firsts.all(|change| message(change) == common) {
        of_each(&common)
    } else {
        uncapitalized(first.rule.what.trim_end_matches('.'))
    };
    if cause.edited.len() <= NAMED {
        return named(cause, what);
    }
    unnamed(message!(
        "{}: {}",
        count(cause.edited.len(), "operator"),
        what
    ))
}

fn kernels(change: &Change, verb: &str) -> Message {
    match &change.subject {
        Subject::Keys(keys) => message!("kernels for {} {}", lists::keys(keys), verb),
        _ => message!("kernels {}", verb),
    }
}

/// A sentence about one operator as one about each of several: `it lost ...` becomes `each lost ...`.
fn of_each(message: &Message) -> Message {
    let mut each = Message::default();
    for (at, piece) in message.pieces().enumerate() {
        match piece {
            Piece::Text(text) => match text.strip_prefix("it ").filter(|_| at == 0) {
                Some(rest) => each.push_str(&format!("each {rest}")),
                None => each.push_str(text),
            },
            Piece::Code(code) => each.push_code(code),
        }
    }
    each
}

/// A sentence that begins with an article, in lower case.
fn uncapitalized(text: &str) -> Message {
    for (article, small) in [("The ", "the "), ("A ", "a "), ("An ", "an ")] {
        if let Some(rest) = text.strip_prefix(article) {
            return message!("{}{}", small, rest);
        }
    }
    message!("{}", text)
}
