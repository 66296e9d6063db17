//! A table before and after an edit of registrations, with equal changes grouped.

use std::fmt::Write as _;

use super::{Shown, keys, paint};
use crate::escape;
use opatlas_dispatch::{Entry, WhatIf};
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::key_set::KeySet;
use opatlas_pytorch::keys::Key;

/// A heading, the edit, and a line for each group of keys with the same change.
#[must_use]
pub fn what_if(shown: Shown<'_>, id: OperatorId, made: &WhatIf<'_>, revision: &str) -> String {
    let all_keys = shown.view.keys();
    let operator = shown.view.inputs.catalogue.operator(id);
    let mut out = format!(
        "{}   {}\n\n",
        escape::line(operator.qualified_name()),
        escape::line(revision)
    );
    for given in made.added.iter().filter(|given| !given.overridden) {
        let _ = writeln!(
            out,
            "  with     {}: {}",
            escape::line(&given.written),
            escape::line(&given.kernel)
        );
    }
    let mut without = |key: &Key, more: &str| {
        let _ = writeln!(out, "  without  {}{more}", all_keys.name(*key));
    };
    made.removed.iter().for_each(|key| without(key, ""));
    let nothing = made.nothing_to_remove.iter();
    nothing.for_each(|key| without(key, " (no kernel is registered there)"));
    out.push('\n');

    let mut groups: Vec<(&Entry<'_>, &Entry<'_>, KeySet)> = Vec::new();
    for change in made.changes() {
        let same = groups.iter_mut().find(|(before, after, _)| {
            is_alike(before, change.before) && is_alike(after, change.after)
        });
        match same {
            Some((_, _, keys)) => keys.insert(change.before.slot),
            None => groups.push((
                change.before,
                change.after,
                KeySet::only(change.before.slot),
            )),
        }
    }
    if groups.is_empty() {
        out.push_str("  No entry changes.\n");
    }
    let labels: Vec<String> = groups
        .iter()
        .map(|(_, _, set)| keys::label(all_keys, *set))
        .collect();
    let width = labels.iter().map(|label| label.chars().count()).max();
    for ((before, after, _), label) in groups.iter().zip(&labels) {
        let _ = writeln!(
            out,
            "  {label:w$}  {} -> {}",
            short(shown, before),
            short(shown, after),
            w = width.unwrap_or(0)
        );
    }
    out
}

fn is_alike(a: &Entry<'_>, b: &Entry<'_>) -> bool {
    (a.reason, &a.kernel, a.fallthrough) == (b.reason, &b.kernel, b.fallthrough)
}

/// `kernel my_kernel`, `missing`.
fn short(shown: Shown<'_>, entry: &Entry<'_>) -> String {
    let reason = paint(entry.reason.as_str(), entry.reason, shown.colour);
    match &entry.kernel {
        Some(kernel) => format!("{reason} {}", escape::line(kernel)),
        None => reason,
    }
}
