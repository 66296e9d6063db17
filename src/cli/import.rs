//! `opatlas import`: revisions into the store.

mod commits;
mod git;
mod releases;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, bail};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use crate::service::{Ingest, JudgedRelease, Protection, Snapshot, Summary};
use crate::store::Opening;
use opatlas_source::diagnostic::Severity;
use opatlas_source::{BACKENDS, Bundle, NATIVE_FUNCTIONS};

use super::compare::backend::vendor;
use super::side::NATIVE_FUNCTIONS_PATH;
use super::stored::Taken;
use super::{Stored, Target, sample};

/// Takes revisions into the store.
///
/// `opatlas import torch==2.9.0` fetches the release's wheel with your own pip, takes the YAML
/// files out of it and stores them under the label 2.9.0; `torch==2.0.0..latest` takes every
/// published release from one to another. `opatlas import --git REPO --range A..B` takes the
/// commits of a local clone that touch native_functions.yaml. Both go on where they were stopped.
/// `opatlas import --dir PATH --label X` takes the files of a folder: native_functions.yaml,
/// tags.yaml, derivatives.yaml, deprecated.yaml, observed.json and backends/NAME.yaml.
#[derive(Debug, Args)]
pub(super) struct Import {
    /// Releases to fetch, such as torch==2.9.0 or torch==2.0.0..latest
    #[arg(value_name = "torch==VERSION", required_unless_present_any = ["dir", "sample", "git", "backend"])]
    releases: Vec<String>,

    /// Take the files of this folder instead
    #[arg(long, value_name = "PATH", conflicts_with_all = ["releases", "sample"], requires = "label")]
    dir: Option<PathBuf>,

    /// Take the commits of this local clone that touch the file, in the order of their topology;
    /// into a database only, not over a server
    #[arg(long, value_name = "REPO", conflicts_with_all = ["releases", "sample", "dir", "label"])]
    git: Option<PathBuf>,

    /// Which commits, as git names them
    #[arg(long, value_name = "A..B", requires = "git", default_value = "HEAD")]
    range: String,

    /// Where native_functions.yaml is in the repository
    #[arg(long, value_name = "PATH", requires = "git", default_value = NATIVE_FUNCTIONS_PATH)]
    path: String,

    /// Follow merges to their first parent only
    #[arg(long, requires = "git")]
    first_parent: bool,

    /// Take this backend file, laid over a stored revision (--over), such as
    /// --project acme-npu --backend acme.yaml --over 2.15.0; the exit code is 1 when it has errors
    #[arg(long, value_name = "FILE", requires = "over", conflicts_with_all = ["releases", "sample", "dir", "git"])]
    backend: Option<PathBuf>,

    /// The revision that the backend file is laid over
    #[arg(long, value_name = "REVISION", requires = "backend")]
    over: Option<String>,

    /// The project of that revision
    #[arg(
        long,
        value_name = "PROJECT",
        requires = "backend",
        default_value = "pytorch"
    )]
    base_project: String,

    /// Take the built-in sample: operators that show every feature of the format
    #[arg(long, conflicts_with = "releases")]
    sample: bool,

    /// The label that names the revision; the version of a release by default
    #[arg(long)]
    label: Option<String>,

    /// The PyTorch release whose rules apply; read from a label that is a version by default
    #[arg(long)]
    release: Option<String>,

    /// The project, made if it does not exist
    #[arg(long, env = "OPATLAS_PROJECT", default_value = "pytorch")]
    project: String,

    /// Move a label that is a version and names another revision
    #[arg(long)]
    force: bool,

    /// Keep the fetched files here, and look for them here first
    #[arg(long, env = "OPATLAS_CACHE", value_name = "PATH")]
    cache: Option<PathBuf>,

    /// Fetch into the cache and store nothing
    #[arg(long, requires = "cache")]
    download_only: bool,

    /// The command that pip is called by
    #[arg(long, env = "OPATLAS_PIP", value_name = "COMMAND")]
    pip: Option<String>,

    /// How many releases are fetched at once
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=16))]
    jobs: u8,

    #[command(flatten)]
    target: Target,
}

impl Import {
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        if self.label.is_some() && self.releases.len() > 1 {
            bail!(
                "--label names one revision, but {} releases are given",
                self.releases.len()
            );
        }
        if let Some(repository) = &self.git {
            return commits::import(&self, repository).await;
        }
        if let (Some(file), Some(over)) = (&self.backend, &self.over) {
            return self.lay_over(file, over).await;
        }
        if let Some(dir) = &self.dir {
            let bundle = read_folder(dir)?;
            let label = self.label.clone().unwrap_or_default();
            return self.store(vec![(label, bundle)]).await;
        }
        if self.sample {
            let label = self.label.clone().unwrap_or_else(|| sample::LABEL.into());
            return self.store(vec![(label, sample::bundle())]).await;
        }
        releases::import(&self).await
    }

    /// Stores a revision's files with a backend file among them.
    async fn lay_over(&self, file: &Path, over: &str) -> anyhow::Result<ExitCode> {
        let vendor = vendor(file)?;
        let stored = Stored::open(&self.target, Opening::Make).await?;
        let base = stored.resolve(&self.base_project, over, None).await?;
        let snapshot = stored.snapshot(&base).await?;
        stored.ensure_project(&self.project).await?;
        let named = base.label.as_ref().map(|label| label.name.to_string());
        let label = self.label.clone().or(named);
        let release = base.release();
        let bundle = vendor.over(&snapshot.bundle);
        let ingest = Ingest {
            project: &self.project,
            bundle: bundle.clone(),
            label: label.as_deref(),
            release: Some(self.release.as_deref().unwrap_or(release.as_str())),
            protection: self.protection(),
        };
        let taken = stored.ingest(ingest).await?;
        stored.close().await;
        println!(
            "{}",
            told(
                &self.project,
                label.as_deref().unwrap_or("(no label)"),
                &taken
            )
        );
        let judged = JudgedRelease::parse(&taken.release)?.release;
        let laid = Snapshot::read(bundle, judged, Some(&snapshot));
        let mut errors = 0;
        let findings = laid.listed();
        for finding in findings.filter(|finding| *finding.file == *vendor.file) {
            eprintln!("{}: {}: {}", file.display(), finding.rule, finding.message);
            errors += usize::from(finding.severity == Severity::Error);
        }
        if errors > 0 {
            eprintln!(
                "{} has {errors} errors; it is stored as it is",
                file.display()
            );
        }
        Ok(ExitCode::from(u8::from(errors > 0)))
    }

    /// What a label that is a version is protected from.
    fn protection(&self) -> Protection {
        match self.force {
            true => Protection::Forced,
            false => Protection::Kept,
        }
    }

    async fn store(&self, bundles: Vec<(String, Bundle)>) -> anyhow::Result<ExitCode> {
        let stored = Stored::open(&self.target, Opening::Make).await?;
        stored.ensure_project(&self.project).await?;
        for (label, bundle) in bundles {
            let ingest = Ingest {
                project: &self.project,
                bundle,
                label: Some(&label),
                release: self.release.as_deref(),
                protection: self.protection(),
            };
            let taken = stored.ingest(ingest).await?;
            println!("{}", told(&self.project, &label, &taken));
        }
        stored.close().await;
        Ok(ExitCode::SUCCESS)
    }
}

/// One line about what was stored.
pub(super) fn told(project: &str, label: &str, taken: &Taken) -> String {
    let Summary {
        operators,
        generated,
        errors,
        warnings,
        ..
    } = taken.summary;
    let stored = if taken.is_new {
        "stored"
    } else {
        "already there"
    };
    format!(
        "{project} {label}: {operators} operators and {generated} generated ones, \
         {errors} errors, {warnings} warnings, judged as {}; {stored} as sha256:{:.12}",
        taken.release, taken.digest,
    )
}

/// A bar of so many steps; without a terminal nothing is drawn.
fn progress(count: usize) -> ProgressBar {
    let bar = ProgressBar::new(u64::try_from(count).unwrap_or(u64::MAX));
    // The template is a constant that is right.
    if let Ok(style) =
        ProgressStyle::with_template("{spinner} {msg} ({pos} of {len} done, {elapsed}, {eta} left)")
    {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(120));
    bar
}

/// The files of a folder that belong to a bundle; the others are named on standard error.
pub(super) fn read_folder(folder: &Path) -> anyhow::Result<Bundle> {
    let mut bundle = Bundle::default();
    let mut ignored = Vec::new();
    read_files(folder, "", &mut bundle, &mut ignored)?;
    let backends = folder.join(BACKENDS);
    let shown = || format!("cannot read {}", backends.display());
    if backends.try_exists().with_context(shown)? && backends.is_dir() {
        read_files(&backends, BACKENDS, &mut bundle, &mut ignored)?;
    }
    if bundle.file(NATIVE_FUNCTIONS).is_none() {
        bail!("{} has no {NATIVE_FUNCTIONS}", folder.display());
    }
    if !ignored.is_empty() {
        ignored.sort();
        eprintln!(
            "ignored, being no files of a bundle: {}",
            ignored.join(", ")
        );
    }
    Ok(bundle)
}

fn read_files(
    folder: &Path,
    prefix: &str,
    bundle: &mut Bundle,
    ignored: &mut Vec<String>,
) -> anyhow::Result<()> {
    let files =
        fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    for file in files {
        let file = file.with_context(|| format!("cannot read {}", folder.display()))?;
        let name = format!("{prefix}{}", file.file_name().to_string_lossy());
        let path = file.path();
        if path.is_dir() {
            if format!("{name}/") != BACKENDS {
                ignored.push(format!("{name}/"));
            }
        } else if Bundle::is_file_name(&name) {
            let bytes =
                fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
            bundle.insert(&name, bytes);
        } else {
            ignored.push(name);
        }
    }
    Ok(())
}
