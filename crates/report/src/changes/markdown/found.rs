//! New findings without a cause among the changes: one piece for each rule and message.

use super::block::{Block, INDENT};
use super::item::{Item, in_full, short_name};
use super::listing::Row;
use crate::changes::Report;
use crate::changes::outline::Class;
use crate::escape::{address, code, cut, markdown, prose};
use opatlas_source::diagnostic::{Finding, Severity};

/// The longest message in a shortened piece.
const SHORT_MESSAGE: usize = 200;

/// A new finding on one line: **New error** in `renorm_rows`: message (file:line, `rule`). Help.
pub(super) fn sentence(report: &Report<'_>, finding: &Finding) -> String {
    let operator = finding.operator.as_deref();
    let name = operator.map_or_else(String::new, |name| format!(" in {}", code(name)));
    format!(
        "**New {}**{name}: {} ({}, {}){}",
        finding.severity,
        markdown(&finding.message),
        code(&report.found.place(finding)),
        rule(report, finding),
        help(finding)
    )
}

fn rule(report: &Report<'_>, finding: &Finding) -> String {
    match report.rules_url.filter(|url| url.len() <= 200) {
        Some(url) => format!("[{}]({}{})", finding.rule, address(url), finding.rule),
        None => format!("`{}`", finding.rule),
    }
}

fn help(finding: &Finding) -> String {
    let help = finding.help.as_ref();
    help.map_or_else(String::new, |help| format!(". {}", markdown(help)))
}

pub(super) fn items(
    report: &Report<'_>,
    class: Class,
    findings: &[&Finding],
    room: Option<usize>,
) -> Vec<Item> {
    let [first, ..] = findings else {
        return Vec::new();
    };
    let short = first.message.cut(SHORT_MESSAGE);
    let (title, rows) = match findings {
        [only] => (format!("- {}", sentence(report, only)), Vec::new()),
        several => {
            let (number, severity) = (several.len(), first.severity);
            let message = markdown(&first.message);
            let rule = rule(report, first);
            let title = format!(
                "- **{number} new {severity}s: {message}** ({rule}){}",
                help(first)
            );
            (
                title,
                several.iter().map(|finding| row(report, finding)).collect(),
            )
        }
    };
    let block = Block {
        class,
        title,
        short: format!(
            "- New {}: {} ({})",
            first.severity,
            markdown(&short),
            in_full(report)
        ),
        lines: String::new(),
        summary: format!("{} places", findings.len()),
        rows,
        changes: Vec::new(),
    };
    block.items(room)
}

fn row<'a>(report: &Report<'_>, finding: &'a Finding) -> Row<'a> {
    let place = code(&report.found.place(finding));
    let operator = finding.operator.as_deref();
    let name = operator.unwrap_or(&finding.file);
    Row {
        text: format!("- {} ({place})\n", code(name)),
        short: format!("- {}\n", short_name(name)),
        name: Some(name),
        changes: Vec::new(),
    }
}

/// The findings that are only counted.
pub(super) fn omission(report: &Report<'_>) -> Option<Item> {
    let omission = report.found.new.omission()?;
    let omitted = report.found.new.omitted.iter();
    let worst = omitted.map(|omitted| omitted.severity).min();
    Some(Item {
        class: match worst {
            Some(Severity::Error) => Class::Errors,
            _ => Class::Look,
        },
        text: format!(
            "\n- New findings: {}\n{INDENT}\n",
            prose(&cut(&omission, 600))
        ),
        changes: Vec::new(),
        is_short: false,
    })
}
