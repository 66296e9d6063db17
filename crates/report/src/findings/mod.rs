//! Reports of findings: text with snippets, Markdown, SARIF, JUnit, GitHub, GitLab and lintrunner. Each
//! rendering escapes its text.

mod github;
mod gitlab;
mod junit;
mod lintrunner;
mod markdown;
mod sarif;
mod text;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::room::Room;
use opatlas_rules::{Omitted, Rule, registry};
use opatlas_source::diagnostic::{Finding, Severity};
use opatlas_source::{LineIndex, LineSpan, Span};

pub(super) use github::annotation;
pub use github::github;
pub use gitlab::gitlab;
pub(super) use gitlab::issues as gitlab_issues;
pub(super) use junit::case as junit_case;
pub use junit::junit;
pub use lintrunner::{EditedFile, lintrunner};
pub use markdown::markdown;
pub(super) use sarif::places;
pub use sarif::sarif;
pub(super) use sarif::{descriptor as rule_descriptor, result as sarif_result};
pub use text::{Colour, text};

/// A file of a report: its path and text.
#[derive(Debug, Clone)]
pub struct SourceText {
    /// Its path, or its name in the bundle.
    pub path: Box<str>,
    /// Its text.
    pub text: Arc<str>,
    /// Whether it is reported on, and not only read along.
    pub is_checked: bool,
    index: LineIndex,
}

impl SourceText {
    /// A file with this path and text.
    #[must_use]
    pub fn new(path: impl Into<Box<str>>, text: Arc<str>) -> Self {
        Self {
            path: path.into(),
            index: LineIndex::new(&text),
            text,
            is_checked: true,
        }
    }

    /// A span as lines and columns.
    #[must_use]
    pub fn lines(&self, span: Span) -> LineSpan {
        self.index.line_span(&self.text, span)
    }

    /// The bytes of a 1-based line.
    #[must_use]
    pub fn line(&self, line: u32) -> Span {
        self.index.line(&self.text, line)
    }
}

/// The input of a report.
#[derive(Debug, Default)]
pub struct Findings<'a> {
    /// The findings, in display order.
    pub findings: &'a [Finding],
    /// The findings of each rule that are left out.
    pub omitted: &'a [Omitted],
    /// The files, by their names in the bundle.
    pub sources: BTreeMap<Box<str>, SourceText>,
    /// The bound on the length of the rendering.
    pub room: &'a Room,
}

/// The number of findings of each severity.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Errors.
    pub errors: usize,
    /// Warnings.
    pub warnings: usize,
    /// Infos.
    pub infos: usize,
}

impl Counts {
    /// Counts findings, including those that are left out.
    #[must_use]
    pub fn new(findings: &[Finding], omitted: &[Omitted]) -> Self {
        let mut counts = Self::default();
        let shown = findings.iter().map(|finding| (finding.severity, 1));
        let left_out = omitted
            .iter()
            .map(|omitted| (omitted.severity, omitted.count));
        for (severity, count) in shown.chain(left_out) {
            match severity {
                Severity::Error => counts.errors += count,
                Severity::Warning => counts.warnings += count,
                Severity::Info => counts.infos += count,
            }
        }
        counts
    }
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let parts = [
            (self.errors, "error", "errors"),
            (self.warnings, "warning", "warnings"),
            (self.infos, "info", "infos"),
        ];
        let shown: Vec<String> = parts
            .iter()
            .filter(|(count, ..)| *count > 0)
            .map(|(count, one, many)| format!("{count} {}", if *count == 1 { one } else { many }))
            .collect();
        if shown.is_empty() {
            return f.write_str("no findings");
        }
        f.write_str(&shown.join(", "))
    }
}

impl Findings<'_> {
    pub(crate) fn counts(&self) -> Counts {
        Counts::new(self.findings, self.omitted)
    }

    /// One sentence about the findings that are left out; `None` if there are none.
    pub(crate) fn omission(&self) -> Option<String> {
        let count: usize = self.omitted.iter().map(|omitted| omitted.count).sum();
        let rules = self.omitted.iter();
        let rules: Vec<String> = rules
            .map(|o| format!("{} of {}", o.count, o.rule))
            .collect();
        (count > 0).then(|| format!("{count} more findings are not shown: {}", rules.join(", ")))
    }

    fn source(&self, file: &str) -> Option<&SourceText> {
        self.sources.get(file)
    }

    pub(crate) fn path<'s>(&'s self, file: &'s str) -> &'s str {
        self.source(file).map_or(file, |source| &source.path)
    }

    pub(crate) fn lines(&self, file: &str, span: Span) -> Option<LineSpan> {
        Some(self.source(file)?.lines(span))
    }
}

fn rule(finding: &Finding) -> &'static Rule {
    registry::of(finding.rule)
}

pub(super) fn first_sentence(text: &str) -> &str {
    let text = text.trim();
    match text.find(". ") {
        Some(end) => &text[..=end],
        None => text,
    }
}

#[cfg(test)]
mod tests;
