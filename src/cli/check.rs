//! `opatlas check`: the rules over files or a stored revision.

use std::collections::BTreeMap;
use std::fs;
use std::io::{IsTerminal as _, Read as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use clap::{Args, ValueEnum};

use crate::diagnostic::{Finding, Severity};
use crate::model::catalogue::Catalogue;
use crate::release::Release;
use crate::report::findings::{self, Colour, Findings, SourceText};
use crate::rules;
use crate::source::{BACKENDS, Bundle, NATIVE_FUNCTIONS};
use crate::syntax::yaml::{self, Kind, Root};

/// Checks operator declarations against the rules of a release.
///
/// A file called tags.yaml, derivatives.yaml or deprecated.yaml is read as that; a file that
/// describes an out-of-tree backend goes with the operators; any other file, and standard input
/// (`-`), is read as native_functions.yaml. A folder stands for the files in it.
#[derive(Debug, Args)]
pub(super) struct Check {
    /// Files or folders to check
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// The PyTorch release whose rules apply; the newest known by default
    #[arg(long)]
    release: Option<String>,

    /// How the findings are written
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    /// Exit with 1 when there is a finding at least this bad
    #[arg(long, value_enum, default_value_t = FailOn::Error)]
    fail_on: FailOn,

    /// Leave infos out
    #[arg(long)]
    quiet: bool,

    /// Apply the fixes that are mechanical, and report what is left
    #[arg(long)]
    fix: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
    Markdown,
    Sarif,
    Junit,
    Github,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FailOn {
    Error,
    Warning,
    Info,
    Never,
}

impl FailOn {
    fn is_met(self, finding: &Finding) -> bool {
        match self {
            Self::Error => finding.severity == Severity::Error,
            Self::Warning => finding.severity <= Severity::Warning,
            Self::Info => true,
            Self::Never => false,
        }
    }
}

/// One bundle to check, and what its files are called by the user.
#[derive(Debug, Default)]
struct Input {
    bundle: Bundle,
    paths: BTreeMap<Box<str>, PathBuf>,
}

impl Input {
    fn add(&mut self, name: &str, path: &Path, bytes: Vec<u8>) {
        self.bundle.insert(name, bytes);
        self.paths.insert(name.into(), path.into());
    }
}

impl Check {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let release = match &self.release {
            None => Release::LATEST,
            Some(text) => {
                let parsed = Release::parse(text)?;
                if parsed.newer_than_known {
                    eprintln!("note: {text} is newer than the newest release known; judged as {}", parsed.release);
                }
                parsed.release
            }
        };
        let mut inputs = inputs(&self.files)?;
        if self.fix {
            let mut applied = 0;
            for input in &mut inputs {
                applied += fix(input, release)?;
            }
            eprintln!("{applied} {} applied", if applied == 1 { "fix" } else { "fixes" });
        }
        let judged: Vec<(Vec<Finding>, BTreeMap<Box<str>, SourceText>, Catalogue)> =
            inputs.iter().map(|input| self.judge(input, release)).collect();
        let mut failed = false;
        for (findings, sources, catalogue) in judged {
            failed |= findings.iter().any(|f| self.fail_on.is_met(f));
            let report = Findings {
                findings: &findings,
                sources,
            };
            self.show(&report, &catalogue)?;
        }
        Ok(ExitCode::from(u8::from(failed)))
    }

    fn judge(
        &self,
        input: &Input,
        release: Release,
    ) -> (Vec<Finding>, BTreeMap<Box<str>, SourceText>, Catalogue) {
        let catalogue = Catalogue::read(&input.bundle, release, None);
        let mut findings = rules::check(&catalogue);
        if self.quiet {
            findings.retain(|f| f.severity != Severity::Info);
        }
        let sources = input.bundle.files().map(|(name, bytes)| {
            let (text, _) = yaml::decode(bytes);
            let path = input.paths.get(name).map_or_else(
                || name.to_owned(),
                |path| path.display().to_string(),
            );
            (name.into(), SourceText::new(path, text.into()))
        });
        (findings, sources.collect(), catalogue)
    }

    fn show(&self, report: &Findings<'_>, catalogue: &Catalogue) -> anyhow::Result<()> {
        match self.format {
            Format::Text => {
                let colour = match std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none() {
                    true => Colour::Always,
                    false => Colour::Never,
                };
                let generated = catalogue.operators.iter().filter(|op| op.is_generated()).count();
                let shown = findings::text(report, colour);
                println!(
                    "{} ({} operators and {generated} generated ones read, judged as {})",
                    shown.trim_end(),
                    catalogue.operators.len() - generated,
                    catalogue.release
                );
            }
            Format::Json => {
                let answer = crate::api::validated(report.findings, catalogue, &report.sources);
                println!("{}", serde_json::to_string_pretty(&answer)?);
            }
            Format::Markdown => print!("{}", findings::markdown(report)),
            Format::Sarif => println!("{:#}", findings::sarif(report)),
            Format::Junit => print!("{}", findings::junit(report)),
            Format::Github => print!("{}", findings::github(report)),
        }
        Ok(())
    }
}

/// Sorts the files into bundles: what goes with all operators goes into each.
fn inputs(paths: &[PathBuf]) -> anyhow::Result<Vec<Input>> {
    let mut shared = Input::default();
    let mut operators = Vec::new();
    for path in paths {
        if path.is_dir() {
            let bundle = super::import::read_folder(path)?;
            let mut input = Input::default();
            for (name, bytes) in bundle.files() {
                input.add(name, &path.join(name), bytes.to_vec());
            }
            operators.push(input);
            continue;
        }
        let bytes = read(path)?;
        match role(path, &bytes) {
            Some(name) => shared.add(&name, path, bytes),
            None => {
                let mut input = Input::default();
                input.add(NATIVE_FUNCTIONS, path, bytes);
                operators.push(input);
            }
        }
    }
    if operators.is_empty() {
        bail!("none of these files declares operators; name a native_functions.yaml too");
    }
    for input in &mut operators {
        for (name, bytes) in shared.bundle.files() {
            input.add(name, &shared.paths[name], bytes.to_vec());
        }
    }
    Ok(operators)
}

fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    if path.as_os_str() == "-" {
        let mut bytes = Vec::new();
        std::io::stdin().read_to_end(&mut bytes).context("cannot read standard input")?;
        return Ok(bytes);
    }
    fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

/// The name in a bundle of a file that is not about operators.
fn role(path: &Path, bytes: &[u8]) -> Option<String> {
    let name = path.file_name()?.to_string_lossy();
    if name != NATIVE_FUNCTIONS && Bundle::is_file_name(&name) {
        return Some(name.into_owned());
    }
    let (text, _) = yaml::decode(bytes);
    let document = yaml::parse(&text);
    let (Some(tree), Root::Mapping(root)) = (&document.tree, &document.root) else {
        return None;
    };
    let Kind::Mapping(pairs) = tree.kind(*root) else {
        return None;
    };
    let is_backend = pairs.iter().any(|(key, _)| tree.str_value(*key) == Some("backend"));
    let own = format!("{BACKENDS}{}.yaml", path.file_stem()?.to_string_lossy());
    (is_backend && Bundle::is_file_name(&own)).then_some(own)
}

/// Applies the mechanical fixes to the files, until none is left or they change nothing more.
/// Gives how many were applied.
fn fix(input: &mut Input, release: Release) -> anyhow::Result<usize> {
    let fixed = rules::fix::fix(&input.bundle, release);
    for (name, bytes) in &fixed.files {
        let path = &input.paths[name];
        if path.as_os_str() == "-" {
            bail!("standard input cannot be fixed in place; name a file");
        }
        fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
        input.bundle.insert(name, bytes.clone());
    }
    Ok(fixed.applied)
}
