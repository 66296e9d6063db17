//! Where checks put what they find.

use crate::diagnostic::{Diagnostic, Finding, Related};
use crate::model::operator::PlacedEntry;
use crate::release::Release;
use crate::source::NATIVE_FUNCTIONS;

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
        });
    }

    /// All findings in a stable order: by file, place, rule and message, each once.
    #[must_use]
    pub fn into_findings(mut self) -> Vec<Finding> {
        self.findings.sort_by(|a, b| {
            let key = |f: &Finding| (f.span.start, f.span.end, f.rule);
            a.file
                .cmp(&b.file)
                .then_with(|| key(a).cmp(&key(b)))
                .then_with(|| a.message.cmp(&b.message))
        });
        self.findings.dedup();
        self.findings
    }
}
