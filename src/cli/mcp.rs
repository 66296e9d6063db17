//! `opatlas mcp`: the tools for assistants over standard input and output.

use std::process::ExitCode;

use clap::Args;

use crate::http::{self, ApiConfig};
use crate::mcp;

use super::{Database, local};

/// Serves the questions of Opatlas to an assistant, over the Model Context Protocol.
///
/// The assistant starts this command and talks to it over standard input and output. The tools are
/// why, preflight, table, compare and check, on the revisions in the database. `opatlas serve` has
/// the same tools at /mcp, for assistants that use a server.
#[derive(Debug, Args)]
pub(super) struct Mcp {
    #[command(flatten)]
    database: Database,
}

impl Mcp {
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        let service = local::open(&self.database, opatlas_store::Opening::Read).await?;
        let api = http::app(service.clone(), ApiConfig::default());
        let served = mcp::over_stdio(api).await;
        service.close().await;
        served.map(|()| ExitCode::SUCCESS)
    }
}
