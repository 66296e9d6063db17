//! Entries that were not compared. They come first, and are never folded.

use super::block::Block;
use super::item::{Item, in_full, short_name};
use super::listing::{Listing, Row};
use crate::changes::Report;
use crate::changes::outline::Class;
use crate::escape::{address, code, markdown};
use opatlas_diff::revision::{Unread, UnreadSide};
use opatlas_source::diagnostic::Severity;

pub(super) fn items(report: &Report<'_>, room: Option<usize>) -> Vec<Item> {
    let unread = &report.comparison.unread;
    if unread.is_empty() {
        return Vec::new();
    }
    if report.found.count(Severity::Error) > 0 {
        return folded(report, room);
    }
    let listing = Listing {
        class: Class::Unread,
        title: "#### Not compared".to_owned(),
        meta: "Opatlas could not read these parts, which may hide breaking changes. Fix them and \
               compare again.\n\n"
            .to_owned(),
        header: "",
        rows: unread.iter().map(|one| row(report, one)).collect(),
        separator: "",
        what: "entry",
        is_folded: false,
    };
    listing.items(report, room)
}

fn folded(report: &Report<'_>, room: Option<usize>) -> Vec<Item> {
    let unread = &report.comparison.unread;
    let number = match unread.len() {
        1 => "1 entry was not compared".to_owned(),
        n => format!("{n} entries were not compared"),
    };
    let block = Block {
        class: Class::Unread,
        title: format!("- **{number}**, which may hide breaking changes"),
        short: format!("- **{number}**"),
        lines: String::new(),
        summary: "which".to_owned(),
        rows: unread.iter().map(|one| row(report, one)).collect(),
        changes: Vec::new(),
    };
    block.items(room)
}

fn row<'a>(report: &Report<'_>, unread: &'a Unread) -> Row<'a> {
    let side = match unread.side {
        UnreadSide::Base => &report.base,
        UnreadSide::Head => &report.head,
    };
    let name = unread.operator.as_deref();
    let line = unread
        .place
        .map(|place| side.files.native_functions.lines(place).start.line);
    let place = match (line, side.file_url) {
        (Some(line), Some(url)) => {
            format!(", [line {line}]({}#L{line})", address(url))
        }
        (Some(line), None) => format!(", line {line}"),
        (None, _) => String::new(),
    };
    let text = |name: String, message: String| {
        format!("- **{}**{place}: {name}{message}\n", unread.side.as_str())
    };
    let shown = name.map_or_else(String::new, |name| format!("{}: ", code(name)));
    let short = name.map_or_else(String::new, |name| format!("{}: ", short_name(name)));
    let short = format!(
        "- **{}**: {short}{}\n",
        unread.side.as_str(),
        in_full(report)
    );
    Row {
        name,
        text: text(shown, markdown(&unread.message)),
        short,
        changes: Vec::new(),
    }
}

pub(super) fn without_dispatch(report: &Report<'_>) -> Option<Item> {
    let text =
        "\nDispatch tables were not compared, so this report does not cover backend support.\n";
    let is_wanted = !report.comparison.has_dispatch;
    is_wanted.then(|| Item {
        class: Class::Unread,
        text: text.to_owned(),
        changes: Vec::new(),
        is_short: false,
    })
}
