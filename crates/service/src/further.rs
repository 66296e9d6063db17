//! The head of a comparison, compared with further revisions as well.

use std::sync::Arc;

use jiff::civil::Date;
use opatlas_diff::Fingerprint;
use opatlas_diff::policy::{Conclusion, Judged, Judgement};
use opatlas_diff::rules::Level;
use opatlas_report::changes::{conclusion_of, worst_conclusion};
use opatlas_source::Stop;
use rustc_hash::FxHashSet;

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
    /// How the comparison ends, with the findings that the head has and this base has not.
    pub conclusion: Conclusion,
}

impl Further {
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
            conclusion: compared.conclude(&judgement, stop)?,
            compared,
            judgement,
            new,
        })
    }

    /// How a judged comparison ends, with its new findings. The rules run over the base only where they
    /// may decide: a release has no errors, and against an older one nearly every release fails by its
    /// changes.
    fn conclude(&self, judgement: &Judgement, stop: &Stop) -> Result<Conclusion, ServiceError> {
        self.head.check(stop)?;
        let of_changes = judgement.conclusion;
        if worst_conclusion(self.head.findings()) <= of_changes {
            return Ok(of_changes);
        }
        self.base.check(stop)?;
        Ok(of_changes.max(conclusion_of(&self.introduced())))
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use opatlas_pytorch::release::Release;
    use opatlas_source::Bundle;

    use super::*;

    fn read(arguments: &str, kernels: &str) -> Arc<Snapshot> {
        let text = format!(
            "- func: f(Tensor self{arguments}) -> Tensor\n  dispatch:\n    CPU: f_cpu\n{kernels}"
        );
        let bundle = Bundle::of_native_functions(text.into_bytes());
        Arc::new(Snapshot::read(bundle, Release::LATEST, None))
    }

    /// Each verdict is that of the comparison with this base alone.
    #[test]
    fn each_verdict_is_that_of_its_own_comparison() {
        let head = read(", int m", "");
        let bases = [
            read(", int m", ""),
            read("", "    CUDA: f_cuda\n"),
            read(", int n", "    CUDA: f_cuda\n"),
        ];
        let (rulebook, today) = (Rulebook::default(), date(2026, 6, 1));
        let alone = |base: &Arc<Snapshot>| {
            let (base, head) = (Arc::clone(base), Arc::clone(&head));
            let compared = Compared::checked(base, head, &Stop::never()).unwrap();
            let judgement = compared.judge(&rulebook.policy, &[], today);
            (compared, judgement)
        };
        let (first, judgement) = alone(&bases[0]);
        assert_eq!(judgement.conclusion, Conclusion::Pass);
        let reported = Reported::of(&judgement);
        for base in &bases {
            let further = first.judge_against(
                Arc::clone(base),
                &reported,
                &rulebook,
                today,
                &Stop::never(),
            );
            let (further, (compared, expected)) = (further.unwrap(), alone(base));
            assert_eq!(further.judgement.summary, expected.summary);
            assert_eq!(further.judgement.conclusion, expected.conclusion);
            let of_findings = conclusion_of(&compared.introduced());
            assert_eq!(further.conclusion, expected.conclusion.max(of_findings));
            let fails = further.new_changes().count() > 0;
            assert_eq!(fails, !Arc::ptr_eq(base, &bases[0]));
        }
    }

    /// The conclusion is the one that a comparison with all findings has, and the rules run over a base only
    /// where they decide.
    #[test]
    fn findings_of_a_base_are_found_where_they_decide() {
        const WRONG: &str = "- func: blend.out(Tensor self, *, Tensor(a!) out) -> Tensor\n";
        const GOOD: &str = "- func: f(Tensor self) -> Tensor\n";
        const GONE: &str = "- func: g(Tensor self) -> Tensor\n";
        let read = |texts: &[&str]| {
            let bundle = Bundle::of_native_functions(texts.concat().into_bytes());
            Arc::new(Snapshot::read(bundle, Release::LATEST, None))
        };
        let (rulebook, today) = (Rulebook::default(), date(2026, 6, 1));
        for (base, head, expected, is_checked) in [
            (&[GOOD][..], &[GOOD][..], Conclusion::Pass, false),
            (&[GOOD], &[GOOD, WRONG], Conclusion::Fail, true),
            (&[WRONG, GOOD], &[GOOD, WRONG], Conclusion::Pass, true),
            (&[GOOD, GONE], &[GOOD, WRONG], Conclusion::Fail, false),
        ] {
            let (base, head) = (read(base), read(head));
            let same = Compared::new(Arc::clone(&head), head, &Stop::never()).unwrap();
            let reported = Reported::of(&same.judge(&rulebook.policy, &[], today));
            let stop = Stop::never();
            let further = same.judge_against(Arc::clone(&base), &reported, &rulebook, today, &stop);
            let further = further.unwrap();
            assert_eq!(further.conclusion, expected);
            assert_eq!(base.is_checked(), is_checked);
            let of_findings = conclusion_of(&further.compared.introduced());
            assert_eq!(expected, further.judgement.conclusion.max(of_findings));
        }
    }
}
