//! Findings as a JUnit report: a test case a finding, a suite a file.

use std::fmt::Write as _;

use super::{Counts, Findings};
use crate::escape::xml;
use opatlas_source::diagnostic::{Finding, Severity};

/// The whole document. Errors are failures; warnings and infos are cases that passed, with what
/// was found in their output. A file without findings is one case that passed.
#[must_use]
pub fn junit(report: &Findings<'_>) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    // Only cases that are in the document count here.
    let counts = Counts::of(report.findings, &[]);
    let tests = report.findings.len().max(1);
    let _ = writeln!(
        out,
        "<testsuites name=\"opatlas\" tests=\"{tests}\" failures=\"{}\">",
        counts.errors
    );
    let mut files: Vec<&str> = report.findings.iter().map(|f| &*f.file).collect();
    files.extend(report.sources.keys().map(|file| &**file));
    files.sort_unstable();
    files.dedup();
    for file in files {
        suite(report, file, &mut out);
    }
    if let Some(omission) = report.omission() {
        let _ = writeln!(out, "  <!-- {omission} -->");
    }
    out.push_str("</testsuites>\n");
    out
}

fn suite(report: &Findings<'_>, file: &str, out: &mut String) {
    let findings: Vec<&Finding> = report
        .findings
        .iter()
        .filter(|f| &*f.file == file)
        .collect();
    let failures = findings
        .iter()
        .filter(|f| f.severity == Severity::Error)
        .count();
    let path = xml(report.path(file));
    let _ = writeln!(
        out,
        "  <testsuite name=\"{path}\" tests=\"{}\" failures=\"{failures}\">",
        findings.len().max(1)
    );
    if findings.is_empty() {
        let _ = writeln!(
            out,
            "    <testcase name=\"no findings\" classname=\"{path}\"/>"
        );
    }
    for finding in findings {
        case(report, finding, &path, out);
    }
    out.push_str("  </testsuite>\n");
}

pub(crate) fn case(report: &Findings<'_>, finding: &Finding, path: &str, out: &mut String) {
    let operator = finding.operator.as_deref().unwrap_or("file");
    let name = xml(&format!("{}: {operator}", finding.rule));
    let _ = write!(out, "    <testcase name=\"{name}\" classname=\"{path}\"");
    let mut text = String::new();
    if let Some(lines) = report.lines(&finding.file, finding.span) {
        let _ = writeln!(text, "{path}:{}:{}", lines.start.line, lines.start.column);
        let _ = writeln!(out, " file=\"{path}\" line=\"{}\">", lines.start.line);
    } else {
        out.push_str(">\n");
    }
    let _ = write!(text, "{}", xml(&finding.message));
    if let Some(help) = &finding.help {
        let _ = write!(text, "\n{}", xml(help));
    }
    match finding.severity {
        Severity::Error => {
            let message = xml(&finding.message);
            let rule = finding.rule;
            let _ = writeln!(
                out,
                "      <failure type=\"{rule}\" message=\"{message}\">{text}</failure>"
            );
        }
        Severity::Warning | Severity::Info => {
            let severity = finding.severity;
            let _ = writeln!(out, "      <system-out>{severity}: {text}</system-out>");
        }
    }
    out.push_str("    </testcase>\n");
}
