//! Finds the backend file in a vendor's tree, for commands with `--sources` alone.

use std::fs;
use std::path::{Path, PathBuf};

use opatlas_operators::backend::BackendFile;
use opatlas_operators::backend::vendor::Profile;
use opatlas_source::visible;

use crate::cli::config;
use crate::cli::read::{self, Origin};

/// The maximum number of files and folders that are visited.
const MOST_ENTRIES: usize = 200_000;

/// The maximum size of a backend file, in bytes. XLA's has 12,000.
const LARGEST: u64 = 1 << 20;

/// Returns the only backend file below a folder: one that torchgen reads, or if there is none, one that
/// a vendor profile describes. A note on standard error names it or lists several candidates.
pub(in crate::cli) fn backend_file(folder: &Path) -> Option<PathBuf> {
    let profile = config::vendor().ok().flatten();
    let profile = profile.and_then(|text| Profile::read(text.as_bytes()).ok());
    let (mut plain, mut described) = (Vec::new(), Vec::new());
    for path in yaml_files(folder) {
        match format(&path, profile.as_ref()) {
            Some(Format::Plain) => plain.push(path),
            Some(Format::Described) => described.push(path),
            None => {}
        }
    }
    let found = if plain.is_empty() { described } else { plain };
    let shown = |path: &Path| visible::line(&path.display().to_string()).into_owned();
    match &*found {
        [] => None,
        [only] => {
            eprintln!("note: {} lists kernels of the backend", shown(only));
            Some(only.clone())
        }
        [first, second, ..] => {
            eprintln!(
                "note: {} and {} look like backend files; name the one to use, otherwise only the \
                 sources count",
                shown(first),
                shown(second)
            );
            None
        }
    }
}

enum Format {
    Plain,
    /// A vendor profile says how to read it.
    Described,
}

fn format(path: &Path, profile: Option<&Profile>) -> Option<Format> {
    let bytes = read::bytes(path, Origin::Found, LARGEST).ok()?;
    let file = BackendFile::read_with(&bytes, profile);
    let Some(vendor) = &file.vendor else {
        let lists = !file.supported.is_empty() || !file.autograd.is_empty();
        let is_plain = lists && file.backend.is_some() && file.diagnostics.is_empty();
        return is_plain.then_some(Format::Plain);
    };
    (!vendor.entries.is_empty()).then_some(Format::Described)
}

/// Lists YAML files. Skips hidden folders and links.
fn yaml_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    let mut left = MOST_ENTRIES;
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).into_iter().flatten();
        for entry in entries.filter_map(Result::ok) {
            let Some(rest) = left.checked_sub(1) else {
                eprintln!(
                    "note: only the first {MOST_ENTRIES} files were searched for a backend file"
                );
                return files;
            };
            left = rest;
            let (path, kind) = (entry.path(), entry.file_type());
            let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
            if kind.as_ref().is_ok_and(fs::FileType::is_dir) && !is_hidden {
                folders.push(path);
            } else if kind.is_ok_and(|kind| kind.is_file()) && is_yaml(&path) {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

fn is_yaml(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    matches!(extension, Some("yaml" | "yml"))
}
