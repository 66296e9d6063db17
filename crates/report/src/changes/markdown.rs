//! A comparison as Markdown for a pull request: a verdict, then the most important changes first,
//! each with old and new schema, affected audiences, PyTorch's own verdict, why, and what to do.

mod backends;
mod found;
mod group;
mod item;
mod listing;
mod marked;
mod unread;

use super::Report;
use super::outline::{Section, outline};

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
    let mut items = unread::items(report, room);
    items.extend(unread::without_dispatch(report));
    items.extend(found::items(report, room));
    let mut has_overview = false;
    for section in outline(report) {
        if section.class() >= super::outline::Class::Backends && !has_overview {
            has_overview = true;
            items.extend(backends::overview(report, room));
        }
        match &section {
            Section::Group(group) => items.push(group::item(report, group, room)),
            Section::Backends(section) => items.extend(backends::items(report, section, room)),
            Section::Family(family) => items.extend(listing::family(report, family, room)),
        }
    }
    items
}
