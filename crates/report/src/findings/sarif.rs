//! Findings as SARIF 2.1.0.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::{Findings, SourceText};
use crate::line_hash::LineHashes;
use crate::sarif::{
    Artifact, ArtifactChange, Fingerprints, Fix, Location, Message, Physical, Region, Replacement,
    SarifResult, line_hash,
};
use opatlas_rules::{Rule, registry};
use opatlas_source::Span;
use opatlas_source::diagnostic::{Finding, RuleId, Severity};

/// The whole log: one run with the rules of its findings.
#[must_use]
pub fn sarif(report: &Findings<'_>) -> Value {
    let mut ids: Vec<RuleId> = report.findings.iter().map(|f| f.rule).collect();
    ids.sort_unstable();
    ids.dedup();
    let rules: Vec<&Rule> = ids.iter().map(|&id| registry::of(id)).collect();
    let hashes = LineHashes::new(places(report));
    let results: Vec<SarifResult<'_>> = report
        .findings
        .iter()
        .take_while(|_| !report.room.is_over(0))
        .map(|finding| result(report, finding, &ids, &hashes))
        .collect();
    let mut run = json!({
            "tool": {"driver": {
                "name": "opatlas",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules.iter().map(|rule| descriptor(rule)).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "results": results,
    });
    if let Some(omission) = report.omission() {
        let omitted = report
            .omitted
            .iter()
            .map(|o| (o.rule.as_str().to_owned(), o.count.into()));
        run["properties"] = json!({"omitted": omitted.collect::<serde_json::Map<_, _>>()});
        run["invocations"] = json!([{
            "executionSuccessful": true,
            "toolExecutionNotifications": [{
                "level": "warning",
                "message": {"text": omission},
            }],
        }]);
    }
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [run],
    })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

pub(crate) fn descriptor(rule: &Rule) -> Value {
    json!({
        "id": rule.id.as_str(),
        "shortDescription": {"text": rule.what},
        "fullDescription": {"text": rule.why},
        "help": {"text": format!(
            "{}\n\n{}\n\nBad:\n{}\nGood:\n{}\nSource: {}",
            rule.what, rule.why, rule.bad.text, rule.good.text, rule.source
        )},
        "defaultConfiguration": {"level": level(rule.severity)},
    })
}

pub(crate) fn places<'a>(report: &'a Findings<'_>) -> impl Iterator<Item = (&'a SourceText, u32)> {
    let findings = report.findings.iter();
    let findings = findings.take_while(|_| !report.room.is_over(0));
    findings.filter_map(|finding| {
        let source = report.source(&finding.file)?;
        Some((source, source.lines(finding.span).start.line))
    })
}

/// The result for a finding; `ids` are the rules of the run.
pub(crate) fn result<'a>(
    report: &'a Findings<'_>,
    finding: &'a Finding,
    ids: &[RuleId],
    hashes: &'a LineHashes<'_>,
) -> SarifResult<'a> {
    let mut message = Cow::Borrowed(&*finding.message);
    if let Some(help) = &finding.help {
        let message = message.to_mut();
        message.push_str(". ");
        message.push_str(help);
    }
    let source = report.source(&finding.file);
    let related = finding.related.iter().enumerate().map(|(i, related)| {
        let file = related.file.as_deref().unwrap_or(&finding.file);
        Location {
            id: Some(i),
            message: Some(Message::new(&*related.message)),
            ..location(report, file, related.span)
        }
    });
    let named = finding.operator.as_deref().unwrap_or(&finding.file);
    SarifResult {
        rule_id: finding.rule.as_str(),
        level: level(finding.severity),
        message: Message::new(message),
        locations: [location(report, &finding.file, finding.span)],
        partial_fingerprints: Fingerprints {
            own: format!("{}:{named}", finding.rule),
            line: line_hash(hashes, source.map(|source| (source, finding.span))),
        },
        properties: None,
        rule_index: ids.binary_search(&finding.rule).ok(),
        related_locations: related.collect(),
        suppressions: None,
        fixes: finding.fix.as_ref().zip(source).map(|(fix, source)| {
            let help = finding.help.as_deref().unwrap_or("Fix");
            let applicability = fix.applicability.as_str();
            let replacement = Replacement {
                deleted_region: Region::new(source, fix.span),
                inserted_content: Message::verbatim(&fix.replacement),
            };
            [Fix {
                description: Message::new(format!("{help} ({applicability})")),
                artifact_changes: [ArtifactChange {
                    artifact_location: Artifact::new(&source.path),
                    replacements: [replacement],
                }],
            }]
        }),
    }
}

fn location<'a>(report: &Findings<'_>, file: &str, span: Span) -> Location<'a> {
    let source = report.source(file);
    Location {
        physical_location: Physical {
            artifact_location: Artifact::new(report.path(file)),
            region: source.map(|source| Region::new(source, span)),
        },
        logical_locations: None,
        id: None,
        message: None,
    }
}
