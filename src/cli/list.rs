//! `opatlas list`: the revisions, labels and projects that are stored.

use std::process::ExitCode;

use clap::{Args, ValueEnum};
use serde_json::Value;

use opatlas_source::visible::line;
use opatlas_store::Opening;
use opatlas_wire::labels::Label;
use opatlas_wire::projects::ProjectView;
use opatlas_wire::revisions::RevisionItem;

use super::api::{Api, Listed};
use super::columns::columns;
use super::{Target, output};

/// The characters of a digest that are shown; addresses may be abbreviated to eight.
const SHORT_DIGEST: usize = "sha256:".len() + 12;

/// Lists the stored revisions, labels or projects.
///
/// Revisions are listed with their labels, the last ingested first; labels by name.
#[derive(Debug, Args)]
pub(super) struct List {
    /// The kind of things to list
    #[arg(value_enum, value_name = "WHAT", default_value_t = What::Revisions)]
    what: What,

    /// The number of items to list; 0 lists all
    #[arg(long, default_value_t = 50, value_name = "NUMBER")]
    limit: usize,

    /// The output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    /// The project
    #[arg(long, env = "OPATLAS_PROJECT", default_value = "pytorch")]
    project: String,

    #[command(flatten)]
    target: Target,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum What {
    Revisions,
    Labels,
    Projects,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
}

impl List {
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        let api = Api::open(&self.target, Opening::Read).await?;
        let listed = self.list(&api).await;
        api.close().await;
        print!("{}", listed?);
        Ok(ExitCode::SUCCESS)
    }

    async fn list(&self, api: &Api) -> anyhow::Result<String> {
        let of_project = |list| ["v1", "projects", &*self.project, list];
        let (revisions, labels) = (of_project("revisions"), of_project("labels"));
        let path: &[&str] = match self.what {
            What::Revisions => &revisions,
            What::Labels => &labels,
            What::Projects => &["v1", "projects"],
        };
        let listed: Listed<Value> = api.items(path, &[], self.limit).await?;
        if self.format == Format::Json {
            let text = serde_json::to_string_pretty(&listed.items)?;
            return Ok(output::json(&text) + "\n");
        }
        let items = listed.items.into_iter();
        let rows = match self.what {
            What::Revisions => rows(items, &["REVISION", "LABELS", "INGESTED"], revision)?,
            What::Labels => rows(items, &["LABEL", "REVISION", "RELEASE", "MOVED"], label)?,
            What::Projects => rows(items, &["PROJECT", "DESCRIPTION"], project)?,
        };
        let more = match listed.has_more {
            true => "and more; --limit 0 lists all\n",
            false => "",
        };
        Ok(columns(&rows) + more)
    }
}

fn rows<T: serde::de::DeserializeOwned>(
    items: impl Iterator<Item = Value>,
    head: &[&str],
    cells: fn(T) -> Vec<String>,
) -> anyhow::Result<Vec<Vec<String>>> {
    let mut rows = vec![head.iter().map(|&cell| cell.to_owned()).collect()];
    for item in items {
        let row: Vec<String> = cells(serde_json::from_value(item)?);
        rows.push(row.iter().map(|cell| line(cell).into_owned()).collect());
    }
    Ok(rows)
}

fn revision(item: RevisionItem) -> Vec<String> {
    let mut names: Vec<String> = item.labels.into_iter().map(|label| label.name).collect();
    let commits = item.commits.iter();
    names.extend(commits.map(|commit| commit.id.chars().take(12).collect()));
    vec![
        short(&item.revision),
        names.join(", "),
        day(&item.ingested_at),
    ]
}

fn label(label: Label) -> Vec<String> {
    vec![
        label.name,
        short(&label.revision),
        label.release.unwrap_or_default(),
        day(&label.moved_at),
    ]
}

fn project(project: ProjectView) -> Vec<String> {
    vec![project.name, project.description.unwrap_or_default()]
}

fn short(revision: &str) -> String {
    revision.chars().take(SHORT_DIGEST).collect()
}

fn day(time: &str) -> String {
    time.split('T').next().unwrap_or(time).to_owned()
}
