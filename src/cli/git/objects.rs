//! Reads files of many commits through one git process.

use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{ChildStdin, ChildStdout, Stdio};
use std::time::Duration;

use anyhow::{Context as _, anyhow, bail};

use super::watch::Watch;
use super::{Fault, Git, MAX_FILE, hardened};
use opatlas_source::Content;

/// The maximum length of the line about an object, in bytes. It repeats the request.
const MAX_LINE: u64 = 16 << 10;
const SILENCE: Duration = Duration::from_secs(60);

pub(in crate::cli) struct Objects {
    git: Git,
    /// Whether the repository lacks objects.
    is_partial: bool,
    watch: Watch,
    asked: ChildStdin,
    answers: BufReader<ChildStdout>,
    ahead: VecDeque<String>,
    /// Reused, because allocating memory for each version of a large file takes longer than reading
    /// it.
    last: Vec<u8>,
}

impl Objects {
    pub(in crate::cli) fn open(repository: &Path, mode: Mode) -> anyhow::Result<Self> {
        let git = Git::at(repository);
        let mut command = hardened::command(repository);
        command
            .args(["cat-file", mode.option()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = command.spawn().map_err(Fault::Missing)?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let watch = Watch::new(child, SILENCE);
        let (asked, answers) = pipes.ok_or_else(|| anyhow!("no pipes to git"))?;
        widen(&answers);
        Ok(Self {
            is_partial: git.is_partial(),
            git,
            watch,
            asked,
            answers: BufReader::with_capacity(1 << 16, answers),
            ahead: VecDeque::new(),
            last: Vec::new(),
        })
    }

    pub(in crate::cli) fn ask(&mut self, commit: &str, path: &str) -> anyhow::Result<()> {
        let wanted = format!("{commit}:{path}");
        self.within(|all| {
            writeln!(all.asked, "{wanted}")?;
            Ok(all.asked.flush()?)
        })?;
        self.ahead.push_back(wanted);
        Ok(())
    }

    /// `None` if the file does not exist. Fails if git ends, or the clone lacks the file.
    pub(in crate::cli) fn id(
        &mut self,
        commit: &str,
        path: &str,
    ) -> anyhow::Result<Option<String>> {
        Ok(self.header(commit, path)?.map(|(id, _)| id))
    }

    /// `None` if the file does not exist. Fails if git ends, the clone lacks the file, or it is too
    /// large.
    pub(in crate::cli) fn content(
        &mut self,
        commit: &str,
        path: &str,
    ) -> anyhow::Result<Option<Content>> {
        let Some((_, size)) = self.header(commit, path)? else {
            return Ok(None);
        };
        if size > MAX_FILE {
            bail!("{path} at {commit} has {size} bytes; the limit is {MAX_FILE}");
        }
        let whole = size + 1;
        self.last.clear();
        self.last.reserve(usize::try_from(whole)?);
        self.within(|all| {
            let mut rest = all.answers.by_ref().take(whole);
            Ok(rest.read_to_end(&mut all.last)?)
        })?;
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
        self.within(|all| Ok(all.answers.by_ref().take(MAX_LINE).read_line(&mut line)?))?;
        if !line.ends_with('\n') {
            bail!("git ended before {path} at {commit}");
        }
        let mut words = line.split_whitespace();
        match (words.next(), words.next(), words.next()) {
            (Some(id), Some("blob"), Some(size)) => Ok(Some((id.to_owned(), size.parse()?))),
            _ if line.trim_end().ends_with(" missing") => self.absent(commit, path),
            _ => bail!(
                "{path} at {commit} is not a file: git reports {}",
                line.trim_end()
            ),
        }
    }

    /// Git's message is the same for a file that a partial clone lacks, so this checks.
    fn absent<T>(&self, commit: &str, path: &str) -> anyhow::Result<Option<T>> {
        if self.is_partial && self.git.has(commit, path)? {
            bail!("{path} at {commit} is missing: {}", self.git.partial_hint())
        } else {
            Ok(None)
        }
    }

    fn within<T>(
        &mut self,
        talk: impl FnOnce(&mut Self) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        self.watch.expect_within(SILENCE);
        let done = talk(self);
        self.watch.relax();
        if self.watch.is_late() {
            Err(Fault::TooSlow(SILENCE).into())
        } else {
            done.context("git ended early")
        }
    }
}

/// Enlarges a pipe to the size of a whole file, if the system allows, to save context switches.
fn widen(answers: &ChildStdout) {
    const ROOM: usize = 1 << 20;
    // On failure, reading takes a little longer.
    #[cfg(target_os = "linux")]
    let _ = rustix::pipe::fcntl_setpipe_size(answers, ROOM);
    #[cfg(not(target_os = "linux"))]
    let _ = (answers, ROOM);
}

#[derive(Debug, Clone, Copy)]
pub(in crate::cli) enum Mode {
    Ids,
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
