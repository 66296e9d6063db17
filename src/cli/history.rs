//! `opatlas history`: what happened to an operator.

use std::process::ExitCode;

use clap::{Args, ValueEnum};

use crate::api::history::view;
use crate::report::history::{History as Telling, Serving, Told, text};
use crate::service::history::{Line, OperatorHistory};

use super::{Database, local};

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
    database: Database,
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
        let service = local::open(&self.database).await?;
        let timeline = service
            .timeline(&self.project, self.line.map(Into::into))
            .await?;
        let asked = timeline.range(self.from.as_deref(), self.to.as_deref());
        let asked = asked.map_err(super::suggesting)?;
        let history = service
            .history(&timeline, &self.operator, asked, self.key.as_deref())
            .await;
        service.close().await;
        let history = history.map_err(super::suggesting)?;
        match self.format {
            Format::Text => print!("{}", told(&history)),
            Format::Json => println!("{}", serde_json::to_string_pretty(&view(&history))?),
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// A history as text.
fn told(history: &OperatorHistory) -> String {
    let timeline = &history.timeline;
    let title = |place: usize| timeline.items[place].title();
    let (first, last) = (*history.asked.start(), *history.asked.end());
    let titles: Vec<String> = history.events.iter().map(|e| title(e.place)).collect();
    let events = history.events.iter().zip(&titles);
    let events = events.map(|(event, title)| Told {
        title,
        kind: event.kind,
        rule: &event.rule,
        level: event.level,
        message: &event.message,
    });
    let is_there = |place: usize| history.present.iter().any(|range| range.contains(&place));
    let serving = history.ranges.iter().filter(|r| r.range.contains(&last));
    let serving = serving.map(|range| Serving {
        key: &range.key,
        reason: range.reason,
        source_key: range.source_key.as_deref(),
    });
    text(&Telling {
        operator: &history.operator,
        first: &title(first),
        last: &title(last),
        was_there: first == 0 && is_there(0),
        is_there: is_there(last),
        events: &events.collect::<Vec<_>>(),
        serving: &serving.collect::<Vec<_>>(),
    })
}
