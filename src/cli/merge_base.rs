//! The base of a change: its files at the merge base with the branch that it goes to.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::path::Path;

use anyhow::bail;

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

/// The id of the merge base of two revisions.
fn of(git: &Git, a: &str, b: &str) -> Result<String, Fault> {
    let (a, b) = (format!("{a}^{{commit}}"), format!("{b}^{{commit}}"));
    let base = git.run(["merge-base", "--end-of-options", &a, &b], MAX_LIST)?;
    Ok(String::from_utf8_lossy(&base).trim().to_owned())
}

/// The merge base that `A...B` names, as in `git diff A...B`; any other revision is left as it is.
pub(super) fn resolved<'r>(git: &Git, revision: &'r str) -> anyhow::Result<Cow<'r, str>> {
    let Some((a, b)) = revision.split_once("...") else {
        return Ok(revision.into());
    };
    let or_head = |text: &'r str| if text.is_empty() { "HEAD" } else { text };
    match of(git, or_head(a), or_head(b)) {
        Ok(id) => Ok(id.into()),
        Err(Fault::Refused(_)) => bail!(
            "git finds no merge base of {} and {}; fetch the history of both",
            or_head(a),
            or_head(b)
        ),
        Err(fault) => bail!("cannot find the merge base {revision}: {fault}"),
    }
}

/// The merge base of two revisions if it is not the first of them.
pub(super) fn apart(git: &Git, base: &str, head: &str) -> Option<String> {
    if base.contains("...") {
        return None;
    }
    let id = of(git, base, head).ok()?;
    (git.commit(base).ok()? != id).then_some(id)
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
        let Some(base) = unless_refused(of(git, "HEAD", &branch))? else {
            continue;
        };
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

fn unless_refused<T>(answer: Result<T, Fault>) -> Result<Option<T>, Fault> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(Fault::Refused(_)) => Ok(None),
        Err(fault) => Err(fault),
    }
}
