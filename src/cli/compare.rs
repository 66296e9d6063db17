//! `opatlas compare`: what changed between two revisions, and whether that may be.

pub(super) mod backend;
mod options;

use std::fs;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use clap::Args;
use jiff::Zoned;

use crate::service::compare::{Compared, Rulebook};
use crate::store::Opening;
use crate::wire::against::FurtherVerdict;
use crate::wire::change::ChangeContext;
use crate::wire::comparison::{ComparisonParts, comparison};
use opatlas_diff::policy::{Conclusion, Judgement};
use opatlas_report::changes;
use opatlas_report::changes::{LEAST_MAX_CHARS, NewFindings, Report, Side};
use opatlas_report::findings::{Colour, Findings, SourceText};
use opatlas_report::room::UNBOUNDED;
use opatlas_source::{NATIVE_FUNCTIONS, Stop};

use super::side::{NATIVE_FUNCTIONS_PATH, Operand, Places, SideRead, view};
use super::{Stored, Target, config};
use options::{FailOn, Format, ProfileName};

/// Shows what changed between two revisions: what breaks, for whom, and on which backend.
///
/// BASE and HEAD are files, folders with the files of a bundle, stored revisions (2.9.0, latest,
/// sha256:DIGITS, or label:NAME if a file has that name), or commits of a local repository
/// (git:REV, git:REV:PATH). With --backend it shows what the head changes for an out-of-tree
/// backend. The policy and the exceptions come from the project and from opatlas.toml in the
/// current folder.
#[derive(Debug, Args)]
pub(super) struct Compare {
    /// The revision to compare with
    base: String,

    /// The revision with the changes
    head: String,

    /// The audience to judge for; by default that of the policy, or strict
    #[arg(long, value_enum)]
    profile: Option<ProfileName>,

    /// Exit with 1 if an unexcused change has at least this level; by default that of the policy
    #[arg(long, value_enum)]
    fail_on: Option<FailOn>,

    /// Also compare the head with other stored revisions: latest, all, or a label
    #[arg(long, value_name = "latest|all|LABEL")]
    against: Option<String>,

    /// Show what changes for an out-of-tree backend with this backend file, and exit with 1 if a
    /// listed operator was removed or its kernel must change
    #[arg(long, value_name = "FILE", conflicts_with_all = ["against", "profile", "fail_on"])]
    backend: Option<PathBuf>,

    /// The output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    /// Split Markdown into parts of at most NUMBER characters, without splitting a change
    #[arg(long, value_name = "NUMBER")]
    max_chars: Option<usize>,

    /// Write to this file, or to a folder with one file per part
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,

    /// The file with the policy and the exceptions; by default opatlas.toml if it exists
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// The PyTorch release whose rules apply to files; by default the newest known
    #[arg(long)]
    release: Option<String>,

    /// The title of the head in the report
    #[arg(long, value_name = "TEXT")]
    head_title: Option<String>,

    /// The title of the base in the report
    #[arg(long, value_name = "TEXT")]
    base_title: Option<String>,

    /// The URL of the full comparison, for links in the report
    #[arg(long, value_name = "URL")]
    permalink: Option<String>,

    /// The path of native_functions.yaml in the repository
    #[arg(long, value_name = "PATH", default_value = NATIVE_FUNCTIONS_PATH)]
    path: String,

    /// The local clone of the repository
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    repository: PathBuf,

    /// The project of stored revisions
    #[arg(long, env = "OPATLAS_PROJECT", default_value = "pytorch")]
    project: String,

    #[command(flatten)]
    target: Target,
}

impl Compare {
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        if self.max_chars.is_some_and(|max| max < LEAST_MAX_CHARS) {
            bail!("--max-chars must be at least {LEAST_MAX_CHARS}");
        }
        let places = Places {
            project: &self.project,
            release: self.release.as_deref(),
            path: &self.path,
            repository: &self.repository,
        };
        let checked = config::read(self.config.as_deref())?;
        let operands = [&self.base, &self.head].map(|text| Operand::parse(text, &places));
        let needs_store = self.against.is_some() || operands.iter().any(Operand::is_stored);
        let stored = match needs_store {
            true => Some(Stored::open(&self.target, Opening::Read).await?),
            false => None,
        };
        let mut base = operands[0].read(&places, stored.as_ref(), None).await?;
        let bundle = base.snapshot.bundle.clone();
        let mut head = operands[1]
            .read(&places, stored.as_ref(), Some(&bundle))
            .await?;
        rename(&mut base, self.base_title.as_deref());
        rename(&mut head, self.head_title.as_deref());
        if let Some(backend) = &self.backend {
            let done = self.tell_backend(backend, &base, &head);
            if let Some(stored) = stored {
                stored.close().await;
            }
            return done;
        }
        let rulebook = self
            .rulebook(stored.as_ref(), &base, &head, checked)
            .await?;
        for note in &rulebook.notes {
            eprintln!("note: {note}");
        }
        let done = self.tell(stored.as_ref(), &base, &head, &rulebook).await;
        if let Some(stored) = stored {
            stored.close().await;
        }
        done
    }

    /// The policy and exceptions of the project, overridden by those of the file and of the
    /// options.
    async fn rulebook(
        &self,
        stored: Option<&Stored>,
        base: &SideRead,
        head: &SideRead,
        checked: config::Checked,
    ) -> anyhow::Result<Rulebook> {
        let resolved = [head, base]
            .into_iter()
            .find_map(|side| side.resolved.as_ref());
        let mut rulebook = match (stored, resolved) {
            (Some(stored), Some(resolved)) => stored.rulebook(&resolved.project).await?,
            _ => Rulebook::default(),
        };
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

    async fn tell(
        &self,
        stored: Option<&Stored>,
        base: &SideRead,
        head: &SideRead,
        rulebook: &Rulebook,
    ) -> anyhow::Result<ExitCode> {
        let judged = head.resolved.as_ref().map(|head| &head.judged);
        let compared = Compared::new(base.snapshot.clone(), head.snapshot.clone(), &Stop::never())?
            .named(judged);
        let today = Zoned::now().date();
        let judgement = compared.judge(&rulebook.policy, &rulebook.exceptions, today);
        let told = (&compared, &judgement);
        let against = self.against(stored, head, told, rulebook).await?;
        let further: Vec<_> = against.iter().map(FurtherVerdict::further).collect();
        let sources = (source(base)?, source(head)?);
        let introduced = compared.introduced();
        let cards = compared.cards(&Stop::never())?;
        let new = Findings {
            findings: &introduced.new,
            omitted: &introduced.omitted,
            sources: head.sources(&introduced.new),
            room: &UNBOUNDED,
        };
        let report = Report {
            comparison: &compared.comparison,
            judgement: &judgement,
            policy: &rulebook.policy,
            exceptions: &rulebook.exceptions,
            base: Side {
                title: &base.view.title,
                source: &sources.0,
                file_url: None,
            },
            head: Side {
                title: &head.view.title,
                source: &sources.1,
                file_url: None,
            },
            found: NewFindings {
                new: &new,
                gone: introduced.gone,
                head_errors: introduced.head_errors,
            },
            cards: &cards,
            notes: &head.notes,
            further: &further,
            permalink: self.permalink.as_deref(),
            rules_url: None,
            max_chars: self.max_chars,
            room: &UNBOUNDED,
        };
        let parts = match self.format {
            Format::Text => vec![changes::text(&report, self.colour())],
            Format::Markdown => changes::markdown(&report),
            Format::Csv => bail!("csv reports only with --backend"),
            Format::Sarif => vec![indented(&changes::sarif(&report))?],
            Format::Junit => vec![changes::junit(&report)],
            Format::Github => vec![changes::github(&report)],
            Format::Gitlab => vec![pretty(&changes::gitlab(&report))?],
            Format::Json => {
                let told = ComparisonParts {
                    compared: &compared,
                    base: &base.view,
                    head: &head.view,
                    policy: &rulebook.policy,
                    introduced: &introduced,
                    cards: &cards,
                    context: ChangeContext {
                        judgement: &judgement,
                        exceptions: &rulebook.exceptions,
                        base: Some(&sources.0),
                        head: Some(&sources.1),
                    },
                };
                let mut answer = comparison(told, [&*rulebook.notes, &head.notes].concat());
                if self.max_chars.is_some() {
                    answer.parts = changes::markdown(&report);
                }
                answer.conclusion = report.conclusion().as_str();
                answer.against = against.iter().map(|held| held.against.clone()).collect();
                vec![pretty(&answer)?]
            }
        };
        self.write(&parts)?;
        let fails = report.conclusion() == Conclusion::Fail;
        Ok(ExitCode::from(u8::from(fails)))
    }

    async fn against(
        &self,
        stored: Option<&Stored>,
        head: &SideRead,
        told: (&Compared, &Judgement),
        rulebook: &Rulebook,
    ) -> anyhow::Result<Vec<FurtherVerdict>> {
        let (Some(against), Some(stored)) = (&self.against, stored) else {
            return Ok(Vec::new());
        };
        let project = crate::store::ProjectName::parse(&self.project)?;
        let own = head.resolved.as_ref();
        let others = stored.against(&project, against, own).await?;
        let mut held = Vec::with_capacity(others.len());
        for other in others {
            let snapshot = stored.snapshot(&other).await?;
            let today = Zoned::now().date();
            let (compared, judgement) = told;
            let further =
                compared.judge_against(snapshot, judgement, rulebook, today, &Stop::never())?;
            held.push(FurtherVerdict::new(&further, &view(&other), rulebook));
        }
        Ok(held)
    }

    fn colour(&self) -> Colour {
        let is_terminal = self.out.is_none() && std::io::stdout().is_terminal();
        match is_terminal && std::env::var_os("NO_COLOR").is_none() {
            true => Colour::Always,
            false => Colour::Never,
        }
    }

    /// Writes the report: to standard output, to one file, or its parts to a folder.
    fn write(&self, parts: &[String]) -> anyhow::Result<()> {
        let Some(out) = &self.out else {
            for (i, part) in parts.iter().enumerate() {
                if i > 0 {
                    println!("\n<!-- part {} of {} -->\n", i + 1, parts.len());
                }
                print!("{part}{}", if part.ends_with('\n') { "" } else { "\n" });
            }
            return Ok(());
        };
        let is_folder = out.is_dir() || out.as_os_str().to_string_lossy().ends_with('/');
        if !is_folder {
            let [only] = parts else {
                bail!(
                    "the report has {} parts; use a folder, for example --out {}/",
                    parts.len(),
                    out.with_extension("").display()
                );
            };
            return write(out, only);
        }
        fs::create_dir_all(out).with_context(|| format!("cannot create {}", out.display()))?;
        // Equally long numbers, so that names sort in the order of the parts.
        let width = parts.len().to_string().len();
        for (i, part) in parts.iter().enumerate() {
            let extension = match self.format {
                Format::Text | Format::Github => "txt",
                Format::Json | Format::Gitlab => "json",
                Format::Markdown => "md",
                Format::Csv => "csv",
                Format::Sarif => "sarif",
                Format::Junit => "xml",
            };
            let number = format!("{:0width$}", i + 1);
            write(&out.join(format!("part-{number}.{extension}")), part)?;
        }
        Ok(())
    }
}

fn rename(side: &mut SideRead, title: Option<&str>) {
    if let Some(title) = title {
        title.clone_into(&mut side.view.title);
    }
}

/// The operators of the side, with the file name that the user gave.
fn source(side: &SideRead) -> anyhow::Result<SourceText> {
    let source = side.snapshot.source(NATIVE_FUNCTIONS);
    let source =
        source.with_context(|| format!("{} has no {NATIVE_FUNCTIONS}", side.view.title))?;
    let mut source = source.clone();
    source.path = side.file.as_str().into();
    Ok(source)
}

fn pretty<T: serde::Serialize>(value: &T) -> anyhow::Result<String> {
    Ok(serde_json::to_string_pretty(value)?)
}

/// The same JSON with line breaks.
fn indented(json: &str) -> anyhow::Result<String> {
    pretty(&serde_json::from_str::<serde_json::Value>(json)?)
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
