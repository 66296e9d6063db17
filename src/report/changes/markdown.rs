//! A comparison as Markdown for a pull request: a verdict, then what matters most first, each with
//! old and new schema, whom it hurts, torch's own verdict, why, and what to do.

mod backends;
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
    parts.into_iter().map(|part| part.text).collect()
}

/// Everything that the report tells, in pieces that stay whole and understandable wherever they
/// are put. With `room`, none is longer than that many characters.
pub(super) fn items(report: &Report<'_>, room: Option<usize>) -> Vec<Item> {
    let mut items = unread::items(report, room);
    items.extend(unread::without_dispatch(report));
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
