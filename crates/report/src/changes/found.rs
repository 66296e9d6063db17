//! The findings that the head introduces.

use opatlas_diff::policy::Conclusion;
use opatlas_rules::{self as rules, Introduced};
use opatlas_source::diagnostic::{Finding, Severity};

use super::{Report, count};
use crate::findings::Findings;

/// The findings of the head that the base does not have.
#[derive(Debug, Clone, Copy)]
pub struct NewFindings<'a> {
    /// The new ones, errors first, with the files of the head.
    pub new: &'a Findings<'a>,
    /// How many findings of the base the head does not have.
    pub gone: usize,
    /// How many errors the head has, old and new ones.
    pub head_errors: usize,
}

/// The best possible conclusion of a comparison with these new findings: new errors fail, new warnings
/// warn.
#[must_use]
pub fn conclusion(introduced: &Introduced) -> Conclusion {
    worst(
        introduced.count(Severity::Error),
        introduced.count(Severity::Warning),
    )
}

/// The worst possible [`conclusion`] for a head with these findings: the one if all of them are new.
#[must_use]
pub fn worst_conclusion(head: &rules::Findings) -> Conclusion {
    worst(head.count(Severity::Error), head.count(Severity::Warning))
}

fn worst(errors: usize, warnings: usize) -> Conclusion {
    match (errors, warnings) {
        (0, 0) => Conclusion::Pass,
        (0, _) => Conclusion::Warn,
        _ => Conclusion::Fail,
    }
}

impl<'a> NewFindings<'a> {
    pub(super) fn count(&self, severity: Severity) -> usize {
        let counts = self.new.counts();
        match severity {
            Severity::Error => counts.errors,
            Severity::Warning => counts.warnings,
            Severity::Info => counts.infos,
        }
    }

    pub(super) fn conclusion(&self) -> Conclusion {
        worst(self.count(Severity::Error), self.count(Severity::Warning))
    }

    /// Whether there are no new errors or warnings. New infos alone are not shown.
    pub(super) fn is_quiet(&self) -> bool {
        self.conclusion() == Conclusion::Pass
    }

    /// `2 new errors`, `1 new warning`, without zero counts.
    pub(super) fn counted(&self) -> Vec<String> {
        let parts = [
            (self.count(Severity::Error), "new error"),
            (self.count(Severity::Warning), "new warning"),
        ];
        let parts = parts.into_iter().filter(|(number, _)| *number > 0);
        parts.map(|(number, word)| count(number, word)).collect()
    }

    pub(super) fn others(&self) -> Option<String> {
        let mut parts = Vec::new();
        if self.gone > 0 {
            parts.push(format!("{} of the base gone", count(self.gone, "finding")));
        }
        let old = self.head_errors.saturating_sub(self.count(Severity::Error));
        if old > 0 {
            parts.push(format!("{} also in the base", count(old, "error")));
        }
        (!parts.is_empty()).then(|| parts.join(", "))
    }

    /// The position of a finding: `native_functions.yaml:14`.
    pub(super) fn place(&self, finding: &Finding) -> String {
        let path = self.new.path(&finding.file);
        match self.new.lines(&finding.file, finding.span) {
            Some(lines) => format!("{path}:{}", lines.start.line),
            None => path.to_owned(),
        }
    }
}

impl Report<'_> {
    pub(super) fn is_empty(&self) -> bool {
        self.judgement.changes.is_empty()
            && self.comparison.unread.is_empty()
            && self.found.is_quiet()
    }
}
