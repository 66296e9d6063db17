//! Where checks put what they find.

use crate::diagnostic::{Diagnostic, Finding, Related, Severity};
use crate::model::operator::PlacedEntry;
use crate::release::Release;
use crate::source::{NATIVE_FUNCTIONS, Span};

use super::registry;

/// Collects findings. A complaint under a rule that does not apply to the release is dropped: what
/// is read is read for all releases. One under a rule that is not in the registry is dropped too,
/// which the tests of the registry rule out.
#[derive(Debug)]
pub struct Sink {
    release: Release,
    findings: Vec<Finding>,
}

impl Sink {
    /// An empty one, for findings under the rules of a release.
    #[must_use]
    pub fn new(release: Release) -> Self {
        Self {
            release,
            findings: Vec::new(),
        }
    }

    /// A complaint about an entry of `native_functions.yaml`, with places within the entry.
    pub fn entry(&mut self, placed: &PlacedEntry, diagnostic: Diagnostic) {
        let operator = placed.entry.name.as_ref().map(|name| {
            let namespace = &*placed.entry.namespace;
            match namespace {
                "aten" => name.as_str().into(),
                _ => format!("{namespace}::{name}").into(),
            }
        });
        self.push(NATIVE_FUNCTIONS, operator, diagnostic.shifted(placed.base));
    }

    /// A complaint about a file of the bundle, with places within the file.
    pub fn file(&mut self, file: &str, diagnostic: Diagnostic) {
        self.push(file, None, diagnostic);
    }

    /// A complaint about an operator as a file other than `native_functions.yaml` speaks of it.
    pub fn about(&mut self, file: &str, operator: &str, diagnostic: Diagnostic) {
        self.push(file, Some(operator.into()), diagnostic);
    }

    /// Adds a place in another file to the complaint made last.
    pub fn relate(&mut self, related: Related) {
        if let Some(last) = self.findings.last_mut() {
            last.related.push(related);
        }
    }

    fn push(&mut self, file: &str, operator: Option<Box<str>>, diagnostic: Diagnostic) {
        let Some(rule) = registry::find(diagnostic.rule) else {
            debug_assert!(false, "rule {} is not registered", diagnostic.rule);
            return;
        };
        if !rule.applies_to(self.release) {
            return;
        }
        let related = diagnostic
            .related
            .into_iter()
            .map(|(message, span)| Related {
                message,
                file: None,
                span,
            });
        self.findings.push(Finding {
            rule: rule.id,
            severity: rule.severity,
            message: diagnostic.message,
            file: file.into(),
            span: diagnostic.span,
            operator,
            help: diagnostic.help,
            related: related.collect(),
            fix: diagnostic.fix,
            suppressed: false,
        });
    }

    /// All findings in a stable order: by file, place, rule and message, each once, and without
    /// the conventions that a place breaks where it breaks a rule. `review` may change the
    /// findings, and what it reports on `native_functions.yaml` is added to them.
    #[must_use]
    pub fn into_findings(
        mut self,
        review: impl FnOnce(&mut [Finding]) -> Vec<Diagnostic>,
    ) -> Vec<Finding> {
        self.sort();
        drop_followers(&mut self.findings);
        let reports = review(&mut self.findings);
        if !reports.is_empty() {
            for report in reports {
                self.file(NATIVE_FUNCTIONS, report);
            }
            self.sort();
        }
        self.findings
    }

    fn sort(&mut self) {
        self.findings.sort_by(|a, b| {
            let key = |f: &Finding| (f.span.start, f.span.end, f.rule);
            a.file
                .cmp(&b.file)
                .then_with(|| key(a).cmp(&key(b)))
                .then_with(|| a.message.cmp(&b.message))
        });
        self.findings.dedup();
    }
}

/// Drops warnings and infos on text that an error stands on: once the error is mended the text is
/// another one. Findings come sorted by place.
fn drop_followers(findings: &mut Vec<Finding>) {
    let errors: Vec<(Box<str>, Span)> = findings
        .iter()
        .filter(|finding| finding.severity == Severity::Error && !finding.span.is_empty())
        .map(|finding| (finding.file.clone(), finding.span))
        .collect();
    if errors.is_empty() {
        return;
    }
    // For each error, how far errors up to it reach in its file.
    let mut reach: Vec<u32> = Vec::with_capacity(errors.len());
    for (i, (file, span)) in errors.iter().enumerate() {
        let before = match i.checked_sub(1) {
            Some(before) if errors[before].0 == *file => reach[before],
            _ => 0,
        };
        reach.push(before.max(span.end));
    }
    findings.retain(|finding| {
        if finding.severity == Severity::Error {
            return true;
        }
        let behind = errors.partition_point(|(file, span)| {
            (&**file, span.start) < (&*finding.file, finding.span.end.max(finding.span.start + 1))
        });
        let Some(last) = behind.checked_sub(1) else {
            return true;
        };
        errors[last].0 != finding.file || reach[last] <= finding.span.start
    });
}
