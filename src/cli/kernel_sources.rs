//! `--sources` of commands that show verdicts: C++ sources that say what composite kernels call.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail};
use clap::Args;

use opatlas_service::Snapshot;
use opatlas_service::dispatch::Profile;
use opatlas_source::{Bundle, visible};
use opatlas_sources::{File, Language, Macros, Sieve, scan};
use opatlas_verdict::View;

use super::git::{Git, Mode, Objects};
use super::import::sources::name_in_bundle;
use super::sources::{SourceFilter, SourceMacros, Sources};

/// The sources of composite kernels.
#[derive(Debug, Default, Args)]
pub(super) struct KernelSources {
    /// Read the C++ sources in this folder, such as aten/src/ATen, and find out what composite
    /// operators call that were not measured; of a commit, the folder in its repository. With
    /// `compare`, a folder that registers the kernels of a backend is compared like --backend
    #[arg(long, value_name = "DIR")]
    sources: Option<PathBuf>,
}

/// How many files, and how many bytes of them, are read of a commit, which may be a stranger's.
const MOST_FILES: usize = 20_000;
const MOST_BYTES: usize = 256 << 20;

/// A C++ file, by its name in a bundle.
type Named = (String, Vec<u8>);

impl KernelSources {
    pub(super) fn is_given(&self) -> bool {
        self.sources.is_some()
    }

    /// Returns the folder if it holds the sources of a backend: it is on disk, registers something,
    /// and contains no composite kernel of PyTorch.
    pub(super) fn of_backend(&self, snapshot: &Snapshot) -> anyhow::Result<Option<&Path>> {
        let Some(folder) = self.sources.as_deref().filter(|folder| folder.is_dir()) else {
            return Ok(None);
        };
        let files = on_disk(folder)?;
        let is_pytorch = !deciding(snapshot, &files).is_empty();
        let described = SourceMacros::read(None)?;
        let sieve = Sieve::new(&described.macros);
        let read = files.iter().map(|(path, bytes)| File { path, bytes });
        let kept: Vec<_> = read.filter(|file| sieve.keeps(*file)).collect();
        let registers = || !scan(&kept, &described.macros).registrations.is_empty();
        Ok((!is_pytorch && registers()).then_some(folder))
    }

    /// Adds the sources on disk that decide verdicts.
    pub(super) fn add_to(&self, snapshot: Snapshot) -> anyhow::Result<Snapshot> {
        match &self.sources {
            None => Ok(snapshot),
            Some(folder) => Ok(with_sources(snapshot, &on_disk(folder)?)),
        }
    }

    /// Adds those of a commit. A clone may lack them; then a note says so.
    pub(super) fn add_to_commit(
        &self,
        snapshot: Snapshot,
        repository: &Path,
        revision: &str,
    ) -> Snapshot {
        let Some(folder) = &self.sources else {
            return snapshot;
        };
        match of_commit(repository, revision, folder) {
            Ok(files) => with_sources(snapshot, &files),
            Err(error) => {
                let error = format!("{error:#}");
                eprintln!("note: no sources are used: {}", visible::line(&error));
                snapshot
            }
        }
    }
}

/// Returns the indices of the files that show which operators a composite calls.
fn deciding(snapshot: &Snapshot, files: &[Named]) -> BTreeSet<u32> {
    let read = files.iter().map(|(path, bytes)| File { path, bytes });
    let read: Vec<_> = read.collect();
    let tables = snapshot.tables(&Profile::default());
    View::new(snapshot.inputs(), &tables).deciding_sources(&read)
}

/// Adds the deciding sources to a revision. If such a file registers kernels, it adds these too.
fn with_sources(snapshot: Snapshot, files: &[Named]) -> Snapshot {
    let deciding = deciding(&snapshot, files);
    if deciding.is_empty() {
        return snapshot;
    }
    let mut bundle = snapshot.bundle.clone();
    for (name, bytes) in deciding
        .into_iter()
        .filter_map(|index| files.get(index as usize))
    {
        bundle.insert(name, bytes.as_slice());
    }
    Snapshot::read(bundle, snapshot.release(), Some(&snapshot))
}

fn on_disk(folder: &Path) -> anyhow::Result<Vec<Named>> {
    let mut sources = Sources::keeping(SourceFilter::All);
    sources.add(folder, &Macros::default())?;
    for (path, why) in &sources.notes {
        eprintln!("{}: {}", visible::line(path), visible::line(why));
    }
    let files = sources.files.into_iter();
    Ok(files
        .filter_map(|(path, bytes)| Some((name(folder, &path)?, bytes)))
        .collect())
}

fn of_commit(repository: &Path, revision: &str, folder: &Path) -> anyhow::Result<Vec<Named>> {
    let paths = Git::at(repository).files_under(revision, &folder.to_string_lossy());
    let paths = paths.map_err(|fault| {
        let folder = folder.display();
        anyhow!("cannot list the files in {folder} at {revision}: {fault}")
    })?;
    let named = paths
        .iter()
        .filter_map(|path| Some((name(folder, path)?, path)));
    let mut objects = Objects::open(repository, Mode::Bytes)?;
    let mut files = Vec::new();
    let mut size = 0;
    for (name, path) in named {
        if let Some(content) = objects.content(revision, path)? {
            size += content.bytes().len();
            if files.len() == MOST_FILES || size > MOST_BYTES {
                let folder = folder.display();
                bail!(
                    "{folder} at {revision} has more than {MOST_FILES} C++ files, or more than {} MiB \
                     of them",
                    MOST_BYTES >> 20
                );
            }
            files.push((name, content.bytes().to_vec()));
        }
    }
    Ok(files)
}

/// The name of a C++ file in a bundle; `None` for other files and for paths that a bundle cannot have.
fn name(folder: &Path, path: &str) -> Option<String> {
    let name = name_in_bundle(folder, path);
    let is_cpp = Language::of(path) == Some(Language::Cpp);
    (is_cpp && Bundle::is_file_name(&name)).then_some(name)
}
