//! Comparison of a head with further bases (`--against`).

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

/// The comparison of the head with a further base, by the same policy and exceptions.
#[derive(Debug)]
pub struct Further {
    /// The comparison.
    pub compared: Compared,
    /// The judgement.
    pub judgement: Judgement,
    new: Vec<usize>,
    /// The conclusion, including new findings.
    pub conclusion: Conclusion,
}

impl Further {
    /// Failing or warning changes that the first comparison does not report.
    pub fn new_changes(&self) -> impl Iterator<Item = &Judged> {
        self.new.iter().map(|&index| &self.judgement.changes[index])
    }
}

/// The changes that the first comparison reports.
#[derive(Debug)]
pub struct Reported(FxHashSet<Fingerprint>);

impl Reported {
    /// The changes of a judgement.
    #[must_use]
    pub fn of(judgement: &Judgement) -> Self {
        let changes = judgement.changes.iter();
        Self(changes.map(|judged| judged.change.fingerprint()).collect())
    }
}

impl Compared {
    /// Compares the head with a further base; `reported` are the changes that `self` reports. Fails
    /// as [`Compared::new`] does.
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

    /// Runs the rules on the base only if its findings can make a difference: usually, the head has
    /// no errors or fails because of its changes.
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
