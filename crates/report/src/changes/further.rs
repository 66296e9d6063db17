//! The verdicts on the head against other revisions, in every rendering: a report that passes
//! against its base must not hide that the head fails elsewhere.

use super::{Report, count};
use opatlas_diff::policy::{Conclusion, Summary};

/// A further revision that the head was held against.
#[derive(Debug, Clone, Copy)]
pub struct Further<'a> {
    /// What people call it.
    pub title: &'a str,
    /// How the comparison with it ends.
    pub conclusion: Conclusion,
    /// What there is in it.
    pub summary: Summary,
}

impl Further<'_> {
    /// What was found in words: `fail, 3 breaking, 1 dangerous change`.
    pub(super) fn found(&self) -> String {
        let dangerous = count(self.summary.dangerous, "dangerous change");
        let (conclusion, breaking) = (self.conclusion.as_str(), self.summary.breaking);
        format!("{conclusion}, {breaking} breaking, {dangerous}")
    }

    /// The same with the revision before it.
    pub(super) fn sentence(&self) -> String {
        format!("against {}: {}", self.title, self.found())
    }
}

impl<'a> Report<'a> {
    /// How the comparison ends: the worst of the base and of the further revisions.
    #[must_use]
    pub fn conclusion(&self) -> Conclusion {
        let further = self.further.iter().map(|further| further.conclusion);
        further.fold(self.own_conclusion(), Ord::max)
    }

    /// How the comparison with the base alone ends.
    pub(super) fn own_conclusion(&self) -> Conclusion {
        self.judgement.conclusion.max(self.found.conclusion())
    }

    /// The further revisions that the head does not pass against.
    pub(super) fn not_passed(&self) -> impl Iterator<Item = &'a Further<'a>> {
        let further = self.further.iter();
        further.filter(|further| further.conclusion > Conclusion::Pass)
    }
}
