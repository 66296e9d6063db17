//! Files at the merge base with the target branch.

use std::ffi::OsStr;
use std::path::Path;

use super::git::{Fault, Git, MAX_LIST};

/// Usual target branches, the likeliest first. A clone of a fork has the original as `upstream`.
const BRANCHES: [&str; 6] = [
    "upstream/main",
    "origin/main",
    "origin/HEAD",
    "origin/master",
    "main",
    "master",
];

/// The contents of files at the merge base of `HEAD` and a branch, in order; `None` for a missing
/// file. Nothing if there is no repository or branch, or git takes too long.
pub(super) fn files(branch: Option<&str>, paths: &[&Path]) -> Option<Vec<Option<Vec<u8>>>> {
    let folder = paths.first()?.parent()?;
    let base = base(&Git::in_editor(folder), branch).ok()??;
    let files = paths.iter().map(|path| file(&base, path));
    files.collect::<Result<_, _>>().ok()
}

/// The merge base with a branch, or with the first usual one that exists.
fn base(git: &Git, branch: Option<&str>) -> Result<Option<String>, Fault> {
    let named = branch.map(|branch| vec![branch]);
    for branch in named.unwrap_or_else(|| BRANCHES.to_vec()) {
        let branch = format!("{branch}^{{commit}}");
        let arguments = ["merge-base", "--end-of-options", "HEAD", &branch];
        if let Some(base) = unless_refused(git.run(arguments, MAX_LIST))? {
            return Ok(Some(String::from_utf8_lossy(&base).trim().to_owned()));
        }
    }
    Ok(None)
}

fn file(commit: &str, path: &Path) -> Result<Option<Vec<u8>>, Fault> {
    let name = path.file_name().and_then(OsStr::to_str);
    match (name, path.parent()) {
        (Some(name), Some(folder)) => {
            unless_refused(Git::in_editor(folder).file(commit, &format!("./{name}")))
        }
        _ => Ok(None),
    }
}

fn unless_refused(answer: Result<Vec<u8>, Fault>) -> Result<Option<Vec<u8>>, Fault> {
    match answer {
        Ok(bytes) => Ok(Some(bytes)),
        Err(Fault::Refused(_)) => Ok(None),
        Err(fault) => Err(fault),
    }
}
