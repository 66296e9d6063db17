//! `opatlas label`: sets and deletes labels.

use std::process::ExitCode;

use clap::{Args, Subcommand};

use opatlas_source::visible::line;
use opatlas_store::Opening;
use opatlas_wire::json::json;
use opatlas_wire::labels::{Label as Stored, LabelTarget};

use super::Target;
use super::api::Api;
use super::side::stored_address;

/// Sets, moves and deletes labels.
///
/// A label that looks like a version (2.15.0) is protected: pass --force to move or delete it.
#[derive(Debug, Args)]
pub(super) struct Label {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Create a label, or move it to another revision
    Set(Set),
    /// Delete a label; its revision stays
    Delete(Delete),
}

#[derive(Debug, Args)]
struct Set {
    /// The label
    label: String,

    /// The stored revision: another label, a commit, sha256:DIGITS, or latest
    #[arg(value_name = "REVISION", value_parser = stored_address)]
    revision: String,

    /// The PyTorch release whose rules apply; by default the label's, or that of a label that is a version
    #[arg(long)]
    release: Option<String>,

    #[command(flatten)]
    place: Place,
}

#[derive(Debug, Args)]
struct Delete {
    /// The label
    label: String,

    #[command(flatten)]
    place: Place,
}

#[derive(Debug, Args)]
struct Place {
    /// Move or delete a label that looks like a version
    #[arg(long)]
    force: bool,

    /// The project
    #[arg(long, env = "OPATLAS_PROJECT", default_value = "pytorch")]
    project: String,

    #[command(flatten)]
    target: Target,
}

impl Label {
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        let said = match &self.action {
            Action::Set(set) => set.run().await?,
            Action::Delete(delete) => delete.run().await?,
        };
        println!("{}", line(&said));
        Ok(ExitCode::SUCCESS)
    }
}

impl Set {
    async fn run(&self) -> anyhow::Result<String> {
        let target = LabelTarget {
            revision: self.revision.clone(),
            release: self.release.clone(),
        };
        let api = Api::open(&self.place.target, Opening::Change).await?;
        let (path, query) = self.place.address(&self.label);
        let set = api.put(&path, &query, json(&target)).await;
        api.close().await;
        let set: Stored = serde_json::from_slice(&set?)?;
        Ok(format!("{} is {}", set.name, set.revision))
    }
}

impl Delete {
    async fn run(&self) -> anyhow::Result<String> {
        let api = Api::open(&self.place.target, Opening::Change).await?;
        let (path, query) = self.place.address(&self.label);
        let deleted = api.delete(&path, &query).await;
        api.close().await;
        deleted?;
        Ok(format!("{} is deleted; its revision stays", self.label))
    }
}

impl Place {
    fn address<'a>(
        &'a self,
        label: &'a str,
    ) -> ([&'a str; 5], [(&'static str, Option<&'static str>); 1]) {
        let path = ["v1", "projects", &self.project, "labels", label];
        (path, [("force", self.force.then_some("true"))])
    }
}
