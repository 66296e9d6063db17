//! `opatlas openapi`: the description of the HTTP API.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::Args;

/// Prints the OpenAPI document that describes the HTTP API.
#[derive(Debug, Args)]
pub(super) struct Openapi {
    /// Write it to this file instead of standard output
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,
}

impl Openapi {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let mut text = crate::http::openapi().to_pretty_json()?;
        text.push('\n');
        match self.out {
            Some(path) => {
                fs::write(&path, text)
                    .with_context(|| format!("cannot write {}", path.display()))?;
            }
            None => print!("{text}"),
        }
        Ok(ExitCode::SUCCESS)
    }
}
