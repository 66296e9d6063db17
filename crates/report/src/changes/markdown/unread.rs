//! Entries that were not compared.

use super::cause::INDENT;
use super::piece::{Group, Piece, Row, Stage};
use crate::changes::outline::Class;
use crate::changes::{Report, verdict};
use crate::escape::{address, code, markdown};
use opatlas_diff::revision::{Unread, UnreadSide};
use opatlas_source::diagnostic::Severity;

/// The entries are folded if there are errors, which mostly explain them.
pub(super) fn piece(report: &Report<'_>) -> Option<Piece> {
    let number = verdict::unread(report)?;
    let rows = report.comparison.unread.iter().map(|one| row(report, one));
    let rows = Group::of(Stage::List, rows.collect());
    let is_folded = report.found.count(Severity::Error) > 0;
    Some(Piece {
        class: Class::Unread,
        head: format!("- **{number}**, which may hide breaking changes\n"),
        short: format!("- **{number}**\n"),
        groups: vec![match is_folded {
            true => Group {
                stage: Stage::Details,
                open: format!("{INDENT}<details><summary>entries</summary>\n\n"),
                close: "\n  </details>\n",
                ..rows
            },
            false => rows,
        }],
    })
}

fn row(report: &Report<'_>, unread: &Unread) -> Row {
    let side = match unread.side {
        UnreadSide::Base => &report.base,
        UnreadSide::Head => &report.head,
    };
    let line = unread
        .place
        .map(|place| side.files.native_functions.lines(place).start.line);
    let place = match (line, side.file_url) {
        (Some(line), Some(url)) => format!(", [line {line}]({}#L{line})", address(url)),
        (Some(line), None) => format!(", line {line}"),
        (None, _) => String::new(),
    };
    let name = unread.operator.as_deref();
    let name = name.map_or_else(String::new, |name| format!("{}: ", code(name)));
    let message = markdown(&unread.message);
    let side = unread.side.as_str();
    Row::counted(
        format!("{INDENT}- **{side}**{place}: {name}{message}\n"),
        "entry",
    )
}
