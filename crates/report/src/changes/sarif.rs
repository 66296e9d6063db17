//! A comparison as SARIF 2.1.0, on the lines of the head's file.

use serde_json::{Value, json};

use super::{Report, Side, help, verdict};
use crate::escape::lines;
use crate::findings::places;
use crate::line_hash::LineHashes;
use crate::sarif::{
    Artifact, Fingerprints, Location, Logical, Message, Physical, Properties, Region, SarifResult,
    Suppression, line_hash,
};
use opatlas_diff::policy::{Conclusion, Judged};
use opatlas_diff::revision::UnreadSide;
use opatlas_diff::rules::{ChangeRule, Level};
use opatlas_diff::{Change, Fragment};
use opatlas_rules::registry;
use opatlas_source::diagnostic::RuleId;

/// The whole log, in UTF-8: one run with the rules of its changes. Excused changes are results with a
/// suppression, and new findings are results too. Entries that were not compared make the execution
/// unsuccessful and become notifications, as do other revisions against which the head fails. Compound
/// changes and changes without effect are left out.
#[must_use]
pub fn sarif(report: &Report<'_>) -> Vec<u8> {
    let changes = report.listed_changes();
    let shown = changes.filter(|judged| judged.change.is_counted() && judged.level > Level::None);
    let shown: Vec<&Judged> = shown.collect();
    let mut rules: Vec<&ChangeRule> = shown.iter().map(|judged| judged.change.rule).collect();
    rules.sort_unstable_by_key(|rule| rule.id);
    rules.dedup_by_key(|rule| rule.id);
    let found = FindingResults::new(report, rules.len());
    let hashes = hashes(report, &shown);
    let results = Results {
        report,
        rules: &rules,
        hashes: &hashes,
        in_base: format!("in {}", report.base.title),
    };
    let mut out = results.text(BEGIN, &shown);
    for result in found.results(report, &hashes) {
        if report.room.is_over(out.len()) {
            break;
        }
        push(&mut out, BEGIN, &result);
    }
    let run = run(report, &rules, &found).to_string();
    out.extend(b"],");
    // The rest of the run, without its brace.
    out.extend(run.bytes().skip(1));
    out.extend(b"]}");
    out
}

/// The beginning of the log, before the results.
const BEGIN: &[u8] = br#"{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[{"results":["#;

fn hashes<'a>(report: &'a Report<'_>, told: &'a [&Judged]) -> LineHashes<'a> {
    let head = &report.head;
    let changes = told.iter().take_while(|_| !report.room.is_over(0));
    let lines = changes.filter_map(|judged| {
        let (source, span) = head.place(judged.change.new.as_ref())?;
        Some((source, source.lines(span).start.line))
    });
    LineHashes::new(lines.chain(places(report.found.new)))
}

/// The new findings. Their rules follow those of the changes.
struct FindingResults {
    rules: Vec<RuleId>,
    /// The number of rules before them.
    behind: usize,
}

impl FindingResults {
    fn new(report: &Report<'_>, behind: usize) -> Self {
        let findings = report.found.new.findings.iter();
        let listed = findings.filter(|finding| report.lists_finding(finding));
        let mut rules: Vec<RuleId> = listed.map(|finding| finding.rule).collect();
        rules.sort_unstable();
        rules.dedup();
        Self { rules, behind }
    }

    fn results<'a>(
        &'a self,
        report: &Report<'a>,
        hashes: &'a LineHashes<'_>,
    ) -> impl Iterator<Item = SarifResult<'a>> {
        let new = report.found.new;
        let report = *report;
        let findings = new.findings.iter();
        let listed = findings.filter(move |finding| report.lists_finding(finding));
        listed.map(move |finding| {
            let mut result = crate::findings::sarif_result(new, finding, &self.rules, hashes);
            result.rule_index = result.rule_index.map(|index| index + self.behind);
            result.properties = Some(Properties::Finding { new: true });
            result
        })
    }

    fn descriptors(&self) -> impl Iterator<Item = Value> {
        let rules = self.rules.iter();
        rules.map(|&rule| crate::findings::rule_descriptor(registry::of(rule)))
    }
}

/// The run without its results, never empty.
fn run(report: &Report<'_>, rules: &[&ChangeRule], found: &FindingResults) -> Value {
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
                &*one.message
            );
            let mut notification = json!({"level": "error", "message": Message::new(text)});
            if let Some(place) = one.place {
                let source = side.files.native_functions;
                let at = Physical {
                    artifact_location: Artifact::new(&source.path),
                    region: Some(Region::new(source, place)),
                };
                notification["locations"] = json!([{"physicalLocation": at}]);
            }
            notification
        })
        .collect();
    let further = report.not_passed().map(|further| {
        let level = match further.conclusion {
            Conclusion::Fail => "error",
            _ => "warning",
        };
        json!({"level": level, "message": Message::new(further.sentence())})
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

struct Results<'a> {
    report: &'a Report<'a>,
    rules: &'a [&'a ChangeRule],
    hashes: &'a LineHashes<'a>,
    in_base: String,
}

impl<'a> Results<'a> {
    fn result(&'a self, judged: &'a Judged) -> SarifResult<'a> {
        let (report, change) = (self.report, &judged.change);
        let mut text = Report::sentence(change);
        if let Some(help) = help(change) {
            text.push_str(". ");
            text.push_str(&help);
        }
        let audiences = |audiences: opatlas_diff::rules::Audiences| -> Vec<&'static str> {
            audiences.iter().map(|audience| audience.as_str()).collect()
        };
        let is_in_base = report.base.line(change.old.as_ref()).is_some();
        let before = is_in_base.then(|| Location {
            id: Some(0),
            message: Some(Message::new(&*self.in_base)),
            ..location(&report.base, change.old.as_ref(), change)
        });
        let rule = change.rule.id;
        let index = self.rules.binary_search_by_key(&rule, |rule| rule.id);
        SarifResult {
            rule_id: rule.as_str(),
            level: level(judged.level),
            message: Message::new(text.to_string()),
            locations: [location(&report.head, change.new.as_ref(), change)],
            partial_fingerprints: Fingerprints {
                own: change.fingerprint().to_string(),
                line: line_hash(self.hashes, report.head.place(change.new.as_ref())),
            },
            properties: Some(Properties::Change {
                level: judged.level.as_str(),
                breaks: audiences(change.impacts.breaks),
                risks: audiences(change.impacts.risks),
            }),
            rule_index: index.ok(),
            related_locations: before.into_iter().collect(),
            suppressions: judged.is_excused().then(|| {
                [Suppression {
                    kind: "external",
                    status: "accepted",
                    justification: standing(report, judged),
                }]
            }),
            fixes: None,
        }
    }

    /// `before` and the results with commas in between, until the room is used up.
    fn text(&self, before: &[u8], some: &[&Judged]) -> Vec<u8> {
        let mut text = before.to_vec();
        for judged in some {
            if self.report.room.is_over(text.len()) {
                break;
            }
            push(&mut text, before, &self.result(judged));
        }
        text
    }
}

/// Appends a result to the list that follows `before`.
fn push(text: &mut Vec<u8>, before: &[u8], result: &SarifResult<'_>) {
    if text.len() > before.len() {
        text.push(b',');
    }
    // Writing these types to memory cannot fail.
    let _ = serde_json::to_writer(text, result);
}

/// The position on a side; only its file if it does not declare the operator.
fn location<'a>(side: &Side<'a>, fragment: Option<&Fragment>, change: &'a Change) -> Location<'a> {
    let place = side.place(fragment);
    Location {
        physical_location: Physical {
            artifact_location: Artifact::new(side.path(change)),
            region: place.map(|(source, span)| Region::new(source, span)),
        },
        logical_locations: Some([Logical {
            fully_qualified_name: &change.operator,
            kind: match change.is_about_tag() {
                true => "member",
                false => "function",
            },
        }]),
        id: None,
        message: None,
    }
}

fn standing(report: &Report<'_>, judged: &Judged) -> String {
    let standing = verdict::standing(report, judged).unwrap_or_default();
    lines(&standing).into_owned()
}
