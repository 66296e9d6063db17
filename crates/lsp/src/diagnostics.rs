//! Findings as diagnostics.

use lsp_types::{
    CodeDescription, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag,
    NumberOrString, PublishDiagnosticsParams,
};

use super::workspace::OpenFile;
use opatlas_pytorch::release::Release;
use opatlas_rules::registry;
use opatlas_source::diagnostic::{Finding, RuleId, Severity};

/// The name that clients show before a diagnostic.
pub(super) const SOURCE: &str = "opatlas";

pub(super) fn diagnostics(opened: OpenFile<'_>) -> PublishDiagnosticsParams {
    let document = opened.document;
    let all = findings(opened).map(|finding| diagnostic(opened, finding));
    PublishDiagnosticsParams {
        uri: document.uri.clone(),
        diagnostics: all.collect(),
        version: Some(document.version),
    }
}

pub(super) fn findings(opened: OpenFile<'_>) -> impl Iterator<Item = &Finding> {
    let name = &*opened.document.name;
    let listed = opened.listed().iter();
    listed.filter(move |finding| *finding.file == *name)
}

pub(super) fn diagnostic(opened: OpenFile<'_>, finding: &Finding) -> Diagnostic {
    let help = finding.help.as_deref();
    let help = help.map_or_else(String::new, |help| format!("\n{help}"));
    let related = finding.related.iter().filter_map(|related| {
        let file = related.file.as_deref().unwrap_or(&finding.file);
        Some(DiagnosticRelatedInformation {
            location: opened.location(file, related.span)?,
            message: related.message.to_string(),
        })
    });
    let related: Vec<_> = related.collect();
    let is_unused = finding.rule == RuleId::SuppressionUnused;
    Diagnostic {
        range: opened.document.text.range(finding.span),
        severity: Some(match finding.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
            Severity::Info => DiagnosticSeverity::INFORMATION,
        }),
        code: Some(NumberOrString::String(finding.rule.as_str().to_owned())),
        code_description: link(finding.rule, opened.snapshot.release()),
        source: Some(SOURCE.to_owned()),
        message: format!("{}{help}", &*finding.message),
        related_information: (!related.is_empty()).then_some(related),
        tags: is_unused.then(|| vec![DiagnosticTag::UNNECESSARY]),
        data: None,
    }
}

fn link(rule: RuleId, release: Release) -> Option<CodeDescription> {
    let source = registry::of(rule).source;
    let file = source.split([':', ',', ' ']).next()?;
    let is_file = file.contains('/') && (file.ends_with(".py") || file.ends_with(".md"));
    let href = format!("https://github.com/pytorch/pytorch/blob/v{release}.0/{file}");
    let href = is_file.then(|| href.parse().ok()).flatten()?;
    Some(CodeDescription { href })
}
