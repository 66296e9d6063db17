//! Findings as a GitLab Code Quality report.

use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use super::Findings;
use crate::escape;
use opatlas_source::diagnostic::{Finding, Severity};

/// The list of issues.
#[must_use]
pub fn gitlab(report: &Findings<'_>) -> Value {
    issues(report, |_| true).into()
}

/// An issue for each listed finding. Fingerprints do not depend on positions; those with equal rule
/// and operator are numbered.
pub(crate) fn issues(report: &Findings<'_>, is_listed: impl Fn(&Finding) -> bool) -> Vec<Value> {
    let mut seen: FxHashMap<String, usize> = FxHashMap::default();
    let findings = report.findings.iter();
    let findings = findings.take_while(|_| !report.room.is_over(0));
    findings
        .filter(|finding| is_listed(finding))
        .map(|finding| {
            let about = finding.operator.as_deref().unwrap_or(&finding.file);
            let name = format!("{}:{about}", finding.rule);
            let number = seen.entry(name.clone()).or_default();
            *number += 1;
            issue(report, finding, &format!("{name}:{number}"))
        })
        .collect()
}

fn issue(report: &Findings<'_>, finding: &Finding, fingerprint: &str) -> Value {
    let operator = finding.operator.as_deref();
    let name = operator.map_or_else(String::new, |name| format!("{name}: "));
    let help = finding.help.as_deref();
    let help = help.map_or_else(String::new, |help| format!(". {help}"));
    let description = format!("{name}{}{help}", &*finding.message);
    let description = escape::lines(&description);
    let lines = report.lines(&finding.file, finding.span);
    json!({
        "description": description,
        "check_name": finding.rule.as_str(),
        "fingerprint": fingerprint,
        "severity": match finding.severity {
            Severity::Error => "critical",
            Severity::Warning => "minor",
            Severity::Info => "info",
        },
        "location": {
            "path": report.path(&finding.file),
            "lines": {"begin": lines.map_or(1, |lines| lines.start.line)},
        },
    })
}
