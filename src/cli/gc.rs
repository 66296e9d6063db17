//! `opatlas gc`: what nothing names any more.

use std::process::ExitCode;

use clap::Args;

use crate::store::{Mode, Opening, ProjectName};

use super::{Database, duration, local};

/// Collects old revisions that no label names, such as those of closed pull requests.
///
/// What a label names is never touched; delete the label first (`DELETE .../labels/pr-1234`). The
/// bytes that only such revisions had go too. An SQLite file keeps its size and fills the room with
/// what comes next.
#[derive(Debug, Args)]
pub(super) struct Gc {
    /// Keep what was ingested later than this long ago: a number of days or hours, such as 30d or 12h
    #[arg(long, value_name = "TIME", default_value = "30d", value_parser = duration::parse)]
    older_than: i64,

    /// Only in this project; in all by default
    #[arg(long, value_parser = project)]
    project: Option<ProjectName>,

    /// Say what would be collected, and collect nothing
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    database: Database,
}

impl Gc {
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        let store = local::store(&self.database, Opening::Change).await?;
        let before = local::now().saturating_sub(self.older_than);
        let (mode, done) = match self.dry_run {
            true => (Mode::Count, "would collect"),
            false => (Mode::Do, "collected"),
        };
        let collected = store.collect(self.project.as_ref(), before, mode).await?;
        store.close().await;
        for (project, digest) in &collected.revisions {
            println!("{project} sha256:{digest}");
        }
        println!(
            "{done} {} revisions, {} files, {} runs, {} pieces",
            collected.revisions.len(),
            collected.files,
            collected.runs,
            collected.pieces
        );
        Ok(ExitCode::SUCCESS)
    }
}

fn project(text: &str) -> Result<ProjectName, String> {
    ProjectName::parse(text).map_err(|error| error.to_string())
}
