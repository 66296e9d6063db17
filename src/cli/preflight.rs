//! `opatlas preflight`: whether a model runs on backends.

use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, anyhow};
use clap::{Args, ValueEnum};

use opatlas_model::{Limits, Model};
use opatlas_report::preflight::{markdown, text};
use opatlas_service::preflight::{Backend, DEFAULT_KEYS, Purpose};
use opatlas_source::Stop;
use opatlas_wire::preflight::{PreflightAnswer, expect_backends, report, view};

use super::compare::backend::{of_file, of_sources};
use super::subject::{Chosen, Subject};
use super::{output, read, suggesting, table};

/// The largest program in an archive, in bytes. Weights do not count, because they are not read.
const LARGEST_PROGRAM: u64 = 256 << 20;

/// Says whether a model runs on backends, where it fails first, and what would make it run.
///
/// MODEL is an exported program (`torch.export.save`), a TorchScript archive, the text of a TorchScript
/// or FX graph, or a list of operators with optional counts. `-` reads standard input. Only the entries
/// of an archive that have the program are read, so the weights may be large, and no pickle is loaded.
///
/// It exits with 0 if the model runs on every backend, with 1 if it fails on one of them or Opatlas
/// cannot tell, and with 2 if the model cannot be read.
#[derive(Debug, Args)]
pub(super) struct Preflight {
    /// The model, or - for standard input
    #[arg(value_name = "MODEL")]
    model: PathBuf,

    /// A runtime key such as MPS, a file of a backend, or a folder with its sources; several are
    /// separated by commas or given one by one
    #[arg(long, value_name = "BACKEND", value_delimiter = ',')]
    backend: Vec<String>,

    /// Also ask for gradients
    #[arg(long)]
    training: bool,

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
    Markdown,
}

impl Preflight {
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        let model = model(&self.model)?;
        let subject = self.chosen.read().await?;
        let answer = self.answer(model, &subject)?;
        match self.format {
            Format::Json => println!("{}", output::json(&serde_json::to_string_pretty(&answer)?)),
            Format::Markdown => print!("{}", markdown(&report(&answer))),
            Format::Text => print!("{}", text(&report(&answer))),
        }
        Ok(ExitCode::from(u8::from(!answer.runs)))
    }

    fn answer(&self, model: Model, subject: &Subject) -> anyhow::Result<PreflightAnswer> {
        let backends = self.backends(subject)?;
        expect_backends(&backends).map_err(table::refusal)?;
        let purpose = match self.training {
            true => Purpose::Training,
            false => Purpose::Inference,
        };
        let never = Stop::never();
        let answer = view(
            (subject.side.clone(), &subject.snapshot),
            model,
            &backends,
            purpose,
            &never,
        );
        Ok(answer?)
    }

    fn backends(&self, subject: &Subject) -> anyhow::Result<Vec<Backend>> {
        let default = DEFAULT_KEYS.map(str::to_owned);
        let names = match &*self.backend {
            [] => &default[..],
            names => names,
        };
        let names = names.iter().map(|name| name.trim());
        names.map(|name| backend(subject, name)).collect()
    }
}

fn backend(subject: &Subject, name: &str) -> anyhow::Result<Backend> {
    let path = Path::new(name);
    let is_yaml = path
        .extension()
        .is_some_and(|extension| extension == "yaml" || extension == "yml");
    let vendor = if path.is_dir() {
        of_sources(path)?
    } else if is_yaml || path.is_file() {
        of_file(path)?
    } else {
        return Backend::of_key(&subject.snapshot, name).map_err(suggesting);
    };
    Backend::of_file(&subject.snapshot, &vendor, &Stop::never()).map_err(suggesting)
}

/// Reads a model. An archive is read in place, without its weights.
fn model(path: &Path) -> anyhow::Result<Model> {
    let limits = Limits {
        text_bytes: LARGEST_PROGRAM,
        ..Limits::default()
    };
    let read = if path == Path::new("-") {
        opatlas_model::read(&read::standard_input()?, &limits)
    } else if let Some(archive) = read::given_if(path, opatlas_model::is_archive)? {
        opatlas_model::read_archive(BufReader::new(archive), &limits)
    } else {
        opatlas_model::read(&read::given(path)?, &limits)
    };
    read.map_err(|refusal| anyhow!("{refusal}"))
        .with_context(|| format!("cannot read {}", path.display()))
}
