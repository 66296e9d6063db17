//! The verdicts on the head against other revisions. Every rendering shows them, so that a report that
//! passes against its base does not hide a failure elsewhere.

use super::{Report, count};
use opatlas_diff::policy::{Conclusion, Summary};

/// A further revision that the head was compared with.
#[derive(Debug, Clone, Copy)]
pub struct Further<'a> {
    /// Its title.
    pub title: &'a str,
    /// How the comparison with it ends.
    pub conclusion: Conclusion,
    /// The counts of its changes.
    pub summary: Summary,
}

impl Further<'_> {
    /// The result in words: `fail, 3 breaking, 1 dangerous change`.
    pub(super) fn found(&self) -> String {
        format!("{}, {}", self.conclusion.as_str(), self.counts())
    }

    /// The counts in words: `3 breaking, 1 dangerous change`.
    pub(super) fn counts(&self) -> String {
        let dangerous = count(self.summary.dangerous, "dangerous change");
        format!("{} breaking, {dangerous}", self.summary.breaking)
    }

    /// The result with the revision: `against 2.9.0: fail, ...`.
    pub(super) fn sentence(&self) -> String {
        format!("against {}: {}", self.title, self.found())
    }
}

impl<'a> Report<'a> {
    /// The worst conclusion over the base and the further revisions.
    #[must_use]
    pub fn conclusion(&self) -> Conclusion {
        let further = self.further.iter().map(|further| further.conclusion);
        further.fold(self.own_conclusion(), Ord::max)
    }

    pub(super) fn own_conclusion(&self) -> Conclusion {
        self.judgement.conclusion.max(self.found.conclusion())
    }

    pub(super) fn not_passed(&self) -> impl Iterator<Item = &'a Further<'a>> {
        let further = self.further.iter();
        further.filter(|further| further.conclusion > Conclusion::Pass)
    }
}
