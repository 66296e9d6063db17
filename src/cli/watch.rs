//! `opatlas watch`: the commits of PyTorch that break a backend.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{anyhow, bail};
use clap::{ArgGroup, Args, ValueEnum};

use opatlas_pytorch::release::Release;
use opatlas_report::watch::{Watched, atom, text};
use opatlas_service::Snapshot;
use opatlas_service::backend::Vendor;
use opatlas_service::history::CommitFiles;
use opatlas_service::watch::WatchedBackend;
use opatlas_source::Stop;
use opatlas_store::CommitRecord;
use opatlas_wire::watch::WatchReport;

use super::compare::backend::{of_file, of_sources};
use super::compare::pretty;
use super::git::log::{self, Walk};
use super::import::operator_files::OperatorFiles;
use super::side::NATIVE_FUNCTIONS_PATH;
use super::suggesting;

/// Finds the commits of PyTorch that break a backend.
///
/// Goes through the commits of a local clone of PyTorch that touch native_functions.yaml and prints one
/// line for each commit after which a kernel of the backend no longer compiles or loads, or after which
/// an operator that the backend inherits no longer works. The backend is taken to be written for the
/// revision before the first commit. Exits with 1 if a commit breaks it.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("of_backend").args(["backend", "sources"]).required(true))]
pub(super) struct WatchBackend {
    /// The file that lists the kernels of the backend
    #[arg(long, value_name = "FILE")]
    backend: Option<PathBuf>,

    /// The folder with the sources of the backend
    #[arg(long, value_name = "DIR")]
    sources: Option<PathBuf>,

    /// The local clone of PyTorch
    #[arg(long, value_name = "REPO")]
    git: PathBuf,

    /// The range of commits, in git's notation; of merges only the first parents are followed
    #[arg(long, value_name = "A..B", default_value = "HEAD")]
    range: String,

    /// Look at so many commits at most, the newest ones of the range
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    last: u32,

    /// The path of native_functions.yaml in the clone
    #[arg(long, value_name = "PATH", default_value = NATIVE_FUNCTIONS_PATH)]
    path: String,

    /// The release whose rules apply; by default the newest known
    #[arg(long)]
    release: Option<String>,

    /// The output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
    /// A feed for news readers
    Atom,
}

impl WatchBackend {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let vendor = self.vendor()?;
        let name = match (&self.backend, &self.sources) {
            (Some(path), _) | (None, Some(path)) => path.display().to_string(),
            (None, None) => String::new(),
        };
        let backend = self.watch(vendor)?;
        let watched = Watched {
            name: &name,
            key: backend.key(),
            listed: backend.listed(),
            watch: backend.watch(),
        };
        let report = match self.format {
            Format::Text => text(watched),
            Format::Json => pretty(&WatchReport::of(watched))?,
            Format::Atom => atom(watched),
        };
        print!("{report}");
        let breaks = !backend.watch().breaking.is_empty();
        Ok(ExitCode::from(u8::from(breaks)))
    }

    fn vendor(&self) -> anyhow::Result<Vendor> {
        match (&self.backend, &self.sources) {
            (Some(file), _) => of_file(file),
            (None, Some(folder)) => of_sources(folder),
            (None, None) => bail!("--backend or --sources is missing"),
        }
    }

    fn watch(&self, vendor: Vendor) -> anyhow::Result<WatchedBackend> {
        let release = match &self.release {
            Some(release) => Release::parse(release)?.release,
            None => Release::LATEST,
        };
        let stop = Stop::never();
        let mut commits = self.commits()?;
        let Some(first) = commits.next().transpose()? else {
            bail!("no commit of {} has {}", self.range, self.path);
        };
        let mut last = Snapshot::read(first.bundle, release, None);
        let mut backend = WatchedBackend::new(vendor, &last, &stop).map_err(suggesting)?;
        for files in commits {
            let CommitFiles { commit, bundle, .. } = files?;
            last = Snapshot::read(bundle, release, Some(&last));
            backend.add(&commit, &last, &stop).map_err(suggesting)?;
        }
        Ok(backend)
    }

    /// The files of the first commit's parent, then those of each commit.
    fn commits(&self) -> anyhow::Result<impl Iterator<Item = anyhow::Result<CommitFiles>>> {
        if self.path.contains(['\n', '\0']) {
            bail!("`{}` is not a path in the clone", self.path.escape_debug());
        }
        let walk = Walk {
            repository: &self.git,
            range: &self.range,
            first_parent: true,
            last: usize::try_from(self.last).ok(),
        };
        let commits = log::commits(walk, std::slice::from_ref(&self.path))?;
        let first = commits.first().ok_or_else(|| anyhow!("no commits"))?;
        let parent = CommitRecord {
            id: format!("{}^", first.id),
            ..first.clone()
        };
        let all = std::iter::once(parent).chain(commits);
        let wanted = all.map(|commit| (commit, 0)).collect();
        let files = OperatorFiles::open(&self.git, self.path.clone(), wanted)?;
        Ok(files.filter_map(Result::transpose))
    }
}
