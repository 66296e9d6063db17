//! `opatlas gc`: deletes old revisions without a label.

use std::process::ExitCode;

use clap::Args;

use opatlas_store::{Mode, Opening, ProjectName};

use super::{Database, duration, local};

/// Deletes old revisions without a label, such as those of closed pull requests.
///
/// Revisions with a label are never deleted; delete the label first (`DELETE .../labels/pr-1234`).
/// Bytes that only deleted revisions used are deleted too. An SQLite file keeps its size and reuses
/// the space.
#[derive(Debug, Args)]
pub(super) struct Gc {
    /// Keep revisions ingested within this time: a number of days or hours, such as 30d or 12h
    #[arg(long, value_name = "TIME", default_value = "30d", value_parser = duration::parse)]
    older_than: i64,

    /// Only in this project; by default in all
    #[arg(long, value_parser = project)]
    project: Option<ProjectName>,

    /// Only show what would be deleted
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    database: Database,
}

impl Gc {
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        let store = local::store(&self.database, Opening::Change).await?;
        let before = local::now().saturating_sub(self.older_than);
        let (mode, done) = if self.dry_run {
            (Mode::Count, "would delete")
        } else {
            (Mode::Do, "deleted")
        };
        let collected = store.collect(self.project.as_ref(), before, mode).await?;
        store.close().await;
        for (project, digest) in &collected.revisions {
            println!("{project} sha256:{digest}");
        }
        println!(
            "{done} {} revisions, {} files, {} groups, {} chunks",
            collected.revisions.len(),
            collected.files,
            collected.groups,
            collected.chunks
        );
        Ok(ExitCode::SUCCESS)
    }
}

fn project(text: &str) -> Result<ProjectName, String> {
    ProjectName::parse(text).map_err(|error| error.to_string())
}
