//! `opatlas check`: the rules over files or a stored revision.

mod base;
mod inputs;
mod other_release;
mod unknown_kernels;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};

use super::check_sources::SourceOptions;
use super::config::Files;
use super::fix::{Edits, FixOptions};
use super::over::Over;
use super::shown::ShownOptions;
use super::{colour, output, read};
use base::{Base, BaseOptions};
use inputs::with_neighbours;
use opatlas_pytorch::release::Release;
use opatlas_report::findings;
use opatlas_report::findings::{EditedFile, Findings, SourceText};
use opatlas_report::room::UNBOUNDED;
use opatlas_rules::fix::Wanted;
use opatlas_rules::{Omitted, Shown, Since, UnknownKernel};
use opatlas_service::Snapshot;
use opatlas_source::SOURCES;
use opatlas_source::diagnostic::{Finding, Severity};

pub(super) use inputs::{Input, inputs};

/// Checks operator declarations against the rules of a release.
///
/// A file named tags.yaml, derivatives.yaml or deprecated.yaml is read as such; a file that
/// describes an out-of-tree backend belongs to the operators; any other file, and standard input
/// (`-`), is read as native_functions.yaml. A folder means the files in it. With --over, files of
/// a backend are checked over a revision of PyTorch's; a backend without files is its --sources
/// alone: `opatlas check --sources csrc --over 2.15.0`.
#[derive(Debug, Args)]
pub(super) struct Check {
    /// Files or folders to check
    #[arg(required_unless_present_any = ["files_from", "sources"], value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Also check the files that this file lists, one path per line
    #[arg(long, value_name = "LIST")]
    files_from: Option<PathBuf>,

    /// Read the files that belong with the named ones (in PyTorch's layout, the same folder, or
    /// [files] of opatlas.toml), and report only on the named ones; in git, report only what your
    /// change introduces
    #[arg(long, conflicts_with_all = ["over", "fix"])]
    neighbours: bool,

    /// The PyTorch release whose rules apply; by default the newest known
    #[arg(long)]
    release: Option<String>,

    /// The output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    /// Exit with 1 if a finding has at least this severity [default: error; never with --format
    /// lintrunner]
    #[arg(long, value_enum)]
    fail_on: Option<FailOn>,

    #[command(flatten)]
    shown: ShownOptions,

    /// Hide infos, which JSON has by default
    #[arg(long, conflicts_with = "info")]
    quiet: bool,

    #[command(flatten)]
    source_options: SourceOptions,

    /// Apply edits and report the remaining findings; by default only safe edits of errors and
    /// warnings, with `suggested` all edits
    #[arg(
        long,
        value_enum,
        conflicts_with = "over",
        value_name = "WHICH",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "safe"
    )]
    fix: Option<Edits>,

    /// With --fix, show the edits as a diff and write nothing
    #[arg(long, requires = "fix")]
    diff: bool,

    #[command(flatten)]
    base: BaseOptions,

    #[command(flatten)]
    over: Over,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
    Markdown,
    Sarif,
    Junit,
    Github,
    /// GitLab Code Quality
    Gitlab,
    /// One JSON message per line, for lintrunner; exits with 0
    Lintrunner,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FailOn {
    Error,
    Warning,
    Info,
    Never,
}

impl FailOn {
    fn is_met(self, severity: Severity) -> bool {
        match self {
            Self::Error => severity == Severity::Error,
            Self::Warning => severity <= Severity::Warning,
            Self::Info => true,
            Self::Never => false,
        }
    }
}

impl Check {
    pub(super) async fn run(mut self) -> anyhow::Result<ExitCode> {
        if let Some(list) = &self.files_from {
            let text = read::given_text(list)?;
            let listed = text.lines().filter(|line| !line.is_empty());
            self.files.extend(listed.map(PathBuf::from));
        }
        if self.over.is_given() {
            return self.check_over().await;
        }
        let config = if self.neighbours {
            Files::read(Path::new("."))?
        } else {
            Files::default()
        };
        let release = match self.release.as_ref().or(config.release.as_ref()) {
            None => Release::LATEST,
            Some(text) => {
                let parsed = Release::parse(text)?;
                if parsed.newer_than_known {
                    eprintln!(
                        "note: {text} is newer than the newest known release; judged as {}",
                        parsed.release
                    );
                }
                parsed.release
            }
        };
        let mut inputs = if self.neighbours {
            with_neighbours(&self.files, &config)?
        } else {
            inputs(&self.files)?
        };
        let base = self.base.read(&mut inputs, release).await?;
        if let Some(edits) = self.fix {
            let fixing = self.fixing(edits, release, base.as_ref());
            let mended = fixing.run(&mut inputs)?;
            if self.diff {
                print!("{}", mended.diff());
                eprint!("{}", mended.report(edits, false));
                return Ok(ExitCode::SUCCESS);
            }
            mended.write()?;
            eprint!("{}", mended.report(edits, true));
        }
        self.source_options.add_to(&mut inputs)?;
        let judged: Vec<CheckResult> = inputs
            .into_iter()
            .map(|input| {
                let before = match &base {
                    None if self.finds_base() => Base::before(&input, &config, release),
                    _ => None,
                };
                self.judge(input, release, base.as_ref().or(before.as_ref()))
            })
            .collect();
        let failed = judged.iter().any(|judged| {
            let shown = judged.findings.iter().map(|finding| finding.severity);
            let omitted = judged.omitted.iter().map(|omitted| omitted.severity);
            shown
                .chain(omitted)
                .any(|found| self.fail_on().is_met(found))
        });
        self.show(&judged)?;
        let is_chosen = self.release.is_some() || config.release.is_some();
        if self.format == Format::Text && !is_chosen && base.is_none() {
            let hints = judged
                .iter()
                .filter_map(|judged| other_release::hint(&judged.snapshot));
            hints.for_each(|hint| eprint!("{hint}"));
        }
        Ok(ExitCode::from(u8::from(failed)))
    }

    async fn check_over(&self) -> anyhow::Result<ExitCode> {
        let release = self.release.as_deref();
        let mut files = self.files.clone();
        if files.is_empty() {
            files.extend(self.source_options.backend_file());
        }
        let laid = self
            .over
            .lay(
                &files,
                self.source_options.files()?,
                release,
                &self.base.target,
            )
            .await?;
        let of_sources = self.source_options.check(&laid.snapshot);
        let shown = |finding: &&Finding| self.shown().has(finding.severity);
        let judged = CheckResult {
            findings: laid
                .findings()
                .chain(&of_sources.findings)
                .filter(shown)
                .cloned()
                .collect(),
            is_valid: is_valid(&laid.snapshot, &of_sources.findings),
            unknown_kernels: of_sources.unknown_kernels,
            omitted: Vec::new(),
            sources: laid.sources(),
            edited: Vec::new(),
            hidden_infos: 0,
            known: None,
            snapshot: laid.snapshot,
        };
        let mut severities = judged.findings.iter().map(|finding| finding.severity);
        let failed = severities.any(|found| self.fail_on().is_met(found));
        self.show(&[judged])?;
        eprint!("{}", laid.told);
        Ok(ExitCode::from(u8::from(failed)))
    }

    fn judge(&self, input: Input, release: Release, base: Option<&Base>) -> CheckResult {
        let snapshot = Snapshot::read(input.bundle.clone(), release, None);
        let shown = self.shown();
        let before = base.map(|base| base.snapshot.findings());
        let listed = shown.list(snapshot.findings(), before);
        let mut findings = listed.findings;
        let of_sources = self.source_options.check(&snapshot);
        let is_valid = is_valid(&snapshot, &of_sources.findings);
        let new = of_sources.findings.into_iter();
        findings.extend(new.filter(|finding| shown.has(finding.severity)));
        findings.retain(|finding| input.reports(finding));
        let unknown_kernels = of_sources.unknown_kernels;
        let is_shown = |name: &str| {
            let files = findings.iter().map(|finding| &*finding.file);
            let mut files = files.chain(unknown_kernels.iter().map(|kernel| &*kernel.file));
            !name.starts_with(SOURCES) || files.any(|file| file == name)
        };
        let names = snapshot.bundle.files().filter(|(name, _)| is_shown(name));
        let sources = names.map(|(name, _)| {
            let path = input
                .paths
                .get(name)
                .map_or_else(|| name.to_owned(), |path| path.display().to_string());
            let text = snapshot.source(name).map_or("", |source| &*source.text);
            (name.into(), SourceText::new(path, text.into()))
        });
        CheckResult {
            omitted: listed.omitted,
            sources: sources.collect(),
            edited: self.edited(&input, &findings, release, base),
            // The infos of neighbors are not those of the named files.
            hidden_infos: if self.neighbours {
                0
            } else {
                listed.hidden_infos
            },
            findings,
            is_valid,
            unknown_kernels,
            known: base.zip(listed.since).map(|(base, since)| BaseDifference {
                base: base.title.clone(),
                since,
            }),
            snapshot,
        }
    }

    /// The severity that makes the command fail. lintrunner takes a failure for a crash of the linter.
    fn fail_on(&self) -> FailOn {
        self.fail_on.unwrap_or(match self.format {
            Format::Lintrunner => FailOn::Never,
            _ => FailOn::Error,
        })
    }

    /// The findings to show. Programs that read JSON get infos, too.
    fn shown(&self) -> Shown {
        let shown = self.shown.shown();
        let infos = self.format == Format::Json || self.fail_on == Some(FailOn::Info);
        Shown {
            infos: !self.quiet && (shown.infos || infos),
            ..shown
        }
    }

    /// Whether to look for a base in git. `--neighbours` is how linters call.
    fn finds_base(&self) -> bool {
        self.neighbours && !self.shown.shown().known
    }

    fn fixing<'b>(&self, edits: Edits, release: Release, base: Option<&'b Base>) -> FixOptions<'b> {
        FixOptions {
            edits,
            release,
            shown: self.shown(),
            base: base.map(|base| base.snapshot.findings()),
        }
    }

    fn edited(
        &self,
        input: &Input,
        findings: &[Finding],
        release: Release,
        base: Option<&Base>,
    ) -> Vec<EditedFile> {
        let is_offered = findings.iter().any(|finding| Wanted::Safe.takes(finding));
        if self.format != Format::Lintrunner || !is_offered {
            return Vec::new();
        }
        let fixing = self.fixing(Edits::Safe, release, base);
        let names = input.paths.keys().filter(|name| input.is_named(name));
        // A file that is not UTF-8 has no edits.
        let edited = names.filter_map(|name| fixing.edited(input, name).ok().flatten());
        edited.collect()
    }

    fn show(&self, judged: &[CheckResult]) -> anyhow::Result<()> {
        if self.format == Format::Json {
            print_json(&json(judged));
            return Ok(());
        }
        for judged in judged {
            let report = Findings {
                findings: &judged.findings,
                omitted: &judged.omitted,
                sources: judged.sources.clone(),
                room: &UNBOUNDED,
            };
            match self.format {
                Format::Text => output::painted(&text(&report, judged), colour::of_output()),
                Format::Json => {}
                Format::Markdown => print!("{}", findings::markdown(&report)),
                Format::Sarif => print_json(&findings::sarif(&report)),
                Format::Junit => print!("{}", findings::junit(&report)),
                Format::Github => output::commands(&findings::github(&report)),
                Format::Gitlab => print_json(&findings::gitlab(&report)),
                Format::Lintrunner => {
                    let lines = findings::lintrunner(&report, &judged.edited);
                    print!("{}", output::json(&lines));
                }
            }
        }
        Ok(())
    }
}

fn is_valid(snapshot: &Snapshot, of_sources: &[Finding]) -> bool {
    let mut severities = of_sources.iter().map(|finding| finding.severity);
    snapshot.summary().errors == 0 && severities.all(|severity| severity != Severity::Error)
}

struct CheckResult {
    snapshot: Snapshot,
    findings: Vec<Finding>,
    is_valid: bool,
    unknown_kernels: Vec<UnknownKernel>,
    omitted: Vec<Omitted>,
    sources: BTreeMap<Box<str>, SourceText>,
    edited: Vec<EditedFile>,
    hidden_infos: usize,
    known: Option<BaseDifference>,
}

struct BaseDifference {
    base: String,
    since: Since,
}

impl BaseDifference {
    fn text(&self) -> String {
        let Since { gone, in_both, .. } = self.since;
        format!(
            "new since {}; {in_both} more are in both, {gone} of the base are gone",
            self.base
        )
    }
}

fn print_json(value: &serde_json::Value) {
    println!("{}", output::json(&format!("{value:#}")));
}

fn text(report: &Findings<'_>, judged: &CheckResult) -> String {
    let (snapshot, known) = (&judged.snapshot, judged.known.as_ref());
    let summary = snapshot.summary();
    let known = known.map_or_else(String::new, |known| format!("{}\n", known.text()));
    let more = more(judged);
    format!(
        "{} ({} declared and {} generated operators, judged as {})\n{known}{more}{}",
        findings::text(report, colour::of_output()).trim_end(),
        summary.operators,
        summary.generated,
        snapshot.release(),
        unknown_kernels::text(judged),
    )
}

/// What the flags `--fix` and `--info` would do.
fn more(judged: &CheckResult) -> String {
    let fixable = judged.findings.iter();
    let fixable = fixable.filter(|it| Wanted::Safe.takes(it)).count();
    let mut out = String::new();
    if fixable > 0 {
        out.push_str(&format!("{fixable} fixable with --fix\n"));
    }
    match judged.hidden_infos {
        0 => {}
        1 => out.push_str("1 info is hidden; --info shows it\n"),
        many => out.push_str(&format!("{many} infos are hidden; --info shows them\n")),
    }
    out
}

/// The answer of `POST /v1/validate`, with the user's file names.
fn json(judged: &[CheckResult]) -> serde_json::Value {
    let mut findings = Vec::new();
    let (mut operators, mut generated, mut valid) = (0, 0, true);
    for judged in judged {
        let summary = judged.snapshot.summary();
        operators += summary.operators;
        generated += summary.generated;
        valid &= judged.is_valid;
        for finding in &judged.findings {
            let mut shown = opatlas_wire::finding::one(&judged.snapshot, finding);
            let path = |file: &mut Option<String>| {
                if let Some(source) = file.as_deref().and_then(|f| judged.sources.get(f)) {
                    *file = Some(source.path.to_string());
                }
            };
            path(&mut shown.file);
            shown
                .related
                .iter_mut()
                .for_each(|related| path(&mut related.file));
            findings.push(shown);
        }
    }
    let all: Vec<Finding> = judged.iter().flat_map(|j| j.findings.clone()).collect();
    let omitted: Vec<Omitted> = judged.iter().flat_map(|j| j.omitted.clone()).collect();
    let counts = findings::Counts::new(&all, &omitted);
    let omitted: Vec<_> = omitted
        .into_iter()
        .map(opatlas_wire::finding::Omitted::from)
        .collect();
    let mut answer = serde_json::json!({
        "valid": valid,
        "summary": {
            "operators": operators,
            "generated": generated,
            "errors": counts.errors,
            "warnings": counts.warnings,
            "infos": counts.infos,
        },
        "findings": findings,
        "omitted": omitted,
        "unknown_kernels": unknown_kernels::json(judged),
    });
    if let [
        CheckResult {
            known: Some(known), ..
        },
    ] = judged
    {
        answer["base"] = known.base.as_str().into();
        answer["findings"] = serde_json::json!({
            "new": findings,
            "gone": known.since.gone,
            "head_errors": known.since.head_errors,
        });
    }
    answer
}
