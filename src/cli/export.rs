//! `opatlas export`: writes a revision's files, byte for byte, or the data set of a project.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use clap::Args;

use opatlas_pytorch::release::Version;
use opatlas_service::ENGINE_VERSION;
use opatlas_source::Bundle;
use opatlas_store::Opening;
use opatlas_wire::dataset::Dataset;

use super::{Stored, Target, output};

/// Writes the files of a revision, byte for byte.
///
/// With --dataset it writes what works in each release of the project instead, as JSON: the verdict
/// of every operator on every backend, the fate on every way, and what changed.
#[derive(Debug, Args)]
pub(super) struct Export {
    /// The revision: a label, sha256:DIGITS, or latest
    #[arg(default_value = "latest", conflicts_with = "dataset")]
    revision: String,

    /// The folder to write to, created if it does not exist
    #[arg(long, value_name = "PATH", required_unless_present_any = ["file", "dataset"], conflicts_with = "dataset")]
    out: Option<PathBuf>,

    /// Write the data set of all releases to this folder, created if it does not exist
    #[arg(long, value_name = "DIR", conflicts_with = "file")]
    dataset: Option<PathBuf>,

    /// Write only this file; to standard output unless --out is given
    #[arg(long, value_name = "NAME")]
    file: Option<String>,

    /// The project
    #[arg(long, env = "OPATLAS_PROJECT", default_value = "pytorch")]
    project: String,

    #[command(flatten)]
    target: Target,
}

impl Export {
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        let stored = Stored::open(&self.target, Opening::Read).await?;
        let written = match &self.dataset {
            Some(folder) => self.dataset(&stored, folder).await,
            None => self.files(&stored).await,
        };
        stored.close().await;
        written.map(|()| ExitCode::SUCCESS)
    }

    async fn files(&self, stored: &Stored) -> anyhow::Result<()> {
        let resolved = stored.resolve(&self.project, &self.revision, None).await?;
        let bundle = stored.bundle(&resolved).await?;
        let names: Vec<&str> = bundle.files().map(|(name, _)| name).collect();
        // A database may come from a stranger, and a name becomes a path here.
        if let Some(unfit) = names.iter().find(|name| !Bundle::is_file_name(name)) {
            bail!(
                "{} has a file `{}`, which no revision may have; nothing was written",
                resolved.title(),
                unfit.escape_debug()
            );
        }
        if let Some(wanted) = &self.file
            && !names.contains(&wanted.as_str())
        {
            bail!(
                "{} has no `{wanted}`; its files are {}",
                resolved.title(),
                names.join(", ")
            );
        }
        let wanted = |name: &str| self.file.as_deref().is_none_or(|file| file == name);
        for (name, bytes) in bundle.files().filter(|(name, _)| wanted(name)) {
            match &self.out {
                Some(folder) => write(folder, name, bytes)?,
                None => output::file(bytes).context("cannot write")?,
            }
        }
        Ok(())
    }

    async fn dataset(&self, stored: &Stored, folder: &Path) -> anyhow::Result<()> {
        let labels = stored.labels(&self.project).await?;
        let names = labels.iter().map(|label| label.name.as_str());
        let mut releases: Vec<_> = names
            .filter_map(|name| Some((Version::parse(name)?, name)))
            .collect();
        releases.sort_unstable();
        if releases.is_empty() {
            bail!(
                "no label of {} is a version; import a release with `opatlas import torch==2.15.0`",
                self.project
            );
        }
        let mut dataset = Dataset::new(&self.project);
        for (_, label) in releases {
            let resolved = stored.resolve(&self.project, label, None).await?;
            let snapshot = stored.snapshot(&resolved).await?;
            if let Some(file) = dataset.add(label, snapshot.view()) {
                write(folder, &file.path, &file.bytes)?;
            }
        }
        for file in dataset.finish(ENGINE_VERSION) {
            write(folder, &file.path, &file.bytes)?;
        }
        Ok(())
    }
}

/// Writes a file below a folder, and prints its path.
fn write(folder: &Path, name: &str, bytes: &[u8]) -> anyhow::Result<()> {
    let path = folder.join(name);
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)
            .with_context(|| format!("cannot create {}", parent.display()))?;
    }
    fs::write(&path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
    println!("{}", path.display());
    Ok(())
}
