//! `opatlas table`: the dispatch table of an operator, or one key across all operators.

use std::process::ExitCode;

use anyhow::{anyhow, bail};
use clap::{Args, ValueEnum};

use opatlas_report::table::{Column, Shown, column};
use opatlas_service::dispatch::{Profile, runtime_key};
use opatlas_service::{ServiceError, Snapshot};
use opatlas_source::{Span, Stop};
use opatlas_verdict::View;
use opatlas_wire::entry::Source;
use opatlas_wire::problem::Problem;
use opatlas_wire::tables::with_table;
use opatlas_wire::tables_query::TableQuery;
use opatlas_wire::tables_text;

use super::subject::{Chosen, Subject};
use super::{colour, output};

/// Shows which kernel runs for an operator on every dispatch key, and why.
///
/// With --backend it shows one key across all operators instead, with counts. It reads the last
/// stored revision of the project, unless --revision selects another one.
#[derive(Debug, Args)]
pub(super) struct Table {
    /// The operator, such as add.Tensor
    #[arg(required_unless_present = "backend", value_name = "OPERATOR")]
    operator: Option<String>,

    /// Show only the entry for this runtime key
    #[arg(long, conflicts_with = "backend")]
    key: Option<String>,

    /// Show each rule, why it did not apply, and what to register to change the result
    #[arg(long, requires = "key")]
    explain: bool,

    /// Show this runtime key across all operators
    #[arg(long, value_name = "KEY", conflicts_with = "operator")]
    backend: Option<String>,

    /// List only the operators without a kernel for the backend
    #[arg(long, requires = "backend")]
    missing: bool,

    /// A build profile (all, linux-cuda, cpu, macos), or a comma-separated list of backends to leave out
    #[arg(long)]
    build: Option<String>,

    /// The registrations to use
    #[arg(long, value_enum, default_value_t = Which::Everything)]
    source: Which,

    /// What if: add a registration
    #[arg(long, value_name = "KEY:KERNEL", conflicts_with_all = ["backend", "explain"])]
    with: Vec<String>,

    /// What if: remove a registration
    #[arg(long, value_name = "KEY", conflicts_with_all = ["backend", "explain"])]
    without: Vec<String>,

    /// The output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    #[command(flatten)]
    chosen: Chosen,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
    Csv,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Which {
    /// All known registrations: from the files, hand-written and observed
    Everything,
    /// Only registrations that follow from the files
    Files,
}

impl Table {
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        let subject = self.chosen.read().await?;
        let text = match (&self.backend, &self.operator) {
            (Some(backend), _) => self.backend(&subject, backend)?,
            (None, Some(operator)) => self.operator(&subject, operator)?,
            (None, None) => bail!("missing operator, or a key with --backend"),
        };
        output::painted(&text, colour::of_output());
        Ok(ExitCode::SUCCESS)
    }

    fn operator(&self, subject: &Subject, operator: &str) -> anyhow::Result<String> {
        let Subject {
            snapshot, title, ..
        } = subject;
        let query = TableQuery {
            key: self.key.clone(),
            explain: Some(self.explain),
            build: self.build.clone(),
            source: Some(self.source.into()),
            with: self.with.clone(),
            without: self.without.clone(),
            release: None,
        };
        let is_default = self.build.is_none() && matches!(self.source, Which::Everything);
        if self.key.is_none() && is_default {
            snapshot.settle(&Stop::never())?;
        }
        let made = match self.format {
            Format::Text => {
                tables_text::text(snapshot, title, operator, &query, colour::of_output())
            }
            Format::Csv => tables_text::csv(snapshot, title, operator, &query),
            Format::Json => {
                let made = with_table(snapshot, title, operator, &query, |table| {
                    serde_json::to_string_pretty(&table)
                });
                return Ok(output::json(&made.map_err(refusal)??) + "\n");
            }
        };
        made.map_err(refusal)
    }

    fn backend(&self, subject: &Subject, backend: &str) -> anyhow::Result<String> {
        let Subject {
            snapshot, title, ..
        } = subject;
        let slot = runtime_key(snapshot.release(), backend).map_err(of_service)?;
        let asked = opatlas_wire::key_entries::TableSelection {
            profile: self.profile(snapshot)?,
            generated: Default::default(),
            reason: self.missing.then_some(opatlas_dispatch::Reason::Missing),
            verdict: None,
        };
        Ok(match self.format {
            Format::Json => {
                let made = opatlas_wire::key_entries::with_key(
                    snapshot,
                    slot,
                    &asked,
                    0..usize::MAX,
                    |page, _| serde_json::to_string_pretty(&page),
                );
                output::json(&made?) + "\n"
            }
            Format::Csv => opatlas_wire::key_entries::csv(snapshot, slot, &asked, 0..usize::MAX).0,
            Format::Text => {
                let tables = snapshot.tables(&asked.profile);
                let view = View::new(snapshot.inputs(), &tables);
                let line =
                    |file: &str, span: Span| Some(snapshot.source(file)?.lines(span).start.line);
                let shown = Shown {
                    view,
                    line: &line,
                    colour: colour::of_output(),
                };
                let operators: Vec<_> = snapshot.catalogue.iter().map(|(id, _)| id).collect();
                let one = Column {
                    slot,
                    operators: &operators,
                    reason: asked.reason,
                };
                column(shown, one, title)
            }
        })
    }

    fn profile(&self, snapshot: &Snapshot) -> anyhow::Result<Profile> {
        let source = Source::from(self.source).into();
        let profile = Profile::parse(self.build.as_deref(), source, snapshot.release());
        profile.map_err(of_service)
    }
}

impl From<Which> for Source {
    fn from(source: Which) -> Self {
        match source {
            Which::Everything => Self::Everything,
            Which::Files => Self::Files,
        }
    }
}

fn of_service(error: ServiceError) -> anyhow::Error {
    refusal(error.into())
}

pub(super) fn refusal(problem: Problem) -> anyhow::Error {
    match problem.errors.len() {
        0 | 1 => anyhow!(problem.detail),
        _ => {
            let faults: Vec<_> = problem.errors.iter().map(|fault| &*fault.detail).collect();
            anyhow!("{}:\n  {}", problem.detail, faults.join("\n  "))
        }
    }
}
