//! Findings and places on the wire.

use opatlas_report::findings::SourceText;
use opatlas_source::LineSpan;
use opatlas_source::diagnostic;
use opatlas_source::diagnostic::Diagnostic;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use opatlas_service::{Snapshot, Summary};

/// A range in a file: 1-based, columns in Unicode scalar values, the end exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({"line": 14, "column": 45, "end_line": 14, "end_column": 51}))]
pub struct Span {
    /// The first line.
    #[schema(minimum = 1)]
    pub line: u32,
    /// The first column.
    #[schema(minimum = 1)]
    pub column: u32,
    /// The last line.
    #[schema(minimum = 1)]
    pub end_line: u32,
    /// The column after the end.
    #[schema(minimum = 1)]
    pub end_column: u32,
}

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// PyTorch's generator rejects it.
    Error,
    /// PyTorch accepts it, but it violates a convention or silently loses something.
    Warning,
    /// Informational.
    Info,
}

/// A related location of a finding.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Related {
    /// The message for the location.
    pub message: String,
    /// The bundle's file; null if it is not part of the bundle.
    pub file: Option<String>,
    /// The position in it.
    pub span: Span,
}

/// An edit that fixes a finding: `replacement` replaces `span`.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Fix {
    /// The range to replace; empty for an insertion.
    pub span: Span,
    /// The new text.
    pub replacement: String,
    /// Whether it can be applied without review.
    pub applicability: Applicability,
}

impl Fix {
    fn of(fix: &diagnostic::Fix, span: Span) -> Self {
        Self {
            span,
            replacement: fix.replacement.to_string(),
            applicability: match fix.applicability {
                diagnostic::Applicability::Safe => Applicability::Safe,
                diagnostic::Applicability::Suggested => Applicability::Suggested,
            },
        }
    }
}

/// The confidence that an edit is the intended one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Applicability {
    /// It changes only spelling, or a misspelled name to the one known name that is near.
    Safe,
    /// One of several possible fixes, or it changes the declaration.
    Suggested,
}

/// One finding: a rule and a location.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({
    "rule": "out-return-matches",
    "severity": "error",
    "message": "out argument `out` is `Tensor(a!)`, but the return at its position is `Tensor`",
    "file": "native_functions.yaml",
    "span": {"line": 14, "column": 68, "end_line": 14, "end_column": 74},
    "operator": "blend.out",
    "help": "write `-> Tensor(a!)`",
    "related": [],
    "fix": null,
    "suppressed": false
}))]
pub struct Finding {
    /// The rule's id.
    pub rule: String,
    /// The severity.
    pub severity: Severity,
    /// The fault.
    pub message: String,
    /// The bundle's file; null for a text outside a bundle.
    pub file: Option<String>,
    /// The position in it.
    pub span: Span,
    /// The operator.
    pub operator: Option<String>,
    /// How to fix it.
    pub help: Option<String>,
    /// Related locations.
    pub related: Vec<Related>,
    /// A mechanical edit, if there is one.
    pub fix: Option<Fix>,
    /// Whether a comment in the file suppresses it; suppressed findings are listed only if they are
    /// errors.
    pub suppressed: bool,
}

/// Findings of one rule that are counted but not listed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = OmittedFindings)]
pub struct Omitted {
    /// The rule's id.
    #[schema(example = "yaml-entry-mapping")]
    pub rule: String,
    /// Their severity.
    pub severity: Severity,
    /// The number of omitted findings.
    #[schema(minimum = 1)]
    pub count: usize,
}

impl From<opatlas_rules::Omitted> for Omitted {
    fn from(omitted: opatlas_rules::Omitted) -> Self {
        Self {
            rule: omitted.rule.as_str().to_owned(),
            severity: omitted.severity.into(),
            count: omitted.count,
        }
    }
}

/// The omitted findings of a snapshot.
#[must_use]
pub fn omitted(snapshot: &Snapshot) -> Vec<Omitted> {
    let omitted = snapshot.findings().omitted().iter();
    omitted.map(|omitted| (*omitted).into()).collect()
}

/// Counts over a bundle.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[schema(as = Summary)]
pub struct SummaryView {
    /// Declared operators.
    pub operators: usize,
    /// Generated operators.
    pub generated: usize,
    /// Findings of severity error.
    pub errors: usize,
    /// Findings of severity warning.
    pub warnings: usize,
    /// Findings of severity info.
    pub infos: usize,
}

/// The findings of a snapshot that are listed.
#[must_use]
pub fn all(snapshot: &Snapshot) -> Vec<Finding> {
    let findings = snapshot.listed();
    findings.map(|finding| one(snapshot, finding)).collect()
}

pub(crate) const IN_PROBLEMS: usize = 1000;

/// The first findings of a snapshot, for a problem document.
#[must_use]
pub fn first(snapshot: &Snapshot) -> Vec<Finding> {
    let findings = snapshot.listed().take(IN_PROBLEMS);
    findings.map(|finding| one(snapshot, finding)).collect()
}

/// The first errors of a snapshot, for a problem document.
#[must_use]
pub fn first_errors(snapshot: &Snapshot) -> Vec<Finding> {
    let errors = snapshot
        .listed()
        .filter(|finding| finding.severity == diagnostic::Severity::Error);
    let errors = errors.take(IN_PROBLEMS);
    errors.map(|finding| one(snapshot, finding)).collect()
}

/// A finding of a snapshot.
#[must_use]
pub fn one(snapshot: &Snapshot, finding: &diagnostic::Finding) -> Finding {
    let related = finding.related.iter().map(|related| {
        let file = related.file.as_deref().unwrap_or(&finding.file);
        Related {
            message: related.message.to_string(),
            file: Some(file.to_owned()),
            span: place(snapshot, file, related.span),
        }
    });
    Finding {
        rule: finding.rule.as_str().to_owned(),
        severity: finding.severity.into(),
        message: finding.message.to_string(),
        span: place(snapshot, &finding.file, finding.span),
        operator: finding.operator.as_deref().map(Into::into),
        help: finding.help.as_deref().map(Into::into),
        related: related.collect(),
        fix: finding
            .fix
            .as_ref()
            .map(|fix| Fix::of(fix, place(snapshot, &finding.file, fix.span))),
        file: Some(finding.file.to_string()),
        suppressed: finding.suppressed,
    }
}

/// A diagnostic for a text outside a bundle.
#[must_use]
pub fn of_text(text: &SourceText, diagnostic: &Diagnostic) -> Finding {
    let span = |span| Span::from(text.lines(span));
    let related = diagnostic.related.iter().map(|(message, at)| Related {
        message: message.to_string(),
        file: None,
        span: span(*at),
    });
    Finding {
        rule: diagnostic.rule.as_str().to_owned(),
        severity: Severity::Error,
        message: diagnostic.message.to_string(),
        file: None,
        span: span(diagnostic.span),
        operator: None,
        help: diagnostic.help.as_deref().map(Into::into),
        related: related.collect(),
        fix: diagnostic
            .fix
            .as_ref()
            .map(|fix| Fix::of(fix, span(fix.span))),
        suppressed: false,
    }
}

/// A position in a file of a snapshot; always the start for a file that the bundle does not have.
#[must_use]
pub fn place(snapshot: &Snapshot, file: &str, span: opatlas_source::Span) -> Span {
    match snapshot.source(file) {
        Some(source) => source.lines(span).into(),
        None => Span {
            line: 1,
            column: 1,
            end_line: 1,
            end_column: 1,
        },
    }
}

impl From<LineSpan> for Span {
    fn from(span: LineSpan) -> Self {
        Self {
            line: span.start.line,
            column: span.start.column,
            end_line: span.end.line,
            end_column: span.end.column,
        }
    }
}

impl From<diagnostic::Severity> for Severity {
    fn from(severity: diagnostic::Severity) -> Self {
        match severity {
            diagnostic::Severity::Error => Self::Error,
            diagnostic::Severity::Warning => Self::Warning,
            diagnostic::Severity::Info => Self::Info,
        }
    }
}

impl From<Summary> for SummaryView {
    fn from(summary: Summary) -> Self {
        let Summary {
            operators,
            generated,
            errors,
            warnings,
            infos,
        } = summary;
        Self {
            operators,
            generated,
            errors,
            warnings,
            infos,
        }
    }
}
