//! `opatlas probe`: the runs of the probe, and what they say about the verdicts.

mod stored;
mod text;

use std::process::ExitCode;

use clap::{Args, Subcommand, ValueEnum};
use serde::Serialize;

use opatlas_service::probe::Seen;
use opatlas_source::Stop;
use opatlas_store::Opening;
use opatlas_wire::probe_runs::{Agrees, ProbeRunList, ProbeVerdicts, VerdictPage};

use super::{Stored, Target, output};

/// Shows what the probe measured on devices.
///
/// The workers of a run share its work through a server (`python -m opatlas_probe`). A run has the
/// name that `--name` or `torchrun --rdzv-id` gave it.
#[derive(Debug, Args)]
pub(super) struct Probe {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List the runs, the newest first
    Runs(Runs),
    /// Show the progress and the outcomes of a run
    Show(Show),
    /// Compare what a run measured with the verdicts; exits with 1 if they contradict each other
    Compare(Compare),
}

#[derive(Debug, Args)]
struct Runs {
    /// The number of runs to list; 0 lists all
    #[arg(long, default_value_t = 50, value_name = "NUMBER")]
    limit: usize,

    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Args)]
struct Show {
    /// The run [default: the newest]
    run: Option<String>,

    /// The number of ranks, quarantined items and busy workers to list in text; 0 lists all
    #[arg(long, default_value_t = 50, value_name = "NUMBER")]
    limit: usize,

    #[command(flatten)]
    common: Common,
}

/// Compares what a run measured with the verdicts.
///
/// A missing kernel contradicts the verdict that calls work. A test that ran contradicts the verdict
/// that calls fail. Wrong results, other errors and crashes say nothing about dispatch, and unknown
/// verdicts contradict nothing. Exits with 1 if there are contradictions.
#[derive(Debug, Args)]
struct Compare {
    /// The run [default: the newest]
    run: Option<String>,

    /// The tests to list
    #[arg(long, value_enum, default_value_t = Which::No)]
    agrees: Which,

    /// The number of tests to list; 0 lists all
    #[arg(long, default_value_t = 50, value_name = "NUMBER")]
    limit: usize,

    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Args)]
struct Common {
    /// The output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    /// The project
    #[arg(long, env = "OPATLAS_PROJECT", default_value = "pytorch")]
    project: String,

    #[command(flatten)]
    target: Target,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Which {
    /// Tests that agree with the verdicts
    Yes,
    /// Tests that contradict them
    No,
    /// Tests for which this is unknown
    Unknown,
    /// All
    All,
}

impl Probe {
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        match self.action {
            Action::Runs(runs) => runs.run().await,
            Action::Show(show) => show.run().await,
            Action::Compare(compare) => compare.run().await,
        }
    }
}

impl Runs {
    async fn run(self) -> anyhow::Result<ExitCode> {
        let stored = self.common.open().await?;
        let limit = at_most(self.limit);
        // One more, to know whether there are more.
        let mut items = stored
            .probe_runs(&self.common.project, limit.saturating_add(1))
            .await?;
        stored.close().await;
        let has_more = items.len() > limit;
        items.truncate(limit);
        match self.common.format {
            Format::Text => print!("{}", text::runs(&items, has_more)),
            Format::Json => {
                say_more(has_more);
                print_json(&ProbeRunList {
                    items,
                    next_cursor: None,
                })?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl Show {
    async fn run(self) -> anyhow::Result<ExitCode> {
        let stored = self.common.open().await?;
        let run = stored.probe_run(&self.common.project, self.run.as_deref());
        let run = run.await?;
        stored.close().await;
        match self.common.format {
            Format::Text => print!("{}", text::progress(&run, at_most(self.limit))),
            Format::Json => print_json(&run)?,
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl Compare {
    async fn run(self) -> anyhow::Result<ExitCode> {
        let stored = self.common.open().await?;
        let project = &self.common.project;
        let run = stored.probe_run(project, self.run.as_deref()).await?;
        let address = format!("sha256:{}", run.digest);
        let revision = stored.resolve(project, &address, Some(&run.torch)).await?;
        let results = stored.probe_results(project, &run.run).await?;
        let snapshot = stored.snapshot(&revision).await?;
        stored.close().await;
        let seen = Seen::read(&results)
            .map_err(|why| anyhow::anyhow!("the results of run {} are damaged: {why}", run.run))?;
        let judged = snapshot.judge_run(&run.device, seen, &Stop::never())?;
        let page = VerdictPage {
            agrees: self.agrees.wanted(),
            after: None,
            limit: at_most(self.limit),
        };
        let (view, has_more) = ProbeVerdicts::page(&run, &revision, judged, page);
        match self.common.format {
            Format::Text => print!("{}", text::verdicts(&view, has_more)),
            Format::Json => {
                say_more(has_more);
                print_json(&view)?;
            }
        }
        Ok(ExitCode::from(u8::from(view.counts.no > 0)))
    }
}

impl Common {
    async fn open(&self) -> anyhow::Result<Stored> {
        Stored::open(&self.target, Opening::Read).await
    }
}

impl Which {
    fn wanted(self) -> Option<Agrees> {
        match self {
            Self::Yes => Some(Agrees::Yes),
            Self::No => Some(Agrees::No),
            Self::Unknown => Some(Agrees::Unknown),
            Self::All => None,
        }
    }
}

fn at_most(limit: usize) -> usize {
    match limit {
        0 => usize::MAX,
        limit => limit,
    }
}

/// JSON has no line for it.
fn say_more(has_more: bool) {
    if has_more {
        eprintln!("note: there are more; --limit 0 lists all");
    }
}

fn print_json(value: &impl Serialize) -> anyhow::Result<()> {
    println!("{}", output::json(&serde_json::to_string_pretty(value)?));
    Ok(())
}
