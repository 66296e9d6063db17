//! New findings without a cause among the changes: one piece for each rule and message.

use super::cause::INDENT;
use super::item::in_full;
use super::piece::{Group, Piece, Row, Stage};
use crate::changes::Report;
use crate::changes::outline::Class;
use crate::escape::{address, code, cut, markdown, prose};
use opatlas_source::diagnostic::{Finding, RuleId, Severity};
use rustc_hash::FxHashMap;

/// The longest message in a shortened piece.
const SHORT_MESSAGE: usize = 200;

/// The most operators named for findings with one message.
const NAMED: usize = 3;

/// A new finding on one line: **New error** in `renorm_rows`: message (file:line, `rule`). Help.
pub(super) fn sentence(report: &Report<'_>, finding: &Finding) -> String {
    let operator = finding.operator.as_deref();
    let name = operator.map_or_else(String::new, |name| format!(" in {}", code(name)));
    format!(
        "**{}**{name}: {} ({}, {}){}",
        title(finding.severity),
        markdown(&finding.message),
        code(&report.found.place(finding)),
        rule(report, finding),
        help(finding)
    )
}

/// Findings, one line each; those with one message share a line, which names their first operators.
pub(super) fn sentences<'f>(
    report: &'f Report<'_>,
    findings: &[&'f Finding],
) -> impl Iterator<Item = String> + use<'f> {
    let mut alike: Vec<Vec<&Finding>> = Vec::new();
    let mut places: FxHashMap<(RuleId, &str), usize> = FxHashMap::default();
    for &finding in findings {
        let place = *places
            .entry((finding.rule, &*finding.message))
            .or_insert(alike.len());
        if place == alike.len() {
            alike.push(Vec::new());
        }
        alike[place].push(finding);
    }
    alike.into_iter().map(move |alike| match &alike[..] {
        [only] => sentence(report, only),
        several => shared(report, several),
    })
}

/// **New error**, 546 times, in `abs`, `abs.out` and 544 more: message (`rule`). Help.
fn shared(report: &Report<'_>, findings: &[&Finding]) -> String {
    let first = findings[0];
    let names = findings.iter().take(NAMED);
    let names = names.map(|finding| code(finding.operator.as_deref().unwrap_or(&finding.file)));
    let mut names: Vec<String> = names.collect();
    if let more @ 1.. = findings.len() - names.len() {
        names.push(format!("{more} more"));
    }
    format!(
        "**{}**, {} times, in {}: {} ({}){}",
        title(first.severity),
        findings.len(),
        names.join(", "),
        markdown(&first.message),
        rule(report, first),
        help(first)
    )
}

fn title(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "New error",
        Severity::Warning => "New warning",
        Severity::Info => "Convention",
    }
}

fn rule(report: &Report<'_>, finding: &Finding) -> String {
    match report.rules_url.filter(|url| url.len() <= 200) {
        Some(url) => format!("[{}]({}{})", finding.rule, address(url), finding.rule),
        None => format!("`{}`", finding.rule),
    }
}

fn help(finding: &Finding) -> String {
    let help = finding.help.as_ref();
    help.map_or_else(String::new, |help| format!("; {}", markdown(help)))
}

pub(super) fn piece(report: &Report<'_>, class: Class, findings: &[&Finding]) -> Piece {
    let first = findings[0];
    let (title, short) = (title(first.severity), first.message.cut(SHORT_MESSAGE));
    let short = format!("- {title}: {} ({})\n", markdown(&short), in_full(report));
    let (head, rows) = match findings {
        [only] => (format!("- {}\n", sentence(report, only)), Vec::new()),
        several => {
            let number = several.len();
            let (message, rule) = (markdown(&first.message), rule(report, first));
            let head = format!(
                "- **{title}, {number} times: {message}** ({rule}){}\n",
                help(first)
            );
            let rows = several.iter().map(|finding| row(report, finding));
            (head, rows.collect())
        }
    };
    Piece {
        class,
        head,
        short,
        groups: vec![Group::of(Stage::List, rows)],
    }
}

fn row(report: &Report<'_>, finding: &Finding) -> Row {
    let place = code(&report.found.place(finding));
    let name = finding.operator.as_deref().unwrap_or(&finding.file);
    Row::counted(format!("{INDENT}- {} ({place})\n", code(name)), "place")
}

/// The findings that are only counted.
pub(super) fn omission(report: &Report<'_>) -> Option<Piece> {
    let omission = report.found.new.omission()?;
    let omitted = report.found.new.omitted.iter();
    let worst = omitted.map(|omitted| omitted.severity).min();
    let head = format!("- New findings: {}\n", prose(&cut(&omission, 600)));
    Some(Piece {
        class: match worst {
            Some(Severity::Error) => Class::Errors,
            _ => Class::Look,
        },
        short: head.clone(),
        head,
        groups: Vec::new(),
    })
}
