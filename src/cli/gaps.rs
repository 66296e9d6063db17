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
use opatlas_wire::gaps::{GapRequest, Gaps as GapsView, Only, rows, steps, summary, title, view};
use opatlas_wire::operators::expect_tag;
use opatlas_wire::problem::Problem;
use opatlas_wire::way_gaps::{self, WayGapRequest};
use opatlas_wire::ways::{csv, parse_way};

use super::subject::{Chosen, Subject};
use super::{output, read};

/// The items of each list in text by default.
const DEFAULT_LIMIT: usize = 50;

/// Lists the operators that a backend lacks, and the kernels that would help most.
///
/// Operators that work only through something else are listed, too. The order is: the most used operators (with --usage), operators tagged core, then operators that
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

    /// Show the changes since this revision
    #[arg(long, value_name = "SPEC")]
    since: Option<String>,

    /// Sort by usage: a file with lines `operator,count`, or any list that preflight reads
    #[arg(long, value_name = "FILE")]
    usage: Option<PathBuf>,

    /// Only operators whose calls fail or work in part (lacking), only those that work through something
    /// else, or only those for which it is unknown
    #[arg(long, value_enum)]
    only: Option<OnlyName>,

    /// Count only operators with this tag for the kernels that would help most; with --way, list only
    /// these
    #[arg(long, value_name = "TAG")]
    tag: Option<String>,

    /// The number of operators in each list; 0 lists all [default: 50 in text, else all]
    #[arg(long, value_name = "NUMBER")]
    limit: Option<usize>,

    /// The output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    #[command(flatten)]
    chosen: Chosen,
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
        let Subject { side, snapshot, .. } = self.chosen.read().await?;
        let tag = self.tag.as_deref();
        expect_tag(&snapshot.catalogue, tag).map_err(refusal)?;
        let mut gaps = way_gaps::view(WayGapRequest {
            revision: &side,
            snapshot: &snapshot,
            way,
            tag,
        });
        let title = way_gaps::title(&gaps);
        let more = self.cut(&mut gaps.items);
        match self.format {
            Format::Json => println!("{}", output::json(&serde_json::to_string_pretty(&gaps)?)),
            Format::Csv => print!("{}", csv(&gaps.items)),
            Format::Markdown => bail!("gaps of a way have no Markdown form: use --format csv"),
            Format::Text => {
                println!("{}", line(&title));
                for item in &gaps.items {
                    let text = format!(
                        "  {}  {}: {}",
                        item.operator, item.fate.fate, item.fate.because
                    );
                    println!("{}", line(&text));
                }
                say_more(more);
            }
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Cuts a list to the limit. Returns the number of items that were cut.
    fn cut<T>(&self, items: &mut Vec<T>) -> usize {
        let all = items.len();
        items.truncate(self.most(all));
        all - items.len()
    }

    /// How many of so many items are shown.
    fn most(&self, all: usize) -> usize {
        let limit = match (self.limit, self.format) {
            (None, Format::Text) => DEFAULT_LIMIT,
            (None | Some(0), _) => all,
            (Some(limit), _) => limit,
        };
        limit.min(all)
    }

    async fn of_key(&self, key: &str) -> anyhow::Result<ExitCode> {
        let usage = self.usage()?;
        let Subject { side, snapshot, .. } = self.chosen.read().await?;
        runtime_key(snapshot.release(), key).map_err(super::suggesting)?;
        expect_tag(&snapshot.catalogue, self.tag.as_deref())
            .map_err(|problem| anyhow!("{}", problem.detail))?;
        let since = match self.since.as_deref() {
            None => None,
            Some(since) => Some(self.chosen.revision(since).await?),
        };
        let since = since.as_ref().map(|it| (&it.side, &*it.snapshot));
        let asked = GapRequest {
            revision: &side,
            snapshot: &snapshot,
            key,
            since,
            usage: usage.as_ref(),
            only: self.only.map(|only| match only {
                OnlyName::Lacking => Only::Lacking,
                OnlyName::Inherited => Only::Inherited,
                OnlyName::Unknown => Only::Unknown,
            }),
            tag: self.tag.as_deref(),
        };
        let mut gaps =
            view(&asked, &Stop::never()).map_err(|problem| anyhow!("{}", problem.detail))?;
        self.cut(&mut gaps.leverage);
        match self.format {
            Format::Json => {
                if let Some(since) = &mut gaps.since {
                    self.cut(&mut since.gained);
                    self.cut(&mut since.lost);
                    self.cut(&mut since.was_unknown);
                }
                self.cut(&mut gaps.items);
                self.cut(&mut gaps.unknown);
                println!("{}", output::json(&serde_json::to_string_pretty(&gaps)?));
            }
            Format::Csv => {
                self.cut(&mut gaps.items);
                print!("{}", gaps_csv(&rows(&gaps)));
            }
            Format::Markdown => {
                let (summary, rows) = (summary(&gaps), rows(&gaps));
                let most = self.most(rows.len());
                print!("{}", gaps_markdown(&summary, &steps(&gaps), &rows, most));
            }
            Format::Text => self.print(&gaps),
        }
        Ok(ExitCode::SUCCESS)
    }

    fn print(&self, gaps: &GapsView) {
        let counts = &gaps.counts;
        println!(
            "{}: {} % of {} applicable operators work; {} have a kernel of their own, {} work through others, {} work in part, {} fail, {} are unknown; {} belong to other backends",
            line(&title(gaps)),
            counts.covered,
            counts.applicable,
            counts.kernels,
            counts.inherited,
            counts.partly,
            counts.lacking.saturating_sub(counts.partly),
            counts.unknown,
            counts.other_backends,
        );
        print!("{}", leverage_text(&steps(gaps)));
        if let Some(since) = &gaps.since {
            let title = line(&since.revision.title);
            let (gained, lost) = (since.gained.len(), since.lost.len());
            print!("since {title}: {gained} gained, {lost} lost");
            if !since.was_unknown.is_empty() {
                print!("; {} that work now were unknown", since.was_unknown.len());
            }
            println!("\n{}", self.names(&since.gained));
            if lost > 0 {
                println!("lost since {title}:\n{}", self.names(&since.lost));
            }
        }
        if !gaps.unknown.is_empty() {
            let names = self.names(&gaps.unknown);
            eprint!("unknown operators in the usage file:\n{names}");
        }
        let rows = rows(gaps);
        let most = self.most(rows.len());
        print!("{}", gaps_text(&rows, most));
        say_more(rows.len() - most);
    }

    /// Names, one per line, up to the limit.
    fn names(&self, all: &[String]) -> String {
        let mut names = all.to_vec();
        let more = self.cut(&mut names);
        let lines = names.iter().map(|name| format!("  {}\n", line(name)));
        let mut text: String = lines.collect();
        if more > 0 {
            text.push_str(&format!("  and {more} more\n"));
        }
        text
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

fn say_more(more: usize) {
    if more > 0 {
        println!("  and {more} more; --limit 0 lists all");
    }
}
