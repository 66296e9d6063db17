//! The base of a change: its files at the merge base with the branch that it goes to.

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

/// Variables in which CI systems name the branch that a change goes to.
const TARGETS: [&str; 2] = ["GITHUB_BASE_REF", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME"];

/// Files at a commit, in the order that they were asked for; `None` for a missing one.
pub(super) struct Before {
    pub(super) commit: String,
    pub(super) files: Vec<Option<Vec<u8>>>,
}

/// The files before the change. `None` if there is no repository or base, or git takes too long.
pub(super) fn files(branch: Option<&str>, paths: &[&Path]) -> Option<Before> {
    let folder = paths.first()?.parent()?;
    let commit = base(&Git::in_editor(folder), branch).ok()??;
    let files = paths.iter().map(|path| file(&commit, path));
    let files = files.collect::<Result<_, _>>().ok()?;
    Some(Before { commit, files })
}

/// The merge base with a branch, or with the first usual one that exists; without one, `HEAD`. In CI the
/// change is committed: if `HEAD` is its own base, the commit before it is taken.
fn base(git: &Git, branch: Option<&str>) -> Result<Option<String>, Fault> {
    let Some(head) = commit(git, "HEAD")? else {
        return Ok(None);
    };
    let branches = match branch {
        Some(branch) => vec![branch.to_owned()],
        None => usual(),
    };
    for branch in branches {
        let branch = format!("{branch}^{{commit}}");
        let arguments = ["merge-base", "--end-of-options", "HEAD", &branch];
        let Some(base) = unless_refused(git.run(arguments, MAX_LIST))? else {
            continue;
        };
        let base = String::from_utf8_lossy(&base).trim().to_owned();
        if base == head && std::env::var_os("CI").is_some() {
            return commit(git, "HEAD^");
        }
        return Ok(Some(base));
    }
    Ok(None)
}

fn usual() -> Vec<String> {
    let targets = TARGETS.iter().filter_map(|name| std::env::var(name).ok());
    let targets = targets.filter(|name| !name.is_empty());
    let targets = targets.map(|name| format!("origin/{name}"));
    let branches = BRANCHES.iter().chain(["HEAD"].iter());
    targets
        .chain(branches.map(|&name| name.to_owned()))
        .collect()
}

fn commit(git: &Git, revision: &str) -> Result<Option<String>, Fault> {
    match git.commit(revision) {
        Ok(id) => Ok(Some(id)),
        Err(Fault::Refused(_)) => Ok(None),
        Err(fault) => Err(fault),
    }
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
