//! The verdict on the head of a comparison against another revision.

use opatlas_diff::policy::{Conclusion, Summary};
use opatlas_report::changes;

use crate::change::ChangeContext;
use crate::comparison::{Against, SideView};
use opatlas_service::compare::Rulebook;
use opatlas_service::further::Further;

/// The verdict against another revision, for every rendering. Does not hold a snapshot.
#[derive(Debug, Clone)]
pub struct FurtherVerdict {
    /// The verdict as the API answers it.
    pub against: Against,
    conclusion: Conclusion,
    summary: Summary,
}

impl FurtherVerdict {
    /// The verdict of a comparison with `base`.
    #[must_use]
    pub fn new(further: &Further, base: &SideView, rulebook: &Rulebook) -> Self {
        let (compared, judgement) = (&further.compared, &further.judgement);
        let context = ChangeContext {
            judgement,
            exceptions: &rulebook.exceptions,
            base: Some(compared.base.changed_files()),
            head: Some(compared.head.changed_files()),
        };
        Self {
            against: Against {
                base: base.clone(),
                conclusion: further.conclusion.as_str(),
                summary: judgement.summary.into(),
                changes: further
                    .new_changes()
                    .map(|judged| context.change(judged).into_owned())
                    .collect(),
            },
            conclusion: further.conclusion,
            summary: judgement.summary,
        }
    }

    /// The verdict as reports show it.
    #[must_use]
    pub fn further(&self) -> changes::Further<'_> {
        changes::Further {
            title: &self.against.base.title,
            conclusion: self.conclusion,
            summary: self.summary,
        }
    }
}
