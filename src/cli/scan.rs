//! `opatlas scan`: lists the registrations in C++ and Python sources.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};

use super::output;
use super::sources::{SourceMacros, Sources};
use opatlas_pytorch::release::Release;
use opatlas_source::{LineIndex, visible};
use opatlas_sources::{File, Scan, scan};
use opatlas_wire::sources::SourceRegistration;

/// Lists what C++ and Python sources register with PyTorch's dispatcher.
///
/// Finds TORCH_LIBRARY blocks, RegisterOperators, torch.library, macros that the files define and those
/// of known projects, without compiling anything. What the text alone does not decide, such as macros
/// of headers that are not scanned, is listed as unresolved with the reason. Conditions are assumed to be true, and shown.
/// Hidden folders are left out, and links that lead out of a folder are not followed. Exits with 2
/// if a file cannot be read.
#[derive(Debug, Args)]
pub(super) struct ScanSources {
    /// Folders or files to scan
    #[arg(required = true, value_name = "DIR")]
    folders: Vec<PathBuf>,

    /// Describe the project's own registration macros with this TOML file, beside those of [sources]
    /// in opatlas.toml
    #[arg(long, value_name = "FILE")]
    macros: Option<PathBuf>,

    /// Expand PyTorch's own lists of operators, such as AT_FORALL_FP32, as this release defines them;
    /// without it, as the newest release does
    #[arg(long, value_name = "RELEASE")]
    release: Option<String>,

    /// The output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Jsonl,
}

impl ScanSources {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let mut macros = SourceMacros::read(self.macros.as_deref())?.macros;
        if let Some(release) = &self.release {
            macros.use_lists_of(Release::parse(release)?.release);
        }
        let mut sources = Sources::default();
        for folder in &self.folders {
            sources.add(folder, &macros)?;
        }
        let files = sources.scanned();
        let found = scan(&files, &macros);
        let rows = rows(&files, &found);
        match self.format {
            Format::Text => print!("{}", text(&rows, sources.count)),
            Format::Jsonl => print!("{}", jsonl(&rows)?),
        }
        for (path, why) in &sources.notes {
            eprintln!("{}: {}", visible::line(path), visible::line(why));
        }
        for fault in &found.faults {
            let file = fault.file as usize;
            let path = files.get(file).map_or("", |file| file.path);
            let source = found.texts.get(file).and_then(Option::as_deref);
            let line = source.map_or(1, |source| {
                LineIndex::new(source)
                    .line_column(source, fault.at.start)
                    .line
            });
            let path = visible::line(path);
            eprintln!("{path}:{line}: {}", fault.kind.as_str());
        }
        Ok(if sources.is_incomplete {
            ExitCode::from(2)
        } else {
            ExitCode::SUCCESS
        })
    }
}

fn rows(files: &[File<'_>], found: &Scan) -> Vec<SourceRegistration> {
    let mut rows = Vec::with_capacity(found.registrations.len());
    let mut index: Option<(u32, LineIndex)> = None;
    for registration in &found.registrations {
        let file = registration.file as usize;
        let (Some(path), Some(Some(text))) = (files.get(file), found.texts.get(file)) else {
            continue;
        };
        if index
            .as_ref()
            .is_none_or(|(of, _)| *of != registration.file)
        {
            index = Some((registration.file, LineIndex::new(text)));
        }
        let Some((_, index)) = &index else {
            continue;
        };
        let place = |at| index.line_column(text, at);
        let at = place(registration.at.start);
        let block = place(registration.block.start);
        rows.push(SourceRegistration::new(path.path, registration, at, block));
    }
    rows
}

fn jsonl(rows: &[SourceRegistration]) -> anyhow::Result<String> {
    let mut lines = String::new();
    for row in rows {
        lines.push_str(&output::json(&serde_json::to_string(row)?));
        lines.push('\n');
    }
    Ok(lines)
}

fn text(rows: &[SourceRegistration], files: usize) -> String {
    let mut shown = String::new();
    for row in rows {
        let _ = writeln!(
            shown,
            "{}:{}:{}: {}",
            visible::line(&row.file),
            row.line,
            row.column,
            visible::line(&sentence(row))
        );
    }
    let unresolved = rows.iter().filter(|row| !row.resolved).count();
    let _ = writeln!(
        shown,
        "{} registrations in {files} source files, {unresolved} unresolved",
        rows.len()
    );
    shown
}

fn sentence(row: &SourceRegistration) -> String {
    let unknown = "?";
    let mut text = match row.kind {
        "fallback" => "fallback".to_owned(),
        kind => format!(
            "{kind} {}::{}",
            row.namespace.as_deref().unwrap_or(unknown),
            row.operator.as_deref().unwrap_or(unknown)
        ),
    };
    if let Some(key) = &row.key {
        let _ = write!(text, " at {key}");
    }
    match (&row.kernel, row.fallthrough) {
        (_, true) => text.push_str(", fallthrough"),
        (Some(kernel), false) => {
            let _ = write!(text, ", kernel {kernel}");
        }
        (None, false) => {}
    }
    let _ = write!(text, " ({})", row.through);
    if let Some(condition) = &row.condition {
        let _ = write!(text, " [{condition}]");
    }
    if let Some(why) = &row.why {
        let _ = write!(text, "; unresolved: {why}");
    }
    text
}
