//! The chain behind a verdict in sentences, one for each link.

use std::fmt::Write as _;

use super::Shown;
use super::words::origin_words;
use crate::escape;
use opatlas_dispatch::Origin;
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::key_set::Slot;
use opatlas_pytorch::keys::Key;
use opatlas_source::sentence::codes;
use opatlas_source::{Message, NATIVE_FUNCTIONS, message};
use opatlas_verdict::{Because, Fact, KnownFrom, Link, View};

/// The most operators named in a sentence.
const NAMED: usize = 4;

/// The chain behind the verdict of an operator on a key, one sentence in a line.
#[must_use]
pub fn chain(shown: Shown<'_>, id: OperatorId, slot: Slot) -> String {
    let mut out = String::from("\n  Why:\n");
    for link in shown.view.chain(id, slot) {
        let sentence = chain_sentence(shown.view, &link).to_string();
        let _ = writeln!(out, "  - {}", escape::line(&sentence));
    }
    out
}

/// A link as a sentence.
#[must_use]
pub fn chain_sentence(view: View<'_>, link: &Link) -> Message {
    let operator = name(view, link.operator);
    let key = view.keys().name(Key::Runtime(link.key));
    match &link.fact {
        Fact::ServedBy(other) => {
            let other = view.keys().name(Key::Runtime(*other));
            message!(
                "Builds for ROCm register the kernels of {} to {}.",
                key,
                other
            )
        }
        Fact::PassedOn(other) => {
            let other = view.keys().name(Key::Runtime(*other));
            message!("Calls on {} go on to {}.", key, other)
        }
        Fact::Kernel => kernel(view, link.operator, link.key),
        Fact::Default(alias) => {
            let alias = alias.map_or("composite", |alias| alias.name());
            message!(
                "`{}` has no kernel for {}; its {} kernel runs.",
                operator,
                key,
                alias
            )
        }
        Fact::Fallback => {
            message!(
                "`{}` has no kernel for {}; the fallback of {} runs.",
                operator,
                key,
                key
            )
        }
        Fact::Missing => message!(
            "`{}` has no working kernel for {}, so calls raise.",
            operator,
            key
        ),
        Fact::Raises(why) => message!(
            "Calls of `{}` on {} raise: {}.",
            operator,
            key,
            why.as_str()
        ),
        Fact::Partly(why) => message!(
            "`{}` works on {} in part: it {}.",
            operator,
            key,
            why.as_str()
        ),
        Fact::Unknown(why) => unknown(operator, key, *why),
        Fact::Calls { always, called } => {
            let (when, names) = (when(*always), names(view, called));
            message!("{} {} ({}).", when, names, basis(link))
        }
        Fact::CallsNothing => message!("It calls no other operator ({}).", basis(link)),
        Fact::CallsUndeclared { always, name } => message!(
            "{} `{}`, which the revision does not declare ({}).",
            when(*always),
            *name,
            basis(link)
        ),
        Fact::More(count) => message!("{} more operators follow.", *count),
    }
}

fn name(view: View<'_>, id: OperatorId) -> &str {
    view.inputs.catalogue.operator(id).qualified_name()
}

fn names(view: View<'_>, called: &[OperatorId]) -> Message {
    let (named, more) = called.split_at(called.len().min(NAMED));
    let mut names = codes(named.iter().map(|&id| name(view, id)));
    if !more.is_empty() {
        names.push(&message!(" and {} more", more.len()));
    }
    names
}

fn when(always: bool) -> &'static str {
    match always {
        true => "It always calls",
        false => "In some cases it calls",
    }
}

/// What is known about calls, and from where.
fn basis(link: &Link) -> String {
    match (link.known_from, link.release) {
        (Some(KnownFrom::Measured), Some(release)) => format!("measured in {release}"),
        (Some(KnownFrom::Measured), None) => "measured".to_owned(),
        (Some(KnownFrom::Source), _) => "read from its source".to_owned(),
        (Some(KnownFrom::Declared), _) => "declared".to_owned(),
        _ => "by torchgen's template".to_owned(),
    }
}

fn kernel(view: View<'_>, id: OperatorId, slot: Slot) -> Message {
    let key = view.keys().name(Key::Runtime(slot));
    let mut text = message!("`{}` has a kernel for {}", name(view, id), key);
    let Some(entry) = view.entry(id, slot) else {
        return text;
    };
    if let Some(kernel) = &entry.kernel {
        text.push(&message!(" (`{}`)", kernel));
    }
    text.push(&match (entry.origin, entry.file) {
        (None, _) => Message::default(),
        (Some(Origin::Declared), _) => message!(", declared in {}", NATIVE_FUNCTIONS),
        (Some(Origin::Structured), _) => message!(", generated for its structured group"),
        (Some(Origin::HandWritten | Origin::Source), Some(file)) => {
            message!(", registered in {}", file)
        }
        (Some(Origin::BackendFile), Some(file)) => message!(", declared in {}", file),
        (Some(Origin::Observed), _) => message!(", observed in a process"),
        (Some(origin), _) => message!(" ({})", origin_words(origin)),
    });
    text.push_str(".");
    text
}

fn unknown(operator: &str, key: &str, why: Because) -> Message {
    let mut text = message!(
        "It is unknown whether `{}` works on {}: {}.",
        operator,
        key,
        why.as_str()
    );
    if let Some(settled_by) = why.settled_by() {
        text.push(&message!(" This would settle it: {}.", settled_by));
    }
    text
}
