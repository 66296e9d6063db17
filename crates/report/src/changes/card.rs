//! The card of a new operator as text.

use super::lists;
use opatlas_diff::cards::{Card, OutForm};
use opatlas_dispatch::training::Through;

/// Where it runs and where it fails.
pub(super) fn runs(card: &Card) -> String {
    let runs = if card.runs.is_empty() {
        "nowhere".to_owned()
    } else {
        lists::keys(&card.runs)
    };
    if card.fails.is_empty() {
        return runs;
    }
    format!("{runs}; fails on {}", lists::keys(&card.fails))
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

/// Its out form; `name` formats the name of an operator.
pub(super) fn out(card: &Card, name: impl Fn(&str) -> String) -> String {
    match &card.out {
        OutForm::NotNeeded => "not needed".to_owned(),
        OutForm::Declared(out) => name(out),
        OutForm::Generated(out) => format!("{} (generated)", name(out)),
        OutForm::Missing(out) => format!("none: add {}", name(&format!("autogen: {out}"))),
    }
}

/// Its Python bindings.
pub(super) fn python(card: &Card) -> &'static str {
    match (card.is_function, card.is_method) {
        (true, true) => "function, method",
        (true, false) => "function",
        (false, true) => "method",
        (false, false) => "not bound",
    }
}
