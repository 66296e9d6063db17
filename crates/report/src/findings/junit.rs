//! Findings as a JUnit report: a suite for each file, a test case for each finding.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{Counts, Findings};
use crate::escape::{line, xml_attribute};
use crate::junit::{Case, Outcome, PROLOGUE};
use opatlas_source::diagnostic::{Finding, Severity};

/// The whole document. Errors fail; warnings and infos pass, with the message in the output. A file
/// without findings is one case that passes.
#[must_use]
pub fn junit(report: &Findings<'_>) -> String {
    let mut out = String::from(PROLOGUE);
    // Findings that are left out have no case.
    let counts = Counts::new(report.findings, &[]);
    let tests = report.findings.len().max(1);
    let _ = writeln!(
        out,
        "<testsuites name=\"opatlas\" tests=\"{tests}\" failures=\"{}\">",
        counts.errors
    );
    let mut files: BTreeMap<&str, Vec<&Finding>> = BTreeMap::new();
    for (file, _) in report
        .sources
        .iter()
        .filter(|(_, source)| source.is_checked)
    {
        files.entry(file).or_default();
    }
    for finding in report.findings {
        files.entry(&finding.file).or_default().push(finding);
    }
    for (file, findings) in files {
        suite(report, file, &findings, &mut out);
    }
    if let Some(omission) = report.omission() {
        let _ = writeln!(out, "  <!-- {omission} -->");
    }
    out.push_str("</testsuites>\n");
    out
}

fn suite(report: &Findings<'_>, file: &str, findings: &[&Finding], out: &mut String) {
    let failures = findings
        .iter()
        .filter(|f| f.severity == Severity::Error)
        .count();
    let path = report.path(file);
    let _ = writeln!(
        out,
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{failures}\">",
        xml_attribute(path),
        findings.len().max(1)
    );
    if findings.is_empty() {
        let case = Case {
            name: "no findings",
            path,
            line: None,
            outcome: Outcome::Passed,
        };
        case.write(out);
    }
    for finding in findings {
        case(report, finding, out);
    }
    out.push_str("  </testsuite>\n");
}

pub(crate) fn case(report: &Findings<'_>, finding: &Finding, out: &mut String) {
    let operator = finding.operator.as_deref().unwrap_or("file");
    let path = report.path(&finding.file);
    let start = report.lines(&finding.file, finding.span).map(|l| l.start);
    let mut text = String::new();
    if let Some(start) = start {
        let _ = writeln!(text, "{}:{}:{}", line(path), start.line, start.column);
    }
    text.push_str(&line(&finding.message));
    if let Some(help) = &finding.help {
        let _ = write!(text, "\n{}", line(help));
    }
    let rule = finding.rule.to_string();
    let output = format!("{}: {text}", finding.severity);
    let case = Case {
        name: &format!("{rule}: {operator}"),
        path,
        line: start.map(|start| start.line),
        outcome: match finding.severity {
            Severity::Error => Outcome::Failed(&rule, &finding.message, &text),
            Severity::Warning | Severity::Info => Outcome::Output(&output),
        },
    };
    case.write(out);
}
