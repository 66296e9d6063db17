//! Words and sentences for entries, causes and training answers.

use super::Shown;
use super::support::some_names;
use crate::escape;
use opatlas_dispatch::registrations::{AutogradKind, autograd_kind};
use opatlas_dispatch::{Cause, Entry, Origin, Precedence};
use opatlas_operators::derivatives::DEFAULT_KEY;
use opatlas_operators::operator::{Operator, OperatorId};
use opatlas_pytorch::keys::Key;
use opatlas_verdict::training::Detail;
use opatlas_verdict::{Because, Support, Through, TrainingAnswer, Verdict, View};

/// The origin of a registration in words.
#[must_use]
pub fn origin_words(origin: Origin) -> &'static str {
    match origin {
        Origin::Declared => "declared",
        Origin::Structured => "structured",
        Origin::Autogen => "generated for `autogen`",
        Origin::ImplicitComposite => "no `dispatch` section",
        Origin::Autograd => "generated autograd",
        Origin::InplaceOrView => "generated: version counters and views",
        Origin::Functionalize => "generated functionalization",
        Origin::Tracer => "generated tracing kernel",
        Origin::BackendSelect => "generated backend selection",
        Origin::Fallback => "registered for all operators",
        Origin::BackendFile => "backend file",
        Origin::HandWritten => "hand-written",
        Origin::Source => "source",
        Origin::Observed => "observed",
    }
}

/// The source of an entry: its alias, origin and position.
pub(super) fn from_words(shown: Shown<'_>, id: OperatorId, entry: &Entry<'_>) -> String {
    let Some(origin) = entry.origin else {
        return String::new();
    };
    let mut parts = Vec::new();
    if entry.rule != Precedence::Direct
        && let Some(Key::Alias(alias)) = entry.source_key
    {
        parts.push(alias.name().to_owned());
    }
    parts.push(match origin {
        Origin::Autograd => formula_words(shown, id, entry.source_key).to_owned(),
        origin => origin_words(origin).to_owned(),
    });
    let line = || {
        let (file, span) = (entry.file?, entry.span?);
        (shown.line)(file, span)
    };
    match (origin, entry.file, line()) {
        // Fallbacks in different files share a line.
        (Origin::Fallback, ..) => {}
        (Origin::HandWritten | Origin::Observed, Some(file), _) => parts.push(file.to_owned()),
        (Origin::BackendFile | Origin::Autograd | Origin::Source, Some(file), Some(line)) => {
            parts.push(format!("{file}:{line}"));
        }
        (Origin::Declared | Origin::Structured | Origin::Autogen, _, Some(line)) => {
            parts.push(format!("line {line}"));
        }
        _ => {}
    }
    let mut words = parts.join(", ");
    let replaced = origin
        .is_outside_files()
        .then(|| replaced(shown, id, entry.source_key));
    if let Some(replaced) = replaced.flatten() {
        words.push_str(&format!(" (replaces: {})", origin_words(replaced)));
    }
    words
}

fn replaced(shown: Shown<'_>, id: OperatorId, key: Option<Key>) -> Option<Origin> {
    let mut made = shown.view.registrations(id);
    let made = made.find(|made| made.overridden && Some(made.key) == key)?;
    Some(made.origin)
}

fn formula_words(shown: Shown<'_>, id: OperatorId, key: Option<Key>) -> &'static str {
    match autograd_kind(shown.view.inputs, id, formula_key(shown, key)) {
        AutogradKind::Formula => "own formula",
        AutogradKind::NotDifferentiable => "no gradient",
        AutogradKind::NotImplemented => "no formula: requesting a gradient fails",
        AutogradKind::Unknown => "formula unknown",
    }
}

fn formula_key(shown: Shown<'_>, key: Option<Key>) -> &'static str {
    match key {
        Some(key @ Key::Runtime(_)) => shown.view.keys().name(key),
        _ => DEFAULT_KEY,
    }
}

pub(super) fn autograd_words(shown: Shown<'_>, id: OperatorId, key: Key) -> &'static str {
    match autograd_kind(shown.view.inputs, id, formula_key(shown, Some(key))) {
        AutogradKind::Formula => "records the formula in derivatives.yaml",
        AutogradKind::NotDifferentiable => "falls through: no gradient",
        AutogradKind::NotImplemented => "lets the call through; requesting a gradient fails",
        AutogradKind::Unknown => "unknown without derivatives.yaml",
    }
}

/// Why the files alone do not determine an entry, as one line for a whole table.
pub(super) fn cause_kind(cause: Cause) -> &'static str {
    match cause {
        Cause::HandWritten { .. } => {
            "PyTorch's hand-written registrations, recorded from this release"
        }
        Cause::HandWrittenInRelease { .. } => {
            "PyTorch's hand-written registrations, assumed to equal those of the nearest recorded \
             release"
        }
        Cause::MayBeHandWritten => {
            "keys with many hand-written kernels in PyTorch; no recording exists for this revision"
        }
        Cause::Sources => "registrations in sources",
        Cause::Observed => "observed registrations",
    }
}

/// Why the files alone do not determine an entry.
#[must_use]
pub fn cause_sentence(cause: Cause) -> String {
    let by = |file: Option<&str>| file.map_or_else(String::new, |file| format!(" in {file}"));
    match cause {
        Cause::HandWritten { file } => {
            format!("A hand-written registration{} decides this.", by(file))
        }
        Cause::HandWrittenInRelease { file } => format!(
            "A hand-written registration{} decides this in the nearest recorded release; Opatlas \
             assumes the same here.",
            by(file)
        ),
        Cause::MayBeHandWritten => {
            "PyTorch registers many kernels for this key by hand, and no recording exists for this \
             revision."
                .to_owned()
        }
        Cause::Sources => "A registration in a source file decides this.".to_owned(),
        Cause::Observed => "An observed registration decides this.".to_owned(),
    }
}

/// ` (in rare cases it needs _reshape_alias)`, if that has no kernel.
fn rarely(view: View<'_>, support: &Support) -> String {
    match names_of(view, &support.rarely) {
        names if names.is_empty() => names,
        names => format!(" (in rare cases it needs {names})"),
    }
}

fn names_of(view: View<'_>, ids: &[OperatorId]) -> String {
    let operators = ids.iter().map(|&id| view.inputs.catalogue.operator(id));
    let names: Vec<&str> = operators.map(Operator::qualified_name).collect();
    escape::line(&names.join(", ")).into_owned()
}

/// Whether an operator works on a backend and trains there, in one sentence.
#[must_use]
pub fn training_sentence(view: View<'_>, id: OperatorId, answer: &TrainingAnswer<'_>) -> String {
    let key = answer.inference.key;
    let support = view.support_of(id, &answer.inference);
    let names = some_names(view, &support);
    let because = support.because.map_or("", Because::as_str);
    let rarely = rarely(view, &support);
    let works = match (support.verdict, support.needs.as_slice()) {
        (Verdict::Unknown, _) => {
            return format!("It is unknown whether the operator works on {key}: {because}.");
        }
        (Verdict::Fails, _) if support.because.is_some() => {
            return format!("Calls on {key} fail: {because}.");
        }
        (Verdict::Fails, [own]) if *own == id => {
            return format!("The operator has no kernel for {key}, so calls fail.");
        }
        (Verdict::Fails, _) => {
            return format!("Calls on {key} fail: the operator needs {names}.");
        }
        (Verdict::Partly, _) if support.because.is_some() => {
            return format!("The operator {because} ({}).", answer.autograd.key);
        }
        (Verdict::Partly, _) => {
            format!("The operator works on {key} in some cases (others need {names})")
        }
        (Verdict::FallsBack, _) => format!("The operator falls back on {key}"),
        (Verdict::Decomposes, _) => format!("The operator decomposes on {key}{rarely}"),
        (Verdict::Runs, _) => format!("The operator runs on {key}"),
    };
    let autograd = answer.autograd.key;
    let training = &answer.training;
    let not_implemented = training
        .not_implemented
        .iter()
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ");
    let backward = names_of(view, &training.needs);
    match (training.through, training.detail) {
        (Through::OwnFormula | Through::Composite, Some(Detail::BackwardFails)) => {
            format!("{works} and trains in some cases: in others the backward needs {backward}.")
        }
        (Through::OwnFormula, Some(Detail::NotImplemented)) => format!(
            "{works} and trains in part: the derivative for {not_implemented} is not implemented."
        ),
        (Through::OwnFormula, _) => {
            format!("{works} and trains with its own formula in derivatives.yaml.")
        }
        (Through::Composite, Some(_)) => format!(
            "{works} and trains in some cases: its composite kernel calls operators that do not train."
        ),
        (Through::Composite, None) => {
            format!("{works} and trains through the operators that its composite kernel calls.")
        }
        (Through::AutogradKernel, _) => {
            format!("{works} and trains through a kernel registered for {autograd}.")
        }
        (Through::NotDifferentiable, _) => format!("{works}, but has no gradient."),
        (Through::Unknown, _) => {
            format!("{works}; without derivatives.yaml it is unknown whether it has a formula.")
        }
        (Through::Error, Some(Detail::BackwardFails)) => {
            format!("{works}; training fails: the backward needs {backward}.")
        }
        (Through::Error, detail) => {
            let why = match detail {
                Some(Detail::OutVariant) => "`out=` variants record no gradient",
                Some(Detail::NotImplemented) => {
                    "its formula is `not_implemented`, so the backward raises"
                }
                Some(Detail::CallsUntrained) => "it calls an operator that does not train",
                Some(Detail::NoFormula) => "there is no formula, so requesting a gradient fails",
                Some(Detail::Ambiguous) => "the kernels for AutogradOther are ambiguous",
                _ => "no autograd kernel is registered",
            };
            format!("{works}; training fails: {why} ({autograd}).")
        }
    }
}
