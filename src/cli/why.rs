//! `opatlas why`: what an error message means, and what a line of Python reaches.

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use clap::{Args, ValueEnum};

use opatlas_ask::{Answer, UNKNOWN, ask, is_python};
use opatlas_report::ask as report;
use opatlas_service::Snapshot;
use opatlas_store::Opening;
use opatlas_wire::ask::AskAnswer;

use super::{Stored, Target, output, read};

/// The project whose declarations choose the overloads of a call.
const PROJECT: &str = "pytorch";

/// Explains an error message of PyTorch, or a call in Python.
///
/// Paste the whole output of the terminal; the last error in it counts. Opatlas says what the message
/// means, why it appears, since when and until when, and what to do. Of a call such as
/// `F.relu(x, inplace=True)` it says which operators it reaches and where they work; a stored release
/// chooses the overload. Messages need no database. Exits with 1 if it does not know the text.
#[derive(Debug, Args)]
pub(super) struct Why {
    /// The message; reads standard input if omitted or `-`
    #[arg(value_name = "TEXT")]
    text: Option<String>,

    /// The output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    #[command(flatten)]
    target: Target,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
    Markdown,
}

impl Why {
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        let text = self.asked()?;
        let snapshot = match is_python(&text) {
            true => self.declarations().await?,
            false => None,
        };
        let catalogue = snapshot.as_ref().map(|snapshot| &snapshot.catalogue);
        let answer = ask(&text, catalogue)?;
        print!("{}", rendered(&answer, &text, self.format)?);
        Ok(ExitCode::from(u8::from(answer.kind == UNKNOWN)))
    }

    fn asked(&self) -> anyhow::Result<String> {
        match &self.text {
            Some(text) if text != "-" => Ok(text.clone()),
            _ => {
                let bytes = read::standard_input()?;
                String::from_utf8(bytes).context("standard input is not UTF-8")
            }
        }
    }

    /// The newest stored release. A database that has none, or does not exist, is no error.
    async fn declarations(&self) -> anyhow::Result<Option<Arc<Snapshot>>> {
        let read = async {
            let stored = Stored::open(&self.target, Opening::Read).await?;
            let newest = stored.resolve(PROJECT, "latest", None).await?;
            let snapshot = stored.snapshot(&newest).await?;
            stored.close().await;
            anyhow::Ok(snapshot)
        };
        match (read.await, &self.target) {
            (Ok(snapshot), _) => Ok(Some(snapshot)),
            (Err(error), Target::Server(_)) => Err(error),
            (Err(_), Target::Database(_)) => Ok(None),
        }
    }
}

fn rendered(answer: &Answer, text: &str, format: Format) -> anyhow::Result<String> {
    Ok(match format {
        Format::Text => report::text(answer, text),
        Format::Markdown => report::markdown(answer, text),
        Format::Json => {
            let answer = AskAnswer::new(answer, text);
            output::json(&serde_json::to_string_pretty(&answer)?) + "\n"
        }
    })
}
