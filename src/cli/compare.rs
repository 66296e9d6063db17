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
use opatlas_report::changes::{LEAST_MAX_CHARS, Report};
use opatlas_report::findings::Colour;

use super::{colour, output};
use options::Format;

use judge::Sides;
pub(super) use judge::{JudgedHead, exit_code};
pub(super) use options::How;

/// Shows what changed between two revisions: what breaks, for whom, and on which backend.
///
/// BASE and HEAD are files, folders with the files of a bundle, stored revisions (2.9.0, latest,
/// sha256:DIGITS, or label:NAME if a file has that name), or commits of a local repository
/// (git:REV, git:REV:PATH). With --backend it shows what the head changes for an out-of-tree
/// backend; with --sources of a backend, for the kernels that they register. The policy and the exceptions come from the project and from opatlas.toml in the
/// current folder.
#[derive(Debug, Args)]
pub(super) struct Compare {
    /// The revision to compare with
    base: String,

    /// The revision with the changes
    head: String,

    /// Show what changes for an out-of-tree backend with this backend file, and exit with 1 if a
    /// listed operator was removed or its kernel must change
    #[arg(long, value_name = "FILE", conflicts_with_all = ["against", "profile", "fail_on"])]
    backend: Option<PathBuf>,

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
        let sides = self.how.sides(&self.base, &self.head).await?;
        if let Some(path) = self.backend_path(&sides)? {
            let done = self.tell_backend(path, &sides.base, &sides.head);
            sides.close().await;
            return done;
        }
        let judged = self.how.judge(sides).await?;
        let (parts, conclusion) = judged.report(&self.how, self.max_chars, |report| {
            let parts = self.render(&judged, report);
            (parts, report.conclusion())
        });
        self.write(&parts?)?;
        Ok(exit_code(conclusion))
    }

    /// The file of a backend, or the folder with its sources.
    fn backend_path(&self, sides: &Sides) -> anyhow::Result<Option<&Path>> {
        match &self.backend {
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

pub(super) fn pretty<T: serde::Serialize>(value: &T) -> anyhow::Result<String> {
    Ok(output::json(&serde_json::to_string_pretty(value)?))
}

fn indented(json: &[u8]) -> anyhow::Result<String> {
    pretty(&serde_json::from_slice::<serde_json::Value>(json)?)
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
