//! A comparison as a JUnit report: one suite with a test case for each operator.

use std::fmt::Write as _;

use rustc_hash::FxHashMap;

use super::{Report, count, help, outline, verdict};
use crate::escape::{self, xml_attribute};
use crate::junit::{Case, Outcome, PROLOGUE};
use opatlas_diff::policy::{Conclusion, Judged};
use opatlas_diff::rules::Level;
use opatlas_source::diagnostic::{Finding, Severity};

/// The whole document. An operator with a change that the policy rejects fails; any other passes, with
/// its changes in the output. An entry that was not compared is an error. Each new error or warning and
/// each further revision has its own case.
#[must_use]
pub fn junit(report: &Report<'_>) -> String {
    let mut cases: Vec<(&str, Vec<&Judged>)> = Vec::new();
    let mut places: FxHashMap<&str, usize> = FxHashMap::default();
    let changes = report.listed_changes();
    for judged in changes.filter(|judged| !judged.change.is_compound()) {
        let operator = &*judged.change.operator;
        let place = *places.entry(operator).or_insert_with(|| {
            cases.push((operator, Vec::new()));
            cases.len() - 1
        });
        cases[place].1.push(judged);
    }
    let new = report.listed_findings();
    let is_error = |finding: &&&Finding| finding.severity == Severity::Error;
    let errors = new.iter().filter(is_error).count();
    let failures = cases
        .iter()
        .filter(|(_, changes)| fails(report, changes))
        .count()
        + report
            .further
            .iter()
            .filter(|f| f.conclusion == Conclusion::Fail)
            .count()
        + errors;
    let unread = &report.comparison.unread;
    let tests = (cases.len() + unread.len() + new.len() + report.further.len()).max(1);
    let counts = format!(
        "tests=\"{tests}\" failures=\"{failures}\" errors=\"{}\"",
        unread.len()
    );
    let name = format!("{} → {}", report.base.title, report.head.title);
    let mut out = String::from(PROLOGUE);
    let _ = writeln!(out, "<testsuites name=\"opatlas\" {counts}>");
    let _ = writeln!(
        out,
        "  <testsuite name=\"{}\" {counts}>",
        xml_attribute(&name)
    );
    let path = &*report.head.files.native_functions.path;
    for one in unread {
        if report.room.is_over(out.len()) {
            return out;
        }
        let operator = one.operator.as_deref().unwrap_or("an entry");
        let message = format!("{}: {}", one.side.as_str(), escape::line(&one.message));
        plain(
            &mut out,
            path,
            operator,
            Outcome::Error("not-compared", &message),
        );
    }
    for finding in &new {
        if report.room.is_over(out.len()) {
            return out;
        }
        crate::findings::junit_case(report.found.new, finding, &mut out);
    }
    for (operator, changes) in &cases {
        if report.room.is_over(out.len()) {
            return out;
        }
        case(report, operator, changes, path, &mut out);
    }
    for further in report.further {
        let name = format!("against {}", further.title);
        let found = further.found();
        let outcome = match further.conclusion {
            Conclusion::Fail => Outcome::Failed("further-revision", &found, ""),
            Conclusion::Warn => Outcome::Output(&found),
            Conclusion::Pass => Outcome::Passed,
        };
        plain(&mut out, path, &name, outcome);
    }
    if cases.is_empty() && unread.is_empty() && new.is_empty() && report.further.is_empty() {
        plain(&mut out, path, "no changes", Outcome::Passed);
    }
    out.push_str("  </testsuite>\n</testsuites>\n");
    out
}

fn plain(out: &mut String, path: &str, name: &str, outcome: Outcome<'_>) {
    let case = Case {
        name,
        path,
        line: None,
        outcome,
    };
    case.write(out);
}

fn fails(report: &Report<'_>, changes: &[&Judged]) -> bool {
    changes.iter().any(|judged| outline::fails(report, judged))
}

fn case(report: &Report<'_>, operator: &str, changes: &[&Judged], path: &str, out: &mut String) {
    let place = changes
        .iter()
        .find_map(|judged| report.head.place(judged.change.new.as_ref()));
    let line = place.map(|(source, span)| source.lines(span).start.line);
    let of_change = changes
        .first()
        .map_or(path, |judged| report.head.path(&judged.change));
    let path = place.map_or(of_change, |(source, _)| &source.path);
    let mut text = String::new();
    for judged in changes {
        let change = &judged.change;
        let message = super::message(change);
        let _ = write!(
            text,
            "{}[{}]: {}",
            judged.level,
            change.rule.id,
            escape::line(&message)
        );
        if let Some(standing) = verdict::standing(report, judged) {
            let _ = write!(text, " ({})", escape::line(&standing));
        }
        text.push('\n');
        if judged.level >= Level::Dangerous
            && let Some(help) = help(change)
        {
            let _ = writeln!(text, "  instead: {}", escape::line(&help));
        }
    }
    let text = text.trim_end();
    let worst = changes
        .iter()
        .filter(|j| j.is_counted())
        .max_by_key(|j| j.level);
    let worst = worst.filter(|_| fails(report, changes)).map(|worst| {
        let mut message = super::message(&worst.change).to_string();
        if changes.len() > 1 {
            let more = count(changes.len() - 1, "further change");
            let _ = write!(message, " (and {more})");
        }
        (worst.change.rule.id.to_string(), message)
    });
    let case = Case {
        name: operator,
        path,
        line,
        outcome: match &worst {
            Some((rule, message)) => Outcome::Failed(rule, message, text),
            None => Outcome::Output(text),
        },
    };
    case.write(out);
}
