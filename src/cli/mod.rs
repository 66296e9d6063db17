//! The command line, with one file per command. Exit codes are 0 for success, 1 for findings or
//! breakage, and 2 for usage errors and unreadable input.

#[macro_use]
mod output;

mod api;
mod backup;
mod bootstrap;
mod call;
mod causes;
mod check;
mod check_sources;
mod colour;
mod columns;
mod comment;
mod compare;
mod completions;
mod config;
mod doctor;
mod drift;
mod duration;
mod examples;
mod exception;
mod explain;
mod export;
pub mod fetch;
mod files;
mod fix;
mod folder;
mod gaps;
mod gc;
mod git;
mod health;
mod help;
mod history;
mod import;
mod interrupt;
mod kernel_sources;
mod label;
mod list;
mod local;
mod lsp;
mod mcp;
mod memory;
mod merge_base;
mod neighbours;
mod openapi;
mod over;
mod paths;
mod preflight;
mod probe;
mod read;
mod remote;
mod restore;
mod sample;
mod scan;
mod schema;
mod search;
mod serve;
mod settings;
mod shown;
mod side;
mod signatures;
mod sources;
mod stored;
mod subject;
mod support;
mod table;
mod target;
mod token;
mod trends;
mod watch;
mod ways;
mod why;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{FromArgMatches as _, Parser, Subcommand};
use opatlas_report::findings::Colour;
use opatlas_source::visible::is_acting;

use opatlas_service::ServiceError;
use opatlas_wire::problem::Problem;

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

    #[command(flatten)]
    colour: colour::ColourOptions,
}

#[derive(Debug, Subcommand)]
enum Command {
    Serve(serve::Serve),
    Check(Box<check::Check>),
    Explain(explain::Explain),
    Why(why::Why),
    Table(table::Table),
    Schema(schema::Schema),
    Signatures(signatures::Signatures),
    Call(call::Call),
    Compare(Box<compare::Compare>),
    Comment(Box<comment::Comment>),
    History(history::History),
    Gaps(gaps::Gaps),
    Ways(ways::Ways),
    Preflight(preflight::Preflight),
    Probe(probe::Probe),
    Drift(drift::Drift),
    Watch(watch::WatchBackend),
    Scan(scan::ScanSources),
    Exception(exception::Exception),
    List(list::List),
    Search(search::Search),
    Support(support::Support),
    Trends(trends::Trends),
    Label(label::Label),
    Import(import::Import),
    Export(export::Export),
    Token(token::Token),
    Backup(backup::Backup),
    Restore(restore::Restore),
    Doctor(doctor::Doctor),
    Gc(gc::Gc),
    Mcp(mcp::Mcp),
    Openapi(openapi::Openapi),
    Lsp(lsp::Lsp),
    Completions(completions::Completions),
    Man(completions::Manual),
}

const ENDING: std::time::Duration = std::time::Duration::from_millis(500);
const REMOVING: std::time::Duration = std::time::Duration::from_secs(10);

/// Runs the program with the process's own arguments.
#[must_use]
pub fn run() -> ExitCode {
    let cli = parsed();
    cli.colour.choose();
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = match runtime.enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return failed(&anyhow::anyhow!("cannot start: {error}")),
    };
    let has_temporary_files = cli.command.has_temporary_files();
    let done = runtime.block_on(async {
        let work = cli.command.run();
        if has_temporary_files {
            interrupt::unless_asked_to_stop(work).await
        } else {
            work.await
        }
    });
    // Background work does not delay the exit, except to remove its files.
    runtime.shutdown_timeout(if has_temporary_files {
        REMOVING
    } else {
        ENDING
    });
    match done {
        Ok(code) => code,
        Err(error) => failed(&error),
    }
}

fn parsed() -> Cli {
    let arguments: Vec<_> = std::env::args_os().collect();
    let read = help::command()
        .try_get_matches_from(&arguments)
        .and_then(|matches| Cli::from_arg_matches(&matches));
    read.unwrap_or_else(|error| {
        let has_acting = |argument: &OsString| argument.to_string_lossy().contains(is_acting);
        let choice = match arguments.iter().any(has_acting) {
            // The error repeats them.
            true => clap::ColorChoice::Never,
            false => colour::of_usage(&arguments, error.use_stderr()),
        };
        usage(&error.format(&mut help::command().color(choice)), choice)
    })
}

fn usage(error: &clap::Error, choice: clap::ColorChoice) -> ! {
    let text = error.render();
    match (error.use_stderr(), choice) {
        (true, clap::ColorChoice::Always) => output::painted_note(&text.ansi().to_string()),
        (true, _) => eprint!("{text}"),
        (false, clap::ColorChoice::Always) => {
            output::painted(&text.ansi().to_string(), Colour::Always)
        }
        (false, _) => print!("{text}"),
    }
    std::process::exit(error.exit_code())
}

impl Command {
    async fn run(self) -> anyhow::Result<ExitCode> {
        match self {
            Self::Serve(serve) => serve.run().await,
            Self::Check(check) => check.run().await,
            Self::Explain(explain) => explain.run(),
            Self::Why(why) => why.run().await,
            Self::Table(table) => table.run().await,
            Self::Schema(schema) => schema.run(),
            Self::Signatures(signatures) => signatures.run().await,
            Self::Call(call) => call.run().await,
            Self::Compare(compare) => compare.run().await,
            Self::Comment(comment) => comment.run().await,
            Self::History(history) => history.run().await,
            Self::Gaps(gaps) => gaps.run().await,
            Self::Ways(ways) => ways.run().await,
            Self::Preflight(preflight) => preflight.run().await,
            Self::Probe(probe) => probe.run().await,
            Self::Drift(drift) => drift.run().await,
            Self::Watch(watch) => watch.run(),
            Self::Scan(scan) => scan.run(),
            Self::Exception(exception) => exception.run().await,
            Self::List(list) => list.run().await,
            Self::Search(search) => search.run().await,
            Self::Support(support) => support.run().await,
            Self::Trends(trends) => trends.run().await,
            Self::Label(label) => label.run().await,
            Self::Import(import) => import.run().await,
            Self::Export(export) => export.run().await,
            Self::Token(token) => token.run().await,
            Self::Backup(backup) => backup.run().await,
            Self::Restore(restore) => restore.run().await,
            Self::Doctor(doctor) => doctor.run().await,
            Self::Gc(gc) => gc.run().await,
            Self::Mcp(mcp) => mcp.run().await,
            Self::Openapi(openapi) => openapi.run(),
            Self::Lsp(lsp) => lsp.run(),
            Self::Completions(completions) => completions.run(),
            Self::Man(manual) => manual.run(),
        }
    }

    /// Whether the command writes temporary files, which must be removed when it is interrupted.
    fn has_temporary_files(&self) -> bool {
        matches!(self, Self::Import(_) | Self::Backup(_) | Self::Restore(_))
    }
}

/// The error in the words of the HTTP API, with names similar to an unknown one.
fn suggesting(error: ServiceError) -> anyhow::Error {
    match error.root() {
        ServiceError::UnknownOperator { .. }
        | ServiceError::UnknownKey { .. }
        | ServiceError::AliasKey { .. }
        | ServiceError::NotOnTimeline { .. }
        | ServiceError::Misspelt { .. } => anyhow::anyhow!(Problem::from(error).detail),
        _ => error.into(),
    }
}

fn failed(error: &anyhow::Error) -> ExitCode {
    if error.is::<output::Closed>() {
        return ExitCode::from(output::CLOSED_PIPE);
    }
    eprintln!("error: {}", causes::Causes(error));
    ExitCode::from(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Help of commands is in sentences with a final period; help of options is in phrases without one.
    fn check(command: &clap::Command) {
        let name = command.get_name();
        let about = command
            .get_about()
            .map(ToString::to_string)
            .unwrap_or_else(|| panic!("{name} has no help"));
        assert!(!about.ends_with(['.', ',', ':', ';']), "{name}: {about}");
        if let Some(long) = command.get_long_about().map(ToString::to_string) {
            assert!(long.ends_with('.'), "{name}: {long}");
        }
        for argument in command.get_arguments() {
            let (id, help) = (argument.get_id(), argument.get_help());
            let help = help.map(ToString::to_string).unwrap_or_default();
            let is_hidden = argument.is_hide_set();
            let last = help.rsplit(' ').next().unwrap_or_default();
            let is_cut = ["a", "an", "and", "or", "the", ""].contains(&last);
            assert!(is_hidden || !is_cut, "{name} {id}: {help}");
            assert!(!help.ends_with(['.', ',', ':', ';']), "{name} {id}: {help}");
        }
        command.get_subcommands().for_each(check);
    }

    #[test]
    fn help_ends_where_a_sentence_ends() {
        let command = help::command();
        command.clone().debug_assert();
        check(&command);
    }
}
