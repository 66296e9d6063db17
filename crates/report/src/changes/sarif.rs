//! A comparison as SARIF 2.1.0, on the lines of the head's file.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{Report, Side, help, verdict};
use crate::escape::uri;
use crate::findings::{add_hash, places, region};
use crate::line_hash::LineHashes;
use opatlas_diff::policy::{Conclusion, Judged};
use opatlas_diff::revision::UnreadSide;
use opatlas_diff::rules::{ChangeRule, Level};
use opatlas_diff::{Change, Fragment};
use opatlas_rules::registry;
use opatlas_source::diagnostic::RuleId;

/// The whole log: one run, with the rules of its changes. Excused changes are results with a
/// suppression, and new findings are results too. Entries that were not compared make the execution unsuccessful and become
/// notifications, and so do other revisions against which the head fails. `compound`, which only
/// represents others, and changes without meaning are omitted.
#[must_use]
pub fn sarif(report: &Report<'_>) -> String {
    let changes = report.judgement.changes.iter();
    let told = changes.filter(|judged| judged.change.is_counted() && judged.level > Level::None);
    let told: Vec<&Judged> = told.collect();
    let mut rules: Vec<&ChangeRule> = told.iter().map(|judged| judged.change.rule).collect();
    rules.sort_unstable_by_key(|rule| rule.id);
    rules.dedup_by_key(|rule| rule.id);
    let mut out = String::from(
        r#"{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[{"results":["#,
    );
    let found = Found::of(report, rules.len());
    let hashes = hashes(report, &told);
    let changes = told
        .iter()
        .map(|judged| result(report, judged, &rules, &hashes));
    for (at, result) in changes.chain(found.results(report, &hashes)).enumerate() {
        if report.room.is_over(out.len()) {
            return out;
        }
        out.push_str(if at == 0 { "" } else { "," });
        let _ = write!(out, "{result}");
    }
    let mut run = run(report, &rules, &found).to_string();
    run.replace_range(..1, "],");
    out.push_str(&run);
    out.push_str("]}");
    out
}

/// The hashes of the lines in the head that results begin in.
fn hashes<'a>(report: &'a Report<'_>, told: &'a [&Judged]) -> LineHashes<'a> {
    let head = &report.head;
    let changes = told.iter().take_while(|_| !report.room.is_over(0));
    let lines = changes.filter_map(|judged| {
        let (source, span) = head.place(judged.change.new.as_ref())?;
        Some((source, source.lines(span).start.line))
    });
    LineHashes::of(lines.chain(places(report.found.new)))
}

/// The new findings, whose rules are listed behind those of the changes.
struct Found {
    rules: Vec<RuleId>,
    /// How many rules come before them.
    behind: usize,
}

impl Found {
    fn of(report: &Report<'_>, behind: usize) -> Self {
        let mut rules: Vec<RuleId> = report.found.new.findings.iter().map(|f| f.rule).collect();
        rules.sort_unstable();
        rules.dedup();
        Self { rules, behind }
    }

    /// A result for each, as the findings alone have it.
    fn results(&self, report: &Report<'_>, hashes: &LineHashes<'_>) -> impl Iterator<Item = Value> {
        let new = report.found.new;
        new.findings.iter().map(move |finding| {
            let mut result = crate::findings::sarif_result(new, finding, &self.rules, hashes);
            if let Some(index) = result["ruleIndex"].as_u64() {
                result["ruleIndex"] = json!(index + self.behind as u64);
            }
            result["properties"] = json!({"new": true});
            result
        })
    }

    fn descriptors(&self) -> impl Iterator<Item = Value> {
        let rules = self.rules.iter();
        rules.map(|&rule| crate::findings::rule_descriptor(registry::of(rule)))
    }
}

/// The run without its results, never empty.
fn run(report: &Report<'_>, rules: &[&ChangeRule], found: &Found) -> Value {
    let unread = &report.comparison.unread;
    let notifications: Vec<Value> = unread
        .iter()
        .take_while(|_| !report.room.is_over(0))
        .map(|one| {
            let side = match one.side {
                UnreadSide::Base => &report.base,
                UnreadSide::Head => &report.head,
            };
            let name = one.operator.as_deref().unwrap_or("an entry");
            let text = format!(
                "{name} of the {} was not compared: {}",
                one.side.as_str(),
                one.message
            );
            let mut told = json!({"level": "error", "message": {"text": text}});
            if let Some(place) = one.place {
                let at = json!({
                    "artifactLocation": {"uri": uri(&side.files.native_functions.path)},
                    "region": region(side.files.native_functions, place),
                });
                told["locations"] = json!([{"physicalLocation": at}]);
            }
            told
        })
        .collect();
    let further = report.not_passed().map(|further| {
        let level = match further.conclusion {
            Conclusion::Fail => "error",
            _ => "warning",
        };
        json!({"level": level, "message": {"text": further.sentence()}})
    });
    let omission = report.found.new.omission().map(|omission| {
        let text = format!("new findings: {omission}");
        json!({"level": "warning", "message": {"text": text}})
    });
    let notifications = notifications.into_iter().chain(further).chain(omission);
    let notifications: Vec<Value> = notifications.collect();
    let descriptors = rules.iter().map(|rule| descriptor(report, rule));
    let descriptors = descriptors.chain(found.descriptors());
    json!({
        "tool": {"driver": {
            "name": "opatlas",
            "semanticVersion": env!("CARGO_PKG_VERSION"),
            "rules": descriptors.collect::<Vec<_>>(),
        }},
        "invocations": [{
            "executionSuccessful": unread.is_empty(),
            "toolExecutionNotifications": notifications,
        }],
        "columnKind": "unicodeCodePoints",
        "properties": {
            "conclusion": report.conclusion().as_str(),
            "summary": verdict::headline(report),
            "base": report.base.title,
            "head": report.head.title,
        },
    })
}

fn level(level: Level) -> &'static str {
    match level {
        Level::Breaking => "error",
        Level::ForwardBreaking | Level::Dangerous => "warning",
        Level::Info | Level::Safe | Level::None => "note",
    }
}

fn descriptor(report: &Report<'_>, rule: &ChangeRule) -> Value {
    let mut help = format!("{}\n\n{}", rule.what, rule.why);
    if let Some(instead) = rule.instead {
        help.push_str(&format!("\n\nInstead: {instead}"));
    }
    help.push_str(&format!("\n\nSource: {}", rule.source));
    let mut descriptor = json!({
        "id": rule.id.as_str(),
        "shortDescription": {"text": rule.what},
        "fullDescription": {"text": rule.why},
        "help": {"text": help},
        "defaultConfiguration": {"level": level(rule.level.unwrap_or(Level::None))},
    });
    if let Some(url) = report.rules_url {
        descriptor["helpUri"] = json!(format!("{url}{}", rule.id));
    }
    descriptor
}

fn result(
    report: &Report<'_>,
    judged: &Judged,
    rules: &[&ChangeRule],
    hashes: &LineHashes<'_>,
) -> Value {
    let change = &judged.change;
    let mut text = Report::sentence(change);
    if let Some(help) = help(change) {
        text.push_str(&format!(". {help}"));
    }
    let audiences = |audiences: opatlas_diff::rules::Audiences| -> Vec<&str> {
        audiences.iter().map(|audience| audience.as_str()).collect()
    };
    let mut result = json!({
        "ruleId": change.rule.id.as_str(),
        "level": level(judged.level),
        "message": {"text": text},
        "locations": [location(&report.head, change.new.as_ref(), change)],
        "partialFingerprints": {"opatlas/v1": change.fingerprint().to_string()},
        "properties": {
            "level": judged.level.as_str(),
            "breaks": audiences(change.impacts.breaks),
            "risks": audiences(change.impacts.risks),
        },
    });
    if let Some((source, span)) = report.head.place(change.new.as_ref()) {
        add_hash(&mut result, hashes, source, span);
    }
    if let Ok(index) = rules.binary_search_by_key(&change.rule.id, |rule| rule.id) {
        result["ruleIndex"] = json!(index);
    }
    if report.base.line(change.old.as_ref()).is_some() {
        let mut before = location(&report.base, change.old.as_ref(), change);
        before["id"] = json!(0);
        before["message"] = json!({"text": format!("in {}", report.base.title)});
        result["relatedLocations"] = json!([before]);
    }
    if judged.is_excused() {
        let why = verdict::standing(report, judged).unwrap_or_default();
        result["suppressions"] = json!([{
            "kind": "external",
            "status": "accepted",
            "justification": why,
        }]);
    }
    result
}

/// The position on a side; only its file if it does not declare the operator.
fn location(side: &Side<'_>, fragment: Option<&Fragment>, change: &Change) -> Value {
    let path = side.path(change);
    let mut physical = json!({"artifactLocation": {"uri": uri(path)}});
    if let Some((source, span)) = side.place(fragment) {
        physical["region"] = region(source, span);
    }
    json!({
        "physicalLocation": physical,
        "logicalLocations": [{"fullyQualifiedName": &*change.operator, "kind": "function"}],
    })
}
