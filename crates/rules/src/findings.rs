//! The findings of a check. Only a bounded number is kept in full; the rest is counted.

use std::ops::Deref;

use opatlas_source::diagnostic::{Finding, RuleId, Severity};

/// The maximum number of findings of one rule that are kept in full.
pub const MOST_OF_A_RULE: usize = 1_000;

/// The maximum number of findings that are kept in full, most severe first.
pub const MOST_FINDINGS: usize = 10_000;

/// Findings of one rule that are only counted. Suppressed findings do not count, unless they are
/// errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Omitted {
    /// The rule.
    pub rule: RuleId,
    /// Its severity.
    pub severity: Severity,
    /// The number of omitted findings; at least 1.
    pub count: usize,
}

/// The findings of a check, in a stable order. Dereferences to those that are kept in full.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Findings {
    kept: Vec<Finding>,
    omitted: Vec<Omitted>,
}

impl Findings {
    /// Findings from a previous check, in their order.
    #[must_use]
    pub fn new(kept: Vec<Finding>, omitted: Vec<Omitted>) -> Self {
        Self { kept, omitted }
    }

    /// The omitted findings, in the order of rule ids. Empty for every real file.
    #[must_use]
    pub fn omitted(&self) -> &[Omitted] {
        &self.omitted
    }

    /// The number of findings of a severity, including omitted ones. Suppressed findings do not
    /// count, unless they are errors.
    #[must_use]
    pub fn count(&self, severity: Severity) -> usize {
        let kept = self
            .listed()
            .filter(|finding| finding.severity == severity)
            .count();
        let omitted = self.omitted.iter().filter(|o| o.severity == severity);
        kept + omitted.map(|omitted| omitted.count).sum::<usize>()
    }

    /// The findings to list: all that are not suppressed, and all errors, because PyTorch's
    /// generator ignores suppressions.
    pub fn listed(&self) -> impl Iterator<Item = &Finding> {
        let kept = self.kept.iter();
        kept.filter(|finding| !finding.suppressed || finding.severity == Severity::Error)
    }

    /// The findings that are kept in full.
    #[must_use]
    pub fn into_kept(self) -> Vec<Finding> {
        self.kept
    }
}

impl Deref for Findings {
    type Target = [Finding];

    fn deref(&self) -> &[Finding] {
        &self.kept
    }
}

impl IntoIterator for Findings {
    type Item = Finding;
    type IntoIter = std::vec::IntoIter<Finding>;

    fn into_iter(self) -> Self::IntoIter {
        self.kept.into_iter()
    }
}

impl<'f> IntoIterator for &'f Findings {
    type Item = &'f Finding;
    type IntoIter = std::slice::Iter<'f, Finding>;

    fn into_iter(self) -> Self::IntoIter {
        self.kept.iter()
    }
}
