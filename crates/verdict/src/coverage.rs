//! Coverage: of the applicable operators that are not generated, the share that works on a key. The one
//! definition that every figure uses (`docs/spec/support.md`, section 5).

use opatlas_operators::operator::{Operator, OperatorId};
use opatlas_pytorch::key_set::Slot;

use crate::View;
use crate::shares::{percentages, split};
use crate::{Answer, Verdict};
use opatlas_dispatch::resolve::Precedence;

/// Operators by verdict, in the order of [`Verdict::ALL`].
pub type VerdictCounts = [u32; Verdict::ALL.len()];

/// The operators of a key by verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct KeyCoverage {
    /// Whether anything is claimed about the key.
    pub is_claimed: bool,
    /// Applicable operators that entries declare.
    pub declared: VerdictCounts,
    /// Applicable operators that `autogen` adds.
    pub generated: VerdictCounts,
    /// Declared operators that belong to other backends.
    pub other: u32,
    /// Generated operators that belong to other backends.
    pub generated_other: u32,
    /// Declared operators with a kernel on the key itself.
    pub kernels: u32,
}

impl KeyCoverage {
    /// How many declared operators there are.
    #[must_use]
    pub fn operators(&self) -> u32 {
        self.applicable() + self.other
    }

    /// How many of them are applicable.
    #[must_use]
    pub fn applicable(&self) -> u32 {
        self.declared.iter().sum()
    }

    /// How many of them work.
    #[must_use]
    pub fn working(&self) -> u32 {
        self.counted(Answer::Yes)
    }

    /// How many of them have this answer. The four answers add up to all declared operators.
    #[must_use]
    pub fn counted(&self, answer: Answer) -> u32 {
        let verdicts = Verdict::ALL.into_iter().zip(self.declared);
        let counted = verdicts.filter(|(verdict, _)| Answer::from(*verdict) == answer);
        counted.map(|(_, count)| count).sum()
    }

    /// The parts of the applicable operators in percent, as [`percentages_by_answer`] rounds them.
    #[must_use]
    pub fn percent(&self) -> [u8; Verdict::ALL.len()] {
        percentages_by_answer(self.declared)
    }

    /// The share that works in percent, which is the sum of its parts.
    #[must_use]
    pub fn covered(&self) -> u8 {
        let verdicts = Verdict::ALL.iter().zip(self.percent());
        let working = verdicts.filter(|(verdict, _)| verdict.works());
        working.map(|(_, share)| share).sum()
    }
}

/// Operators by verdict in whole percentages, which add up to 100. The answers are rounded first, and
/// the verdicts of an answer add up to its share.
#[must_use]
pub fn percentages_by_answer(counts: VerdictCounts) -> [u8; Verdict::ALL.len()] {
    let answers = [Answer::Yes, Answer::Partly, Answer::No, Answer::Unknown];
    let of = |answer| {
        let mut counts = counts.into_iter().zip(Verdict::ALL);
        std::array::from_fn::<u32, { Verdict::ALL.len() }, _>(|_| match counts.next() {
            Some((count, verdict)) if Answer::from(verdict) == answer => count,
            _ => 0,
        })
    };
    let wholes = percentages(answers.map(|answer| of(answer).iter().sum()));
    let mut shares = [0; Verdict::ALL.len()];
    for (answer, whole) in answers.into_iter().zip(wholes) {
        for (share, part) in shares.iter_mut().zip(split(whole, of(answer))) {
            *share += part;
        }
    }
    shares
}

impl View<'_> {
    /// The operators of a key by verdict.
    #[must_use]
    pub fn coverage_of(self, slot: Slot) -> KeyCoverage {
        let catalogue = self.inputs.catalogue;
        let is_backend = self.calls().backends.contains(slot);
        let (counts, other) = match is_backend {
            true => self.backend_counts(slot),
            false => {
                let is_applicable = |id| self.applicability(id, slot).is_applicable();
                let verdict = |id| self.support(id, slot).verdict;
                let others = catalogue.iter().filter(|(id, _)| !is_applicable(*id));
                let other = Counts::of(others, verdict);
                (Counts::of(catalogue.iter(), verdict).without(&other), other)
            }
        };
        let patterns = self.tables.patterns().iter();
        let own = patterns.filter(|pattern| pattern.rule(slot) == Precedence::Direct);
        KeyCoverage {
            is_claimed: !is_backend || self.claims(slot),
            declared: counts.declared,
            generated: counts.generated,
            other: other.declared.iter().sum(),
            generated_other: other.generated.iter().sum(),
            kernels: own.map(|pattern| pattern.declared).sum(),
        }
    }

    /// The applicable operators of a backend by verdict, and the others.
    fn backend_counts(self, slot: Slot) -> (Counts, Counts) {
        let catalogue = self.inputs.catalogue;
        let column = self.column_of(slot);
        let foreign = self.foreign(slot);
        let foreign = foreign.ids().map(|id| (id, catalogue.operator(id)));
        let other = Counts::of(foreign, |id| column.verdict(id));
        (column.counts(catalogue).without(&other), other)
    }
}

/// The operators of a revision by verdict.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counts {
    declared: VerdictCounts,
    generated: VerdictCounts,
}

impl Counts {
    pub(crate) fn of<'c>(
        operators: impl Iterator<Item = (OperatorId, &'c Operator)>,
        verdict: impl Fn(OperatorId) -> Verdict,
    ) -> Self {
        let mut counts = Self::default();
        for (id, operator) in operators {
            let of = match operator.is_generated() {
                true => &mut counts.generated,
                false => &mut counts.declared,
            };
            of[verdict(id) as usize] += 1;
        }
        counts
    }

    /// Without operators that these counts include.
    fn without(&self, other: &Self) -> Self {
        let minus = |all: VerdictCounts, part: VerdictCounts| {
            std::array::from_fn(|at| all[at].saturating_sub(part[at]))
        };
        Self {
            declared: minus(self.declared, other.declared),
            generated: minus(self.generated, other.generated),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_add_up_to_the_rounded_share_that_works() {
        let counts = [60, 574, 0, 0, 1700, 2];
        let shares = percentages_by_answer(counts);
        assert_eq!(
            shares.iter().map(|share| u32::from(*share)).sum::<u32>(),
            100
        );
        let coverage = KeyCoverage {
            declared: counts,
            ..KeyCoverage::default()
        };
        // 634 of 2336 are 27.1 %; 2.6 % and 24.6 % alone would be rounded up.
        assert_eq!(coverage.covered(), 27);
        assert_eq!(percentages_by_answer([0; 6]), [0; 6]);
    }
}
