//! Exceptions, one line each.

use super::item::{in_full, short_name};
use super::piece::{Group, Piece, Row, Stage};
use crate::changes::outline::Class;
use crate::changes::{Report, message};
use crate::escape::{code, markdown};

/// The exceptions that were used, are unused, or have expired.
pub(super) fn piece(report: &Report<'_>, about: &[usize]) -> Piece {
    let line = |&i: &usize| {
        let change = &report.judgement.changes[i].change;
        let (name, told) = (code(&change.operator), markdown(&message(change)));
        format!("- {name}: {told} · `{}`\n", change.rule.id)
    };
    let first = &report.judgement.changes[about[0]].change;
    let rows = about[1..]
        .iter()
        .map(|i| Row::counted(line(i), "exception"));
    Piece {
        class: Class::Excused,
        head: line(&about[0]),
        short: format!("- {}: {}\n", short_name(&first.operator), in_full(report)),
        groups: vec![Group {
            before: "- ",
            ..Group::of(Stage::List, rows.collect())
        }],
    }
}
