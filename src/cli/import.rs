//! `opatlas import`: imports revisions.

mod backend_history;
mod commits;
mod library;
pub(super) mod operator_files;
mod releases;
pub(super) mod sources;
mod strict;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, bail};
use clap::{ArgGroup, Args};
use indicatif::{HumanDuration, ProgressBar, ProgressState, ProgressStyle};

use opatlas_service::{Ingest, JudgedRelease, Protection, Snapshot, Strictness, Summary};
use opatlas_source::{BACKENDS, Bundle, NATIVE_FUNCTIONS, SOURCES};
use opatlas_store::Opening;

use super::folder::Folder;
use super::git::log::Walk;
use super::over::Vendors;
use super::side::NATIVE_FUNCTIONS_PATH;
use super::stored::IngestOutcome;
use super::{Stored, Target, colour, read, sample};

/// Imports revisions into the database or a server.
///
/// `opatlas import torch==2.9.0` fetches the wheel of the release from the package index that your
/// pip uses (PIP_INDEX_URL, pip.conf), extracts the YAML files and stores them under the label 2.9.0;
/// `torch==2.0.0..latest` imports every published release in the range, and `--wheel FILE` takes a
/// wheel that you have. `opatlas import --git REPO --range A..B` imports the commits of a local
/// clone that touch native_functions.yaml. Both resume after an interruption. `opatlas import --dir
/// PATH --label X` imports the files of a folder: native_functions.yaml, tags.yaml,
/// derivatives.yaml, deprecated.yaml, observed.json and backends/NAME.yaml.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("of_backend").args(["backend", "sources"]).multiple(true))]
pub(super) struct Import {
    /// Releases to fetch, such as torch==2.9.0 or torch==2.0.0..latest
    #[arg(value_name = "torch==VERSION", required_unless_present_any = ["dir", "sample", "git", "over", "library", "wheel"])]
    releases: Vec<String>,

    /// Import the release in this wheel of torch; may be repeated
    #[arg(long, value_name = "FILE", conflicts_with_all = ["dir", "sample", "git", "over", "library"])]
    wheel: Vec<PathBuf>,

    /// Import the files of this folder instead
    #[arg(long, value_name = "PATH", conflicts_with_all = ["releases", "sample"], requires = "label")]
    dir: Option<PathBuf>,

    /// Import the commits of this local clone that touch the file, in topological order; needs a
    /// database, not a server
    #[arg(long, value_name = "REPO", conflicts_with_all = ["releases", "sample", "dir", "label"])]
    git: Option<PathBuf>,

    /// The range of commits, in git's notation
    #[arg(long, value_name = "A..B", requires = "git", default_value = "HEAD")]
    range: String,

    /// The path of native_functions.yaml in the repository
    #[arg(long, value_name = "PATH", requires = "git", default_value = NATIVE_FUNCTIONS_PATH)]
    path: String,

    /// Follow only the first parent of merges
    #[arg(long, requires = "git")]
    first_parent: bool,

    /// Import these files of a backend on top of a stored revision (--over), such as
    /// --project acme-npu --backend acme.yaml --over 2.15.0; files with errors are not stored. With
    /// --git the path of one such file in the repository, whose history is imported
    #[arg(long, value_name = "FILE", requires = "over", conflicts_with_all = ["releases", "sample", "dir"])]
    backend: Vec<PathBuf>,

    /// The stored revision to add the files or --sources of a backend to
    #[arg(
        long,
        value_name = "REVISION",
        requires = "of_backend",
        conflicts_with_all = ["releases", "sample", "dir", "library"]
    )]
    over: Option<String>,

    #[command(flatten)]
    source_options: sources::SourceOptions,

    /// Store files of a backend even if they have errors
    #[arg(long, requires = "of_backend")]
    allow_errors: bool,

    /// The project of that revision
    #[arg(
        long,
        value_name = "PROJECT",
        requires = "over",
        default_value = "pytorch"
    )]
    base_project: String,

    /// Import the schemas of an operator library, as for m.def and torch.library: one per line; `#`
    /// begins a comment
    #[arg(long, value_name = "FILE", requires = "namespace", conflicts_with_all = ["releases", "sample", "dir", "git", "backend"])]
    library: Option<PathBuf>,

    /// The namespace of the library's operators
    #[arg(long, value_name = "NAMESPACE", requires = "library")]
    namespace: Option<String>,

    /// Import the built-in sample: operators that show every feature of the format
    #[arg(long, conflicts_with = "releases")]
    sample: bool,

    /// The label of the revision; by default the version of the release
    #[arg(long)]
    label: Option<String>,

    /// The PyTorch release whose rules apply; by default read from a label that is a version
    #[arg(long)]
    release: Option<String>,

    /// The project, created if it does not exist
    #[arg(long, env = "OPATLAS_PROJECT", default_value = "pytorch")]
    project: String,

    /// Move a version label that points to another revision, and give a label another release
    #[arg(long)]
    force: bool,

    /// Store nothing if the files have errors, print the errors, and exit with 1
    #[arg(long, conflicts_with_all = ["git", "allow_errors"])]
    strict: bool,

    /// Look up and keep fetched files in this folder
    #[arg(long, env = "OPATLAS_CACHE", value_name = "PATH")]
    cache: Option<PathBuf>,

    /// Only fetch into the cache, without storing
    #[arg(long, requires = "cache")]
    download_only: bool,

    /// No longer used
    #[arg(long, env = "OPATLAS_PIP", value_name = "COMMAND", hide = true)]
    pip: Option<String>,

    /// The number of concurrent downloads
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=16))]
    jobs: u8,

    #[command(flatten)]
    target: Target,
}

impl Import {
    fn walk<'a>(&'a self, repository: &'a Path) -> Walk<'a> {
        Walk {
            repository,
            range: &self.range,
            first_parent: self.first_parent,
            last: None,
        }
    }

    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        let releases = self.releases.len() + self.wheel.len();
        if self.label.is_some() && releases > 1 {
            bail!("--label needs a single release, but there are {releases}");
        }
        if let (Some(repository), Some(over)) = (&self.git, &self.over) {
            return backend_history::import(&self, repository, over).await;
        }
        if let Some(repository) = &self.git {
            return commits::import(&self, repository).await;
        }
        if let Some(over) = &self.over {
            return self.lay_over(over).await;
        }
        if let (Some(file), Some(namespace)) = (&self.library, &self.namespace) {
            let Some(label) = self.label.clone() else {
                bail!("--library needs --label, such as the version of the library");
            };
            return self
                .store(vec![(label, library::bundle(file, namespace)?)])
                .await;
        }
        if let Some(dir) = &self.dir {
            let bundle = Folder::read(dir)?.bundle;
            let label = self.label.clone().unwrap_or_default();
            return self.store(vec![(label, bundle)]).await;
        }
        if self.sample {
            let label = self.label.clone().unwrap_or_else(|| sample::LABEL.into());
            return self.store(vec![(label, sample::bundle())]).await;
        }
        releases::import(&self).await
    }

    async fn lay_over(&self, over: &str) -> anyhow::Result<ExitCode> {
        let mut files = self.backend.clone();
        if files.is_empty() {
            files.extend(self.source_options.backend_file());
        }
        let vendors = Vendors::read(&files)?;
        let stored = Stored::open(&self.target, Opening::Make).await?;
        let base = stored.resolve(&self.base_project, over, None).await?;
        let snapshot = stored.snapshot(&base).await?;
        let named = base.label.as_ref().map(|label| label.name.to_string());
        let label = self.label.clone().or(named);
        let release = self.release.as_deref().unwrap_or(base.release().as_str());
        let mut bundle = vendors.over(&snapshot.bundle);
        let judged = JudgedRelease::parse(release)?.release;
        self.source_options.add_to(&mut bundle, judged)?;
        let laid = Snapshot::read(bundle.clone(), judged, Some(&snapshot));
        eprint!("{}", vendors.told(&laid));
        let errors = vendors.report(&laid);
        if errors > 0 && !self.allow_errors {
            eprintln!(
                "nothing was stored; correct the errors, or store the files with --allow-errors"
            );
            stored.close().await;
            return Ok(ExitCode::from(1));
        }
        stored.ensure_project(&self.project).await?;
        let ingest = Ingest {
            project: &self.project,
            bundle,
            label: label.as_deref(),
            release: Some(release),
            protection: self.protection(),
            strictness: self.strictness(),
            caller: None,
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
        Ok(ExitCode::SUCCESS)
    }

    fn protection(&self) -> Protection {
        if self.force {
            Protection::Forced
        } else {
            Protection::Kept
        }
    }

    fn strictness(&self) -> Strictness {
        if self.strict {
            Strictness::Strict
        } else {
            Strictness::Lenient
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
                strictness: self.strictness(),
                caller: None,
            };
            let taken = match stored.ingest(ingest).await {
                Ok(taken) => taken,
                Err(error) => {
                    stored.close().await;
                    return strict::refused(error);
                }
            };
            println!("{}", told(&self.project, &label, &taken));
        }
        stored.close().await;
        Ok(ExitCode::SUCCESS)
    }
}

pub(super) fn told(project: &str, label: &str, taken: &IngestOutcome) -> String {
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
        "already stored"
    };
    format!(
        "{project} {label}: {operators} declared and {generated} generated operators, {errors} \
         errors, {warnings} warnings, judged as {}; {stored} as sha256:{:.12}",
        taken.release, taken.digest,
    )
}

/// A progress bar, hidden unless the terminal can rewrite a line.
fn progress(count: usize) -> ProgressBar {
    if colour::is_dumb() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(u64::try_from(count).unwrap_or(u64::MAX));
    // The template is a valid constant.
    if let Ok(style) =
        ProgressStyle::with_template("{spinner} {msg} ({pos} of {len} done, {elapsed}{left})")
    {
        bar.set_style(style.with_key("left", left));
    }
    bar.enable_steady_tick(Duration::from_millis(120));
    bar
}

fn left(state: &ProgressState, text: &mut dyn std::fmt::Write) {
    if state.pos() > 0 && state.len().is_some_and(|all| state.pos() < all) {
        // Writing to a string cannot fail.
        let _ = write!(text, ", {:#} left", HumanDuration(state.eta()));
    }
}

/// The files of a folder that belong to a bundle; prints the names of the others to standard error.
pub(super) fn read_folder(folder: &Path) -> anyhow::Result<Bundle> {
    let mut bundle = Bundle::default();
    let mut ignored = Vec::new();
    read_files(folder, "", &mut bundle, &mut ignored)?;
    let backends = folder.join(BACKENDS);
    let shown = || format!("cannot read {}", backends.display());
    if backends.try_exists().with_context(shown)? && backends.is_dir() {
        read_files(&backends, BACKENDS, &mut bundle, &mut ignored)?;
    }
    sources::of_folder(folder, &mut bundle)?;
    if bundle.file(NATIVE_FUNCTIONS).is_none() {
        bail!(
            "{} has no {NATIVE_FUNCTIONS}, and is not a clone of PyTorch",
            folder.display()
        );
    }
    if !ignored.is_empty() {
        ignored.sort();
        eprintln!("ignored (not files of a bundle): {}", ignored.join(", "));
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
            if ![BACKENDS, SOURCES].contains(&&*format!("{name}/")) {
                ignored.push(format!("{name}/"));
            }
        } else if Bundle::is_file_name(&name) {
            bundle.insert(&name, read::found(&path)?);
        } else {
            ignored.push(name);
        }
    }
    Ok(())
}
