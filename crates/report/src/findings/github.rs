//! Findings as workflow commands that a hosting site turns into annotations.

use std::fmt::Write as _;

use super::Findings;
use crate::escape::{command_data, command_property};
use opatlas_source::diagnostic::Severity;

/// One command a line.
#[must_use]
pub fn github(report: &Findings<'_>) -> String {
    let mut out = String::new();
    for finding in report.findings {
        let command = match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "notice",
        };
        let path = command_property(report.path(&finding.file));
        let _ = write!(out, "::{command} file={path}");
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
            let _ = write!(message, "\n{help}");
        }
        let _ = writeln!(
            out,
            ",title={}::{}",
            command_property(finding.rule.as_str()),
            command_data(&message)
        );
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
