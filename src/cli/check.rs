//! `opatlas check`: the rules over files or a stored revision.

mod base;
mod inputs;
mod other_release;
mod result;
mod unknown_kernels;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};

use super::check_sources::SourceOptions;
use super::config::Files;
use super::fix::{Edits, FixOptions};
use super::over::Over;
use super::read;
use super::shown::ShownOptions;
use base::BaseOptions;
use inputs::with_neighbours;
use opatlas_pytorch::release::Release;
use opatlas_report::findings::{EditedFile, SourceText};
use opatlas_rules::Shown;
use opatlas_rules::fix::Wanted;
use opatlas_service::Snapshot;
use opatlas_source::SOURCES;
use opatlas_source::diagnostic::{Finding, Severity};
use result::{BaseDifference, CheckResult, is_valid, show};

pub(super) use base::Base;
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
    /// Files or folders to check, - for standard input, or revisions
    #[arg(required_unless_present_any = ["files_from", "sources"], value_name = "SPEC")]
    files: Vec<PathBuf>,

    /// Also check the files that this file lists, one path per line
    #[arg(long, value_name = "LIST")]
    files_from: Option<PathBuf>,

    /// Also read the files that belong with the named ones; in git, report only what your change introduces
    ///
    /// They are looked for in PyTorch's layout, in the same folder, and in [files] of opatlas.toml.
    /// Findings on them are not reported.
    #[arg(long)]
    neighbours: bool,

    /// The PyTorch release whose rules apply; by default that of opatlas.toml, or the newest known
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

    /// Apply edits and report the remaining findings
    ///
    /// By default only safe edits of errors and warnings are applied; with `suggested`, all edits.
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
        let config = Files::of(&self.files)?;
        let chosen = self.release.as_deref().or(config.release.as_deref());
        let mut inputs = self.inputs(&config).await?;
        if let Some(edits) = self.fix {
            let mended = self.fixing(edits).run(&mut inputs)?;
            if self.diff {
                print!("{}", mended.diff());
                eprint!("{}", mended.report(edits, false));
                return Ok(ExitCode::SUCCESS);
            }
            mended.write()?;
            eprint!("{}", mended.report(edits, true));
        }
        self.source_options.add_to(&mut inputs)?;
        let judged: Vec<CheckResult> = inputs.iter().map(|input| self.judge(input)).collect();
        show(self.format, &judged);
        if self.format == Format::Text && chosen.is_none() && !self.base.is_given() {
            let hints = judged
                .iter()
                .filter_map(|judged| other_release::hint(&judged.snapshot));
            hints.for_each(|hint| eprint!("{hint}"));
        }
        let failed = judged.iter().any(|judged| judged.has(self.fail_on()));
        Ok(ExitCode::from(u8::from(failed)))
    }

    /// The bundles to check, each with its release and its base.
    async fn inputs(&self, config: &Files) -> anyhow::Result<Vec<Input>> {
        let release = self.release.as_deref().map(known_release).transpose()?;
        let of_files = match (release, config.release.as_deref()) {
            (None, Some(text)) => Some(known_release(text)?),
            _ => release,
        };
        let (files, revisions) = self.base.split(&self.files);
        let mut inputs = match (self.neighbours, files.is_empty() && !revisions.is_empty()) {
            (true, _) => with_neighbours(&self.files, config)?,
            (false, true) => Vec::new(),
            (false, false) => inputs(&files)?,
        };
        if !self.neighbours {
            inputs.extend(self.base.stored_inputs(&revisions, release).await?);
        }
        for input in &mut inputs {
            let chosen = match input.revision() {
                Some(_) => release,
                None => of_files,
            };
            input.release = chosen.unwrap_or(input.release);
        }
        self.base.add_to(&mut inputs).await?;
        if self.finds_base() {
            for input in &mut inputs {
                input.base = input.base.take().or_else(|| Base::before(input, config));
            }
        }
        Ok(inputs)
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
        let before = match self.finds_base() {
            true => laid.before(Files::of(&files)?.branch.as_deref()),
            false => None,
        };
        let base = before.as_ref().map(|base| base.snapshot.findings());
        let listed = self.shown().list(laid.snapshot.findings(), base);
        let mut findings = listed.findings;
        findings.retain(|finding| laid.reports(finding));
        let new = of_sources.findings.iter();
        findings.extend(new.filter(|it| self.shown().has(it.severity)).cloned());
        let judged = CheckResult {
            findings,
            is_valid: is_valid(&laid.snapshot, &of_sources.findings),
            unknown_kernels: of_sources.unknown_kernels,
            omitted: Vec::new(),
            sources: laid.sources(),
            edited: Vec::new(),
            hidden_infos: 0,
            known: None,
            snapshot: laid.snapshot,
        };
        let failed = judged.has(self.fail_on());
        show(self.format, &[judged]);
        eprint!("{}", laid.told);
        Ok(ExitCode::from(u8::from(failed)))
    }

    fn judge(&self, input: &Input) -> CheckResult {
        let snapshot = Snapshot::read(input.bundle.clone(), input.release, None);
        let shown = self.shown();
        let listed = shown.list(snapshot.findings(), input.known_findings());
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
            let text = snapshot.source(name).map_or("", |source| &*source.text);
            let mut source = SourceText::new(input.shown(name), text.into());
            source.is_checked = input.reports_on(name);
            (name.into(), source)
        });
        let base = input.base.as_ref().zip(listed.since);
        CheckResult {
            omitted: listed.omitted,
            sources: sources.collect(),
            edited: self.edited(input, &findings),
            // The infos of neighbors are not those of the named files.
            hidden_infos: if self.neighbours {
                0
            } else {
                listed.hidden_infos
            },
            findings,
            is_valid,
            unknown_kernels,
            known: base.map(|(base, since)| BaseDifference {
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

    fn fixing(&self, edits: Edits) -> FixOptions {
        FixOptions {
            edits,
            shown: self.shown(),
        }
    }

    fn edited(&self, input: &Input, findings: &[Finding]) -> Vec<EditedFile> {
        let is_offered = findings.iter().any(|finding| Wanted::Safe.takes(finding));
        if self.format != Format::Lintrunner || !is_offered {
            return Vec::new();
        }
        let fixing = self.fixing(Edits::Safe);
        // A file that is not UTF-8 has no edits.
        let edited = input
            .editable()
            .filter_map(|name| fixing.edited(input, name).ok().flatten());
        edited.collect()
    }
}

fn known_release(text: &str) -> anyhow::Result<Release> {
    let parsed = Release::parse(text)?;
    if parsed.newer_than_known {
        eprintln!(
            "note: {text} is newer than the newest known release; judged as {}",
            parsed.release
        );
    }
    Ok(parsed.release)
}
