//! A comparison as a GitLab Code Quality report.

use serde_json::{Value, json};

use super::{Report, help};
use crate::escape::lines;
use opatlas_diff::policy::Judged;
use opatlas_diff::rules::Level;

/// A list of issues: entries that were not compared, new findings, and unexcused changes that are at
/// least dangerous.
#[must_use]
pub fn gitlab(report: &Report<'_>) -> Value {
    let unread = report.comparison.unread.iter().enumerate().map(|(i, one)| {
        let name = one.operator.as_deref().unwrap_or("an entry");
        let side = one.side.as_str();
        json!({
            "description": lines(&format!("{name} of the {side} was not compared: {}", &*one.message)),
            "check_name": "not-compared",
            "fingerprint": format!("not-compared:{side}:{name}:{i}"),
            "severity": "critical",
            "location": {"path": &*report.head.files.native_functions.path, "lines": {"begin": 1}},
        })
    });
    let changes = report.listed_changes();
    let changes = changes.filter(|judged| judged.is_counted() && judged.level >= Level::Dangerous);
    let mut issues: Vec<Value> = unread.collect();
    issues.extend(crate::findings::gitlab_issues(report.found.new, |one| {
        report.lists_finding(one)
    }));
    issues.extend(changes.map(|judged| issue(report, judged)));
    issues.into()
}

fn issue(report: &Report<'_>, judged: &Judged) -> Value {
    let change = &judged.change;
    let help = help(change).map_or_else(String::new, |help| format!(". {}", &*help));
    let line = report.head.line(change.new.as_ref());
    json!({
        "description": lines(&format!("{}{help}", &*Report::sentence(change))),
        "check_name": change.rule.id.as_str(),
        "fingerprint": change.fingerprint().to_string(),
        "severity": match judged.level {
            Level::Breaking => "critical",
            _ => "major",
        },
        "location": {
            "path": report.head.path(change),
            "lines": {"begin": line.unwrap_or(1)},
        },
    })
}
