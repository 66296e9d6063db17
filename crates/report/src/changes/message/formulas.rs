//! Sentences about the formulas of `derivatives.yaml`.

use super::{names, text, tick, ticks};
use opatlas_diff::Change;
use opatlas_diff::rules::ChangeRuleId;
use opatlas_operators::derivatives::tokens::{difference, is_not_implemented};
use opatlas_source::{Message, message};

/// The most bytes of two formulas that are shown in full.
const SHORT: usize = 160;

/// The most characters of a shown piece.
const LONGEST: usize = 120;

pub(super) fn message(change: &Change) -> Message {
    let (old, new) = (text(change.old.as_ref()), text(change.new.as_ref()));
    if is_about_outputs(old) || is_about_outputs(new) {
        return outputs(change, old, new);
    }
    let whose = whose(change);
    match change.rule.id {
        ChangeRuleId::FormulaAdded if is_not_implemented(old) => {
            message!(
                "its formula for {} is now implemented: {}",
                whose,
                piece(new)
            )
        }
        ChangeRuleId::FormulaAdded => {
            message!("it gained the formula for {}: {}", whose, piece(new))
        }
        ChangeRuleId::FormulaRemoved if new.is_empty() => {
            message!("it lost the formula for {}, {}", whose, piece(old))
        }
        ChangeRuleId::FormulaRemoved if is_not_implemented(new) => message!(
            "its formula for {} is now {}, so training through it raises an error",
            whose,
            piece(new)
        ),
        ChangeRuleId::FormulaRemoved => message!(
            "its formula for {} is now {}, so the gradient silently stops there",
            whose,
            piece(new)
        ),
        _ if new.is_empty() => {
            message!("`derivatives.yaml` no longer has its formula for {}", whose)
        }
        _ if old.is_empty() => message!("its formula for {} is now {}", whose, piece(new)),
        _ => message!("its formula for {} changed: {}", whose, edit(old, new)),
    }
}

pub(in crate::changes) fn of_several(first: &Change) -> Message {
    let (old, new) = (text(first.old.as_ref()), text(first.new.as_ref()));
    match first.rule.id {
        ChangeRuleId::FormulaAdded => "formulas in `derivatives.yaml` added".into(),
        ChangeRuleId::FormulaRemoved if is_about_outputs(new) => {
            "`output_differentiability` in `derivatives.yaml` now excludes outputs".into()
        }
        ChangeRuleId::FormulaRemoved if is_not_implemented(new) => {
            "formulas in `derivatives.yaml` replaced by `not_implemented`".into()
        }
        ChangeRuleId::FormulaRemoved if new.is_empty() => {
            "formulas in `derivatives.yaml` removed for some inputs".into()
        }
        ChangeRuleId::FormulaRemoved => {
            "formulas in `derivatives.yaml` replaced by `non_differentiable`".into()
        }
        _ => {
            let (old, new) = difference(old, new);
            message!(
                "formulas in `derivatives.yaml` changed: {}",
                parts(old, new)
            )
        }
    }
}

fn is_about_outputs(text: &str) -> bool {
    text.starts_with("output_differentiability")
}

fn outputs(change: &Change, old: &str, new: &str) -> Message {
    let own = names(change);
    let (output, are) = match own.len() {
        1 => ("output", "is"),
        _ => ("outputs", "are"),
    };
    let all = ticks(&own);
    match change.rule.id {
        ChangeRuleId::FormulaAdded => {
            message!("its {} {} {} now differentiable", output, all, are)
        }
        ChangeRuleId::FormulaRemoved => {
            message!(
                "its {} {} {} no longer differentiable ({})",
                output,
                all,
                are,
                piece(new)
            )
        }
        _ => message!(
            "the condition for its {} {} to be differentiable changed: {}",
            output,
            all,
            edit(old, new)
        ),
    }
}

/// `` `self` and `other` ``, `` the output `result` ``, `` `self` on AutogradNestedTensor ``.
fn whose(change: &Change) -> Message {
    let own = names(change);
    let on = |name: &str| match name.split_once(" (") {
        None => tick(name),
        Some((name, place)) => {
            let place = place.trim_end_matches(')');
            match place.strip_prefix("forward") {
                Some("") => message!("the output {}", tick(name)),
                Some(key) => message!(
                    "the output {} on {}",
                    tick(name),
                    key.trim_matches([',', ' '])
                ),
                None => message!("{} on {}", tick(name), place),
            }
        }
    };
    if own.iter().all(|name| !name.contains(" (")) {
        return ticks(&own);
    }
    let shown = own.iter().take(super::MOST_NAMES);
    Message::join(shown.map(|name| on(name)), ", ")
}

/// The old and new formulas if they are short, else their difference.
fn edit(old: &str, new: &str) -> Message {
    if old.len() + new.len() <= SHORT {
        return message!("{} became {}", piece(old), piece(new));
    }
    let (old, new) = difference(old, new);
    parts(old, new)
}

fn parts(old: &str, new: &str) -> Message {
    match (old, new) {
        ("", new) => message!("{} added", piece(new)),
        (old, "") => message!("{} removed", piece(old)),
        (old, new) => message!("{} became {}", piece(old), piece(new)),
    }
}

fn piece(text: &str) -> Message {
    match text.char_indices().nth(LONGEST) {
        None => tick(text),
        Some((end, _)) => tick(&message!("{}...", &text[..end])),
    }
}
