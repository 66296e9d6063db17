//! An explained entry: the rules tried, their outcomes, and edits that would change the result.

use std::fmt::Write as _;

use super::Shown;
use super::support::support_words;
use super::words::{autograd_words, cause_sentence, origin_words};
use crate::escape;
use opatlas_dispatch::{
    Edit, Entry, ExplainedEntry, Origin, Outcome, Precedence, Registration, Remedy, Step,
};
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::key_set::KeySet;
use opatlas_pytorch::keys::{Key, Keys};
use opatlas_verdict::Because;

/// The most keys named in a sentence; the rest is counted.
const NAMED: usize = 4;

/// An entry in two lines: operator, key, reason and kernel, then its verdict.
#[must_use]
pub fn headline(shown: Shown<'_>, id: OperatorId, entry: &Entry<'_>) -> String {
    let operator = shown.view.inputs.catalogue.operator(id);
    let mut out = format!(
        "{} on {}: {}",
        escape::line(operator.qualified_name()),
        entry.key,
        entry.reason
    );
    if let Some(kernel) = &entry.kernel {
        let _ = write!(out, ", {}", escape::line(kernel));
    }
    let support = shown.view.support_of(id, entry);
    let known_from = shown.view.known_from(id, entry, support.verdict);
    let known_from = known_from.map_or_else(String::new, |from| {
        format!(" (known from: {})", from.as_str())
    });
    let words = support_words(shown.view, id, &support);
    let _ = writeln!(out, "\n  {words}{known_from}");
    if support.because == Some(Because::OutOfTree) {
        let bare = shown.view.bare_support(id);
        let words = support_words(shown.view, id, &bare);
        let _ = writeln!(out, "  a bare backend: {words}");
    }
    out
}

/// The whole explanation: result, steps, and edits.
#[must_use]
pub fn explanation(shown: Shown<'_>, id: OperatorId, told: &ExplainedEntry<'_>) -> String {
    let entry = &told.entry;
    let mut out = headline(shown, id, entry);
    out.push('\n');
    let shown_steps = told.explanation.steps.iter().filter(|step| is_shown(step));
    let lines: Vec<_> = shown_steps
        .map(|step| {
            (
                step.rule.number(),
                question(told, *step),
                outcome(shown, id, told, *step),
            )
        })
        .collect();
    let width = lines
        .iter()
        .map(|(_, q, _)| q.chars().count())
        .max()
        .unwrap_or(0);
    for (number, question, outcome) in lines {
        let _ = writeln!(
            out,
            "  {number}  {question:width$}  {}",
            escape::line(&outcome)
        );
    }
    if let Some(cause) = entry.cause {
        let _ = writeln!(out, "\n  {}", escape::line(&cause_sentence(cause)));
    }
    let remedies = &told.explanation.remedies;
    if !remedies.is_empty() {
        out.push_str("\n  To change that:\n");
    }
    for remedy in remedies {
        let _ = writeln!(out, "  - {}", remedy_words(shown.view.keys(), remedy));
    }
    out
}

/// Rules that never serve the key are shown only among composites.
fn is_shown(step: &Step) -> bool {
    !matches!(
        (step.outcome, step.rule),
        (
            Outcome::Irrelevant | Outcome::OutOfReach,
            Precedence::Autograd | Precedence::Batched
        ) | (_, Precedence::Missing)
    )
}

fn question(told: &ExplainedEntry<'_>, step: Step) -> String {
    let key = told.entry.key;
    match step.rule {
        Precedence::Direct => format!("kernel registered on {key}?"),
        Precedence::Ambiguous => "ambiguous between backends without an autograd key?".to_owned(),
        Precedence::Fallback => format!("backend fallback for {key}?"),
        rule => rule
            .alias()
            .map_or_else(String::new, |alias| format!("{alias}?")),
    }
}

fn outcome(shown: Shown<'_>, id: OperatorId, told: &ExplainedEntry<'_>, step: Step) -> String {
    let keys = shown.view.keys();
    match step.outcome {
        Outcome::Decides => decides(shown, id, told, step.rule),
        Outcome::NotRegistered if step.rule == Precedence::Fallback => "none".to_owned(),
        Outcome::NotRegistered if step.rule == Precedence::Implicit => {
            no_implicit(shown, id).to_owned()
        }
        Outcome::NotRegistered => "no".to_owned(),
        Outcome::OutOfReach => {
            format!(
                "registered, but never serves {}",
                out_of_reach(keys, told, step.rule)
            )
        }
        Outcome::Irrelevant if step.rule == Precedence::Nested => "not a nested key".to_owned(),
        Outcome::Irrelevant => "no, and it never serves this key".to_owned(),
        Outcome::SwitchedOffByExplicit => {
            "registered, but disabled by CompositeExplicitAutograd".to_owned()
        }
        Outcome::SwitchedOffByBackends(backends) => {
            format!(
                "registered, but disabled by the kernel on {}",
                names(keys, backends)
            )
        }
        Outcome::NotAmbiguous => "no".to_owned(),
    }
}

fn no_implicit(shown: Shown<'_>, id: OperatorId) -> &'static str {
    let operator = shown.view.inputs.catalogue.operator(id);
    match operator.declared() {
        None if operator.vendor().is_some() => "no: a vendor's file declares the operator",
        None => "no: the operator is generated",
        Some(_) if operator.is_part_of_structured_group() => "no: the operator is structured",
        Some(placed) if placed.entry.dispatch.is_some() => "no: the entry has a `dispatch` section",
        Some(_) => "no",
    }
}

/// The key, or its whole functionality if the alias reaches none of it.
fn out_of_reach(keys: &Keys, told: &ExplainedEntry<'_>, rule: Precedence) -> String {
    let reach = rule
        .alias()
        .map_or(KeySet::EMPTY, |alias| keys.reach(alias));
    let functionality = told.entry.functionality;
    let mut family = keys
        .slots()
        .filter(|&slot| keys.functionality(slot) == functionality);
    let is_whole = told.entry.backend.is_some() && !family.any(|slot| reach.contains(slot));
    match (is_whole, functionality) {
        (false, _) => told.entry.key.to_owned(),
        (true, "AutogradFunctionality") => "autograd keys".to_owned(),
        (true, functionality) => format!("{functionality}* keys"),
    }
}

fn decides(
    shown: Shown<'_>,
    id: OperatorId,
    told: &ExplainedEntry<'_>,
    rule: Precedence,
) -> String {
    if rule == Precedence::Fallback {
        let does = if told.entry.fallthrough {
            "falls through"
        } else {
            "answers"
        };
        let file = told.entry.file.unwrap_or_default();
        return format!("yes, it {does} ({file})");
    }
    match told.registrations.first() {
        Some(made) => format!("yes: {}", registration_words(shown, id, made)),
        None => "yes: calls fail".to_owned(),
    }
}

fn registration_words(shown: Shown<'_>, id: OperatorId, made: &Registration<'_>) -> String {
    let mut words = String::new();
    if let Some(kernel) = &made.kernel {
        let _ = write!(words, "{kernel}, ");
    }
    words.push_str(origin_words(made.origin));
    let place = made.file.map(|file| {
        let line = made.span.and_then(|span| (shown.line)(file, span));
        line.map_or_else(|| file.to_owned(), |line| format!("{file}:{line}"))
    });
    if let Some(place) = place {
        let _ = write!(words, ", {place}");
    }
    if made.origin == Origin::Autograd {
        let _ = write!(words, ": {}", autograd_words(shown, id, made.key));
    }
    if made.fallthrough {
        words.push_str("; fallthrough");
    }
    words
}

fn names(keys: &Keys, set: KeySet) -> String {
    let runtime: Vec<Key> = set.iter().map(Key::Runtime).collect();
    key_names(keys, &runtime)
}

fn key_names(keys: &Keys, of: &[Key]) -> String {
    let mut text = String::new();
    for (i, &key) in of.iter().take(NAMED).enumerate() {
        let separator = if i > 0 { ", " } else { "" };
        let _ = write!(text, "{separator}{}", keys.name(key));
    }
    if of.len() > NAMED {
        let _ = write!(text, " and {} more", of.len() - NAMED);
    }
    text
}

fn remedy_words(keys: &Keys, remedy: &Remedy) -> String {
    let which = key_names(keys, &remedy.keys);
    let one_of = if remedy.keys.len() > 1 { "one of " } else { "" };
    let becomes = remedy.becomes.reason();
    match remedy.edit {
        Edit::Register => {
            format!("register a kernel on {one_of}{which}: the result is `{becomes}`")
        }
        Edit::Remove => format!("remove the kernel on {one_of}{which}: the result is `{becomes}`"),
    }
}
