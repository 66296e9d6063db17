//! `opatlas why`: what an error message means.

use std::process::ExitCode;

use anyhow::Context as _;
use clap::{Args, ValueEnum};

use opatlas_ask::{Answer, UNKNOWN, ask};
use opatlas_report::ask as report;
use opatlas_wire::ask::AskAnswer;

use super::{output, read};

/// Explains an error message of PyTorch.
///
/// Paste the whole output of the terminal; the last error in it counts. Opatlas says what the message
/// means, why it appears, since when and until when, and what to do. Exits with 1 if it does not know
/// the message.
#[derive(Debug, Args)]
pub(super) struct Why {
    /// The message; reads standard input if omitted or `-`
    #[arg(value_name = "TEXT")]
    text: Option<String>,

    /// The output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
    Markdown,
}

impl Why {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let format = self.format;
        let text = self.asked()?;
        let answer = ask(&text)?;
        print!("{}", rendered(&answer, &text, format)?);
        Ok(ExitCode::from(u8::from(answer.kind == UNKNOWN)))
    }

    fn asked(self) -> anyhow::Result<String> {
        match self.text {
            Some(text) if text != "-" => Ok(text),
            _ => {
                let bytes = read::standard_input()?;
                String::from_utf8(bytes).context("standard input is not UTF-8")
            }
        }
    }
}

fn rendered(answer: &Answer, text: &str, format: Format) -> anyhow::Result<String> {
    Ok(match format {
        Format::Text => report::text(answer, text),
        Format::Markdown => report::markdown(answer, text),
        Format::Json => {
            let answer = AskAnswer::from(answer);
            output::json(&serde_json::to_string_pretty(&answer)?) + "\n"
        }
    })
}
