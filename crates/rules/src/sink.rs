//! Where checks put what they find.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use opatlas_operators::operator::PlacedEntry;
use opatlas_pytorch::release::Release;
use opatlas_source::diagnostic::{Diagnostic, Finding, Related, Severity};
use opatlas_source::{NATIVE_FUNCTIONS, Span};

use super::{Stage, registry};

/// Collects findings. A complaint under a rule that does not apply to the release is dropped: what
/// is read is read for all releases.
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

    /// How many complaints there are so far.
    #[must_use]
    pub fn count(&self) -> usize {
        self.findings.len()
    }

    /// The operators of `native_functions.yaml` that errors have been reported about so far.
    #[must_use]
    pub fn operators_in_error(&self) -> FxHashSet<Box<str>> {
        let errors = self
            .findings
            .iter()
            .filter(|f| f.severity == Severity::Error);
        let native = errors.filter(|f| &*f.file == NATIVE_FUNCTIONS);
        native.filter_map(|f| f.operator.clone()).collect()
    }

    fn push(&mut self, file: &str, operator: Option<Box<str>>, diagnostic: Diagnostic) {
        let rule = registry::of(diagnostic.rule);
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
    /// those that only follow from another one in the same place. `review` may change the
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

/// Drops what is said about text that an error of an earlier stage stands on, and all conventions
/// where any error stands: once the error is mended the text is another one. Findings come sorted
/// by place.
fn drop_followers(findings: &mut Vec<Finding>) {
    let stage = |rule| registry::of(rule).stage;
    let mut by_stage: BTreeMap<Stage, Reach> = BTreeMap::new();
    for finding in findings.iter() {
        if finding.severity == Severity::Error && !finding.span.is_empty() {
            by_stage
                .entry(stage(finding.rule))
                .or_default()
                .add(&finding.file, finding.span);
        }
    }
    if by_stage.is_empty() {
        return;
    }
    findings.retain(|finding| {
        let limit = match finding.severity {
            Severity::Error => stage(finding.rule),
            Severity::Warning | Severity::Info => Stage::Convention,
        };
        let mut earlier = by_stage.range(..limit);
        !earlier.any(|(_, reach)| reach.covers(&finding.file, finding.span))
    });
}

/// Places in the order of their beginnings, each with how far those up to it reach in its file.
#[derive(Default)]
struct Reach {
    places: Vec<(Box<str>, u32, u32)>,
}

impl Reach {
    fn add(&mut self, file: &str, span: Span) {
        let reach = match self.places.last() {
            Some((last, _, reach)) if **last == *file => span.end.max(*reach),
            _ => span.end,
        };
        self.places.push((file.into(), span.start, reach));
    }

    /// Whether one of the places shares text with a span, or holds it when it is empty.
    fn covers(&self, file: &str, span: Span) -> bool {
        let end = span.end.max(span.start + 1);
        let before = self
            .places
            .partition_point(|(of, start, _)| (&**of, *start) < (file, end));
        let last = before.checked_sub(1).map(|last| &self.places[last]);
        last.is_some_and(|(of, _, reach)| **of == *file && *reach > span.start)
    }
}
