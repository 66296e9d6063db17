//! A comparison made from the options of a command, and the report on it.

use std::process::ExitCode;

use anyhow::Context as _;

use crate::cli::side::{self, Operand, Places, SideRead, view};
use crate::cli::{Stored, config, local};
use opatlas_diff::policy::{Conclusion, Judgement};
use opatlas_report::changes::{Files, NewFindings, Report, Side};
use opatlas_report::findings::{Findings, SourceText};
use opatlas_report::room::UNBOUNDED;
use opatlas_rules::Introduced;
use opatlas_service::compare::{Compared, Rulebook, day};
use opatlas_service::further::Reported;
use opatlas_source::visible::line;
use opatlas_source::{DERIVATIVES, NATIVE_FUNCTIONS, Stop};
use opatlas_store::{Opening, ProjectName};
use opatlas_wire::against::FurtherVerdict;
use opatlas_wire::change::ChangeContext;
use opatlas_wire::comparison::{Comparison, ComparisonParts, comparison};

use super::options::How;

/// The two sides, read.
pub(in crate::cli) struct Sides {
    stored: Option<Stored>,
    checked: config::Checked,
    pub(super) base: SideRead,
    pub(super) head: SideRead,
}

impl Sides {
    /// Closes the store, where one is open.
    pub(super) async fn close(self) {
        if let Some(stored) = self.stored {
            stored.close().await;
        }
    }
}

/// A comparison with its verdict and all that a report on it shows.
pub(in crate::cli) struct Made {
    base: SideRead,
    head: SideRead,
    rulebook: Rulebook,
    compared: Compared,
    judgement: Judgement,
    introduced: Introduced,
    against: Vec<FurtherVerdict>,
    /// The files of the base and of the head that have changes.
    files: (NamedFiles, NamedFiles),
}

/// What is said of a comparison besides its changes and their causes.
struct Told {
    judgement: Judgement,
    introduced: Introduced,
    files: (NamedFiles, NamedFiles),
}

/// 1 where the comparison fails.
pub(in crate::cli) fn exit_code(conclusion: Conclusion) -> ExitCode {
    ExitCode::from(u8::from(conclusion == Conclusion::Fail))
}

impl How {
    /// The URL of the full comparison.
    pub(in crate::cli) fn permalink(&self) -> Option<&str> {
        self.permalink.as_deref()
    }

    /// Reads both sides.
    ///
    /// # Errors
    /// If `opatlas.toml` or a side cannot be read.
    pub(in crate::cli) async fn sides(&self, base: &str, head: &str) -> anyhow::Result<Sides> {
        let places = Places {
            project: &self.project,
            release: self.release.as_deref(),
            path: &self.path,
            repository: &self.repository,
        };
        let checked = config::read(self.config.as_deref())?;
        let operands = [base, head].map(|text| Operand::parse(text, &places));
        let needs_store = self.against.is_some() || operands.iter().any(Operand::is_stored);
        let stored = match needs_store {
            true => Some(Stored::open(&self.target, Opening::Read).await?),
            false => None,
        };
        let (mut base, mut head) = match (&operands, &stored) {
            ([Operand::Stored(base), Operand::Stored(head)], Some(stored)) => {
                side::both(stored, &places, [base, head]).await?
            }
            ([base, head], stored) => {
                let base = base.read(&places, stored.as_ref(), None).await?;
                let bundle = base.snapshot.bundle.clone();
                let head = head.read(&places, stored.as_ref(), Some(&bundle));
                (base, head.await?)
            }
        };
        rename(&mut base, self.base_title.as_deref());
        rename(&mut head, self.head_title.as_deref());
        Ok(Sides {
            stored,
            checked,
            base,
            head,
        })
    }

    /// Compares and judges. What is to be said of policy and exceptions goes to standard error.
    ///
    /// # Errors
    /// If a side has no operators, or another revision cannot be read.
    pub(in crate::cli) async fn make(&self, mut sides: Sides) -> anyhow::Result<Made> {
        let rulebook = self.rulebook(&mut sides).await?;
        for note in &rulebook.notes {
            eprintln!("note: {}", line(note));
        }
        // What is not asked any more closes while the sides are compared.
        let unused = sides.stored.take_if(|_| self.against.is_none());
        let closing = unused.map(|stored| tokio::spawn(async move { stored.close().await }));
        let made = self.compare(&sides, &rulebook).await;
        if let Some(closing) = closing {
            closing.await?;
        }
        if let Ok((compared, told, _)) = &made {
            let exceptions = &rulebook.exceptions;
            for note in compared.useless(&told.judgement, exceptions, config::is_checked_in) {
                eprintln!("note: {}", line(&note));
            }
        }
        let Sides {
            stored, base, head, ..
        } = sides;
        if let Some(stored) = stored {
            stored.close().await;
        }
        let (compared, told, against) = made?;
        Ok(Made {
            introduced: told.introduced,
            judgement: told.judgement,
            files: told.files,
            base,
            head,
            rulebook,
            compared,
            against,
        })
    }

    /// The policy and exceptions of the project, overridden by those of the file and of the
    /// options.
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

    async fn compare(
        &self,
        sides: &Sides,
        rulebook: &Rulebook,
    ) -> anyhow::Result<(Compared, Told, Vec<FurtherVerdict>)> {
        let (base, head) = (&sides.base, &sides.head);
        let judged = head.resolved.as_ref().map(|head| &head.judged);
        let (old, new) = (base.snapshot.clone(), head.snapshot.clone());
        let compared = Compared::checked(old, new, &Stop::never())?.named(judged);
        let today = day(local::now());
        let told = Told {
            judgement: compared.judge(&rulebook.policy, &rulebook.exceptions, today),
            introduced: compared.introduced(),
            files: (NamedFiles::of(base)?, NamedFiles::of(head)?),
        };
        let against = self.against(sides, (&compared, &told.judgement), rulebook);
        let against = against.await?;
        Ok((compared, told, against))
    }

    async fn against(
        &self,
        sides: &Sides,
        (compared, judgement): (&Compared, &Judgement),
        rulebook: &Rulebook,
    ) -> anyhow::Result<Vec<FurtherVerdict>> {
        let (Some(against), Some(stored)) = (&self.against, &sides.stored) else {
            return Ok(Vec::new());
        };
        let project = ProjectName::parse(&self.project)?;
        let own = sides.head.resolved.as_ref();
        let others = stored.against(&project, against, own).await?;
        let (reported, today) = (Reported::of(judgement), day(local::now()));
        let mut held = Vec::with_capacity(others.len());
        for other in &others {
            let (base, stop) = (stored.snapshot(other).await?, Stop::never());
            let further = compared.judge_against(base, &reported, rulebook, today, &stop)?;
            held.push(FurtherVerdict::new(&further, &view(other), rulebook));
        }
        Ok(held)
    }
}

impl Made {
    /// Renders the report, with Markdown in parts of at most `max_chars` characters.
    pub(in crate::cli) fn report<T>(
        &self,
        how: &How,
        max_chars: Option<usize>,
        render: impl FnOnce(&Report<'_>) -> T,
    ) -> T {
        let further: Vec<_> = self.against.iter().map(FurtherVerdict::further).collect();
        let new = Findings {
            findings: &self.introduced.new,
            omitted: &self.introduced.omitted,
            sources: self.head.sources(&self.introduced.new),
            room: &UNBOUNDED,
        };
        render(&Report {
            comparison: &self.compared.comparison,
            causes: self.compared.causes(),
            judgement: &self.judgement,
            policy: &self.rulebook.policy,
            exceptions: &self.rulebook.exceptions,
            base: Side {
                title: &self.base.view.title,
                files: self.files.0.files(),
                file_url: None,
            },
            head: Side {
                title: &self.head.view.title,
                files: self.files.1.files(),
                file_url: None,
            },
            found: NewFindings {
                new: &new,
                gone: self.introduced.gone,
                head_errors: self.introduced.head_errors,
            },
            cards: self.compared.cards(),
            notes: &self.head.notes,
            further: &further,
            permalink: how.permalink.as_deref(),
            rules_url: None,
            max_chars,
            room: &UNBOUNDED,
        })
    }

    /// The comparison as JSON, without parts.
    pub(super) fn json(&self) -> Comparison<'_> {
        let told = ComparisonParts {
            compared: &self.compared,
            base: &self.base.view,
            head: &self.head.view,
            policy: &self.rulebook.policy,
            introduced: &self.introduced,
            context: ChangeContext {
                judgement: &self.judgement,
                exceptions: &self.rulebook.exceptions,
                base: Some(self.files.0.files()),
                head: Some(self.files.1.files()),
            },
        };
        let mut answer = comparison(told, [&*self.rulebook.notes, &self.head.notes].concat());
        answer.against = self
            .against
            .iter()
            .map(|held| held.against.clone())
            .collect();
        answer
    }
}

fn rename(side: &mut SideRead, title: Option<&str>) {
    if let Some(title) = title {
        title.clone_into(&mut side.view.title);
    }
}

/// The files of a side that changes are found in, under the names that the user knows.
struct NamedFiles {
    native_functions: SourceText,
    derivatives: Option<SourceText>,
}

impl NamedFiles {
    fn of(side: &SideRead) -> anyhow::Result<Self> {
        let named = |name: &str| {
            let mut source = side.snapshot.source(name)?.clone();
            source.path = side.path(name).into();
            Some(source)
        };
        let native_functions = named(NATIVE_FUNCTIONS);
        Ok(Self {
            native_functions: native_functions
                .with_context(|| format!("{} has no {NATIVE_FUNCTIONS}", side.view.title))?,
            derivatives: named(DERIVATIVES),
        })
    }

    fn files(&self) -> Files<'_> {
        Files {
            native_functions: &self.native_functions,
            derivatives: self.derivatives.as_ref(),
        }
    }
}
