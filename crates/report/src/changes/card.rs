//! The card of a new operator as text.

use super::lists;
use opatlas_diff::cards::{Card, OutForm};
use opatlas_verdict::training::{Detail, Through, Works};

pub(super) fn runs(card: &Card) -> String {
    let unknown = card.because.map_or_else(
        || "unknown".to_owned(),
        |why| format!("unknown ({})", why.as_str()),
    );
    if card.runs.is_empty() && card.fails.is_empty() && !card.unknown.is_empty() {
        return unknown;
    }
    let mut parts = Vec::new();
    if !card.runs.is_empty() {
        parts.push(lists::keys(&card.runs));
    } else if card.unknown.is_empty() {
        parts.push("nowhere".to_owned());
    }
    if !card.fails.is_empty() {
        parts.push(format!("fails on {}", lists::keys(&card.fails)));
    }
    if !card.unknown.is_empty() {
        parts.push(format!("{unknown} on {}", lists::keys(&card.unknown)));
    }
    parts.join("; ")
}

/// Whether it trains; `None` if the question does not apply.
pub(super) fn trains(card: &Card) -> Option<String> {
    (!card.is_out).then(|| training(card))
}

fn training(card: &Card) -> String {
    let Some(training) = &card.training else {
        return "no: calls fail everywhere".to_owned();
    };
    match (training.works, training.through) {
        (Works::Yes, through) => format!("yes: {}", through.as_str()),
        (Works::Partly, Through::Composite) => {
            "partly: it calls operators that do not train".into()
        }
        (Works::Partly, _) => format!(
            "partly: not implemented for {}",
            training.not_implemented.join(", ")
        ),
        (Works::NotDifferentiable, _) => "no: not differentiable".to_owned(),
        (Works::No, _) => match training.detail {
            Some(Detail::NotImplemented) => "no: its formula is not implemented".to_owned(),
            _ => "no: no formula".to_owned(),
        },
        (Works::Unknown, Through::Unknown) => "unknown without derivatives.yaml".to_owned(),
        (Works::Unknown, _) => "unknown".to_owned(),
    }
}

/// Its out form; `name` formats the name of an operator.
pub(super) fn out(card: &Card, name: impl Fn(&str) -> String) -> String {
    match &card.out {
        OutForm::NotNeeded => "not needed".to_owned(),
        OutForm::Declared(out) => name(out),
        OutForm::Generated(out) => format!("{} (generated)", name(out)),
        OutForm::Missing(out) => format!("none: add {}", name(&format!("autogen: {out}"))),
    }
}

/// Its new variants, with the backends on which they fail although the operator works; `name` formats
/// the name of an operator.
pub(super) fn variants(card: &Card, name: impl Fn(&str) -> String) -> Option<String> {
    let variants = card.variants.iter().map(|variant| {
        let shown = name(&variant.operator);
        match &*variant.fails {
            [] => shown,
            fails => format!("{shown} (fails on {})", lists::keys(fails)),
        }
    });
    let variants: Vec<String> = variants.collect();
    (!variants.is_empty()).then(|| variants.join(", "))
}

pub(super) fn python(card: &Card) -> &'static str {
    match (card.is_function, card.is_method) {
        (true, true) => "function, method",
        (true, false) => "function",
        (false, true) => "method",
        (false, false) => "not bound",
    }
}
