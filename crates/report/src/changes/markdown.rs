//! A comparison as Markdown for a pull request: a verdict, then one bullet for each edit, the most
//! important ones first, with the affected audiences and what to do, and its consequences folded
//! below it.

mod added;
mod backends;
mod block;
mod cause;
mod exceptions;
mod found;
mod item;
mod listing;
mod marked;
mod unread;

use std::collections::BTreeMap;

use super::Report;
use super::outline::{Class, Kind, outline};
use opatlas_diff::revision::Pair;

pub(super) use item::{Item, address, impacts};

/// The report in as few parts as its `max_chars` allows; one where that is not set.
#[must_use]
pub fn markdown(report: &Report<'_>) -> Vec<String> {
    let parts = super::parts(report);
    let mut parts: Vec<String> = parts.into_iter().map(|part| part.text).collect();
    let Some(section) = further(report) else {
        return parts;
    };
    let length = |text: &str| text.chars().count();
    let fits = |first: &String| {
        let both = length(&section) + length(first);
        report.max_chars.is_none_or(|max| both <= max)
    };
    match parts.first_mut().filter(|first| fits(first)) {
        Some(first) => first.insert_str(0, &section),
        None => parts.insert(0, section),
    }
    parts
}

/// The further revisions that the head does not pass against. They come first, in a part of their
/// own where the first one has no room for them.
fn further(report: &Report<'_>) -> Option<String> {
    let lines = report.not_passed().map(|further| {
        let found = further.found();
        let (conclusion, rest) = found.split_once(',').unwrap_or((&found, ""));
        let title = further.title.replace('`', "'");
        format!("- against `{title}`: **{conclusion}**,{rest}\n")
    });
    let lines: String = lines.collect();
    (!lines.is_empty()).then(|| format!("**Further revisions**\n\n{lines}\n"))
}

/// The whole report, in pieces that stay complete and understandable anywhere. With `room`, each
/// has at most that many characters.
pub(super) fn items(report: &Report<'_>, room: Option<usize>) -> Vec<Item> {
    let pairs = report.comparison.pairs.iter();
    let pairs: BTreeMap<&str, &Pair> = pairs.map(|pair| (&*pair.name, pair)).collect();
    let mut items = unread::items(report, room);
    items.extend(unread::without_dispatch(report));
    items.extend(found::omission(report));
    let (mut new, mut quiet) = (Vec::new(), Vec::new());
    for section in outline(report) {
        match &section.kind {
            Kind::Cause(cause, _) if section.class == Class::New => new.push(*cause),
            Kind::Cause(cause, found)
                if section.class == Class::Quiet && cause.edited.len() == 1 && found.is_empty() =>
            {
                quiet.push(cause::row(report, cause));
            }
            Kind::Cause(cause, found) => {
                items.extend(cause::items(report, &section, (cause, found), &pairs, room));
            }
            Kind::Findings(found) => {
                items.extend(found::items(report, section.class, found, room));
            }
            Kind::Exceptions(about) => items.extend(exceptions::items(report, about, room)),
        }
    }
    items.extend(added::items(report, &new, room));
    items.extend(backends::overview(report, room));
    items.extend(rest(report, quiet, room));
    items
}

/// Harmless changes, a line each.
fn rest(report: &Report<'_>, rows: Vec<listing::Row>, room: Option<usize>) -> Vec<Item> {
    if rows.is_empty() {
        return Vec::new();
    }
    let listing = listing::Listing {
        class: Class::Quiet,
        title: "#### Single changes".to_owned(),
        meta: String::new(),
        header: "",
        rows,
        separator: "",
        what: "operator",
        is_folded: false,
    };
    listing.items(report, room)
}
