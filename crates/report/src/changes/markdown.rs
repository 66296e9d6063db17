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

use rustc_hash::FxHashMap;

use super::Report;
use super::outline::{Class, Kind, Section, outline};
use crate::escape::code;
use added::Cards;
use listing::Row;
use opatlas_diff::revision::Pair as OperatorPair;

pub(super) use item::{Item, impacts};

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
        let title = code(further.title);
        format!("- against {title}: **{conclusion}**,{rest}\n")
    });
    let lines: String = lines.collect();
    (!lines.is_empty()).then(|| format!("**Further revisions**\n\n{lines}\n"))
}

/// The whole report, in pieces that stay complete and understandable anywhere. With `room`, each
/// has at most that many characters.
pub(super) fn items<'a>(report: &Report<'a>, room: Option<usize>) -> Vec<Item> {
    let pairs = report.comparison.pairs.iter();
    let pairs: Pairs<'_> = pairs.map(|pair| (&*pair.name, pair)).collect();
    let mut items = unread::items(report, room);
    items.extend(unread::without_dispatch(report));
    items.extend(found::omission(report));
    let sections = outline(report);
    let cards = added::cards(report);
    let told = Rendered::of(report, &sections, (&pairs, &cards), room);
    items.extend(told.items);
    items.extend(added::items(report, told.new, room));
    items.extend(backends::overview(report, room));
    items.extend(rest(report, told.quiet, room));
    items
}

/// The operators of a comparison by name.
type Pairs<'a> = FxHashMap<&'a str, &'a OperatorPair>;

/// Some sections, rendered.
#[derive(Default)]
struct Rendered<'a> {
    items: Vec<Item>,
    /// New operators, shown together in one table.
    new: Vec<Row<'a>>,
    /// Harmless changes, shown in one line each.
    quiet: Vec<Row<'a>>,
}

impl<'a> Rendered<'a> {
    fn of(
        report: &Report<'a>,
        sections: &[Section<'a>],
        (pairs, cards): (&Pairs<'_>, &Cards<'_>),
        room: Option<usize>,
    ) -> Self {
        let mut told = Self::default();
        let mut length = 0;
        for section in sections {
            if report.room.is_over(length) {
                break;
            }
            let before = told.items.len();
            match &section.kind {
                Kind::Cause(cause, _) if section.class == Class::New => {
                    let rows = added::rows(report, cause, cards);
                    length += rows.iter().map(|row| row.text.len()).sum::<usize>();
                    told.new.extend(rows);
                }
                Kind::Cause(cause, found)
                    if section.class == Class::Quiet
                        && cause.edited.len() == 1
                        && found.is_empty() =>
                {
                    let row = cause::row(report, cause);
                    length += row.text.len();
                    told.quiet.push(row);
                }
                Kind::Cause(cause, found) => {
                    let items = cause::items(report, section, (cause, found), pairs, room);
                    told.items.extend(items);
                }
                Kind::Findings(found) => {
                    let items = found::items(report, section.class, found, room);
                    told.items.extend(items);
                }
                Kind::Exceptions(about) => {
                    told.items.extend(exceptions::items(report, about, room));
                }
            }
            let more = told.items[before..].iter();
            length += more.map(|item| item.text.len()).sum::<usize>();
        }
        told
    }
}

/// Harmless changes, a line each.
fn rest(report: &Report<'_>, rows: Vec<Row<'_>>, room: Option<usize>) -> Vec<Item> {
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
