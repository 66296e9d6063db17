//! The command line: one file a command. Exit codes are 0 for fine, 1 for findings or breakage, 2
//! for bad usage or unreadable input.

mod check;
mod explain;
mod export;
pub mod fetch;
mod import;
mod local;
mod openapi;
mod sample;
mod serve;
mod table;

use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

/// The operator registry for PyTorch-style backends.
///
/// Reads operator declarations (native_functions.yaml and its companions), keeps revisions of
/// them, checks them, computes dispatch tables and compares revisions.
#[derive(Debug, Parser)]
#[command(name = "opatlas", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Serve(serve::Serve),
    Check(check::Check),
    Explain(explain::Explain),
    Table(table::Table),
    Import(import::Import),
    Export(export::Export),
    Openapi(openapi::Openapi),
}

/// Where revisions are kept.
#[derive(Debug, Clone, Args)]
struct Database {
    /// The database that holds the revisions; made if it does not exist.
    #[arg(
        long,
        env = "OPATLAS_DATABASE",
        default_value = "sqlite://opatlas.db",
        value_name = "URL"
    )]
    database: String,
}

/// Runs the program with the process's own arguments.
#[must_use]
pub fn run() -> ExitCode {
    let cli = Cli::parse();
    let runtime = match tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => return failed(&anyhow::anyhow!("cannot start: {error}")),
    };
    let done = runtime.block_on(async {
        match cli.command {
            Command::Serve(serve) => serve.run().await,
            Command::Check(check) => check.run(),
            Command::Explain(explain) => explain.run(),
            Command::Table(table) => table.run().await,
            Command::Import(import) => import.run().await,
            Command::Export(export) => export.run().await,
            Command::Openapi(openapi) => openapi.run(),
        }
    });
    match done {
        Ok(code) => code,
        Err(error) => failed(&error),
    }
}

/// What cannot go on: the reason, and the reasons behind it.
fn failed(error: &anyhow::Error) -> ExitCode {
    eprintln!("error: {error:#}");
    ExitCode::from(2)
}
