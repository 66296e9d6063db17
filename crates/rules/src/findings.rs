//! What the rules find, bounded: so many findings in full, and how many more there are.

use std::ops::Deref;

use opatlas_source::diagnostic::{Finding, RuleId, Severity};

/// Of one rule at most this many findings are kept in full; the rest is counted.
pub const MOST_OF_A_RULE: usize = 1_000;

/// At most this many findings are kept in full in all, what is worst first; the rest is counted.
pub const MOST_FINDINGS: usize = 10_000;

/// Findings of one rule that are counted and not kept. Those that a comment allows do not count,
/// unless they are errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Omitted {
    /// The rule.
    pub rule: RuleId,
    /// How bad its findings are.
    pub severity: Severity,
    /// How many are left out; at least 1.
    pub count: usize,
}

/// What the rules find: the findings that are kept in full, in their order, as a slice; and beside
/// them how many more there are of each rule. The same files give the same findings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Findings {
    kept: Vec<Finding>,
    omitted: Vec<Omitted>,
}

impl Findings {
    /// Findings that were found before, in their order.
    #[must_use]
    pub fn new(kept: Vec<Finding>, omitted: Vec<Omitted>) -> Self {
        Self { kept, omitted }
    }

    /// What is left out, by rule, in the order of the rules' ids. Empty for every real file.
    #[must_use]
    pub fn omitted(&self) -> &[Omitted] {
        &self.omitted
    }

    /// How many findings of a severity there are in all, without those that a comment allows; errors
    /// always count.
    #[must_use]
    pub fn count(&self, severity: Severity) -> usize {
        let kept = self
            .listed()
            .filter(|finding| finding.severity == severity)
            .count();
        let omitted = self.omitted.iter().filter(|o| o.severity == severity);
        kept + omitted.map(|omitted| omitted.count).sum::<usize>()
    }

    /// The findings to list: all that are kept in full except suppressed ones. Errors are always
    /// listed, because PyTorch's generator ignores suppressions.
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
