//! `opatlas check --base`: only the findings that a change introduces.

use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::Args;

use crate::cli::config::Files;
use crate::cli::kernel_sources::KernelSources;
use crate::cli::merge_base;
use crate::cli::side::{NATIVE_FUNCTIONS_PATH, Operand, Places};
use crate::cli::{Stored, Target};
use opatlas_pytorch::release::Release;
use opatlas_service::Snapshot;
use opatlas_service::companions;
use opatlas_store::Opening;

use super::Input;

/// The letters of a commit's id that are shown.
const MOST_OF_AN_ID: usize = 12;

/// The base to compare the files with.
#[derive(Debug, Args)]
pub(super) struct BaseOptions {
    /// Report only findings that this base does not have: a file, a folder, a stored revision
    /// (2.9.0, latest), or a commit of a local repository (git:REV, git:REV:PATH)
    #[arg(long, value_name = "BASE", conflicts_with = "over")]
    base: Option<String>,

    /// With --base git:REV, the path of native_functions.yaml in the repository
    #[arg(long, value_name = "PATH", default_value = NATIVE_FUNCTIONS_PATH)]
    path: String,

    /// With --base git:REV, the local clone of the repository
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    repository: PathBuf,

    /// With --base, the project of stored revisions
    #[arg(long, env = "OPATLAS_PROJECT", default_value = "pytorch")]
    project: String,

    #[command(flatten)]
    pub(super) target: Target,
}

pub(super) struct Base {
    pub(super) title: String,
    pub(super) snapshot: Snapshot,
}

impl Base {
    /// The files before the change, if git knows them.
    pub(super) fn before(input: &Input, config: &Files, release: Release) -> Option<Self> {
        let paths = input.paths.values().map(std::path::absolute);
        let paths: Vec<PathBuf> = paths.collect::<Result<_, _>>().ok()?;
        let paths: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
        let before = merge_base::files(config.branch.as_deref(), &paths)?;
        let names = input.paths.keys().map(|name| &**name);
        let bundle = companions::before(names.zip(before.files), &input.bundle)?;
        let short = before.commit.get(..MOST_OF_AN_ID).unwrap_or(&before.commit);
        Some(Self {
            title: format!("commit {short}"),
            snapshot: Snapshot::read(bundle, release, None),
        })
    }
}

impl BaseOptions {
    pub(super) async fn read(
        &self,
        inputs: &mut [Input],
        release: Release,
    ) -> anyhow::Result<Option<Base>> {
        let Some(text) = &self.base else {
            return Ok(None);
        };
        let [input] = inputs else {
            bail!("--base needs one file or folder with operators, but these are several");
        };
        let places = Places {
            project: &self.project,
            release: None,
            path: &self.path,
            repository: &self.repository,
            sources: &KernelSources::default(),
        };
        let operand = Operand::parse(text, &places);
        let stored = if operand.is_stored() {
            Some(Stored::open(&self.target, Opening::Read).await?)
        } else {
            None
        };
        let read = operand.read(&places, stored.as_ref(), None).await;
        if let Some(stored) = stored {
            stored.close().await;
        }
        let side = read?;
        let bundle = side.snapshot.bundle.clone();
        let mut notes = companions::complete(&bundle, &mut input.bundle);
        notes.extend(companions::missing(&bundle, &input.bundle, |_| false));
        for note in notes {
            eprintln!("note: {note}");
        }
        Ok(Some(Base {
            title: side.view.title,
            snapshot: Snapshot::read(bundle, release, None),
        }))
    }
}
