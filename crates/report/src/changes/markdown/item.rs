//! Small helpers for all pieces of a report.

use crate::changes::{Report, Side, of_file};
use crate::escape::{address, code, cut};
use opatlas_diff::rules::{ChangeRule, Impacts};
use opatlas_diff::{Change, Fragment, SideFile};

/// Longer addresses are left out, so that they cannot crowd out the report.
const LONGEST_LINK: usize = 500;

/// The longest name in a shortened piece.
const SHORT_NAME: usize = 80;

/// Length as hosting sites count it.
pub(super) fn chars(text: &str) -> usize {
    text.chars().count()
}

pub(super) fn short_name(name: &str) -> String {
    code(&cut(name, SHORT_NAME))
}

/// The address of the whole report, unless it is too long.
pub(super) fn permalink(report: &Report<'_>) -> Option<String> {
    let link = address(report.permalink?);
    (chars(&link) <= LONGEST_LINK).then_some(link)
}

pub(super) fn in_full(report: &Report<'_>) -> String {
    match permalink(report) {
        Some(link) => format!("too long to show here ([full text]({link}))"),
        None => "too long to show here".to_owned(),
    }
}

pub(super) fn rule(report: &Report<'_>, rule: &ChangeRule) -> String {
    match report.rules_url.filter(|url| chars(url) <= 200) {
        Some(url) => format!("[{}]({}{})", rule.id, address(url), rule.id),
        None => format!("`{}`", rule.id),
    }
}

pub(super) fn line(side: &Side<'_>, fragment: Option<&Fragment>) -> Option<String> {
    let line = side.line(fragment)?;
    let file = fragment?.place?.file;
    Some(
        match side.file_url.filter(|_| file == SideFile::NativeFunctions) {
            Some(url) => format!("[line {line}]({}#L{line})", address(url)),
            None => format!("line {line}{}", of_file(file)),
        },
    )
}

/// The position of a change on both sides: `line 12 → 14`.
pub(super) fn lines(report: &Report<'_>, change: &Change) -> Option<String> {
    let (before, after) = (change.old.as_ref(), change.new.as_ref());
    let is_same = report.base.line(before) == report.head.line(after);
    let old = line(&report.base, change.old.as_ref());
    let new = line(&report.head, change.new.as_ref());
    match (old, new) {
        (Some(_), Some(new)) if is_same => Some(new),
        (Some(old), Some(new)) => Some(format!("{old} → {new}")),
        (Some(old), None) => Some(format!("{old} of the base")),
        (None, new) => new,
    }
}

/// The audiences that a change affects; empty if there are none.
pub(crate) fn impacts(impacts: Impacts) -> String {
    let list = |audiences: opatlas_diff::rules::Audiences| {
        let words: Vec<&str> = audiences.iter().map(|audience| audience.as_str()).collect();
        match words.len() {
            8 => "everybody".to_owned(),
            _ => words.join(", "),
        }
    };
    match (impacts.breaks.is_empty(), impacts.risks.is_empty()) {
        (true, true) => String::new(),
        (true, false) => format!("a risk for {}", list(impacts.risks)),
        (false, true) => format!("breaks {}", list(impacts.breaks)),
        (false, false) => format!(
            "breaks {}; a risk for {}",
            list(impacts.breaks),
            list(impacts.risks)
        ),
    }
}
