//! Files as they were where a branch left the one that it is to be merged into.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};

/// The branches that changes are usually merged into, the likeliest first. A clone of a fork has the
/// original as `upstream`.
const BRANCHES: [&str; 6] = [
    "upstream/main",
    "origin/main",
    "origin/HEAD",
    "origin/master",
    "main",
    "master",
];

/// The bytes of files at the merge base of the checked out commit and a branch, in the order of the
/// paths; `None` for a file that is not there. Nothing if there is no repository or no such branch.
pub(super) fn files(branch: Option<&str>, paths: &[&Path]) -> Option<Vec<Option<Vec<u8>>>> {
    let folder = paths.first()?.parent()?;
    let named = branch.map(|branch| vec![branch]);
    let branches = named.unwrap_or_else(|| BRANCHES.to_vec());
    let base = branches.into_iter().find_map(|branch| {
        let branch = format!("{branch}^{{commit}}");
        let base = git(folder, ["merge-base", "--end-of-options", "HEAD", &branch])?;
        String::from_utf8(base).ok()
    })?;
    let file = |path: &Path| {
        let name = path.file_name()?.to_str()?;
        let object = format!("{}:./{name}", base.trim());
        git(
            path.parent()?,
            ["cat-file", "blob", "--end-of-options", &object],
        )
    };
    Some(paths.iter().map(|path| file(path)).collect())
}

/// What git prints; nothing if it fails.
fn git(folder: &Path, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Option<Vec<u8>> {
    let output = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(arguments)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    output.status.success().then_some(output.stdout)
}
