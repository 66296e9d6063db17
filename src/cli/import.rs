//! `opatlas import`: revisions into the store.

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::Duration;

use anyhow::{Context as _, bail};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use crate::service::{Ingest, Ingested, Protection, Service, Summary};
use crate::source::{BACKENDS, Bundle, NATIVE_FUNCTIONS};

use super::fetch::Fetcher;
use super::{Database, local, sample};

/// Takes revisions into the store.
///
/// `opatlas import torch==2.9.0` fetches the release's wheel with your own pip, takes the YAML
/// files out of it and stores them under the label 2.9.0. `opatlas import --dir PATH --label X`
/// takes the files of a folder: native_functions.yaml, tags.yaml, derivatives.yaml,
/// deprecated.yaml, observed.json and backends/NAME.yaml.
#[derive(Debug, Args)]
pub(super) struct Import {
    /// Releases to fetch, such as torch==2.9.0
    #[arg(value_name = "torch==VERSION", required_unless_present_any = ["dir", "sample"])]
    releases: Vec<String>,

    /// Take the files of this folder instead
    #[arg(long, value_name = "PATH", conflicts_with_all = ["releases", "sample"], requires = "label")]
    dir: Option<PathBuf>,

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
    database: Database,
}

impl Import {
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        if self.label.is_some() && self.releases.len() > 1 {
            bail!(
                "--label names one revision, but {} releases are given",
                self.releases.len()
            );
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
        let (fetched, failed) = self.fetch()?;
        let code = if self.download_only {
            ExitCode::SUCCESS
        } else {
            self.store(fetched).await?
        };
        if failed > 0 {
            bail!(
                "{failed} of {} releases could not be fetched",
                self.releases.len()
            );
        }
        Ok(code)
    }

    /// Fetches the releases, several at a time; what fails is reported and does not stop the rest.
    /// In the order given.
    fn fetch(&self) -> anyhow::Result<(Vec<(String, Bundle)>, usize)> {
        let versions: Vec<&str> = self
            .releases
            .iter()
            .map(|spec| version(spec))
            .collect::<anyhow::Result<_>>()?;
        let fetcher = Fetcher::new(self.pip.as_deref(), self.cache.clone())?;
        let queue: Mutex<VecDeque<(usize, &str)>> =
            Mutex::new(versions.iter().copied().enumerate().collect());
        let done = Mutex::new(Vec::new());
        let bar = progress(versions.len());
        let next = || queue.lock().ok()?.pop_front();
        std::thread::scope(|scope| {
            for _ in 0..usize::from(self.jobs).min(versions.len()) {
                scope.spawn(|| {
                    while let Some((i, version)) = next() {
                        bar.set_message(format!("fetching torch {version}"));
                        let fetched = fetcher.fetch(version);
                        if let Err(error) = &fetched {
                            bar.suspend(|| eprintln!("error: {error}"));
                        }
                        bar.inc(1);
                        if let Ok(mut done) = done.lock() {
                            done.push((i, version.to_owned(), fetched));
                        }
                    }
                });
            }
        });
        bar.finish_and_clear();
        let mut done = done.into_inner().unwrap_or_default();
        done.sort_by_key(|(i, ..)| *i);
        let failed = done.iter().filter(|(.., fetched)| fetched.is_err()).count();
        let fetched = done
            .into_iter()
            .filter_map(|(_, version, fetched)| {
                let label = self.label.clone().unwrap_or(version);
                Some((label, fetched.ok()?))
            })
            .collect();
        Ok((fetched, failed))
    }

    async fn store(&self, bundles: Vec<(String, Bundle)>) -> anyhow::Result<ExitCode> {
        let service = local::open(&self.database).await?;
        ensure_project(&service, &self.project).await?;
        for (label, bundle) in bundles {
            let protection = if self.force {
                Protection::Forced
            } else {
                Protection::Kept
            };
            let ingest = Ingest {
                project: &self.project,
                bundle,
                label: Some(&label),
                release: self.release.as_deref(),
                protection,
            };
            let ingested = service.ingest(ingest).await?;
            println!("{}", told(&self.project, &label, &ingested));
        }
        service.close().await;
        Ok(ExitCode::SUCCESS)
    }
}

/// Makes the project if it is not there.
pub(super) async fn ensure_project(service: &Service, project: &str) -> anyhow::Result<()> {
    if service.project(project).await.is_err() {
        service.create_project(project, None, None).await?;
    }
    Ok(())
}

/// One line about what was stored.
pub(super) fn told(project: &str, label: &str, ingested: &Ingested) -> String {
    let Summary {
        operators,
        generated,
        errors,
        warnings,
        ..
    } = ingested.snapshot.summary();
    let digest = ingested.outcome.digest.to_string();
    let stored = if ingested.outcome.created {
        "stored"
    } else {
        "already there"
    };
    format!(
        "{project} {label}: {operators} operators and {generated} generated ones, \
         {errors} errors, {warnings} warnings, judged as {}; {stored} as sha256:{}",
        ingested.judged.release,
        &digest[..12],
    )
}

fn version(spec: &str) -> anyhow::Result<&str> {
    match spec.strip_prefix("torch==") {
        Some(version) if !version.is_empty() => Ok(version),
        _ => bail!("`{spec}` names no release; write torch==VERSION, such as torch==2.9.0"),
    }
}

fn progress(count: usize) -> ProgressBar {
    let bar = ProgressBar::new(u64::try_from(count).unwrap_or(u64::MAX));
    // Without a terminal nothing is drawn, and the template is a constant that is right.
    if let Ok(style) =
        ProgressStyle::with_template("{spinner} {msg} ({pos} of {len} done, {elapsed})")
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
    if backends.is_dir() {
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
