//! `opatlas history`: the history of an operator.

use std::process::ExitCode;

use anyhow::Context as _;
use clap::{Args, ValueEnum};

use opatlas_diff::history::EventKind;
use opatlas_diff::rules::Level;
use opatlas_dispatch::Reason;
use opatlas_report::history::{History as HistoryReport, ReportedEvent, Serving, text};
use opatlas_service::history::Line;
use opatlas_store::Opening;
use opatlas_verdict::Verdict;
use opatlas_wire::history::{History as View, RangeView};

use super::side::stored_address;
use super::stored::HistoryRequest;
use super::{Stored, Target, output};

/// Shows the history of an operator over a project's revisions.
///
/// When the operator was added and removed, how its schema changed and what that broke for whom,
/// which kernels and tags it gained and lost, and what runs it on which backend now.
#[derive(Debug, Args)]
pub(super) struct History {
    /// The operator, such as add.Tensor
    operator: String,

    /// Show only events about this dispatch key, and events without a key
    #[arg(long)]
    key: Option<String>,

    /// The first revision (a label, a commit or sha256:DIGITS); by default the first one
    #[arg(long, value_name = "REVISION", value_parser = stored_address)]
    from: Option<String>,

    /// The last revision; by default the latest one
    #[arg(long, value_name = "REVISION", value_parser = stored_address)]
    to: Option<String>,

    /// The timeline to use; by default releases, else commits, else ingests
    #[arg(long, value_enum)]
    line: Option<LineName>,

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
pub(super) enum LineName {
    /// Labels that are versions, in version order
    Releases,
    /// Commits, in topological order
    Commits,
    /// Revisions, in the order of ingestion
    Ingests,
}

impl From<LineName> for Line {
    fn from(name: LineName) -> Self {
        match name {
            LineName::Releases => Self::Releases,
            LineName::Commits => Self::Commits,
            LineName::Ingests => Self::Ingests,
        }
    }
}

impl History {
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        // Computes and stores steps on first use.
        let stored = Stored::open(&self.target, Opening::Change).await?;
        let asked = HistoryRequest {
            project: &self.project,
            operator: &self.operator,
            line: self.line.map(Into::into),
            from: self.from.as_deref(),
            to: self.to.as_deref(),
            key: self.key.as_deref(),
        };
        let history = stored.history(&asked).await;
        stored.close().await;
        let history = history?;
        match self.format {
            Format::Text => print!("{}", told(&history)?),
            Format::Json => {
                println!("{}", output::json(&serde_json::to_string_pretty(&history)?));
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn told(history: &View) -> anyhow::Result<String> {
    let (first, last) = (history.from.title(), history.to.title());
    let titles: Vec<String> = history.events.iter().map(|e| e.place.title()).collect();
    let events = history.events.iter().zip(&titles).map(|(event, title)| {
        let kind = EventKind::parse(&event.kind);
        let level = Level::parse(&event.level);
        anyhow::Ok(ReportedEvent {
            title,
            kind: kind.with_context(|| unknown("kind of event", &event.kind))?,
            rule: &event.rule,
            level: level.with_context(|| unknown("level", &event.level))?,
            message: &event.message,
        })
    });
    let events = events.collect::<anyhow::Result<Vec<_>>>()?;
    let presence = |range: &&RangeView| range.key.is_none();
    let at_end = |range: &&RangeView| range.to == history.to;
    let was_there = |range: &RangeView| range.from == history.from;
    let mut serving = Vec::new();
    for range in history.ranges.iter().filter(at_end) {
        if let (Some(key), Some(reason)) = (&range.key, &range.reason) {
            let verdict = range.verdict.as_deref().map(|verdict| {
                Verdict::parse(verdict).with_context(|| unknown("verdict", verdict))
            });
            serving.push(Serving {
                key,
                reason: Reason::parse(reason).with_context(|| unknown("reason", reason))?,
                source_key: range.source_key.as_deref(),
                verdict: verdict.transpose()?,
            });
        }
    }
    let mut present = history.ranges.iter().filter(presence);
    let ways = history.ways.iter();
    let ways: Vec<_> = ways
        .map(|change| (&*change.release, &*change.message))
        .collect();
    Ok(text(&HistoryReport {
        operator: &history.operator,
        first: &first,
        last: &last,
        was_there: history.from_start && present.clone().any(was_there),
        is_there: present.any(|range| at_end(&range)),
        events: &events,
        serving: &serving,
        ways: &ways,
    }))
}

fn unknown(what: &str, word: &str) -> String {
    format!("unknown {what} `{word}`; use the same version of opatlas as the server")
}
