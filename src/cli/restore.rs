//! `opatlas restore`: restores a backup.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use clap::Args;

use opatlas_store::{Opening, SqliteStore, Store as _};

use super::read::{self, Origin};
use super::{Database, backup, local};

const LARGEST: u64 = 64 << 30;

/// Restores a backup into an empty database, of the same or another kind.
///
/// Restores everything or nothing, and checks the result against its digests. A backup with an invalid
/// name is refused.
#[derive(Debug, Args)]
pub(super) struct Restore {
    /// The file that `opatlas backup` wrote
    #[arg(value_name = "FILE")]
    file: PathBuf,

    #[command(flatten)]
    database: Database,
}

impl Restore {
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        // Opens a copy, because opening migrates an older backup.
        let work = tempfile::tempdir()?;
        let copy = work.path().join("backup.db");
        let written = fs::File::create(&copy)
            .and_then(|mut written| read::copy(&self.file, Origin::Given, LARGEST, &mut written));
        written.with_context(|| format!("cannot read {}", self.file.display()))?;
        let url = format!("{}?mode=rw", backup::url(&copy)?);
        let source = SqliteStore::open(&url)
            .await
            .with_context(|| format!("{} is not a backup", self.file.display()))?;
        let faults = opatlas_store::unfit_names(&source).await?;
        if !faults.is_empty() {
            bail!(
                "{} has names that no command could have given, and nothing was restored: {}",
                self.file.display(),
                faults.join("; ")
            );
        }
        let target = local::store(&self.database, Opening::Make).await?;
        opatlas_store::copy(&source, &*target)
            .await
            .context("the database was not changed")?;
        source.close().await;
        let report = target.check().await?;
        target.close().await;
        drop(work);
        println!(
            "restored: {} revisions, {} labels, {} files",
            report.revisions, report.labels, report.files
        );
        super::doctor::print(&report);
        Ok(ExitCode::from(u8::from(!report.faults.is_empty())))
    }
}
