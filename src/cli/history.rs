//! `opatlas history`: what happened to an operator.

use std::process::ExitCode;

use clap::{Args, ValueEnum};

use crate::api::history::{History as View, RangeView};
use crate::service::history::Line;
use opatlas_diff::history::EventKind;
use opatlas_diff::rules::Level;
use opatlas_dispatch::Reason;
use opatlas_report::history::{History as Telling, Serving, Told, text};

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
        let stored = Stored::open(&self.target).await?;
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
            Format::Text => print!("{}", told(&history)),
            Format::Json => println!("{}", serde_json::to_string_pretty(&history)?),
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// A history as text.
fn told(history: &View) -> String {
    let (first, last) = (history.from.title(), history.to.title());
    let titles: Vec<String> = history.events.iter().map(|e| e.place.title()).collect();
    let events = history.events.iter().zip(&titles);
    let events = events.map(|(event, title)| Told {
        title,
        // A word that only a newer server knows is told as what has no word of its own.
        kind: EventKind::parse(&event.kind).unwrap_or(EventKind::Entry),
        rule: &event.rule,
        level: event.level.parse().unwrap_or(Level::Info),
        message: &event.message,
    });
    let presence = |range: &&RangeView| range.key.is_none();
    let at_end = |range: &&RangeView| range.to == history.to;
    let was_there = |range: &RangeView| range.from == history.from;
    let serving = history.ranges.iter().filter(at_end).filter_map(|range| {
        Some(Serving {
            key: range.key.as_deref()?,
            reason: Reason::parse(range.reason.as_deref()?)?,
            source_key: range.source_key.as_deref(),
        })
    });
    let mut present = history.ranges.iter().filter(presence);
    text(&Telling {
        operator: &history.operator,
        first: &first,
        last: &last,
        was_there: history.from_start && present.clone().any(was_there),
        is_there: present.any(|range| at_end(&range)),
        events: &events.collect::<Vec<_>>(),
        serving: &serving.collect::<Vec<_>>(),
    })
}
