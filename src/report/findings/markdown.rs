//! Findings as Markdown, for comments and job summaries.

use std::fmt::Write as _;

use super::{Counts, Findings, first_sentence, rule};
use crate::diagnostic::Finding;

/// A heading that counts, then one item a finding, what is worst first.
#[must_use]
pub fn markdown(report: &Findings<'_>) -> String {
    let mut out = format!(
        "### Operator declarations: {}\n",
        Counts::of(report.findings)
    );
    let mut findings: Vec<&Finding> = report.findings.iter().collect();
    findings.sort_by_key(|f| f.severity);
    for finding in findings {
        item(report, finding, &mut out);
    }
    out
}

fn item(report: &Findings<'_>, finding: &Finding, out: &mut String) {
    let _ = write!(
        out,
        "\n- **{}** {}",
        finding.severity,
        escaped(&finding.message)
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
    if let Some(rule) = rule(finding) {
        let _ = writeln!(out, "  Why: {}", escaped(first_sentence(rule.why)));
    }
    if let Some(help) = &finding.help {
        let _ = writeln!(out, "  Fix: {}", escaped(help));
    }
}

/// Text as a code span, whatever backticks it holds.
fn code(text: &str) -> String {
    let text = text.replace(['\n', '\r'], " ");
    let longest = text
        .split(|c| c != '`')
        .map(str::len)
        .max()
        .unwrap_or_default();
    let fence = "`".repeat(longest + 1);
    if text.starts_with('`') || text.ends_with('`') {
        format!("{fence} {text} {fence}")
    } else {
        format!("{fence}{text}{fence}")
    }
}

/// Prose in which code spans stay code and nothing else is read as Markdown or HTML.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for (i, part) in text.split('`').enumerate() {
        if i % 2 == 1 {
            out.push_str(&code(part));
            continue;
        }
        for char in part.chars() {
            match char {
                '\\' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '~' | '!' | '&' | '@' => {
                    out.push('\\');
                    out.push(char);
                }
                '\n' | '\r' => out.push(' '),
                other => out.push(other),
            }
        }
    }
    out
}
