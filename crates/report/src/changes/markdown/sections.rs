//! The pieces of a Markdown report, from its outline.

use super::added::{self, Cards};
use super::cause::{self, Pairs};
use super::item::Item;
use super::listing::{Listing, Row};
use super::{backends, exceptions, found, unread};
use crate::changes::Report;
use crate::changes::outline::{Class, Kind, Section, outline};

/// The whole report as self-contained pieces. With `room`, each has at most that many characters.
pub(super) fn items<'a>(report: &Report<'a>, room: Option<usize>) -> Vec<Item> {
    let pairs = report.comparison.pairs.iter();
    let pairs: Pairs<'_> = pairs.map(|pair| (&*pair.name, pair)).collect();
    let mut items = unread::items(report, room);
    items.extend(unread::without_dispatch(report));
    items.extend(found::omission(report));
    let sections = outline(report);
    let cards = added::cards(report);
    let rendered = Rendered::new(report, &sections, (&pairs, &cards), room);
    items.extend(rendered.items);
    items.extend(added::items(report, rendered.new, room));
    items.extend(backends::overview(report, room));
    items.extend(single_changes(report, rendered.quiet, room));
    items
}

#[derive(Default)]
struct Rendered<'a> {
    items: Vec<Item>,
    new: Vec<Row<'a>>,
    quiet: Vec<Row<'a>>,
}

impl<'a> Rendered<'a> {
    fn new(
        report: &Report<'a>,
        sections: &[Section<'a>],
        (pairs, cards): (&Pairs<'_>, &Cards<'_>),
        room: Option<usize>,
    ) -> Self {
        let mut rendered = Self::default();
        let mut length = 0;
        for section in sections {
            if report.room.is_over(length) {
                break;
            }
            let before = rendered.items.len();
            match &section.kind {
                Kind::Cause(cause, _) if section.class == Class::New => {
                    let rows = added::rows(report, cause, cards);
                    length += rows.iter().map(|row| row.text.len()).sum::<usize>();
                    rendered.new.extend(rows);
                }
                Kind::Cause(cause, found)
                    if section.class == Class::Quiet
                        && cause.edited.len() == 1
                        && found.is_empty() =>
                {
                    let row = cause::row(report, cause);
                    length += row.text.len();
                    rendered.quiet.push(row);
                }
                Kind::Cause(cause, found) => {
                    let items = cause::items(report, section, (cause, found), pairs, room);
                    rendered.items.extend(items);
                }
                Kind::Findings(found) => {
                    let items = found::items(report, section.class, found, room);
                    rendered.items.extend(items);
                }
                Kind::Exceptions(about) => {
                    rendered
                        .items
                        .extend(exceptions::items(report, about, room));
                }
            }
            let more = rendered.items[before..].iter();
            length += more.map(|item| item.text.len()).sum::<usize>();
        }
        rendered
    }
}

fn single_changes(report: &Report<'_>, rows: Vec<Row<'_>>, room: Option<usize>) -> Vec<Item> {
    if rows.is_empty() {
        return Vec::new();
    }
    let listing = Listing {
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
