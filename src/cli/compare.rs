//! `opatlas compare`: the changes between two revisions, judged by a policy.

pub(super) mod backend;
mod judge;
mod options;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use clap::Args;

use opatlas_report::changes;
use opatlas_report::changes::{Filter, LEAST_MAX_CHARS, Report};
use opatlas_report::findings::Colour;
use opatlas_wire::compare_filter::{LeastLevel, is_key, nearest_key};

use super::{colour, output};
use options::Format;

use judge::Sides;
pub(super) use judge::{JudgedHead, exit_code};
pub(super) use options::How;

/// Shows what changed between two revisions: what breaks, for whom, and on which backend.
///
/// BASE and HEAD are files, folders with the files of a bundle, clones of PyTorch, stored revisions
/// (2.9.0, latest, sha256:DIGITS, or label:NAME if a file has that name), or commits of a local
/// repository (git:REV, git:REV:PATH). git:A...B is the merge base of two commits: `opatlas compare
/// git:main...HEAD git:HEAD` shows what a branch changed, without what changed on main since then.
/// With a backend file it shows what the head changes for that out-of-tree backend; with --sources of
/// a backend, for the kernels that they register. The policy and the exceptions come from the project
/// and from opatlas.toml in the current folder or above.
///
/// --level, --operator and --backend KEY restrict what is listed, in every format. They never change
/// the counts, the conclusion or the exit code.
#[derive(Debug, Args)]
pub(super) struct Compare {
    /// The revision to compare with
    base: String,

    /// The revision with the changes
    head: String,

    /// List only changes of this level and worse
    #[arg(long, value_enum)]
    level: Option<LeastLevel>,

    /// List only changes of this operator and its overloads; may have wildcards, such as add*, and may
    /// be repeated
    #[arg(long, value_name = "PATTERN")]
    operator: Vec<String>,

    /// List only changes for this dispatch key, such as CUDA; may be repeated. With a backend file:
    /// show what changes for that out-of-tree backend, and exit with 1 if a listed operator was
    /// removed or its kernel must change
    #[arg(long, value_name = "KEY|FILE")]
    backend: Vec<PathBuf>,

    /// The output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    /// Split Markdown into parts of at most NUMBER characters, without splitting a change
    #[arg(long, value_name = "NUMBER")]
    max_chars: Option<usize>,

    /// Write to this file, or to a folder with one file per part
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,

    #[command(flatten)]
    how: How,
}

impl Compare {
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        if self.max_chars.is_some_and(|max| max < LEAST_MAX_CHARS) {
            bail!("--max-chars must be at least {LEAST_MAX_CHARS}");
        }
        let backend = self.backend()?;
        let sides = self.how.sides(&self.base, &self.head).await?;
        if let Some(path) = self.backend_path(&backend, &sides)? {
            let done = self.tell_backend(path, &sides.base, &sides.head);
            sides.close().await;
            return done;
        }
        let filter = Filter::new(self.level.map(Into::into), &self.operator, &backend.keys);
        let judged = self.how.judge(sides).await?.filtered(&filter);
        let (parts, conclusion) = judged.report(&self.how, self.max_chars, |report| {
            let parts = self.render(&judged, report);
            (parts, report.conclusion())
        });
        self.write(&parts?)?;
        Ok(exit_code(conclusion))
    }

    /// The dispatch keys and the backend file of `--backend`. A key is taken for a file only if it has a
    /// path, such as `./CUDA`.
    fn backend(&self) -> anyhow::Result<Backend> {
        let mut backend = Backend::default();
        for given in &self.backend {
            match given.to_str().filter(|name| is_key(name)) {
                Some(key) => backend.keys.push(key.to_owned()),
                None if backend.file.is_some() => bail!("--backend takes one file"),
                None => {
                    expect_file(given)?;
                    backend.file = Some(given.clone());
                }
            }
        }
        if backend.file.is_some() {
            backend::expect_alone(self, &backend)?;
        }
        Ok(backend)
    }

    /// The file of a backend, or the folder with its sources.
    fn backend_path<'a>(
        &'a self,
        backend: &'a Backend,
        sides: &Sides,
    ) -> anyhow::Result<Option<&'a Path>> {
        match &backend.file {
            Some(file) => Ok(Some(file)),
            // The sources of a commit are in its repository.
            None if self.base.starts_with("git:") || self.head.starts_with("git:") => Ok(None),
            None => self.how.sources.of_backend(&sides.base.snapshot),
        }
    }

    fn render(&self, judged: &JudgedHead, report: &Report<'_>) -> anyhow::Result<Vec<String>> {
        Ok(match self.format {
            Format::Text => vec![changes::text(report, self.colour())],
            Format::Markdown => changes::markdown(report),
            Format::Csv => vec![changes::csv(report)],
            Format::Sarif => vec![indented(&changes::sarif(report))?],
            Format::Junit => vec![changes::junit(report)],
            Format::Github => vec![changes::github(report)],
            Format::Gitlab => vec![pretty(&changes::gitlab(report))?],
            Format::Json => vec![pretty(&judged.answer(report))?],
        })
    }

    fn colour(&self) -> Colour {
        match self.out {
            None => colour::of_output(),
            Some(_) => Colour::Never,
        }
    }

    fn print(&self, part: &str) {
        match self.format {
            Format::Text => output::painted(part, self.colour()),
            Format::Github => output::commands(part),
            _ => print!("{part}"),
        }
    }

    fn write(&self, parts: &[String]) -> anyhow::Result<()> {
        let Some(out) = &self.out else {
            for (i, part) in parts.iter().enumerate() {
                if i > 0 {
                    println!("\n<!-- part {} of {} -->\n", i + 1, parts.len());
                }
                let end = if part.ends_with('\n') { "" } else { "\n" };
                self.print(&format!("{part}{end}"));
            }
            return Ok(());
        };
        let is_folder = out.is_dir() || out.as_os_str().to_string_lossy().ends_with('/');
        if !is_folder {
            let [only] = parts else {
                bail!(
                    "the report has {} parts; use a folder, for example --out {}/",
                    parts.len(),
                    out.with_extension("").display()
                );
            };
            return write(out, only);
        }
        fs::create_dir_all(out).with_context(|| format!("cannot create {}", out.display()))?;
        // Zero-padded, so that names sort by part.
        let width = parts.len().to_string().len();
        for (i, part) in parts.iter().enumerate() {
            let extension = match self.format {
                Format::Text | Format::Github => "txt",
                Format::Json | Format::Gitlab => "json",
                Format::Markdown => "md",
                Format::Csv => "csv",
                Format::Sarif => "sarif",
                Format::Junit => "xml",
            };
            let number = format!("{:0width$}", i + 1);
            write(&out.join(format!("part-{number}.{extension}")), part)?;
        }
        Ok(())
    }
}

/// The values of `--backend`.
#[derive(Debug, Default)]
struct Backend {
    keys: Vec<String>,
    file: Option<PathBuf>,
}

/// A name that is neither a key nor a file is mostly a misspelled key.
fn expect_file(given: &Path) -> anyhow::Result<()> {
    let name = given.to_string_lossy();
    let is_plain = name.chars().all(char::is_alphanumeric);
    match nearest_key(&name).filter(|_| is_plain && !given.exists()) {
        Some(key) => {
            bail!("--backend: `{name}` is neither a file nor a dispatch key; did you mean `{key}`?")
        }
        None => Ok(()),
    }
}

pub(super) fn pretty<T: serde::Serialize>(value: &T) -> anyhow::Result<String> {
    Ok(output::json(&serde_json::to_string_pretty(value)?))
}

fn indented(json: &[u8]) -> anyhow::Result<String> {
    pretty(&serde_json::from_slice::<serde_json::Value>(json)?)
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
