//! Sentences about the formulas of `derivatives.yaml`.

use super::{names, text, tick, ticks};
use opatlas_diff::Change;
use opatlas_diff::rules::ChangeRuleId;
use opatlas_operators::derivatives::tokens::{difference, is_not_implemented};

/// Two formulas of up to this many bytes together are shown whole.
const SHORT: usize = 160;

/// Of a longer piece this many characters are shown.
const LONGEST: usize = 120;

/// What changed in the formulas of one operator.
pub(super) fn message(change: &Change) -> String {
    let (old, new) = (text(change.old.as_ref()), text(change.new.as_ref()));
    if is_about_outputs(old) || is_about_outputs(new) {
        return outputs(change, old, new);
    }
    let whose = whose(change);
    match change.rule.id {
        ChangeRuleId::FormulaAdded if is_not_implemented(old) => {
            format!("its formula for {whose} is now implemented: {}", piece(new))
        }
        ChangeRuleId::FormulaAdded => {
            format!("it gained the formula for {whose}: {}", piece(new))
        }
        ChangeRuleId::FormulaRemoved if new.is_empty() => {
            format!("it lost the formula for {whose}, {}", piece(old))
        }
        ChangeRuleId::FormulaRemoved if is_not_implemented(new) => format!(
            "its formula for {whose} is now {}, so training through it raises an error",
            piece(new)
        ),
        ChangeRuleId::FormulaRemoved => format!(
            "its formula for {whose} is now {}, so training stops there",
            piece(new)
        ),
        _ if new.is_empty() => format!("`derivatives.yaml` no longer has its formula for {whose}"),
        _ if old.is_empty() => format!("its formula for {whose} is now {}", piece(new)),
        _ => format!("its formula for {whose} changed: {}", edit(old, new)),
    }
}

/// What changed in the formulas of several operators in the same way.
pub(in crate::changes) fn of_several(first: &Change) -> String {
    let (old, new) = (text(first.old.as_ref()), text(first.new.as_ref()));
    match first.rule.id {
        ChangeRuleId::FormulaAdded => "formulas in `derivatives.yaml` added".to_owned(),
        ChangeRuleId::FormulaRemoved if is_about_outputs(new) => {
            "`output_differentiability` in `derivatives.yaml` now excludes outputs".to_owned()
        }
        ChangeRuleId::FormulaRemoved if is_not_implemented(new) => {
            "formulas in `derivatives.yaml` replaced by `not_implemented`".to_owned()
        }
        ChangeRuleId::FormulaRemoved => {
            "formulas in `derivatives.yaml` removed for some inputs".to_owned()
        }
        _ => {
            let (old, new) = difference(old, new);
            format!(
                "formulas in `derivatives.yaml` changed: {}",
                parts(old, new)
            )
        }
    }
}

fn is_about_outputs(text: &str) -> bool {
    text.starts_with("output_differentiability")
}

fn outputs(change: &Change, old: &str, new: &str) -> String {
    let own = names(change);
    let (output, are) = match own.len() {
        1 => ("output", "is"),
        _ => ("outputs", "are"),
    };
    let all = ticks(&own);
    match change.rule.id {
        ChangeRuleId::FormulaAdded => {
            format!("its {output} {all} {are} now differentiable")
        }
        ChangeRuleId::FormulaRemoved => {
            format!(
                "its {output} {all} {are} no longer differentiable ({})",
                piece(new)
            )
        }
        _ => format!(
            "the condition for its {output} {all} to be differentiable changed: {}",
            edit(old, new)
        ),
    }
}

/// `` `self` and `other` ``, `` the output `result` ``, `` `self` on AutogradNestedTensor ``.
fn whose(change: &Change) -> String {
    let own = names(change);
    let on = |name: &str| match name.split_once(" (") {
        None => tick(name),
        Some((name, place)) => {
            let place = place.trim_end_matches(')');
            match place.strip_prefix("forward") {
                Some("") => format!("the output {}", tick(name)),
                Some(key) => format!(
                    "the output {} on {}",
                    tick(name),
                    key.trim_matches([',', ' '])
                ),
                None => format!("{} on {place}", tick(name)),
            }
        }
    };
    if own.iter().all(|name| !name.contains(" (")) {
        return ticks(&own);
    }
    let shown: Vec<String> = own
        .iter()
        .take(super::MOST_NAMES)
        .map(|name| on(name))
        .collect();
    shown.join(", ")
}

/// From what to what: whole formulas where they are short, else what differs.
fn edit(old: &str, new: &str) -> String {
    if old.len() + new.len() <= SHORT {
        return format!("{} became {}", piece(old), piece(new));
    }
    let (old, new) = difference(old, new);
    parts(old, new)
}

fn parts(old: &str, new: &str) -> String {
    match (old, new) {
        ("", new) => format!("{} added", piece(new)),
        (old, "") => format!("{} removed", piece(old)),
        (old, new) => format!("{} became {}", piece(old), piece(new)),
    }
}

/// A piece of a formula between backticks, cut where it is long.
fn piece(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        None => tick(text),
        Some((end, _)) => tick(&format!("{}...", &text[..end])),
    }
}
