//! Commits and files out of a local clone, by the user's own git.

use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context as _, anyhow, bail};

use crate::store::CommitRecord;
use opatlas_source::Content;

/// No file may be larger than this; the real ones are under 1 MiB.
const MAX_FILE: u64 = 8 << 20;

/// The commits of a range that touch one of some paths, in the order of their topology, the first one first.
///
/// # Errors
/// When git does not know the range, or it has no such commit.
pub(super) fn commits(
    repository: &Path,
    range: &str,
    paths: &[String],
    first_parent: bool,
) -> anyhow::Result<Vec<CommitRecord>> {
    if range.starts_with('-') {
        bail!("`{range}` is not a range of commits");
    }
    let mut command = git(repository);
    command.args([
        "log",
        "--topo-order",
        "--reverse",
        "-z",
        "--format=%H %at %s",
    ]);
    if first_parent {
        command.arg("--first-parent");
    }
    let output = command
        .args(["--end-of-options", range, "--"])
        .args(paths)
        .output()
        .context("cannot run git, which --git requires")?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let said = said.lines().next().unwrap_or("git gave no reason");
        bail!("{} has no commits {range}: {said}", repository.display());
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let lines = text.split('\0').filter(|line| !line.is_empty());
    let commits = lines.map(|line| {
        commit(line).ok_or_else(|| anyhow!("unexpected line from git for a commit: {line:?}"))
    });
    let commits: Vec<CommitRecord> = commits.collect::<anyhow::Result<_>>()?;
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

/// The names that a file has had in a range, the given one first.
///
/// # Errors
/// When git does not know the range.
pub(super) fn names(repository: &Path, range: &str, path: &str) -> anyhow::Result<Vec<String>> {
    if range.starts_with('-') {
        bail!("`{range}` is not a range of commits");
    }
    let mut command = git(repository);
    command.args(["-c", "core.quotePath=false", "log", "--follow"]);
    command.args(["--name-status", "--diff-filter=R", "--format="]);
    command.args(["--end-of-options", range, "--", path]);
    let output = command
        .output()
        .context("cannot run git, which --git requires")?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let said = said.lines().next().unwrap_or("git gave no reason");
        bail!("{} has no commits {range}: {said}", repository.display());
    }
    let mut names = vec![path.to_owned()];
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        // R100, the old name, the new name.
        for name in line.split('\t').skip(1) {
            if !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
    }
    Ok(names)
}

fn commit(line: &str) -> Option<CommitRecord> {
    let mut parts = line.splitn(3, ' ');
    let id = parts.next()?.trim().to_owned();
    let seconds: i64 = parts.next()?.parse().ok()?;
    Some(CommitRecord {
        id,
        release: None,
        author_date: seconds.saturating_mul(1_000_000),
        // Not every database can store U+0000, and git has none in a subject.
        subject: parts.next().unwrap_or_default().to_owned(),
    })
}

fn git(repository: &Path) -> Command {
    let mut command = Command::new("git");
    command.arg("-C").arg(repository).stdin(Stdio::null());
    command
}

/// A git that gives out files for as long as it is asked.
pub(super) struct Files {
    child: Child,
    asked: ChildStdin,
    answers: BufReader<ChildStdout>,
    /// What was asked for and not read yet, in its order.
    ahead: VecDeque<String>,
    /// The file that was asked for last. Every commit has another version of the same large file, and to
    /// take fresh memory for each takes longer than to read it.
    last: Vec<u8>,
}

impl Files {
    /// Starts it.
    ///
    /// # Errors
    /// When git cannot be run.
    pub(super) fn open(repository: &Path, mode: Mode) -> anyhow::Result<Self> {
        let mut command = git(repository);
        command
            .args(["cat-file", mode.option()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = command
            .spawn()
            .context("cannot run git, which --git requires")?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (asked, answers) = pipes.ok_or_else(|| anyhow!("no pipes to git"))?;
        widen(&answers);
        Ok(Self {
            child,
            asked,
            answers: BufReader::with_capacity(1 << 16, answers),
            ahead: VecDeque::new(),
            last: Vec::new(),
        })
    }

    /// Asks for what is read later, so that git has it ready then. What was asked for is read first, and in
    /// this order; few can be asked for at a time.
    ///
    /// # Errors
    /// When git ended.
    pub(super) fn ask(&mut self, commit: &str, path: &str) -> anyhow::Result<()> {
        let wanted = format!("{commit}:{path}");
        writeln!(self.asked, "{wanted}").context("git ended early")?;
        self.asked.flush().context("git ended early")?;
        self.ahead.push_back(wanted);
        Ok(())
    }

    /// The id of a file at a commit; `None` if the file does not exist.
    ///
    /// # Errors
    /// When git ends before it answers.
    pub(super) fn id(&mut self, commit: &str, path: &str) -> anyhow::Result<Option<String>> {
        Ok(self.header(commit, path)?.map(|(id, _)| id))
    }

    /// A file at a commit; `None` if the file does not exist.
    ///
    /// # Errors
    /// When git ends before it answers, or the file is too large to be one.
    pub(super) fn content(&mut self, commit: &str, path: &str) -> anyhow::Result<Option<Content>> {
        let Some((_, size)) = self.header(commit, path)? else {
            return Ok(None);
        };
        if size > MAX_FILE {
            bail!("{path} at {commit} has {size} bytes; the limit is {MAX_FILE}");
        }
        let whole = size + 1;
        self.last.clear();
        self.last.reserve(usize::try_from(whole)?);
        let mut rest = self.answers.by_ref().take(whole);
        rest.read_to_end(&mut self.last)
            .context("git ended early")?;
        match self.last.split_last() {
            Some((b'\n', bytes)) if self.last.len() as u64 == whole => Ok(Some(bytes.into())),
            _ => bail!("git ended in the middle of {path} at {commit}"),
        }
    }

    fn header(&mut self, commit: &str, path: &str) -> anyhow::Result<Option<(String, u64)>> {
        if self.ahead.is_empty() {
            self.ask(commit, path)?;
        }
        let asked = self.ahead.pop_front().unwrap_or_default();
        if asked.strip_suffix(path).and_then(|it| it.strip_suffix(':')) != Some(commit) {
            bail!("git was asked for {asked} before {path} at {commit}");
        }
        let mut line = String::new();
        let read = self.answers.read_line(&mut line);
        if read.context("git ended early")? == 0 {
            bail!("git ended before {path} at {commit}");
        }
        let mut words = line.split_whitespace();
        match (words.next(), words.next(), words.next()) {
            (Some(id), Some("blob"), Some(size)) => Ok(Some((id.to_owned(), size.parse()?))),
            _ if line.trim_end().ends_with(" missing") => Ok(None),
            _ => bail!(
                "{path} at {commit} is not a file: git reports {}",
                line.trim_end()
            ),
        }
    }
}

/// Gives a pipe room for a whole file, as much as the system allows everybody: git and the reader wake each
/// other once for a file then, and not once for every 64 KiB of it.
fn widen(answers: &ChildStdout) {
    const ROOM: usize = 1 << 20;
    // Where it is not possible, reading takes a little longer.
    #[cfg(target_os = "linux")]
    let _ = rustix::pipe::fcntl_setpipe_size(answers, ROOM);
    #[cfg(not(target_os = "linux"))]
    let _ = (answers, ROOM);
}

impl Drop for Files {
    fn drop(&mut self) {
        // It ends by itself when its input does; it is not waited for while it is asked nothing.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A request to git.
#[derive(Debug, Clone, Copy)]
pub(super) enum Mode {
    /// Which files there are.
    Ids,
    /// Their bytes.
    Bytes,
}

impl Mode {
    fn option(self) -> &'static str {
        match self {
            Self::Ids => "--batch-check",
            Self::Bytes => "--batch",
        }
    }
}
