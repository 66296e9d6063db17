//! The ways to run an operator, as text and CSV.

use std::fmt::Write as _;

use opatlas_verdict::ways::{Basis, FateChange, Turn, WayAnswer};

use crate::csv::line;
use crate::escape;

/// The first line of fates as CSV.
pub const FATES_CSV_HEADER: &str = "operator,way,fate,because,known_from,release,since\r\n";

/// Appends a fate as a line of CSV.
pub fn fate_row(out: &mut String, fields: [&str; 7]) {
    line(out, fields);
}

/// The fates of an operator, one way per line.
#[must_use]
pub fn text(title: &str, answers: &[WayAnswer]) -> String {
    let mut out = format!("{}\n", escape::line(title));
    let way = answers.iter().map(|answer| answer.way.title().len()).max();
    let fate = answers
        .iter()
        .map(|answer| answer.fate.as_str().len())
        .max();
    let (way, fate) = (way.unwrap_or(0), fate.unwrap_or(0));
    for answer in answers {
        let line = format!(
            "  {:way$}  {:fate$}  {}{}",
            answer.way.title(),
            answer.fate,
            answer.because,
            basis(answer),
        );
        let _ = writeln!(out, "{}", escape::line(&line));
    }
    out
}

/// `; since 2.6`, `; by the entry`.
fn basis(answer: &WayAnswer) -> String {
    match (answer.known_from, answer.since) {
        (Basis::Recorded, Some(since)) => format!("; since {since}"),
        (Basis::Entry, _) => "; by the entry".to_owned(),
        _ => String::new(),
    }
}

/// The operators of a way, one per line, under a heading.
#[must_use]
pub fn list(title: &str, fates: &[(&str, WayAnswer)]) -> String {
    let mut out = format!("{}\n", escape::line(title));
    let name = fates.iter().map(|(name, _)| name.chars().count()).max();
    let name = name.unwrap_or(0);
    for (operator, answer) in fates {
        let line = format!("  {operator:name$}  {}: {}", answer.fate, answer.because);
        let _ = writeln!(out, "{}", escape::line(&line));
    }
    out
}

/// A change of fate, in a sentence: "lost its decomposition: `by-default` became `kept`".
#[must_use]
pub fn change(change: FateChange) -> String {
    let what = match change.turn() {
        Turn::Gained => format!("gained its {}", change.way.noun()),
        Turn::Lost => format!("lost its {}", change.way.noun()),
        Turn::Changed => change.way.title().to_owned(),
    };
    format!("{what}: `{}` became `{}`", change.before, change.after)
}
