//! The card of a new operator in words.

use super::lists;
use opatlas_diff::cards::{Card, OutForm};
use opatlas_verdict::training::Through;

/// Where it runs and where it fails.
pub(super) fn runs(card: &Card) -> String {
    let runs = match card.runs.is_empty() {
        true => "nowhere".to_owned(),
        false => lists::keys(&card.runs),
    };
    match card.fails.is_empty() {
        true => runs,
        false => format!("{runs}; fails on {}", lists::keys(&card.fails)),
    }
}

/// Whether it trains, and why or why not.
pub(super) fn trains(card: &Card) -> &'static str {
    match card.trains {
        None => "no: it runs nowhere",
        Some(Through::OwnFormula) => "yes: own formula",
        Some(Through::Composite) => "yes: composite",
        Some(Through::AutogradKernel) => "yes: autograd kernel",
        Some(Through::NotDifferentiable) => "no: not differentiable",
        Some(Through::Error) => "no: no formula",
        Some(Through::Unknown) => "unknown without derivatives.yaml",
    }
}

/// Its out form; `name` shows the name of an operator.
pub(super) fn out(card: &Card, name: impl Fn(&str) -> String) -> String {
    match &card.out {
        OutForm::NotNeeded => "not needed".to_owned(),
        OutForm::Declared(out) => name(out),
        OutForm::Generated(out) => format!("{} (generated)", name(out)),
        OutForm::Missing(out) => format!("none: add {}", name(&format!("autogen: {out}"))),
    }
}

/// What Python binds it as.
pub(super) fn python(card: &Card) -> &'static str {
    match (card.is_function, card.is_method) {
        (true, true) => "function, method",
        (true, false) => "function",
        (false, true) => "method",
        (false, false) => "not bound",
    }
}
