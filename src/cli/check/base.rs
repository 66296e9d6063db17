//! `opatlas check --base`: only the findings that a change introduces.

use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::Args;

use crate::cli::Target;
use crate::cli::config::Files;
use crate::cli::kernel_sources::KernelSources;
use crate::cli::merge_base;
use crate::cli::side::{NATIVE_FUNCTIONS_PATH, Operand, Places};
use opatlas_pytorch::release::{Release, Version};
use opatlas_service::Snapshot;
use opatlas_service::companions;
use opatlas_wire::judged_comparison::ComparedSide;

use super::Input;

/// The letters of a commit's id that are shown.
const MOST_OF_AN_ID: usize = 12;

/// The base to compare the files with.
#[derive(Debug, Args)]
pub(super) struct BaseOptions {
    /// Report only findings that this revision does not have
    #[arg(long, value_name = "SPEC", conflicts_with = "over")]
    base: Option<String>,

    /// With git:REV, the path of native_functions.yaml in the repository
    #[arg(long, value_name = "PATH", default_value = NATIVE_FUNCTIONS_PATH)]
    path: String,

    /// With git:REV, the local clone of the repository
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    repository: PathBuf,

    /// The project of stored revisions
    #[arg(long, env = "OPATLAS_PROJECT", default_value = "pytorch")]
    project: String,

    #[command(flatten)]
    pub(super) target: Target,
}

#[derive(Debug)]
pub(in crate::cli) struct Base {
    pub(in crate::cli) title: String,
    pub(in crate::cli) snapshot: Snapshot,
}

impl Base {
    /// The files before the change, if git knows them.
    pub(super) fn before(input: &Input, config: &Files) -> Option<Self> {
        let paths = input.paths.values().map(std::path::absolute);
        let paths: Vec<PathBuf> = paths.collect::<Result<_, _>>().ok()?;
        let paths: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
        let before = merge_base::files(config.branch.as_deref(), &paths)?;
        let names = input.paths.keys().map(|name| &**name);
        let bundle = companions::before(names.zip(before.files), &input.bundle)?;
        let snapshot = Snapshot::read(bundle, input.release, None);
        Some(Self::at_commit(&before.commit, snapshot))
    }

    pub(in crate::cli) fn at_commit(id: &str, snapshot: Snapshot) -> Self {
        let short = id.get(..MOST_OF_AN_ID).unwrap_or(id);
        Self {
            title: format!("commit {short}"),
            snapshot,
        }
    }
}

impl BaseOptions {
    pub(super) fn is_given(&self) -> bool {
        self.base.is_some()
    }

    /// Sorts arguments into files and other revisions. A label is only taken for one if no file has its
    /// name and it is a version, or is given as `label:NAME`.
    pub(super) fn split(&self, given: &[PathBuf]) -> (Vec<PathBuf>, Vec<String>) {
        let is_revision = |path: &PathBuf| {
            let text = path.to_str().filter(|_| !path.exists());
            text.is_some_and(|text| {
                let schemes = ["git:", "label:", "sha256:"];
                text == "latest"
                    || schemes.iter().any(|scheme| text.starts_with(scheme))
                    || Version::parse(text).is_some()
            })
        };
        let (revisions, files): (Vec<_>, Vec<_>) = given.iter().cloned().partition(is_revision);
        let revisions = revisions.iter();
        let revisions = revisions.map(|path| path.to_string_lossy().into_owned());
        (files, revisions.collect())
    }

    /// The files of revisions that are not given as files.
    pub(super) async fn stored_inputs(
        &self,
        revisions: &[String],
        release: Option<Release>,
    ) -> anyhow::Result<Vec<Input>> {
        let mut inputs = Vec::new();
        for text in revisions {
            let side = self.side(text, release.map(Release::as_str)).await?;
            inputs.push(Input::of_revision(side));
        }
        Ok(inputs)
    }

    async fn side(&self, text: &str, release: Option<&str>) -> anyhow::Result<ComparedSide> {
        let places = Places {
            project: &self.project,
            release,
            path: &self.path,
            repository: &self.repository,
            sources: &KernelSources::default(),
        };
        Operand::parse(text, &places)
            .read_alone(&places, &self.target)
            .await
    }

    /// Adds the base of `--base` to the only input. Fails if there are several.
    pub(super) async fn add_to(&self, inputs: &mut [Input]) -> anyhow::Result<()> {
        let Some(text) = &self.base else {
            return Ok(());
        };
        let [input] = inputs else {
            bail!("--base needs one file or folder with operators, but these are several");
        };
        let side = self.side(text, None).await?;
        let bundle = side.snapshot.bundle.clone();
        let mut notes = companions::complete(&bundle, &mut input.bundle);
        notes.extend(companions::missing(&bundle, &input.bundle, |_| false));
        for note in notes {
            eprintln!("note: {note}");
        }
        input.base = Some(Base {
            title: side.view.title,
            snapshot: Snapshot::read(bundle, input.release, None),
        });
        Ok(())
    }
}
