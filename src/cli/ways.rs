//! `opatlas ways`: what becomes of operators when they are compiled, batched, sharded or packaged.

use std::process::ExitCode;

use anyhow::{anyhow, bail};
use clap::{Args, ValueEnum};

use opatlas_report::ways::{list, text};
use opatlas_verdict::ways::WayAnswer;
use opatlas_wire::ways::{answers, csv, dtypes, of_operator, operators, parse_fate, parse_way};

use super::subject::{Chosen, Subject};
use super::{colour, output};

/// Shows what becomes of an operator when it is trained, batched, compiled, exported or sharded.
///
/// The ways are training, vmap, the meta device, functionalization, export, Inductor, AOTInductor, DTensor
/// and autocast.
///
/// With --way it shows one way across all operators instead. It reads the last stored revision of
/// the project, unless --revision selects another one.
#[derive(Debug, Args)]
pub(super) struct Ways {
    /// The operator, such as add.Tensor
    #[arg(required_unless_present = "way", value_name = "OPERATOR")]
    operator: Option<String>,

    /// Show this way across all operators, such as vmap
    #[arg(long, conflicts_with = "operator")]
    way: Option<String>,

    /// List only operators that nothing serves on the way
    #[arg(long, requires = "way", conflicts_with = "fate")]
    missing: bool,

    /// List only operators with this fate
    #[arg(long, requires = "way")]
    fate: Option<String>,

    /// Show the dtypes of the Python functions that call the operator
    #[arg(long, requires = "operator")]
    dtypes: bool,

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

impl Ways {
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        let subject = self.chosen.read().await?;
        let shown = match (&self.way, &self.operator) {
            (Some(way), _) => self.of_way(&subject, way)?,
            (None, Some(operator)) => self.of_operator(&subject, operator)?,
            (None, None) => bail!("missing operator, or a way with --way"),
        };
        output::painted(&shown, colour::of_output());
        Ok(ExitCode::SUCCESS)
    }

    fn of_operator(&self, subject: &Subject, operator: &str) -> anyhow::Result<String> {
        let Subject {
            snapshot, title, ..
        } = subject;
        if self.dtypes && snapshot.find_in(|| title.clone(), operator).is_err() {
            return self.dtypes_of(subject, operator);
        }
        let id = snapshot.find_in(|| title.clone(), operator)?;
        let view = snapshot.view();
        match self.format {
            Format::Json => {
                let ways = of_operator(view, id);
                Ok(output::json(&serde_json::to_string_pretty(&ways)?) + "\n")
            }
            Format::Csv => {
                let all = of_operator(view, id);
                let operator = all.operator.clone();
                let fates = all
                    .items
                    .into_iter()
                    .map(|fate| opatlas_wire::ways::OperatorFate {
                        operator: operator.clone(),
                        fate,
                    });
                Ok(csv(&fates.collect::<Vec<_>>()))
            }
            Format::Text if self.dtypes => self.dtypes_of(subject, operator),
            Format::Text => {
                let name = snapshot.catalogue.operator(id).qualified_name();
                Ok(text(&format!("{name} in {title}"), &view.ways(id)))
            }
        }
    }

    fn dtypes_of(&self, subject: &Subject, operator: &str) -> anyhow::Result<String> {
        let base_name = operator.split('.').next().unwrap_or(operator);
        let found = dtypes(subject.snapshot.release(), base_name);
        if found.is_empty() {
            bail!(
                "no test of the operator database of {} is about `{base_name}`",
                subject.snapshot.release()
            );
        }
        if self.format == Format::Json {
            return Ok(output::json(&serde_json::to_string_pretty(&found)?) + "\n");
        }
        let mut out = String::new();
        for row in found {
            let forward = row.forward.join(" ");
            let backward = row.backward.join(" ");
            out.push_str(&format!(
                "{} on {} ({}): {forward}; with gradients: {}\n",
                row.function,
                row.device,
                row.known_from,
                if backward.is_empty() {
                    "none"
                } else {
                    &*backward
                },
            ));
        }
        Ok(out)
    }

    fn of_way(&self, subject: &Subject, way: &str) -> anyhow::Result<String> {
        let Subject {
            snapshot, title, ..
        } = subject;
        let refusal = |problem: opatlas_wire::problem::Problem| anyhow!("{}", problem.detail);
        let way = parse_way(way).map_err(refusal)?;
        let only = self.fate.as_deref().map(parse_fate).transpose();
        let only = only.map_err(refusal)?;
        let view = snapshot.view();
        if self.format != Format::Text {
            let mut fates = operators(view, way, only, 0..usize::MAX);
            fates.retain(|one| !self.missing || one.fate.missing);
            return Ok(match self.format {
                Format::Csv => csv(&fates),
                _ => output::json(&serde_json::to_string_pretty(&fates)?) + "\n",
            });
        }
        let found = answers(view, way, only);
        let found = found.filter(|(_, answer)| !self.missing || answer.fate.is_missing());
        let fates: Vec<(&str, WayAnswer)> = found
            .map(|(id, answer)| (snapshot.catalogue.operator(id).qualified_name(), answer))
            .collect();
        let heading = match fates.len() {
            1 => format!("{} in {title}: 1 operator", way.title()),
            many => format!("{} in {title}: {many} operators", way.title()),
        };
        Ok(list(&heading, &fates))
    }
}
