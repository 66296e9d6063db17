//! The head of a comparison, compared with further revisions as well.

use std::sync::Arc;

use jiff::civil::Date;
use opatlas_diff::policy::{Conclusion, Judged, Judgement};
use opatlas_diff::rules::Level;
use opatlas_report::changes::conclusion_of;
use opatlas_rules::Introduced;
use opatlas_source::Stop;

use super::compare::{Compared, Rulebook};
use super::error::ServiceError;
use super::snapshot::Snapshot;

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

impl Compared {
    /// Compares the head with a further base. `judgement` is that of `self`.
    ///
    /// # Errors
    /// As [`Compared::new`].
    pub fn judge_against(
        &self,
        base: Arc<Snapshot>,
        judgement: &Judgement,
        rulebook: &Rulebook,
        today: Date,
        stop: &Stop,
    ) -> Result<Further, ServiceError> {
        let compared = self.against(base, stop)?;
        let changes = judgement.changes.iter();
        let known: rustc_hash::FxHashSet<_> =
            changes.map(|judged| judged.change.fingerprint()).collect();
        let judgement = compared.judge(&rulebook.policy, &rulebook.exceptions, today);
        let is_new = |judged: &Judged| {
            judged.is_counted()
                && judged.level >= Level::Dangerous
                && !known.contains(&judged.change.fingerprint())
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
