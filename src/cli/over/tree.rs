//! Finds the backend file in a vendor's tree, for commands with `--sources` alone.

use std::fs;
use std::path::{Path, PathBuf};

use opatlas_operators::backend::BackendFile;
use opatlas_source::visible;

use crate::cli::read::{self, Origin};

/// The maximum number of files and folders that are visited.
const MOST_ENTRIES: usize = 200_000;

/// The maximum size of a backend file, in bytes. XLA's has 12,000.
const LARGEST: u64 = 1 << 20;

/// Returns the only file below a folder that torchgen would read as a backend file. A note on
/// standard error names it or lists several candidates.
pub(in crate::cli) fn backend_file(folder: &Path) -> Option<PathBuf> {
    let mut found: Vec<PathBuf> = yaml_files(folder)
        .into_iter()
        .filter(|path| is_backend_file(path))
        .collect();
    let shown = |path: &Path| visible::line(&path.display().to_string()).into_owned();
    match (found.pop(), found.pop()) {
        (Some(only), None) => {
            eprintln!("note: {} lists kernels of the backend", shown(&only));
            Some(only)
        }
        (Some(first), Some(second)) => {
            eprintln!(
                "note: {} and {} look like backend files; name the one to use, otherwise only the \
                 sources count",
                shown(&first),
                shown(&second)
            );
            None
        }
        (None, _) => None,
    }
}

fn is_backend_file(path: &Path) -> bool {
    let Ok(bytes) = read::bytes(path, Origin::Found, LARGEST) else {
        return false;
    };
    let file = BackendFile::read(&bytes);
    let lists = !file.supported.is_empty() || !file.autograd.is_empty();
    lists && file.backend.is_some() && file.vendor.is_none() && file.diagnostics.is_empty()
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
