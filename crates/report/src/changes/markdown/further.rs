//! The further revisions that the head does not pass against, one line each.

use super::piece::{Group, Piece, Row, Stage};
use crate::changes::outline::Class;
use crate::changes::{Further, Report};
use crate::escape::{code, cut};

/// The longest title in a line.
const LONGEST_TITLE: usize = 60;

pub(super) fn piece(report: &Report<'_>) -> Option<Piece> {
    let mut all: Vec<&Further<'_>> = report.not_passed().collect();
    all.sort_by_key(|further| std::cmp::Reverse(further.conclusion));
    let line = |further: &&Further<'_>| {
        let title = code(&cut(further.title, LONGEST_TITLE));
        let conclusion = further.conclusion.as_str();
        format!(
            "- against {title}: **{conclusion}**, {}\n",
            further.counts()
        )
    };
    let head = line(all.first()?);
    let rows = all[1..]
        .iter()
        .map(|further| Row::counted(line(further), "revision"));
    Some(Piece {
        class: Class::Further,
        short: head.clone(),
        head,
        groups: vec![Group {
            before: "- ",
            ..Group::of(Stage::List, rows.collect())
        }],
    })
}
