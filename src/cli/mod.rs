//! The command line: one file a command. Exit codes are 0 for fine, 1 for findings or breakage, 2
//! for bad usage or unreadable input.

#[macro_use]
mod output;

mod backup;
mod check;
mod check_sources;
mod comment;
mod compare;
mod config;
mod doctor;
mod drift;
mod duration;
mod exception;
mod explain;
mod export;
pub mod fetch;
mod fix;
mod gaps;
mod gc;
mod history;
mod import;
mod local;
mod lsp;
mod neighbours;
mod openapi;
mod over;
mod remote;
mod restore;
mod sample;
mod scan;
mod schema;
mod serve;
mod settings;
mod side;
mod signatures;
mod sources;
mod stored;
mod subject;
mod table;
mod target;
mod token;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::service::ServiceError;
use crate::wire::problem::Problem;

use stored::Stored;
use target::{Database, Target};

/// The operator registry for PyTorch-style backends.
///
/// Reads operator declarations (native_functions.yaml and its companions), stores revisions of
/// them, validates them, computes dispatch tables and compares revisions. Commands on stored
/// revisions use a database (--database) or a server (--server).
#[derive(Debug, Parser)]
#[command(name = "opatlas", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Serve(serve::Serve),
    Check(Box<check::Check>),
    Explain(explain::Explain),
    Table(table::Table),
    Schema(schema::Schema),
    Signatures(signatures::Signatures),
    Compare(Box<compare::Compare>),
    Comment(Box<comment::Comment>),
    History(history::History),
    Gaps(gaps::Gaps),
    Drift(drift::Drift),
    Scan(scan::ScanSources),
    Exception(exception::Exception),
    Import(import::Import),
    Export(export::Export),
    Token(token::Token),
    Backup(backup::Backup),
    Restore(restore::Restore),
    Doctor(doctor::Doctor),
    Gc(gc::Gc),
    Openapi(openapi::Openapi),
    Lsp(lsp::Lsp),
}

/// Time for work in progress to end.
const ENDING: std::time::Duration = std::time::Duration::from_millis(500);

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
            Command::Check(check) => check.run().await,
            Command::Explain(explain) => explain.run(),
            Command::Table(table) => table.run().await,
            Command::Schema(schema) => schema.run(),
            Command::Signatures(signatures) => signatures.run().await,
            Command::Compare(compare) => compare.run().await,
            Command::Comment(comment) => comment.run().await,
            Command::History(history) => history.run().await,
            Command::Gaps(gaps) => gaps.run().await,
            Command::Drift(drift) => drift.run().await,
            Command::Scan(scan) => scan.run(),
            Command::Exception(exception) => exception.run().await,
            Command::Import(import) => import.run().await,
            Command::Export(export) => export.run().await,
            Command::Token(token) => token.run().await,
            Command::Backup(backup) => backup.run().await,
            Command::Restore(restore) => restore.run().await,
            Command::Doctor(doctor) => doctor.run().await,
            Command::Gc(gc) => gc.run().await,
            Command::Openapi(openapi) => openapi.run(),
            Command::Lsp(lsp) => lsp.run(),
        }
    });
    // Work without a waiting caller does not delay the exit.
    runtime.shutdown_timeout(ENDING);
    match done {
        Ok(code) => code,
        Err(error) => failed(&error),
    }
}

/// The error with similar names to the unknown one, in the words of the HTTP API.
fn suggesting(error: ServiceError) -> anyhow::Error {
    match error.root() {
        ServiceError::UnknownOperator { .. }
        | ServiceError::UnknownKey { .. }
        | ServiceError::AliasKey { .. }
        | ServiceError::NotOnTimeline { .. } => anyhow::anyhow!(Problem::from(error).detail),
        _ => error.into(),
    }
}

/// Prints an error and its causes.
fn failed(error: &anyhow::Error) -> ExitCode {
    eprintln!("error: {error:#}");
    ExitCode::from(2)
}
