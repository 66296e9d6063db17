//! The head of a comparison, compared with further revisions as well.

use std::sync::Arc;

use jiff::civil::Date;
use opatlas_diff::Fingerprint;
use opatlas_diff::policy::{Conclusion, Judged, Judgement};
use opatlas_diff::rules::Level;
use opatlas_report::changes::conclusion_of;
use opatlas_rules::Introduced;
use opatlas_source::{Stop, both};
use rustc_hash::FxHashSet;

use super::compare::{Compared, Rulebook};
use super::error::ServiceError;
use super::snapshot::Snapshot;
use super::threads::Threads;

/// How many further bases are compared at the same time, and so in memory. Comparing two in parallel takes
/// less time than comparing each in two parallel halves, one after the other.
pub const TOGETHER: usize = 2;

/// The comparison of the head with a further base, under the same policy and exceptions.
#[derive(Debug)]
pub struct Further {
    /// The comparison.
    pub compared: Compared,
    /// Its judgement.
    pub judgement: Judgement,
    /// The changes that fail or warn and that the first comparison does not report, as indices into
    /// those of the judgement.
    new: Vec<usize>,
    /// The findings that the head has and this base has not.
    pub introduced: Introduced,
}

impl Further {
    /// How the comparison ends, with its new findings.
    #[must_use]
    pub fn conclusion(&self) -> Conclusion {
        let of_findings = conclusion_of(&self.introduced);
        self.judgement.conclusion.max(of_findings)
    }

    /// The changes that fail or warn and that the first comparison does not report.
    pub fn new_changes(&self) -> impl Iterator<Item = &Judged> {
        self.new.iter().map(|&index| &self.judgement.changes[index])
    }
}

/// The changes that the first comparison reports.
#[derive(Debug)]
pub struct Reported(FxHashSet<Fingerprint>);

impl Reported {
    /// Those of its judgement.
    #[must_use]
    pub fn of(judgement: &Judgement) -> Self {
        let changes = judgement.changes.iter();
        Self(changes.map(|judged| judged.change.fingerprint()).collect())
    }
}

/// Applies `against` to each base; to two bases in parallel.
pub fn hold<B: Sync, T: Send>(bases: &[B], against: impl Fn(&B) -> T + Sync) -> Vec<T> {
    match bases {
        [one, other] => {
            let (one, other) = both(&Threads, || against(one), || against(other));
            vec![one, other]
        }
        bases => bases.iter().map(against).collect(),
    }
}

impl Compared {
    /// Compares the head with a further base, where `self` reports these changes.
    ///
    /// # Errors
    /// As [`Compared::new`].
    pub fn judge_against(
        &self,
        base: Arc<Snapshot>,
        reported: &Reported,
        rulebook: &Rulebook,
        today: Date,
        stop: &Stop,
    ) -> Result<Further, ServiceError> {
        let compared = self.against(base, stop)?;
        let judgement = compared.judge(&rulebook.policy, &rulebook.exceptions, today);
        let is_new = |judged: &Judged| {
            judged.is_counted()
                && judged.level >= Level::Dangerous
                && !reported.0.contains(&judged.change.fingerprint())
        };
        let changes = judgement.changes.iter().enumerate();
        let new = changes
            .filter(|(_, judged)| is_new(judged))
            .map(|(index, _)| index)
            .collect();
        Ok(Further {
            introduced: compared.introduced(),
            compared,
            judgement,
            new,
        })
    }
}
