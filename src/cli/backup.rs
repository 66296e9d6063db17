//! `opatlas backup`: copies the whole store into one file.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use clap::Args;

use opatlas_store::{Opening, SqliteStore, Store as _};

use super::read::{self, Origin};
use super::{Database, local};

/// Saves a consistent snapshot of the database while the service runs.
///
/// The file is an SQLite database, whatever database it comes from. `opatlas restore` restores it
/// into either kind, and `--database sqlite://FILE` reads it directly. It contains digests of
/// tokens and signing keys, so only its owner can read it.
#[derive(Debug, Args)]
pub(super) struct Backup {
    /// The file to write, which must not exist
    #[arg(value_name = "FILE")]
    file: PathBuf,

    #[command(flatten)]
    database: Database,
}

impl Backup {
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        let file = std::path::absolute(&self.file)?;
        if file.exists() {
            bail!("{} already exists; use another file", file.display());
        }
        let folder = file.parent().unwrap_or(Path::new("/"));
        // Created private, and removed if this fails.
        let work = tempfile::Builder::new()
            .prefix(".opatlas-backup")
            .tempdir_in(folder)
            .with_context(|| format!("cannot write in {}", folder.display()))?;
        let draft = work.path().join("backup.db");
        let source = local::store(&self.database, Opening::Read).await?;
        let target = SqliteStore::open(&url(&draft)?).await?;
        opatlas_store::copy(&*source, &target)
            .await
            .context("no backup was written")?;
        target.close().await;
        source.close().await;
        let finished = read::open(&draft, Origin::Found)?;
        finished.sync_all()?;
        let bytes = finished.metadata()?.len();
        std::fs::rename(&draft, &file)
            .with_context(|| format!("cannot write {}", file.display()))?;
        drop(work);
        println!("saved to {} ({bytes} bytes)", file.display());
        Ok(ExitCode::SUCCESS)
    }
}

/// The address of a file. Fails if its name cannot be part of an address.
pub(super) fn url(path: &Path) -> anyhow::Result<String> {
    match path.to_str() {
        Some(text) if !text.contains(['?', '%', '#']) => Ok(format!("sqlite://{text}")),
        _ => bail!(
            "{} cannot be part of a database address; use a path without `?`, `%` and `#`",
            path.display()
        ),
    }
}
