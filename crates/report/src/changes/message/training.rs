//! Sentences about operators that no longer train, by the reason.

use std::sync::Arc;

use super::{some, tick};
use crate::changes::lists::keys;
use opatlas_diff::{Change, Note};
use opatlas_operators::entry::KeyName;
use opatlas_source::{Message, message};

pub(super) fn message(change: &Change, on: &[KeyName]) -> Message {
    let has = |note: &Note| change.notes.contains(note);
    if has(&Note::Ambiguous) {
        return message!(
            "calls on {} fail, because a composite kernel and a backend's kernel are ambiguous",
            keys(on)
        );
    }
    if has(&Note::NoDerivatives) {
        return message!(
            "it can no longer train on {} (no derivatives.yaml to look up a formula)",
            keys(on)
        );
    }
    if has(&Note::FormulaUnmatched) {
        return message!(
            "its formula in `derivatives.yaml` no longer matches its schema, so it cannot train on {}",
            keys(on)
        );
    }
    if has(&Note::FormulaRemoved) {
        return message!(
            "`derivatives.yaml` no longer has its formula, so it can no longer train on {}",
            keys(on)
        );
    }
    if has(&Note::NoEntry) {
        return message!(
            "it can no longer train on {}, because `derivatives.yaml` has no formula for it",
            keys(on)
        );
    }
    if has(&Note::NoFormulas) {
        return message!(
            "its entry in `derivatives.yaml` has no formula, so its backward raises on {}",
            keys(on)
        );
    }
    let inputs = inputs(change);
    if inputs.is_empty() {
        return message!("it can no longer train on {}", keys(on));
    }
    message!("{} ({})", Message::join(inputs, "; "), keys(on))
}

/// What happens to its inputs, each part of the sentence with the reason.
fn inputs(change: &Change) -> Vec<Message> {
    let of_note = |note: &Note| match note {
        Note::GradientRaises(names) => Some(message!(
            "its backward raises for {}, whose formula is only `not_implemented`",
            listed(names)
        )),
        Note::GradientRefused(names) => Some(message!(
            "calls raise if {} requires a gradient, because it has no formula",
            listed(names)
        )),
        Note::GradientStops(names) if names.is_empty() => Some(
            "its results no longer have a gradient, because `derivatives.yaml` declares it as not \
             differentiable"
                .into(),
        ),
        Note::GradientStops(names) => Some(message!(
            "{} no longer gets a gradient, because its formula is `non_differentiable`",
            listed(names)
        )),
        _ => None,
    };
    change.notes.iter().filter_map(of_note).collect()
}

fn listed(names: &[Arc<str>]) -> Message {
    match names {
        [only] => tick(only),
        several => message!("each of {}", some(several)),
    }
}
