//! A comparison as GitHub workflow commands, which become annotations.

use std::cmp::Reverse;
use std::fmt::Write as _;

use super::{Report, help, verdict};
use crate::escape::{command_data, command_property};
use opatlas_diff::policy::{Conclusion, Judged, Treatment};
use opatlas_diff::rules::Level;
use opatlas_source::diagnostic::Severity;

/// The most annotations of a kind that GitHub shows for a step.
const SHOWN: usize = 10;

/// One command per line, the worst first: at most 10 errors and 10 warnings. If there are more, the last
/// one counts them. Entries that were not compared, new findings and further revisions come first.
#[must_use]
pub fn github(report: &Report<'_>) -> String {
    let mut errors: Vec<String> = Vec::new();
    let mut warnings: Vec<String> = Vec::new();
    for one in &report.comparison.unread {
        let name = one.operator.as_deref().unwrap_or("an entry");
        let side = one.side.as_str();
        let text = format!("{name} of the {side} was not compared: {}", &*one.message);
        errors.push(format!(
            " title=Incomplete comparison::{}",
            command_data(&text)
        ));
    }
    for finding in report.listed_findings() {
        let kind = match finding.severity {
            Severity::Error => &mut errors,
            Severity::Warning | Severity::Info => &mut warnings,
        };
        let prefix = format!("new {}: ", finding.severity);
        kind.push(crate::findings::annotation(
            report.found.new,
            finding,
            &prefix,
        ));
    }
    for further in report.not_passed() {
        let text = command_data(&further.sentence()).to_string();
        let command = format!(" title=Further revisions::{text}");
        match further.conclusion {
            Conclusion::Fail => errors.push(command),
            _ => warnings.push(command),
        }
    }
    let mut changes: Vec<&Judged> = report.listed_changes().collect();
    changes.retain(|judged| judged.is_counted() && judged.level >= Level::Dangerous);
    changes.sort_by_key(|judged| Reverse(judged.level));
    for judged in changes {
        let fails = report
            .policy
            .fail_on
            .is_some_and(|least| judged.level >= least);
        let warns = fails
            || report
                .policy
                .warn_on
                .is_some_and(|least| judged.level >= least);
        match judged.treatment {
            Treatment::Ignore => {}
            Treatment::Warn if fails || warns => warnings.push(annotation(report, judged)),
            _ if fails => errors.push(annotation(report, judged)),
            _ if warns => warnings.push(annotation(report, judged)),
            _ => {}
        }
    }
    let mut out = String::new();
    commands("error", errors, &mut out);
    commands("warning", warnings, &mut out);
    let mut headline = verdict::headline(report);
    if let Some(showing) = report.showing() {
        let _ = write!(headline, "; {showing}");
    }
    let _ = writeln!(
        out,
        "::notice title=Operator schemas::{}",
        command_data(&headline)
    );
    out
}

fn commands(kind: &str, mut all: Vec<String>, out: &mut String) {
    if all.len() > SHOWN {
        let more = all.len() - (SHOWN - 1);
        all.truncate(SHOWN - 1);
        all.push(format!(
            " title=Operator schemas::the report has {more} more of this kind"
        ));
    }
    for one in all {
        let _ = writeln!(out, "::{kind}{one}");
    }
}

fn annotation(report: &Report<'_>, judged: &Judged) -> String {
    let change = &judged.change;
    let path = command_property(report.head.path(change));
    let mut out = format!(" file={path}");
    if let Some(lines) = report.head.lines(change.new.as_ref()) {
        let (start, end) = (lines.start, lines.end);
        let _ = write!(out, ",line={},endLine={}", start.line, end.line);
        // GitHub accepts columns only within one line.
        if start.line == end.line {
            let _ = write!(out, ",col={},endColumn={}", start.column, end.column);
        }
    }
    let mut message = Report::sentence(change).to_string();
    if change.new.is_none()
        && let Some(line) = report.base.line(change.old.as_ref())
    {
        let _ = write!(message, " (line {line} of the base)");
    }
    if let Some(help) = help(change) {
        let _ = write!(message, "\n{}", &*help);
    }
    let title = format!("{}: {}", judged.level, change.rule.id);
    let _ = write!(
        out,
        ",title={}::{}",
        command_property(&title),
        command_data(&message)
    );
    out
}
