//! Runs git on repositories that a stranger may have made. All commands only read objects.
//! [`hardened`] decides what git may read and run; this module limits its time and output.

mod hardened;
pub(super) mod log;
mod objects;
mod watch;

use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use anyhow::bail;
use thiserror::Error;

use watch::Watch;

pub(super) use objects::{Mode, Objects};

/// The maximum size of a file, in bytes. Real ones are under 1 MiB.
pub(super) const MAX_FILE: u64 = 8 << 20;
/// The maximum size of a list of commits or names, in bytes. 100,000 commits take 10 MB.
pub(super) const MAX_LIST: u64 = 64 << 20;
const MAX_COMPLAINT: u64 = 16 << 10;
const USUAL: Duration = Duration::from_secs(30);
const LONG: Duration = Duration::from_secs(300);
const BRIEF: Duration = Duration::from_secs(10);

#[derive(Debug, Error)]
pub(super) enum Fault {
    #[error("cannot run git ({0}); install git, or check the PATH")]
    Missing(io::Error),
    #[error("{0}")]
    Refused(String),
    #[error("git printed more than {0} bytes, which is the limit")]
    TooLong(u64),
    #[error("git took longer than {} s, which is the limit", .0.as_secs())]
    TooSlow(Duration),
    #[error("cannot read what git prints: {0}")]
    Unread(io::Error),
}

#[derive(Debug, Clone)]
pub(super) struct Git {
    folder: PathBuf,
    time: Duration,
}

impl Git {
    pub(super) fn at(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            time: USUAL,
        }
    }

    pub(super) fn with_history(folder: &Path) -> Self {
        Self {
            time: LONG,
            ..Self::at(folder)
        }
    }

    pub(super) fn in_editor(folder: &Path) -> Self {
        Self {
            time: BRIEF,
            ..Self::at(folder)
        }
    }

    /// Fails if git cannot be run, refuses, prints more than `most` bytes, or takes too long.
    pub(super) fn run(
        &self,
        arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
        most: u64,
    ) -> Result<Vec<u8>, Fault> {
        let mut command = hardened::command(&self.folder);
        command.args(arguments);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(Fault::Missing)?;
        let (printed, complaints) = (child.stdout.take(), child.stderr.take());
        let watch = Watch::new(child, self.time);
        watch.expect_within(self.time);
        let complaint = thread::spawn(move || complaint(complaints));
        let bytes = up_to(printed, most);
        if !matches!(bytes, Ok(Some(_))) {
            watch.kill();
        }
        let complaint = complaint.join().unwrap_or_default();
        let status = watch.status().map_err(Fault::Unread)?;
        if watch.is_late() {
            return Err(Fault::TooSlow(self.time));
        }
        let bytes = bytes.map_err(Fault::Unread)?.ok_or(Fault::TooLong(most))?;
        if status.success() {
            Ok(bytes)
        } else {
            Err(Fault::Refused(complaint))
        }
    }

    pub(super) fn file(&self, revision: &str, path: &str) -> Result<Vec<u8>, Fault> {
        let object = format!("{revision}:{path}");
        let arguments = ["cat-file", "blob", "--end-of-options", &object];
        let found = self.run(arguments, MAX_FILE);
        match found {
            Err(Fault::Refused(why)) if self.is_partial() => {
                Err(Fault::Refused(format!("{why} ({})", self.partial_hint())))
            }
            found => found,
        }
    }

    /// The whole id of the commit that a revision names.
    pub(super) fn commit(&self, revision: &str) -> Result<String, Fault> {
        let commit = format!("{revision}^{{commit}}");
        let arguments = ["rev-parse", "--verify", "--quiet", "--end-of-options"];
        let found = self.run(arguments.into_iter().chain([&*commit]), MAX_LIST)?;
        Ok(String::from_utf8_lossy(&found).trim().to_owned())
    }

    /// The paths of the files in a folder of a commit, from the root of the repository.
    pub(super) fn files_under(&self, revision: &str, folder: &str) -> Result<Vec<String>, Fault> {
        let options = ["ls-tree", "-r", "-z", "--name-only", "--full-tree"];
        let arguments = options
            .into_iter()
            .chain(["--end-of-options", revision, "--", folder]);
        let listed = self.run(arguments, MAX_LIST)?;
        let paths = listed
            .split(|&byte| byte == 0)
            .filter(|path| !path.is_empty());
        // A path that is not text cannot be asked for.
        let paths = paths.filter_map(|path| String::from_utf8(path.to_vec()).ok());
        Ok(paths.collect())
    }

    /// Whether a commit has a file at a path, from the root of the repository.
    pub(super) fn has(&self, revision: &str, path: &str) -> anyhow::Result<bool> {
        let arguments = ["ls-tree", "--full-tree", "-z", "--end-of-options"]
            .into_iter()
            .chain([revision, "--", path]);
        let found = match self.run(arguments, MAX_LIST) {
            Ok(found) => found,
            Err(fault) => bail!("git cannot look for {path} at {revision}: {fault}"),
        };
        // MODE TYPE ID, a tab, and the path.
        let found = String::from_utf8_lossy(&found);
        match found.split_whitespace().nth(1) {
            None => Ok(false),
            Some("blob") => Ok(true),
            Some(kind) => bail!("{path} at {revision} is not a file but a {kind}"),
        }
    }

    fn is_partial(&self) -> bool {
        let names = r"^(extensions\.partialclone|remote\..*\.promisor)$";
        self.run(["config", "--get-regexp", names], MAX_LIST)
            .is_ok()
    }

    fn partial_hint(&self) -> String {
        format!(
            "{} is a partial clone, and Opatlas lets git fetch nothing; fetch the commits and their files first, or \
             clone without --filter",
            self.folder.display()
        )
    }
}

fn up_to(printed: Option<impl Read>, most: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    if let Some(printed) = printed {
        printed.take(most + 1).read_to_end(&mut bytes)?;
    }
    Ok((bytes.len() as u64 <= most).then_some(bytes))
}

fn complaint(complaints: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(complaints) = complaints {
        let mut kept = complaints.take(MAX_COMPLAINT);
        // A part of the message is enough.
        let _ = kept.read_to_end(&mut bytes);
        let _ = io::copy(&mut kept.into_inner(), &mut io::sink());
    }
    let text = String::from_utf8_lossy(&bytes);
    let lines = || text.lines().filter(|line| !line.trim().is_empty());
    let fatal = lines().find(|line| line.starts_with("fatal: "));
    let line = fatal.or_else(|| lines().next());
    line.unwrap_or("git gave no reason").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_have_a_limit() {
        let folder = tempfile::tempdir().unwrap();
        let git = Git::at(folder.path());
        let version = git.run(["version"], MAX_LIST).unwrap();
        let length = version.len() as u64;
        assert!(git.run(["version"], length).is_ok());
        let fault = git.run(["version"], length - 1).unwrap_err();
        assert!(matches!(fault, Fault::TooLong(_)), "{fault}");
        let fault = git.run(["log"], MAX_LIST).unwrap_err();
        assert!(
            matches!(&fault, Fault::Refused(why) if why.contains("not a git repository")),
            "{fault}"
        );
    }
}
