//! Findings as messages of lintrunner, the linter of PyTorch's repository: one JSON object per line
//! (`LintMessage` of lintrunner 0.12).

use serde_json::{Value, json};

use super::Findings;
use crate::escape;
use opatlas_source::diagnostic::{Finding, Severity};

/// The code of the linter in messages.
const CODE: &str = "OPATLAS";

/// A file after its safe edits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditedFile {
    /// Its name in the bundle.
    pub file: Box<str>,
    /// The number of edits.
    pub edits: usize,
    /// Its old text.
    pub before: String,
    /// Its new text.
    pub after: String,
}

/// A message for each finding, and one for each edited file. lintrunner applies at most one edit to a
/// file, so that message carries all edits together.
#[must_use]
pub fn lintrunner(report: &Findings<'_>, edited: &[EditedFile]) -> String {
    let findings = report.findings.iter();
    let findings = findings.map(|finding| of_finding(report, finding));
    let omission = report.omission().map(|omission| {
        let severity = Severity::Info;
        message(None, None, severity, "findings not shown", &omission)
    });
    let edited = edited.iter().map(|edited| of_edits(report, edited));
    let lines = findings.chain(omission).chain(edited);
    lines.map(|line| format!("{line}\n")).collect()
}

fn of_finding(report: &Findings<'_>, finding: &Finding) -> Value {
    let operator = finding.operator.as_deref();
    let name = operator.map_or_else(String::new, |name| format!("{name}: "));
    let help = finding.help.as_deref();
    let help = help.map_or_else(String::new, |help| format!("\n{help}"));
    let lines = report.lines(&finding.file, finding.span);
    message(
        Some(report.path(&finding.file)),
        lines.map(|lines| (lines.start.line, lines.start.column)),
        finding.severity,
        finding.rule.as_str(),
        &escape::lines(&format!("{name}{}{help}", &*finding.message)),
    )
}

fn of_edits(report: &Findings<'_>, edited: &EditedFile) -> Value {
    let count = match edited.edits {
        1 => "1 safe edit".to_owned(),
        many => format!("{many} safe edits"),
    };
    let path = Some(report.path(&edited.file));
    let text = format!("`lintrunner -a` makes {count}");
    let mut message = message(path, None, Severity::Warning, "safe edits", &text);
    message["original"] = edited.before.as_str().into();
    message["replacement"] = edited.after.as_str().into();
    message
}

/// A message without an edit; line and column count from 1.
fn message(
    path: Option<&str>,
    place: Option<(u32, u32)>,
    severity: Severity,
    name: &str,
    description: &str,
) -> Value {
    json!({
        "path": path,
        "line": place.map(|(line, _)| line),
        "char": place.map(|(_, column)| column),
        "code": CODE,
        "severity": match severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "advice",
        },
        "name": name,
        "original": null,
        "replacement": null,
        "description": description,
    })
}
