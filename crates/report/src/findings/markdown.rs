//! Findings as Markdown, for comments and job summaries.

use std::fmt::Write as _;

use super::{Findings, first_sentence, rule};
use crate::escape;
use crate::escape::code;
use opatlas_source::diagnostic::Finding;

/// A heading with counts, then one item for each finding, the worst first.
#[must_use]
pub fn markdown(report: &Findings<'_>) -> String {
    let mut out = format!("### Operator declarations: {}\n", report.counts());
    let mut findings: Vec<&Finding> = report.findings.iter().collect();
    findings.sort_by_key(|f| f.severity);
    for finding in findings {
        if report.room.is_over(out.len()) {
            return out;
        }
        item(report, finding, &mut out);
    }
    if let Some(omission) = report.omission() {
        let _ = writeln!(out, "\n{}.", escape::prose(&omission));
    }
    out
}

fn item(report: &Findings<'_>, finding: &Finding, out: &mut String) {
    let _ = write!(
        out,
        "\n- **{}** {}",
        finding.severity,
        escape::markdown(&finding.message)
    );
    if let Some(operator) = &finding.operator {
        let _ = write!(out, " in {}", code(operator));
    }
    let mut place = report.path(&finding.file).to_owned();
    if let Some(lines) = report.lines(&finding.file, finding.span) {
        let _ = write!(place, ":{}:{}", lines.start.line, lines.start.column);
    }
    let _ = writeln!(out, " · {} · `{}`", code(&place), finding.rule);
    if let Some(source) = report.source(&finding.file) {
        let line = source.line(source.lines(finding.span).start.line);
        let shown: String = line
            .slice(&source.text)
            .trim_end()
            .chars()
            .take(400)
            .collect();
        if !shown.is_empty() {
            let _ = writeln!(out, "  {}", code(shown.trim_start()));
        }
    }
    let why = escape::markdown(&first_sentence(rule(finding).why).into());
    let _ = writeln!(out, "  Why: {why}");
    if let Some(help) = &finding.help {
        let _ = writeln!(out, "  Fix: {}", escape::markdown(help));
    }
}
