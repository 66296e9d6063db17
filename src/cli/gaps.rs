//! `opatlas gaps`: the operators that a backend or a way lacks.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{anyhow, bail};
use clap::{Args, ValueEnum};

use opatlas_model::BadLine;
use opatlas_report::support::{gaps_csv, gaps_markdown, gaps_text, leverage_text};
use opatlas_service::dispatch::runtime_key;
use opatlas_service::gaps::Usage;
use opatlas_source::Stop;
use opatlas_source::visible::line;
use opatlas_store::Opening;
use opatlas_wire::gaps::{GapRequest, Only, rows, steps, summary, title, view};
use opatlas_wire::operators::expect_tag;
use opatlas_wire::problem::Problem;
use opatlas_wire::way_gaps::{self, WayGapRequest};
use opatlas_wire::ways::{csv, parse_way};

use super::{Stored, Target, output, read};

/// Lists the operators that a backend lacks or inherits, the most important first, and the kernels
/// that would help most.
///
/// The order is: the most used operators (with --usage), operators tagged core, then operators that
/// most other backends have a kernel for.
///
/// With --way it lists the operators that nothing of their own serves on a way to run them:
/// `--way inductor --tag core` lists core operators without a lowering.
#[derive(Debug, Args)]
pub(super) struct Gaps {
    /// The backend's dispatch key, such as MPS
    #[arg(required_unless_present = "way")]
    key: Option<String>,

    /// List what this way lacks, such as vmap
    #[arg(long, conflicts_with_all = ["key", "since", "usage", "only"])]
    way: Option<String>,

    /// The stored revision
    #[arg(long, default_value = "latest")]
    revision: String,

    /// Show the changes since this revision
    #[arg(long, value_name = "REVISION")]
    since: Option<String>,

    /// Sort by usage: a file with lines `operator,count`, or any list that preflight reads
    #[arg(long, value_name = "FILE")]
    usage: Option<PathBuf>,

    /// Only operators whose calls fail, or only those that work through something else
    #[arg(long, value_enum)]
    only: Option<OnlyName>,

    /// Count only operators with this tag for the kernels that would help most; with --way, list only
    /// these
    #[arg(long, value_name = "TAG")]
    tag: Option<String>,

    /// The number of operators to list in text; 0 lists all
    #[arg(long, default_value_t = 50, value_name = "NUMBER")]
    limit: usize,

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
enum OnlyName {
    Lacking,
    Inherited,
    Unknown,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
    Csv,
    Markdown,
}

impl Gaps {
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        match (&self.way, &self.key) {
            (Some(way), _) => self.of_way(way).await,
            (None, Some(key)) => self.of_key(key).await,
            (None, None) => bail!("missing dispatch key, or a way with --way"),
        }
    }

    async fn of_way(&self, way: &str) -> anyhow::Result<ExitCode> {
        let refusal = |problem: Problem| anyhow!("{}", problem.detail);
        let way = parse_way(way).map_err(refusal)?;
        let stored = Stored::open(&self.target, Opening::Read).await?;
        let revision = stored.resolve(&self.project, &self.revision, None).await?;
        let snapshot = stored.snapshot(&revision).await?;
        stored.close().await;
        let tag = self.tag.as_deref();
        expect_tag(&snapshot.catalogue, tag).map_err(refusal)?;
        let gaps = way_gaps::view(WayGapRequest {
            revision: &revision,
            snapshot: &snapshot,
            way,
            tag,
        });
        match self.format {
            Format::Json => println!("{}", output::json(&serde_json::to_string_pretty(&gaps)?)),
            Format::Csv => print!("{}", csv(&gaps.items)),
            Format::Markdown => bail!("gaps of a way have no Markdown form: use --format csv"),
            Format::Text => {
                println!("{}", line(&way_gaps::title(&gaps)));
                let shown = self.shown(gaps.items.len());
                for item in &gaps.items[..shown] {
                    let text = format!(
                        "  {}  {}: {}",
                        item.operator, item.fate.fate, item.fate.because
                    );
                    println!("{}", line(&text));
                }
                self.say_more(gaps.items.len() - shown);
            }
        }
        Ok(ExitCode::SUCCESS)
    }

    /// How many of so many items text lists.
    fn shown(&self, all: usize) -> usize {
        match self.limit {
            0 => all,
            limit => limit.min(all),
        }
    }

    fn say_more(&self, more: usize) {
        if more > 0 {
            println!("  and {more} more; --limit 0 lists all");
        }
    }

    async fn of_key(&self, key: &str) -> anyhow::Result<ExitCode> {
        let usage = self.usage()?;
        let stored = Stored::open(&self.target, Opening::Read).await?;
        let resolve = |address| stored.resolve(&self.project, address, None);
        let revision = resolve(&*self.revision).await?;
        runtime_key(revision.release(), key).map_err(super::suggesting)?;
        let snapshot = stored.snapshot(&revision).await?;
        let since = match self.since.as_deref() {
            None => None,
            Some(since) => {
                let since = resolve(since).await?;
                let snapshot = stored.snapshot(&since).await?;
                Some((since, snapshot))
            }
        };
        stored.close().await;
        let asked = GapRequest {
            revision: &revision,
            snapshot: &snapshot,
            key,
            since: since.as_ref().map(|(since, snapshot)| (since, &**snapshot)),
            usage: usage.as_ref(),
            only: self.only.map(|only| match only {
                OnlyName::Lacking => Only::Lacking,
                OnlyName::Inherited => Only::Inherited,
                OnlyName::Unknown => Only::Unknown,
            }),
            tag: self.tag.as_deref(),
        };
        let gaps = view(&asked, &Stop::never()).map_err(|problem| anyhow!("{}", problem.detail))?;
        let rows = rows(&gaps);
        match self.format {
            Format::Json => println!("{}", output::json(&serde_json::to_string_pretty(&gaps)?)),
            Format::Csv => print!("{}", gaps_csv(&rows)),
            Format::Markdown => print!("{}", gaps_markdown(&summary(&gaps), &steps(&gaps), &rows)),
            Format::Text => {
                let counts = &gaps.counts;
                println!(
                    "{}: {} % of {} applicable operators work; {} have a kernel of their own, {} work through others, {} fail, {} are unknown; {} belong to other backends",
                    line(&title(&gaps)),
                    counts.covered,
                    counts.applicable,
                    counts.kernels,
                    counts.inherited,
                    counts.lacking,
                    counts.unknown,
                    counts.other_backends,
                );
                print!("{}", leverage_text(&steps(&gaps)));
                if let Some(since) = &gaps.since {
                    let (count, title) = (since.gained.len(), &since.revision.title);
                    let gained = since.gained.join(", ");
                    println!("since {}: {count} gained: {}", line(title), line(&gained));
                }
                if !gaps.unknown.is_empty() {
                    eprintln!("unknown operator {}", line(&gaps.unknown.join(", ")));
                }
                let shown = self.shown(rows.len());
                print!("{}", gaps_text(&rows[..shown]));
                self.say_more(rows.len() - shown);
            }
        }
        Ok(ExitCode::SUCCESS)
    }

    fn usage(&self) -> anyhow::Result<Option<Usage>> {
        let Some(path) = &self.usage else {
            return Ok(None);
        };
        let shown = path.display();
        let text = read::given_text(path)?;
        let usage = Usage::read(&text).map_err(|BadLine { number, .. }| {
            anyhow!(
                "{shown}:{number}: expected `operator,count`, for example `aten::add.Tensor,12`"
            )
        })?;
        Ok(Some(usage))
    }
}
