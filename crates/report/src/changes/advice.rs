//! What to do about a change: the smallest alternative that breaks nobody, and how to accept the
//! change.

use crate::escape::push_shell;
use crate::findings::first_sentence;
use opatlas_diff::rules::ChangeRule;
use opatlas_diff::rules::ChangeRuleId;
use opatlas_diff::{Change, Note, Subject};
use opatlas_source::{Message, message};

/// Explanations up to this many bytes are shown whole.
const SHORT_WHY: usize = 240;

/// The advice for a formula in derivatives.yaml whose schema differs from its operator's.
pub(super) const FORMULA: &str = "Its formula in `derivatives.yaml` no longer matches: change the \
                                  schema there in the same way.";

/// The smallest safe alternative for this very change; `None` where nothing has to be done.
#[must_use]
pub fn help(change: &Change) -> Option<Message> {
    let instead = change.rule.instead?;
    let subject = match &change.subject {
        Subject::Argument(name) => Message::code(name),
        _ => Message::default(),
    };
    let new = change.new.as_ref().map_or("", |fragment| &fragment.text);
    let old = change.old.as_ref().map_or("", |fragment| &fragment.text);
    let told = match change.rule.id {
        ChangeRuleId::OperatorRemoved | ChangeRuleId::OverloadRemoved => match candidates(change) {
            Some(candidate) => message!("Keep it and forward it to `{}`.", candidate),
            None => return Some(instead.into()),
        },
        ChangeRuleId::ArgumentRenamed | ChangeRuleId::OutArgumentRenamed => message!(
            "Keep the name {}, or add an overload with the new name and keep this one.",
            subject
        ),
        ChangeRuleId::ArgumentAddedRequired => message!(
            "Append {} after `*` with a default that keeps the current behaviour, or add an \
             overload.",
            subject
        ),
        ChangeRuleId::ArgumentInserted => {
            message!("Append `{}` as the last keyword-only argument.", new)
        }
        ChangeRuleId::ArgumentAddedAfterOut => {
            message!("Move `{}` before the out arguments, with a default.", new)
        }
        ChangeRuleId::ArgumentRemoved => {
            message!("Keep `{}`, ignore its value and document this.", old)
        }
        ChangeRuleId::DefaultRemoved | ChangeRuleId::DefaultChanged => {
            message!("Keep `{}`. {}", old, instead)
        }
        ChangeRuleId::ArgumentTypeDeSymint | ChangeRuleId::ArgumentTypeNarrowed => {
            message!("Keep `{}`. {}", old, instead)
        }
        ChangeRuleId::AutogradSupportLost if change.notes.contains(&Note::FormulaUnmatched) => {
            return Some(FORMULA.into());
        }
        ChangeRuleId::AutogenRemoved if change.notes.contains(&Note::StillGenerated) => {
            return None;
        }
        ChangeRuleId::AutogenRemoved => message!(
            "Keep `{}` in `autogen`, or declare it as an entry.",
            change.operator
        ),
        _ => return Some(instead.into()),
    };
    Some(told)
}

/// Why a change matters: all that its rule has to say where that is short, else the first sentence.
pub(super) fn why(rule: &ChangeRule) -> &'static str {
    match rule.why.len() <= SHORT_WHY {
        true => rule.why,
        false => first_sentence(rule.why),
    }
}

fn candidates(change: &Change) -> Option<&str> {
    change.notes.iter().find_map(|note| match note {
        Note::Candidates(names) => names.first().map(|name| &**name),
        _ => None,
    })
}

/// The command that accepts a change, as far as it can be known: the reason and the end are for
/// people to fill in. Every word is safe to hand to a shell.
///
/// ```
/// use opatlas_diff::rules::ChangeRuleId;
/// use opatlas_diff::{Change, Subject};
/// use opatlas_report::changes::accept;
///
/// let change = Change::new(ChangeRuleId::ArgumentRenamed, "can_cast", Subject::Argument("from".into()));
/// assert_eq!(
///     accept(&change),
///     "opatlas exception add can_cast argument-renamed --argument from --reason ... --until ..."
/// );
/// ```
#[must_use]
pub fn accept(change: &Change) -> String {
    const COMMAND: &str = "opatlas exception add ";
    const ARGUMENT: &str = " --argument ";
    const END: &str = " --reason ... --until ...";
    let rule = change.rule.id.as_str();
    let argument = match &change.subject {
        Subject::Argument(name) => Some(name),
        _ => None,
    };
    let words = change.operator.len() + 1 + rule.len() + argument.map_or(0, |name| name.len());
    let mut text = String::with_capacity(COMMAND.len() + words + ARGUMENT.len() + END.len());
    text.push_str(COMMAND);
    push_shell(&mut text, &change.operator);
    text.push(' ');
    text.push_str(rule);
    if let Some(name) = argument {
        text.push_str(ARGUMENT);
        push_shell(&mut text, name);
    }
    text.push_str(END);
    text
}
