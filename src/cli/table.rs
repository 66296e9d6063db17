//! `opatlas table`: which kernel runs for an operator on every key and why, and a backend across
//! all operators.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{anyhow, bail};
use clap::{Args, ValueEnum};

use crate::service::dispatch::{Profile, runtime_key};
use crate::service::{JudgedRelease, ServiceError, Snapshot};
use crate::store::Opening;
use crate::wire;
use crate::wire::entry::Source;
use crate::wire::problem::Problem;
use crate::wire::tables_query::{TableQuery, wanted};
use opatlas_dispatch::View;
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::key_set::Slot;
use opatlas_pytorch::release::{Release, Version};
use opatlas_report::table::{
    CSV_HEADER, Column, Shown, column, csv_row, explanation, headline, table, training_sentence,
    what_if,
};
use opatlas_source::Span;

use super::{Stored, Target, check};

/// Shows which kernel runs for an operator on every dispatch key, and why.
///
/// With --backend it shows one key across all operators instead, with counts. The operators are
/// those of the last stored revision of the project, unless --release, --revision or --file says
/// otherwise.
#[derive(Debug, Args)]
pub(super) struct Table {
    /// The operator, such as add.Tensor
    #[arg(required_unless_present = "backend", value_name = "OPERATOR")]
    operator: Option<String>,

    /// Only the entry for this runtime key
    #[arg(long, conflicts_with = "backend")]
    key: Option<String>,

    /// Tell the rules tried, why each did not apply, and what to register to change the answer
    #[arg(long, requires = "key")]
    explain: bool,

    /// Show this runtime key across all operators
    #[arg(long, value_name = "KEY", conflicts_with = "operator")]
    backend: Option<String>,

    /// Of the backend, list only the operators without a kernel
    #[arg(long, requires = "backend")]
    missing: bool,

    /// The PyTorch release: of files the one whose rules apply, else the stored release itself
    #[arg(long)]
    release: Option<String>,

    /// The stored revision: a label, sha256:DIGITS, or latest
    #[arg(long, conflicts_with = "file")]
    revision: Option<String>,

    /// The project
    #[arg(long, env = "OPATLAS_PROJECT", default_value = "pytorch")]
    project: String,

    /// Files or a folder to read instead of a stored revision, as `opatlas check` reads them
    #[arg(long, num_args = 1.., value_name = "FILE")]
    file: Vec<PathBuf>,

    /// A build profile (all, linux-cuda, cpu, macos), or a comma list of backends that are left out
    #[arg(long)]
    build: Option<String>,

    /// Which registrations count
    #[arg(long, value_enum, default_value_t = Which::Everything)]
    source: Which,

    /// What if: add a registration
    #[arg(long, value_name = "KEY:KERNEL", conflicts_with_all = ["backend", "explain"])]
    with: Vec<String>,

    /// What if: take a registration away
    #[arg(long, value_name = "KEY", conflicts_with_all = ["backend", "explain"])]
    without: Vec<String>,

    /// How the answer is written
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    #[command(flatten)]
    target: Target,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
    Csv,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Which {
    /// All that are known: of the files, hand-written and observed ones
    Everything,
    /// Those that follow from the files
    Files,
}

/// What is asked about.
struct Subject {
    snapshot: Arc<Snapshot>,
    title: String,
}

impl Table {
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        let subject = match self.file.is_empty() {
            true => self.stored().await?,
            false => self.read()?,
        };
        let text = match (&self.backend, &self.operator) {
            (Some(backend), _) => self.backend(&subject, backend)?,
            (None, Some(operator)) => self.operator(&subject, operator)?,
            (None, None) => bail!("name an operator, or a key by --backend"),
        };
        print!("{text}");
        Ok(ExitCode::SUCCESS)
    }

    async fn stored(&self) -> anyhow::Result<Subject> {
        let stored = Stored::open(&self.target, Opening::Read).await?;
        let (revision, release) = match (&self.revision, &self.release) {
            (Some(revision), release) => (revision.clone(), release.clone()),
            (None, Some(release)) => (self.label_of(&stored, release).await?, None),
            (None, None) => ("latest".to_owned(), None),
        };
        let resolved = stored.resolve(&self.project, &revision, release.as_deref());
        let resolved = resolved.await?;
        let snapshot = stored.snapshot(&resolved).await?;
        stored.close().await;
        Ok(Subject {
            snapshot,
            title: resolved.title(),
        })
    }

    /// The label with the highest version of a release.
    async fn label_of(&self, stored: &Stored, release: &str) -> anyhow::Result<String> {
        let wanted = JudgedRelease::parse(release)?.stored();
        let labels = stored.labels(&self.project).await?;
        let of_release = labels.into_iter().filter_map(|label| {
            let version = Version::parse(label.name.as_str())?;
            let own = JudgedRelease::parse(label.name.as_str()).ok()?;
            (own.stored() == wanted).then(|| (version, label.name.to_string()))
        });
        let highest = of_release.max_by(|(a, _), (b, _)| a.cmp(b));
        highest.map(|(_, name)| name).ok_or_else(|| {
            anyhow!(
                "no stored label of {} is a version of {wanted}; `opatlas import torch=={wanted}.0` takes it in, --revision names another revision",
                self.project
            )
        })
    }

    fn read(&self) -> anyhow::Result<Subject> {
        let release = match &self.release {
            None => Release::LATEST,
            Some(text) => JudgedRelease::parse(text)?.release,
        };
        let mut inputs = check::inputs(&self.file)?;
        let (Some(input), true) = (inputs.pop(), inputs.is_empty()) else {
            bail!("these files make several bundles; name those of one");
        };
        let named: Vec<_> = self.file.iter().map(|p| p.display().to_string()).collect();
        Ok(Subject {
            snapshot: Arc::new(Snapshot::read(input.bundle, release, None)),
            title: format!("{} as {release}", named.join(" ")),
        })
    }

    fn operator(&self, subject: &Subject, operator: &str) -> anyhow::Result<String> {
        let Subject { snapshot, title } = subject;
        let query = TableQuery {
            key: self.key.clone(),
            explain: Some(self.explain),
            build: self.build.clone(),
            source: Some(self.source.into()),
            with: self.with.clone(),
            without: self.without.clone(),
            release: None,
        };
        // Also for text: what is refused is refused in the same words.
        let made = wire::tables::with_table(snapshot, title, operator, &query, |table| {
            serde_json::to_string_pretty(&table)
        });
        let json = made.map_err(refusal)??;
        if self.format == Format::Json {
            return Ok(json + "\n");
        }
        let id = snapshot.find_in(|| title.clone(), operator)?;
        let key = self.key.as_deref();
        let slot = key.map(|key| runtime_key(snapshot.release(), key));
        let slot = slot.transpose()?;
        let tables = snapshot.tables(&self.profile(snapshot)?);
        let view = View::new(snapshot.inputs(), &tables);
        let line = |file: &str, span: Span| Some(snapshot.source(file)?.lines(span).start.line);
        let shown = Shown {
            view,
            line: &line,
            colour: check::colour(),
        };
        let with: Vec<_> = self.with.iter().map(|text| wanted(text)).collect();
        let without: Vec<&str> = self.without.iter().map(|key| &**key).collect();
        let is_what_if = !with.is_empty() || !without.is_empty();
        let changed = match is_what_if {
            true => view.what_if(id, &with, &without).ok(),
            false => None,
        };
        if self.format == Format::Csv {
            let entries: Vec<_> = match changed {
                Some(changed) => changed.after,
                None => view.table(id).collect(),
            };
            let mut text = CSV_HEADER.to_owned();
            for entry in entries {
                if slot.is_none_or(|slot| slot == entry.slot) {
                    csv_row(&mut text, view.keys(), operator, &entry);
                }
            }
            return Ok(text);
        }
        Ok(match (changed, slot) {
            (Some(changed), _) => what_if(shown, id, &changed, title),
            (None, Some(slot)) => self.entry(shown, id, slot),
            (None, None) => table(shown, id, title),
        })
    }

    /// One entry, explained or in a line, and what works there.
    fn entry(&self, shown: Shown<'_>, id: OperatorId, slot: Slot) -> String {
        let mut text = match shown.view.explain(id, slot) {
            Some(told) if self.explain => explanation(shown, id, &told),
            Some(told) => headline(shown, id, &told.entry),
            None => String::new(),
        };
        if let Some(answer) = shown.view.training(id, slot) {
            text.push_str(&format!("\n  {}\n", training_sentence(&answer)));
        }
        text
    }

    fn backend(&self, subject: &Subject, backend: &str) -> anyhow::Result<String> {
        let Subject { snapshot, title } = subject;
        let slot = runtime_key(snapshot.release(), backend).map_err(of_service)?;
        let asked = wire::key_entries::Wanted {
            profile: self.profile(snapshot)?,
            generated: Default::default(),
            reason: self.missing.then_some(opatlas_dispatch::Reason::Missing),
        };
        Ok(match self.format {
            Format::Json => {
                let made = wire::key_entries::with_key(
                    snapshot,
                    slot,
                    &asked,
                    0..usize::MAX,
                    |page, _| serde_json::to_string_pretty(&page),
                );
                made? + "\n"
            }
            Format::Csv => wire::key_entries::csv(snapshot, slot, &asked),
            Format::Text => {
                let tables = snapshot.tables(&asked.profile);
                let view = View::new(snapshot.inputs(), &tables);
                let line =
                    |file: &str, span: Span| Some(snapshot.source(file)?.lines(span).start.line);
                let shown = Shown {
                    view,
                    line: &line,
                    colour: check::colour(),
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

/// In the words of the HTTP API, near names included.
fn of_service(error: ServiceError) -> anyhow::Error {
    refusal(error.into())
}

fn refusal(problem: Problem) -> anyhow::Error {
    match problem.errors.len() {
        0 | 1 => anyhow!(problem.detail),
        _ => {
            let faults: Vec<_> = problem.errors.iter().map(|fault| &*fault.detail).collect();
            anyhow!("{}:\n  {}", problem.detail, faults.join("\n  "))
        }
    }
}
