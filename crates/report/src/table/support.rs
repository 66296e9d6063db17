//! Verdicts in words, for an entry and for an operator on all backends.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::{Shown, keys};
use crate::escape;
use crate::findings::Colour;
use opatlas_dispatch::autograd_key;
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::calls::measured_for;
use opatlas_pytorch::key_set::KeySet;
use opatlas_verdict::{Because, Support, Verdict, View};

/// The most missing operators named in a line.
const NAMED: usize = 4;

/// `runs`; `fails: needs add.out`; `unknown (out of tree: give its file)`.
#[must_use]
pub fn support_words(view: View<'_>, id: OperatorId, support: &Support) -> String {
    let verdict = support.verdict.as_str();
    match (support.because, support.needs.as_slice()) {
        (Some(why), _) => format!("{verdict} ({})", why.as_str()),
        (None, [own]) if *own == id => format!("{verdict}: no kernel"),
        _ => match some_names(view, support) {
            names if names.is_empty() => verdict.to_owned(),
            names => format!("{verdict}: needs {names}"),
        },
    }
}

pub(super) fn some_names(view: View<'_>, support: &Support) -> String {
    let names: Vec<&str> = view.needed(support).collect();
    let (named, more) = names.split_at(names.len().min(NAMED));
    let mut text = escape::line(&named.join(", ")).into_owned();
    if !more.is_empty() {
        let _ = write!(text, " and {} more", more.len());
    }
    text
}

/// Backends by verdict, one line for each verdict, then a device with only the required kernels.
pub(super) fn on_backends(shown: Shown<'_>, id: OperatorId) -> String {
    let view = shown.view;
    let mut groups: Vec<(String, Verdict, KeySet)> = Vec::new();
    let mut settled_by: BTreeSet<&str> = BTreeSet::new();
    let backends = view
        .keys()
        .slots()
        .filter(|&slot| autograd_key(view.keys(), slot).is_some());
    for slot in backends {
        let support = view.support(id, slot);
        settled_by.extend(support.because.and_then(Because::settled_by));
        let words = support_words(view, id, &support);
        match groups.iter_mut().find(|(known, ..)| *known == words) {
            Some((_, _, set)) => set.insert(slot),
            None => groups.push((words, support.verdict, KeySet::only(slot))),
        }
    }
    groups.sort_by_key(|(_, verdict, _)| *verdict);
    let mut rows: Vec<(String, Verdict, String)> = groups
        .into_iter()
        .map(|(words, verdict, set)| (keys::label(view.keys(), set), verdict, words))
        .collect();
    let bare = view.bare_support(id);
    rows.push((
        "a bare backend".to_owned(),
        bare.verdict,
        support_words(view, id, &bare),
    ));
    let width = rows.iter().map(|(label, ..)| label.chars().count()).max();
    let mut out = String::from("\n  What really runs:\n");
    for (label, verdict, words) in rows {
        let words = painted(&words, verdict, shown.colour);
        let _ = writeln!(out, "  {label:w$}  {words}", w = width.unwrap_or(0));
    }
    for settled_by in settled_by {
        let _ = writeln!(out, "  (what is unknown would be settled by {settled_by})");
    }
    let release = view.keys().release();
    match measured_for(release) {
        Some(measured) if measured != release => {
            let _ = writeln!(
                out,
                "  (calls of composite kernels as recorded with {measured})"
            );
        }
        Some(_) => {}
        None => out.push_str("  (calls of composite kernels were not recorded)\n"),
    }
    out
}

pub(super) fn painted(text: &str, verdict: Verdict, colour: Colour) -> String {
    if colour == Colour::Never {
        return text.to_owned();
    }
    let code = match verdict {
        Verdict::Runs => 32,
        Verdict::Decomposes => 36,
        Verdict::Partly | Verdict::FallsBack => 33,
        Verdict::Fails => 31,
        Verdict::Unknown => 90,
    };
    format!("\u{1b}[{code}m{text}\u{1b}[0m")
}
