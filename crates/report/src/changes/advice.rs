//! What to do about a change: the smallest safe alternative, and how to accept the change.

use crate::escape::shell;
use crate::findings::first_sentence;
use opatlas_diff::rules::ChangeRule;
use opatlas_diff::rules::ChangeRuleId;
use opatlas_diff::{Change, Note, Subject};
use opatlas_source::{Message, message};

/// The longest explanation that is shown in full, in bytes.
const SHORT_WHY: usize = 240;

/// The advice for a formula in derivatives.yaml whose schema differs from its operator's.
pub(super) const FORMULA: &str = "Its formula in `derivatives.yaml` no longer matches: change the \
                                  schema there in the same way.";

/// The smallest safe alternative to this change; `None` if nothing needs to be done.
#[must_use]
pub fn help(change: &Change) -> Option<Message> {
    let instead = change.rule.instead?;
    let subject = match &change.subject {
        Subject::Argument(name) => Message::code(name),
        _ => Message::default(),
    };
    let new = change.new.as_ref().map_or("", |fragment| &fragment.text);
    let old = change.old.as_ref().map_or("", |fragment| &fragment.text);
    Some(match change.rule.id {
        ChangeRuleId::OperatorRemoved | ChangeRuleId::OverloadRemoved => match candidates(change) {
            Some(candidate) => message!("Keep it and forward it to `{}`.", candidate),
            None => return Some(instead.into()),
        },
        ChangeRuleId::ArgumentRenamed | ChangeRuleId::OutArgumentRenamed => message!(
            "Keep the name {}, or add an overload with the new name and keep this one.",
            subject
        ),
        ChangeRuleId::ArgumentAddedRequired => message!(
            "Append {} after `*` with a default that keeps the current behavior, or add an \
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
        ChangeRuleId::ShimChanged if let Some(line) = shim_version(change) => message!(
            "Add `{}` to `torchgen/aoti/fallback_ops.py`, then run \
             `python torchgen/gen.py --update-aoti-c-shim`.",
            line
        ),
        ChangeRuleId::AutogenRemoved if change.notes.contains(&Note::StillGenerated) => {
            return None;
        }
        ChangeRuleId::AutogenRemoved => message!(
            "Keep `{}` in `autogen`, or declare it as an entry.",
            change.operator
        ),
        _ => return Some(instead.into()),
    })
}

/// Why a change matters: the rule's explanation if it is short, else its first sentence.
pub(super) fn why(rule: &ChangeRule) -> &'static str {
    if rule.why.len() <= SHORT_WHY {
        rule.why
    } else {
        first_sentence(rule.why)
    }
}

fn shim_version(change: &Change) -> Option<&str> {
    change.notes.iter().find_map(|note| match note {
        Note::ShimVersion(line) => Some(&**line),
        _ => None,
    })
}

fn candidates(change: &Change) -> Option<&str> {
    change.notes.iter().find_map(|note| match note {
        Note::Candidates(names) => names.first().map(|name| &**name),
        _ => None,
    })
}

/// The command that accepts a change. The user fills in the reason and the end. Every word is quoted
/// for a shell.
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
    let argument = match &change.subject {
        Subject::Argument(name) => format!(" --argument {}", shell(name)),
        _ => String::new(),
    };
    let (operator, rule) = (shell(&change.operator), change.rule.id);
    format!("opatlas exception add {operator} {rule}{argument} --reason ... --until ...")
}
