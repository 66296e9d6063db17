//! `opatlas schema`: prints schemas in canonical form.

use std::process::ExitCode;

use anyhow::{Context as _, bail};
use clap::{Args, ValueEnum};

use super::read;
use opatlas_diff::official::{self, Classes};
use opatlas_pytorch::release::Release;
use opatlas_service::{JudgedRelease, JudgedSchema};
use opatlas_source::LineIndex;
use opatlas_source::diagnostic::Diagnostic;
use opatlas_source::visible;

/// Reads operator schemas and prints their canonical text.
///
/// With --dialect library it reads schemas for `m.def` and `torch.library`, as PyTorch's C++ parser
/// does. Exits with 1 if a schema has errors.
#[derive(Debug, Args)]
pub(super) struct Schema {
    /// The schemas; `-` reads one per line from standard input
    #[arg(required = true, value_name = "SCHEMA")]
    schemas: Vec<String>,

    /// The language of the schemas
    #[arg(long, value_enum, default_value_t = Dialect::Torchgen)]
    dialect: Dialect,

    /// A custom class that the library defines; for --dialect library
    #[arg(long = "class", value_name = "NAMESPACE.NAME")]
    classes: Vec<String>,

    /// The PyTorch release whose rules apply; by default the newest known
    #[arg(long)]
    release: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Dialect {
    /// The language of native_functions.yaml
    Torchgen,
    /// The language of operator libraries
    Library,
}

impl Schema {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        if self.dialect == Dialect::Torchgen && !self.classes.is_empty() {
            bail!("--class needs --dialect library");
        }
        let release = match &self.release {
            Some(text) => JudgedRelease::parse(text)?.release,
            None => Release::LATEST,
        };
        let mut failed = false;
        for text in self.texts()? {
            match self.canonical(&text, release) {
                Ok(canonical) => println!("{canonical}"),
                Err(errors) => {
                    failed = true;
                    eprint!("{}", told(&text, &errors));
                }
            }
        }
        Ok(ExitCode::from(u8::from(failed)))
    }

    fn texts(&self) -> anyhow::Result<Vec<String>> {
        let mut texts = Vec::new();
        for schema in &self.schemas {
            if schema != "-" {
                texts.push(schema.clone());
                continue;
            }
            let read = String::from_utf8(read::standard_input()?)
                .context("standard input is not UTF-8")?;
            let lines = read.lines().filter(|line| !line.trim().is_empty());
            texts.extend(lines.map(str::to_owned));
        }
        Ok(texts)
    }

    fn canonical(&self, text: &str, release: Release) -> Result<String, Vec<Diagnostic>> {
        if self.dialect == Dialect::Library {
            let read = official::parse_definition(text, Classes::Defined(&self.classes), release);
            return read.map(|schema| schema.printed());
        }
        let read = JudgedSchema::read(text, release);
        match read.schema() {
            Some(schema) => Ok(schema.to_string()),
            None => Err(read.errors),
        }
    }
}

fn told(text: &str, errors: &[Diagnostic]) -> String {
    let index = LineIndex::new(text);
    let mut out = String::new();
    for error in errors {
        let at = index.line_column(text, error.span.start);
        let (line, column) = (at.line, at.column);
        out.push_str(&format!(
            "{line}:{column}: {}: {}\n",
            error.rule,
            visible::line(&error.message)
        ));
        let shown = text.lines().nth(line as usize - 1).unwrap_or("");
        let blank: String = shown
            .chars()
            .take(column as usize - 1)
            .map(|c| if c == '\t' { '\t' } else { ' ' })
            .collect();
        out.push_str(&format!("  {}\n  {blank}^\n", visible::lines(shown)));
        if let Some(help) = &error.help {
            out.push_str(&format!("  help: {}\n", visible::line(help)));
        }
    }
    out
}
