//! Compares two revisions with the options of a command.

use std::process::ExitCode;

use crate::cli::side::{Operand, Places};
use crate::cli::{Stored, config, local};
use opatlas_diff::policy::Conclusion;
use opatlas_report::changes::{Filter, Report};
use opatlas_report::room::UNBOUNDED;
use opatlas_service::compare::{Rulebook, day};
use opatlas_source::Stop;
use opatlas_source::visible::line;
use opatlas_store::{Opening, ProjectName};
use opatlas_wire::against::FurtherVerdict;
use opatlas_wire::comparison::{Comparison, SideView};
use opatlas_wire::judged_comparison::{ComparedSide, JudgedComparison, ReportOptions};

use super::options::How;

pub(in crate::cli) struct Sides {
    stored: Option<Stored>,
    checked: config::Checked,
    pub(super) base: ComparedSide,
    pub(super) head: ComparedSide,
}

impl Sides {
    pub(super) async fn close(self) {
        if let Some(stored) = self.stored {
            stored.close().await;
        }
    }
}

pub(in crate::cli) struct JudgedHead {
    judged: JudgedComparison,
    against: Vec<FurtherVerdict>,
}

pub(in crate::cli) fn exit_code(conclusion: Conclusion) -> ExitCode {
    ExitCode::from(u8::from(conclusion == Conclusion::Fail))
}

impl How {
    pub(in crate::cli) fn permalink(&self) -> Option<&str> {
        self.permalink.as_deref()
    }

    fn places(&self) -> Places<'_> {
        Places {
            project: &self.project,
            release: self.release.as_deref(),
            path: &self.path,
            repository: &self.repository,
            sources: &self.sources,
        }
    }

    /// The commit that a side names, abbreviated if it is stored so; `None` for files and labels.
    pub(in crate::cli) fn commit_of(&self, side: &str) -> anyhow::Result<Option<String>> {
        let places = self.places();
        Operand::parse(side, &places).commit(&places)
    }

    pub(in crate::cli) async fn sides(&self, base: &str, head: &str) -> anyhow::Result<Sides> {
        let places = self.places();
        let checked = config::read(self.config.as_deref())?;
        let operands = [base, head].map(|text| Operand::parse(text, &places));
        let needs_store = self.against.is_some() || operands.iter().any(Operand::is_stored);
        let stored = if needs_store {
            Some(Stored::open(&self.target, Opening::Read).await?)
        } else {
            None
        };
        let note = operands[0].note_of_merge_base(&operands[1], &places);
        let read = Operand::read_both(operands, &places, stored.as_ref());
        let (mut base, mut head) = read.await?;
        head.notes.extend(note);
        retitle(&mut base.view, self.base_title.as_deref());
        retitle(&mut head.view, self.head_title.as_deref());
        Ok(Sides {
            stored,
            checked,
            base,
            head,
        })
    }

    /// Notes about the policy and the exceptions go to standard error.
    pub(in crate::cli) async fn judge(&self, mut sides: Sides) -> anyhow::Result<JudgedHead> {
        let rulebook = self.rulebook(&mut sides).await?;
        for note in &rulebook.notes {
            eprintln!("note: {}", line(note));
        }
        let Sides {
            stored, base, head, ..
        } = sides;
        let judged = self.judge_with(rulebook, stored.as_ref(), base, head).await;
        if let Some(stored) = stored {
            stored.close().await;
        }
        judged
    }

    async fn judge_with(
        &self,
        rulebook: Rulebook,
        stored: Option<&Stored>,
        base: ComparedSide,
        head: ComparedSide,
    ) -> anyhow::Result<JudgedHead> {
        let (today, stop) = (day(local::now()), Stop::never());
        let resolved = head.resolved.clone();
        let judged = JudgedComparison::new(base, head, rulebook, today, &stop)?;
        for note in judged.useless_exceptions(config::is_checked_in) {
            eprintln!("note: {}", line(&note));
        }
        let mut verdicts = Vec::new();
        if let (Some(against), Some(stored)) = (&self.against, stored) {
            let project = ProjectName::parse(&self.project)?;
            let reported = judged.reported();
            for other in stored.against(&project, against, resolved.as_ref()).await? {
                let base = (
                    &SideView::of_revision(&other),
                    stored.snapshot(&other).await?,
                );
                verdicts.push(judged.judge_against(base, &reported, today, &stop)?);
            }
        }
        Ok(JudgedHead {
            judged,
            against: verdicts,
        })
    }

    /// The policy and exceptions of the project, overridden by the file and the options.
    async fn rulebook(&self, sides: &mut Sides) -> anyhow::Result<Rulebook> {
        let resolved = [&sides.head, &sides.base]
            .into_iter()
            .find_map(|side| side.resolved.as_ref());
        let mut rulebook = match (&sides.stored, resolved) {
            (Some(stored), Some(resolved)) => stored.rulebook(&resolved.project).await?,
            _ => Rulebook::default(),
        };
        let checked = std::mem::take(&mut sides.checked);
        if let Some(policy) = checked.policy {
            rulebook.policy = policy;
        }
        rulebook.exceptions.extend(checked.exceptions);
        if let Some(profile) = self.profile {
            rulebook.policy.profile = profile.into();
        }
        if let Some(fail_on) = self.fail_on {
            rulebook.policy.fail_on = fail_on.level();
        }
        Ok(rulebook)
    }
}

impl JudgedHead {
    /// Restricts what reports and answers list.
    pub(super) fn filtered(self, filter: &Filter) -> Self {
        Self {
            judged: self.judged.filtered(filter),
            ..self
        }
    }

    pub(in crate::cli) fn report<T>(
        &self,
        how: &How,
        max_chars: Option<usize>,
        render: impl FnOnce(&Report<'_>) -> T,
    ) -> T {
        let options = ReportOptions {
            max_chars,
            permalink: how.permalink(),
            rules_url: None,
            room: &UNBOUNDED,
        };
        self.judged.report(&self.against, options, render)
    }

    pub(super) fn answer(&self, report: &Report<'_>) -> Comparison<'_> {
        self.judged.answer(&self.against, report)
    }
}

fn retitle(view: &mut SideView, title: Option<&str>) {
    if let Some(title) = title {
        title.clone_into(&mut view.title);
    }
}
