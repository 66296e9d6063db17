//! `opatlas export`: writes a revision's files, byte for byte.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use clap::Args;

use opatlas_source::Bundle;
use opatlas_store::Opening;

use super::{Stored, Target, output};

/// Writes the files of a revision, byte for byte.
#[derive(Debug, Args)]
pub(super) struct Export {
    /// The revision: a label, sha256:DIGITS, or latest
    #[arg(default_value = "latest")]
    revision: String,

    /// The folder to write to, created if it does not exist
    #[arg(long, value_name = "PATH", required_unless_present = "file")]
    out: Option<PathBuf>,

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
        let resolved = stored.resolve(&self.project, &self.revision, None).await?;
        let bundle = stored.bundle(&resolved).await?;
        stored.close().await;
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
            let Some(folder) = &self.out else {
                output::file(bytes).context("cannot write")?;
                continue;
            };
            let path = folder.join(name);
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent)
                    .with_context(|| format!("cannot create {}", parent.display()))?;
            }
            fs::write(&path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
            println!("{}", path.display());
        }
        Ok(ExitCode::SUCCESS)
    }
}
