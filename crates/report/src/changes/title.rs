//! What was done, in a few words: the title of a cause.

use super::message::formulas;
use super::{count, lists, message};
use opatlas_diff::causes::{Cause, stem};
use opatlas_diff::policy::Judged;
use opatlas_diff::rules::{ChangeRuleId, Group};
use opatlas_diff::{Change, Note, Subject};

/// As many operators are named in a title.
const NAMED: usize = 3;

/// The title of a cause: `logit`, `logit_`: argument `eps` renamed to `epsilon`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Title<'a> {
    /// The operators that are named; none where there are many.
    pub names: Vec<&'a str>,
    /// What was done to them, without a full stop. Names are in backticks.
    pub what: String,
}

/// The title of a cause of judged changes, as a sentence without a full stop. Names are in
/// backticks.
#[must_use]
pub fn cause_title(changes: &[Judged], cause: &Cause) -> String {
    let title = title(changes, cause);
    let names: Vec<String> = title.names.iter().map(|name| format!("`{name}`")).collect();
    match names.is_empty() {
        true => title.what,
        false => format!("{}: {}", names.join(", "), title.what),
    }
}

/// The title of a cause.
pub(super) fn title<'a>(changes: &[Judged], cause: &'a Cause) -> Title<'a> {
    let first = &changes[cause.first()].change;
    let number = cause.edited.len();
    if let [only] = &*cause.edited {
        let edits = only.edits.iter().map(|&i| &changes[i].change);
        let others = edits.filter(|c| c.rule.group != Group::File && !c.is_compound());
        let more = match others.count().saturating_sub(1) {
            0 => String::new(),
            more => format!(" (and {})", count(more, "more change")),
        };
        return Title {
            names: vec![&only.operator],
            what: format!("{}{more}", message(first)),
        };
    }
    let all = count(number, "operator");
    let many = |what: String| Title {
        names: Vec::new(),
        what: format!("{what}: {all}"),
    };
    if let Some(lost) = cause.lost_type {
        let gone = |i: &&usize| changes[**i].change.rule.id == ChangeRuleId::AutogenRemoved;
        let all = number + cause.consequences.iter().filter(gone).count();
        let all = count(all, "operator");
        return Title {
            names: Vec::new(),
            what: format!("overloads with `{lost}` removed: {all}"),
        };
    }
    match first.rule.id {
        ChangeRuleId::DispatchKernelAdded => many(kernels(first, "added")),
        ChangeRuleId::DispatchKernelRemoved => many(kernels(first, "removed")),
        ChangeRuleId::DispatchKernelRenamed => many(kernels(first, "renamed")),
        ChangeRuleId::OperatorAdded | ChangeRuleId::OverloadAdded => many("new".to_owned()),
        ChangeRuleId::OperatorRemoved | ChangeRuleId::OverloadRemoved => {
            let of = stem(&cause.edited[0].operator);
            match number <= NAMED {
                true => named(cause, "removed".to_owned()),
                false => many(format!("forms of `{of}` removed")),
            }
        }
        ChangeRuleId::FormulaAdded
        | ChangeRuleId::FormulaChanged
        | ChangeRuleId::FormulaRemoved => {
            let what = formulas::of_several(first);
            match number <= NAMED {
                true => named(cause, what),
                false => many(what),
            }
        }
        ChangeRuleId::AutogradSupportLost if first.notes.contains(&Note::FormulaRemoved) => {
            let what = "`derivatives.yaml` no longer has the formula, so autograd support is lost";
            match number <= NAMED {
                true => named(cause, what.to_owned()),
                false => many(what.to_owned()),
            }
        }
        _ => alike(changes, cause, first),
    }
}

fn named(cause: &Cause, what: String) -> Title<'_> {
    Title {
        names: cause
            .edited
            .iter()
            .map(|edited| &*edited.operator)
            .collect(),
        what,
    }
}

/// The title where the same sentence may hold for all operators.
fn alike<'a>(changes: &[Judged], cause: &'a Cause, first: &Change) -> Title<'a> {
    let told = message(first);
    let mut firsts = cause
        .edited
        .iter()
        .map(|edited| &changes[edited.edits[0]].change);
    let what = match firsts.all(|change| message(change) == told) {
        true => told,
        false => first.rule.what.trim_end_matches('.').to_owned(),
    };
    if cause.edited.len() <= NAMED {
        return named(cause, what);
    }
    Title {
        names: Vec::new(),
        what: format!("{}: {what}", count(cause.edited.len(), "operator")),
    }
}

fn kernels(change: &Change, verb: &str) -> String {
    match &change.subject {
        Subject::Keys(keys) => format!("kernels for {} {verb}", lists::keys(keys)),
        _ => format!("kernels {verb}"),
    }
}
