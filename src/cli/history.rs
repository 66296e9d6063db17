//! `opatlas history`: what happened to an operator.

use std::process::ExitCode;

use anyhow::Context as _;
use clap::{Args, ValueEnum};

use crate::service::history::Line;
use crate::store::Opening;
use crate::wire::history::{History as View, RangeView};
use opatlas_diff::history::EventKind;
use opatlas_diff::rules::Level;
use opatlas_dispatch::Reason;
use opatlas_report::history::{History as HistoryReport, ReportedEvent, Serving, text};

use super::stored::Asked;
use super::{Stored, Target};

/// Tells the history of an operator over a project's revisions.
///
/// When it came and went, what changed in its schema and for whom that broke something, which
/// kernels and tags it gained and lost, and what runs it where now.
#[derive(Debug, Args)]
pub(super) struct History {
    /// The operator, such as add.Tensor
    operator: String,

    /// Only what is about this dispatch key, and what is not about keys
    #[arg(long)]
    key: Option<String>,

    /// Where to begin: a label, a commit, sha256:DIGITS; by default the first revision
    #[arg(long, value_name = "REVISION")]
    from: Option<String>,

    /// Where to end; by default the last revision
    #[arg(long, value_name = "REVISION")]
    to: Option<String>,

    /// What the timeline is made of; by default releases, else commits, else ingests
    #[arg(long, value_enum)]
    line: Option<LineName>,

    /// How the history is written
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
    /// Labels that are versions, in the order of versions
    Releases,
    /// Commits, in the order of their topology
    Commits,
    /// Revisions, as they were ingested
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
        // Steps that nobody has asked for before are computed and kept.
        let stored = Stored::open(&self.target, Opening::Change).await?;
        let asked = Asked {
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
            Format::Json => println!("{}", serde_json::to_string_pretty(&history)?),
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// A history as text.
fn told(history: &View) -> anyhow::Result<String> {
    let (first, last) = (history.from.title(), history.to.title());
    let titles: Vec<String> = history.events.iter().map(|e| e.place.title()).collect();
    let events = history.events.iter().zip(&titles);
    let events = events.map(|(event, title)| {
        let kind = EventKind::parse(&event.kind);
        let level = event.level.parse::<Level>().ok();
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
            serving.push(Serving {
                key,
                reason: Reason::parse(reason).with_context(|| unknown("reason", reason))?,
                source_key: range.source_key.as_deref(),
            });
        }
    }
    let mut present = history.ranges.iter().filter(presence);
    Ok(text(&HistoryReport {
        operator: &history.operator,
        first: &first,
        last: &last,
        was_there: history.from_start && present.clone().any(was_there),
        is_there: present.any(|range| at_end(&range)),
        events: &events,
        serving: &serving,
    }))
}

/// Why a word in an answer cannot be told.
fn unknown(what: &str, word: &str) -> String {
    format!("this program knows no {what} `{word}`; use the server's version of opatlas")
}
