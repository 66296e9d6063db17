//! Findings as SARIF 2.1.0.

use serde_json::{Value, json};

use super::{Findings, SourceText};
use crate::escape::uri;
use crate::line_hash::LineHashes;
use opatlas_rules::{Rule, registry};
use opatlas_source::Span;
use opatlas_source::diagnostic::{Finding, RuleId, Severity};

/// The whole log: one run, with the rules that the findings name.
#[must_use]
pub fn sarif(report: &Findings<'_>) -> Value {
    let mut ids: Vec<RuleId> = report.findings.iter().map(|f| f.rule).collect();
    ids.sort_unstable();
    ids.dedup();
    let rules: Vec<&Rule> = ids.iter().map(|&id| registry::of(id)).collect();
    let hashes = LineHashes::of(places(report));
    let results: Vec<Value> = report
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

/// The lines that the findings begin in, until the rendering is over.
pub(crate) fn places<'a>(report: &'a Findings<'_>) -> impl Iterator<Item = (&'a SourceText, u32)> {
    let findings = report.findings.iter();
    let findings = findings.take_while(|_| !report.room.is_over(0));
    findings.filter_map(|finding| {
        let source = report.source(&finding.file)?;
        Some((source, source.lines(finding.span).start.line))
    })
}

/// Puts the hash of a line beside the other fingerprints of a result.
pub(crate) fn add_hash(
    result: &mut Value,
    hashes: &LineHashes<'_>,
    source: &SourceText,
    span: Span,
) {
    let line = source.lines(span).start.line;
    if let Some(hash) = hashes.get(source, line) {
        result["partialFingerprints"]["primaryLocationLineHash"] = json!(hash);
    }
}

pub(crate) fn result(
    report: &Findings<'_>,
    finding: &Finding,
    ids: &[RuleId],
    hashes: &LineHashes<'_>,
) -> Value {
    let mut message = finding.message.to_string();
    if let Some(help) = &finding.help {
        message.push_str(". ");
        message.push_str(help);
    }
    let mut result = json!({
        "ruleId": finding.rule.as_str(),
        "level": level(finding.severity),
        "message": {"text": message},
        "locations": [location(report, &finding.file, finding.span, None)],
        "partialFingerprints": {"opatlas/v1": format!(
            "{}:{}",
            finding.rule,
            finding.operator.as_deref().unwrap_or(&finding.file)
        )},
    });
    if let Some(source) = report.source(&finding.file) {
        add_hash(&mut result, hashes, source, finding.span);
    }
    if let Ok(index) = ids.binary_search(&finding.rule) {
        result["ruleIndex"] = json!(index);
    }
    if !finding.related.is_empty() {
        let related = finding.related.iter().enumerate().map(|(i, related)| {
            let file = related.file.as_deref().unwrap_or(&finding.file);
            let mut at = location(report, file, related.span, Some(&related.message));
            at["id"] = json!(i);
            at
        });
        result["relatedLocations"] = related.collect();
    }
    if let Some(fix) = &finding.fix
        && let Some(source) = report.source(&finding.file)
    {
        let help = finding.help.as_deref().unwrap_or("Fix");
        let applicability = fix.applicability.as_str();
        result["fixes"] = json!([{
            "description": {"text": format!("{help} ({applicability})")},
            "artifactChanges": [{
                "artifactLocation": {"uri": uri(&source.path)},
                "replacements": [{
                    "deletedRegion": region(source, fix.span),
                    "insertedContent": {"text": &*fix.replacement},
                }],
            }],
        }]);
    }
    result
}

fn location(report: &Findings<'_>, file: &str, span: Span, message: Option<&str>) -> Value {
    let mut physical = json!({"artifactLocation": {"uri": uri(report.path(file))}});
    if let Some(source) = report.source(file) {
        physical["region"] = region(source, span);
    }
    let mut location = json!({"physicalLocation": physical});
    if let Some(message) = message {
        location["message"] = json!({"text": message});
    }
    location
}

pub(crate) fn region(source: &SourceText, span: Span) -> Value {
    let lines = source.lines(span);
    json!({
        "startLine": lines.start.line,
        "startColumn": lines.start.column,
        "endLine": lines.end.line,
        "endColumn": lines.end.column,
    })
}
