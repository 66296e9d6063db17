//! Findings as GitHub workflow commands, which become annotations.

use std::fmt::Write as _;

use super::Findings;
use crate::escape::{command_data, command_property};
use opatlas_source::diagnostic::{Finding, Severity};

/// One command per line.
#[must_use]
pub fn github(report: &Findings<'_>) -> String {
    let mut out = String::new();
    for finding in report.findings {
        let command = match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "notice",
        };
        let _ = writeln!(out, "::{command}{}", annotation(report, finding, ""));
    }
    if let Some(omission) = report.omission() {
        let _ = writeln!(
            out,
            "::notice title=findings not shown::{}",
            command_data(&omission)
        );
    }
    out
}

/// The rest of a command after its kind; `prefix` comes before the rule in the title.
pub(crate) fn annotation(report: &Findings<'_>, finding: &Finding, prefix: &str) -> String {
    let mut out = format!(" file={}", command_property(report.path(&finding.file)));
    if let Some(lines) = report.lines(&finding.file, finding.span) {
        let (start, end) = (lines.start, lines.end);
        let _ = write!(
            out,
            ",line={},endLine={},col={},endColumn={}",
            start.line, end.line, start.column, end.column
        );
    }
    let mut message = finding.message.to_string();
    if let Some(help) = &finding.help {
        let _ = write!(message, "\n{}", &**help);
    }
    let title = format!("{prefix}{}", finding.rule);
    let _ = write!(
        out,
        ",title={}::{}",
        command_property(&title),
        command_data(&message)
    );
    out
}
