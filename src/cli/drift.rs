//! `opatlas drift`: how the registrations of a process differ from the files.

use std::path::Path;
use std::process::ExitCode;

use anyhow::anyhow;
use clap::{Args, ValueEnum};

use opatlas_report::drift::drift_text;
use opatlas_service::probe::dump::Dump;
use opatlas_source::Stop;
use opatlas_store::Opening;
use opatlas_wire::drift::{DriftHead, DriftView};

use super::{Stored, Target, output, read};

/// Compares the registrations of a process with the files of a revision.
///
/// The probe records processes (`python -m opatlas_probe --parts tables`). A registration of the
/// process is the same, not declared, or has another kernel; a registration of the files may be
/// absent. PyTorch's own hand-written registrations are expected too. Backends that are not in the
/// build are left out. Exits with 1 if there are differences.
#[derive(Debug, Args)]
pub(super) struct Drift {
    /// A file of the probe, or the digest of a stored dump [default: the last stored dump]
    process: Option<String>,

    /// The stored revision
    #[arg(long, default_value = "latest")]
    revision: String,

    /// The release whose rules apply to a revision without a label; by default that of the process
    #[arg(long)]
    release: Option<String>,

    /// The number of differences to list in text; 0 lists all
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
enum Format {
    Text,
    Json,
}

impl Drift {
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        let stored = Stored::open(&self.target, Opening::Read).await?;
        let resolve = |release| stored.resolve(&self.project, &self.revision, release);
        let mut revision = resolve(self.release.as_deref()).await?;
        let given = self.process.as_deref();
        let is_file = |process: &&str| Path::new(process).metadata().is_ok_and(|it| !it.is_dir());
        let (digest, text) = match given.filter(is_file) {
            Some(path) => (None, read::given_text(Path::new(path))?),
            None => stored.dump(&revision, given).await?,
        };
        let dump = Dump::read(text.as_bytes())
            .map_err(|why| anyhow!("{} is not a dump: {why}", given.unwrap_or("the dump")))?;
        if revision.label.is_none() && self.release.is_none() {
            revision = resolve(Some(&dump.torch)).await?;
        }
        let snapshot = stored.snapshot(&revision).await?;
        stored.close().await;
        let head = DriftHead {
            revision: revision.title(),
            release: revision.judged.stored(),
            torch: dump.torch,
            build: dump.build,
            device: dump.device,
            dump: digest,
        };
        let limit = if self.limit == 0 {
            usize::MAX
        } else {
            self.limit
        };
        let (text, is_same) = snapshot.drift_of(&dump.process, &Stop::never(), |drift| {
            let text = match self.format {
                Format::Text => Ok(drift_text(&title(&head), drift, limit)),
                Format::Json => serde_json::to_string_pretty(&DriftView::new(head, drift))
                    .map(|text| output::json(&text) + "\n"),
            };
            (text, drift.rows.is_empty())
        })?;
        print!("{}", text?);
        Ok(ExitCode::from(u8::from(!is_same)))
    }
}

fn title(head: &DriftHead) -> String {
    let build = head.build.as_ref().unwrap_or(&head.torch);
    format!("torch {build} and {}", head.revision)
}
