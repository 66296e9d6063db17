//! `opatlas exception`: manages the exceptions of a project.

use std::process::ExitCode;

use clap::{Args, Subcommand};

use opatlas_service::policy::ExceptionText;
use opatlas_store::{ExceptionRecord, Opening};

use opatlas_source::visible;

use super::{Stored, Target};

/// Manages the changes that a project accepts.
///
/// An excused change stays in every report, with the reason and the expiry of its exception, but
/// does not count. It counts again after the expiry.
#[derive(Debug, Args)]
pub(super) struct Exception {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Accept a change
    Add(Add),
    /// List the exceptions
    List(List),
    /// Change the expiry of an exception
    Extend(Extend),
    /// Remove an exception
    Remove(Remove),
}

#[derive(Debug, Args)]
struct Add {
    /// The operator, such as can_cast; * matches any text and ? one character
    operator: String,

    /// The rule, such as argument-renamed, or a pattern of rules
    rule: String,

    /// Accept the change only for this argument, key or name
    #[arg(long)]
    argument: Option<String>,

    /// Why the change is accepted
    #[arg(long)]
    reason: String,

    /// Who is responsible for the exception
    #[arg(long)]
    owner: Option<String>,

    /// The last day (2027-01-31) or the last release (2.16) on which the exception is valid
    #[arg(long)]
    until: Option<String>,

    /// Allow the exception to match operators with more than one base name
    #[arg(long)]
    broad: bool,

    #[command(flatten)]
    project: Project,
}

#[derive(Debug, Args)]
struct List {
    #[command(flatten)]
    project: Project,
}

#[derive(Debug, Args)]
struct Extend {
    /// The id of the exception, as in the list
    id: String,

    /// The last day (2027-01-31) or the last release (2.16) on which the exception is valid
    #[arg(long)]
    until: String,

    #[command(flatten)]
    project: Project,
}

#[derive(Debug, Args)]
struct Remove {
    /// The id of the exception, as in the list
    id: String,

    #[command(flatten)]
    project: Project,
}

#[derive(Debug, Args)]
struct Project {
    /// The project; `exception add` creates it if it does not exist
    #[arg(long, env = "OPATLAS_PROJECT", default_value = "pytorch")]
    project: String,

    #[command(flatten)]
    target: Target,
}

impl Exception {
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        match self.action {
            Action::Add(add) => {
                let stored = Stored::open(&add.project.target, Opening::Make).await?;
                let text = ExceptionText {
                    operator: add.operator,
                    rule: add.rule,
                    argument: add.argument,
                    reason: add.reason,
                    owner: add.owner,
                    until: add.until,
                    broad: add.broad,
                    ..ExceptionText::default()
                };
                let project = &add.project.project;
                stored.ensure_project(project).await?;
                let record = stored.add_exception(project, &text).await?;
                println!("{}", line(&record));
                stored.close().await;
                let exception = ExceptionText::of_record(&record).exception(&*record.id)?;
                if exception.has_open_base() && !record.broad {
                    eprintln!(
                        "note: comparisons report it if it matches operators of several base names; \
                         --broad allows that"
                    );
                }
            }
            Action::List(list) => {
                let stored = Stored::open(&list.project.target, Opening::Read).await?;
                for record in stored.exceptions(&list.project.project).await? {
                    println!("{}", line(&record));
                }
                stored.close().await;
            }
            Action::Extend(extend) => {
                let stored = Stored::open(&extend.project.target, Opening::Change).await?;
                let project = &extend.project.project;
                let extended = stored.extend_exception(project, &extend.id, &extend.until);
                println!("{}", line(&extended.await?));
                stored.close().await;
            }
            Action::Remove(remove) => {
                let stored = Stored::open(&remove.project.target, Opening::Change).await?;
                let project = &remove.project.project;
                stored.delete_exception(project, &remove.id).await?;
                println!("{} is removed; its change counts again", remove.id);
                stored.close().await;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn line(record: &ExceptionRecord) -> String {
    let ends = [&record.until_date, &record.until_release];
    let end = ends
        .into_iter()
        .flatten()
        .next()
        .map_or_else(|| "without expiry".to_owned(), |end| format!("until {end}"));
    let about = record
        .argument
        .as_ref()
        .map_or_else(String::new, |argument| format!(" ({argument})"));
    let owner = record
        .owner
        .as_ref()
        .map_or_else(String::new, |owner| format!(", {owner}"));
    let broad = if record.broad { ", broad" } else { "" };
    let text = format!(
        "{}  {} {}{about}  {end}{broad}{owner}: {}",
        record.id, record.operator, record.rule, record.reason
    );
    visible::line(&text).into_owned()
}
