//! Lists the commits of a local clone that touch a file.

use std::path::Path;

use anyhow::{anyhow, bail};

use super::{Git, MAX_LIST};
use opatlas_store::CommitRecord;

/// The commits to list.
#[derive(Debug, Clone, Copy)]
pub(in crate::cli) struct Walk<'a> {
    pub(in crate::cli) repository: &'a Path,
    /// In git's notation.
    pub(in crate::cli) range: &'a str,
    pub(in crate::cli) first_parent: bool,
    /// List only so many commits, the newest ones.
    pub(in crate::cli) last: Option<usize>,
}

/// The commits of a range that touch one of some paths, in topological order, oldest first.
pub(in crate::cli) fn commits(
    walk: Walk<'_>,
    paths: &[String],
) -> anyhow::Result<Vec<CommitRecord>> {
    let Walk {
        repository, range, ..
    } = walk;
    let mut options = vec!["--topo-order", "--reverse", "-z", "--format=%H %at %s"];
    if walk.first_parent {
        options.push("--first-parent");
    }
    let last = walk.last.map(|last| format!("--max-count={last}"));
    options.extend(last.as_deref());
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let text = log(repository, &options, range, &paths)?;
    let lines = text.split('\0').filter(|line| !line.is_empty());
    let commits: Vec<CommitRecord> = lines
        .map(|line| {
            commit(line).ok_or_else(|| anyhow!("unexpected line from git for a commit: {line:?}"))
        })
        .collect::<anyhow::Result<_>>()?;
    if commits.is_empty() {
        bail!(
            "no commit of {range} in {} touches {}; give its path in the repository with --path, or --backend for a \
             backend's file",
            repository.display(),
            paths.join(" or "),
        );
    }
    Ok(commits)
}

/// The names of a file in a range, the given one first.
pub(in crate::cli) fn names(
    repository: &Path,
    range: &str,
    path: &str,
) -> anyhow::Result<Vec<String>> {
    let options = [
        "--follow",
        "--name-status",
        "--diff-filter=R",
        "--no-relative",
        "--format=",
    ];
    let text = log(repository, &options, range, &[path])?;
    let mut names = vec![path.to_owned()];
    for line in text.lines() {
        // R100, the old name, the new name.
        for name in line.split('\t').skip(1) {
            if !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
    }
    Ok(names)
}

fn log(repository: &Path, options: &[&str], range: &str, paths: &[&str]) -> anyhow::Result<String> {
    if range.starts_with('-') {
        bail!("`{range}` is not a range of commits");
    }
    let plain = ["--no-show-signature", "--no-ext-diff", "--no-textconv"];
    let end = ["--end-of-options", range, "--"];
    let arguments = [&["log"], &plain[..], options, &end, paths].concat();
    match Git::with_history(repository).run(arguments, MAX_LIST) {
        Ok(text) => Ok(String::from_utf8_lossy(&text).into_owned()),
        Err(fault) => bail!("{} has no commits {range}: {fault}", repository.display()),
    }
}

fn commit(line: &str) -> Option<CommitRecord> {
    let mut parts = line.splitn(3, ' ');
    let id = parts.next()?.trim().to_owned();
    let seconds: i64 = parts.next()?.parse().ok()?;
    Some(CommitRecord {
        id,
        release: None,
        author_date: seconds.saturating_mul(1_000_000),
        // Some databases cannot store U+0000. Subjects in git have none.
        subject: parts.next().unwrap_or_default().to_owned(),
    })
}
