//! Coverage: of the operators that are not generated, the share that works on a key. The one
//! definition that every figure uses (`docs/spec/support.md`, section 5).

use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::key_set::Slot;

use super::{Verdict, percentages};
use crate::entry::View;
use crate::resolve::Precedence;

/// Operators by verdict, in the order of [`Verdict::ALL`].
pub type VerdictCounts = [u32; Verdict::ALL.len()];

/// The operators of a key by verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct KeyCoverage {
    /// Whether anything is claimed about the key.
    pub is_claimed: bool,
    /// Operators that entries declare.
    pub declared: VerdictCounts,
    /// Operators that `autogen` adds.
    pub generated: VerdictCounts,
    /// Declared operators with a kernel on the key itself.
    pub kernels: u32,
}

impl KeyCoverage {
    /// How many declared operators there are.
    #[must_use]
    pub fn operators(&self) -> u32 {
        self.declared.iter().sum()
    }

    /// How many of them work.
    #[must_use]
    pub fn working(&self) -> u32 {
        let verdicts = Verdict::ALL.iter().zip(self.declared);
        let working = verdicts.filter(|(verdict, _)| verdict.works());
        working.map(|(_, count)| count).sum()
    }

    /// The parts of the declared operators in percent; they add up to 100.
    #[must_use]
    pub fn percent(&self) -> [u8; Verdict::ALL.len()] {
        percentages(self.declared)
    }

    /// The share that works in percent: the sum of its parts as they are shown.
    #[must_use]
    pub fn covered(&self) -> u8 {
        let verdicts = Verdict::ALL.iter().zip(self.percent());
        let working = verdicts.filter(|(verdict, _)| verdict.works());
        working.map(|(_, share)| share).sum()
    }
}

impl View<'_> {
    /// The operators of a key by verdict.
    #[must_use]
    pub fn coverage_of(self, slot: Slot) -> KeyCoverage {
        let is_backend = self.calls().backends.contains(slot);
        let verdicts = is_backend.then(|| self.verdicts(slot));
        let mut coverage = KeyCoverage {
            is_claimed: !is_backend || self.claims(slot),
            ..KeyCoverage::default()
        };
        for (id, operator) in self.inputs.catalogue.iter() {
            let verdict = match &verdicts {
                Some(verdicts) => verdicts.of(id) as usize,
                None => self.support(id, slot).verdict as usize,
            };
            if operator.is_generated() {
                coverage.generated[verdict] += 1;
            } else {
                coverage.declared[verdict] += 1;
                coverage.kernels += u32::from(self.has_own_kernel(id, slot));
            }
        }
        coverage
    }

    fn has_own_kernel(self, id: OperatorId, slot: Slot) -> bool {
        let pattern = self.tables.pattern(id);
        pattern.is_some_and(|pattern| pattern.table.rule(slot) == Precedence::Direct)
    }
}
