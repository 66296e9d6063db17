//! The command line: one file a command. Exit codes are 0 for fine, 1 for findings or breakage, 2
//! for bad usage or unreadable input.

#[macro_use]
mod output;

mod backup;
mod bootstrap;
mod causes;
mod check;
mod check_sources;
mod colour;
mod comment;
mod compare;
mod completions;
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
mod interrupt;
mod late;
mod local;
mod lsp;
mod memory;
mod merge_base;
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

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use crate::service::{ServiceError, Threads};
use crate::store::blocking;
use crate::wire::problem::Problem;

use late::Late;
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
    /// Serves the HTTP API.
    Serve(Late<serve::Serve>),
    /// Checks operator declarations against the rules of a release.
    ///
    /// A file named tags.yaml, derivatives.yaml or deprecated.yaml is read as such; a file that
    /// describes an out-of-tree backend belongs to the operators; any other file, and standard input
    /// (`-`), is read as native_functions.yaml. A folder means the files in it. With --over, files of
    /// a backend are checked over a revision of PyTorch's.
    Check(Late<Box<check::Check>>),
    /// Explains a rule or a topic.
    ///
    /// A topic is a dispatch key or alias, a field of an entry, a type, an annotation, or a guide such as
    /// dispatch-keyword. A rule is about one revision, or about a change between two.
    Explain(Late<explain::Explain>),
    /// Shows which kernel runs for an operator on every dispatch key, and why.
    ///
    /// With --backend it shows one key across all operators instead, with counts. It reads the last
    /// stored revision of the project, unless --release, --revision or --file selects another one.
    Table(Late<table::Table>),
    /// Reads operator schemas and prints their canonical text.
    ///
    /// With --dialect library it reads what the C++ parser of PyTorch reads: schemas of `m.def` and
    /// `torch.library`. Exits with 1 if a schema has errors.
    Schema(Late<schema::Schema>),
    /// Shows the C++ and Python declarations of an operator.
    ///
    /// With --key it shows what is written to implement the operator for that dispatch key instead: in
    /// PyTorch's own tree, in a library that registers kernels, and in a backend file. The operator is
    /// that of the last stored revision of the project, unless --release, --revision or --file says
    /// otherwise.
    Signatures(Late<signatures::Signatures>),
    /// Shows what changed between two revisions: what breaks, for whom, and on which backend.
    ///
    /// BASE and HEAD are files, folders with the files of a bundle, stored revisions (2.9.0, latest,
    /// sha256:DIGITS, or label:NAME if a file has that name), or commits of a local repository
    /// (git:REV, git:REV:PATH). With --backend it shows what the head changes for an out-of-tree
    /// backend. The policy and the exceptions come from the project and from opatlas.toml in the
    /// current folder.
    Compare(Late<Box<compare::Compare>>),
    /// Posts the comparison of two revisions as a comment on a pull request, and keeps it up to date.
    ///
    /// BASE and HEAD are as in `opatlas compare`, and so is the text and the exit code. With --from, it
    /// posts a report that another job has made: files of `compare --format markdown --out` or
    /// `compare --format json --max-chars`, with the number of the pull request and the id of the
    /// commit in the files `number` and `head`. That job may be one without rights: the text is posted
    /// only if the pull request is at the commit of the event or of --head-sha, and the exit code says
    /// only whether it was posted.
    ///
    /// A report that is too long for one comment is split over several. Later runs edit these comments
    /// in place and delete those that are no longer needed. Comments by other accounts are never touched.
    Comment(Late<Box<comment::Comment>>),
    /// Shows the history of an operator over a project's revisions.
    ///
    /// When the operator was added and removed, how its schema changed and what that broke for whom,
    /// which kernels and tags it gained and lost, and what runs it on which backend now.
    History(Late<history::History>),
    /// Lists the operators that a backend lacks or inherits, those that matter most first, and the
    /// kernels that would help most.
    ///
    /// The order is: the most used operators (with --usage), operators tagged core, then operators that
    /// most other backends have a kernel for.
    Gaps(Late<gaps::Gaps>),
    /// Compares the registrations of a process with the files of a revision.
    ///
    /// The probe records processes (`python -m opatlas_probe --parts tables`). A registration of the
    /// process is the same, not declared, or has another kernel; a registration of the files may be
    /// absent. PyTorch's own hand-written registrations are expected too. Backends that are not in the
    /// build are left out. Exits with 1 if there are differences.
    Drift(Late<drift::Drift>),
    /// Lists what C++ and Python sources register with PyTorch's dispatcher.
    ///
    /// Finds TORCH_LIBRARY blocks, RegisterOperators, torch.library and the macros of known projects,
    /// without compiling anything. What the text alone does not decide, such as names that macros paste
    /// together, is listed as unresolved with the reason. Conditions count as true and are shown.
    /// Hidden folders are left out, and links that lead out of a folder are not followed. Exits with 2
    /// if a file cannot be read.
    Scan(Late<scan::ScanSources>),
    /// Manages the changes that a project accepts.
    ///
    /// An excused change stays in every report, with the reason and the expiry of its exception; it
    /// only does not count. It counts again after the expiry.
    Exception(Late<exception::Exception>),
    /// Imports revisions into the database or a server.
    ///
    /// `opatlas import torch==2.9.0` fetches the wheel of the release with your own pip, extracts the
    /// YAML files and stores them under the label 2.9.0; `torch==2.0.0..latest` imports every published
    /// release in the range. `opatlas import --git REPO --range A..B` imports the commits of a local
    /// clone that touch native_functions.yaml. Both resume after an interruption. `opatlas import --dir
    /// PATH --label X` imports the files of a folder: native_functions.yaml, tags.yaml,
    /// derivatives.yaml, deprecated.yaml, observed.json and backends/NAME.yaml.
    Import(Late<import::Import>),
    /// Writes the files of a revision, byte for byte.
    Export(Late<export::Export>),
    /// Creates, lists and revokes the tokens for a service with --auth writes or all.
    ///
    /// Works on the database directly, so it needs no token. A service notices a revoked token within
    /// five seconds.
    Token(Late<token::Token>),
    /// Saves a consistent snapshot of the database while the service runs.
    ///
    /// The file is an SQLite database, whatever database it comes from. `opatlas restore` restores it
    /// into either kind, and `--database sqlite://FILE` reads it directly. It contains digests of
    /// tokens and signing keys, so only its owner can read it.
    Backup(Late<backup::Backup>),
    /// Restores a backup into an empty database, of the same or another kind.
    ///
    /// Restores everything or nothing, and checks the result against its digests.
    Restore(Late<restore::Restore>),
    /// Checks the database against its digests while the service runs.
    ///
    /// Reassembles every file and compares it with its SHA-256, every revision with its digest, and
    /// every label with its revision. Exits with 1 if it finds damage.
    Doctor(Late<doctor::Doctor>),
    /// Deletes old revisions without a label, such as those of closed pull requests.
    ///
    /// Revisions with a label are never deleted; delete the label first (`DELETE .../labels/pr-1234`).
    /// Bytes that only deleted revisions used are deleted too. An SQLite file keeps its size and reuses
    /// the space.
    Gc(Late<gc::Gc>),
    /// Prints the OpenAPI document that describes the HTTP API.
    Openapi(Late<openapi::Openapi>),
    /// Starts the language server, which an editor talks to over standard input and output.
    ///
    /// It serves native_functions.yaml, derivatives.yaml, tags.yaml, deprecated.yaml and files of
    /// out-of-tree backends. The files that belong with an open one are found in PyTorch's layout, in
    /// the same folder, or by [files] of opatlas.toml. editors/README.md describes the settings of
    /// editors.
    Lsp(Late<lsp::Lsp>),
    /// Prints the completions of a shell.
    ///
    /// For bash, add `eval "$(opatlas completions bash)"` to ~/.bashrc. For zsh, write them to a file
    /// `_opatlas` in a folder of $fpath. For fish, write them to
    /// ~/.config/fish/completions/opatlas.fish.
    Completions(Late<completions::Completions>),
    /// Prints the manual page, or writes the pages of all commands to a folder.
    Man(Late<completions::Manual>),
}

/// Time for work in progress to end.
const ENDING: std::time::Duration = std::time::Duration::from_millis(500);
/// Time for interrupted work to remove its temporary files.
const REMOVING: std::time::Duration = std::time::Duration::from_secs(10);

/// Runs the program with the process's own arguments.
#[must_use]
pub fn run() -> ExitCode {
    let cli = parsed();
    cli.colour.choose();
    let mut runtime = match cli.command.is_short() {
        true => {
            blocking::stay();
            Threads::with_this_one();
            tokio::runtime::Builder::new_current_thread()
        }
        false => tokio::runtime::Builder::new_multi_thread(),
    };
    if let Command::Import(Late(import)) = &cli.command
        && import.is_of_commits()
    {
        runtime.max_blocking_threads(import::COMMIT_THREADS);
    }
    let runtime = match runtime.enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return failed(&anyhow::anyhow!("cannot start: {error}")),
    };
    let has_temporary_files = cli.command.has_temporary_files();
    let done = runtime.block_on(async {
        let work = cli.command.run();
        match has_temporary_files {
            true => interrupt::unless_asked_to_stop(work).await,
            false => work.await,
        }
    });
    // Work without a waiting caller does not delay the exit, except to remove its files.
    runtime.shutdown_timeout(match has_temporary_files {
        true => REMOVING,
        false => ENDING,
    });
    match done {
        Ok(code) => code,
        Err(error) => failed(&error),
    }
}

/// Leaves what a command has read to the end of the process: to free a revision entry by entry takes a
/// tenth of the time of a short command.
fn leave<T>(value: T) {
    std::mem::forget(value);
}

/// The process's arguments. Ends the process if they are invalid or ask for help.
fn parsed() -> Cli {
    let arguments: Vec<_> = std::env::args_os().collect();
    let read = Cli::command().try_get_matches_from(&arguments);
    let read = read.and_then(|matches| Cli::from_arg_matches(&matches));
    read.unwrap_or_else(|error| {
        let choice = colour::of_usage(&arguments, error.use_stderr());
        error.format(&mut Cli::command().color(choice)).exit()
    })
}

impl Command {
    async fn run(self) -> anyhow::Result<ExitCode> {
        match self {
            Self::Serve(Late(serve)) => serve.run().await,
            Self::Check(Late(check)) => check.run().await,
            Self::Explain(Late(explain)) => explain.run(),
            Self::Table(Late(table)) => table.run().await,
            Self::Schema(Late(schema)) => schema.run(),
            Self::Signatures(Late(signatures)) => signatures.run().await,
            Self::Compare(Late(compare)) => compare.run().await,
            Self::Comment(Late(comment)) => comment.run().await,
            Self::History(Late(history)) => history.run().await,
            Self::Gaps(Late(gaps)) => gaps.run().await,
            Self::Drift(Late(drift)) => drift.run().await,
            Self::Scan(Late(scan)) => scan.run(),
            Self::Exception(Late(exception)) => exception.run().await,
            Self::Import(Late(import)) => import.run().await,
            Self::Export(Late(export)) => export.run().await,
            Self::Token(Late(token)) => token.run().await,
            Self::Backup(Late(backup)) => backup.run().await,
            Self::Restore(Late(restore)) => restore.run().await,
            Self::Doctor(Late(doctor)) => doctor.run().await,
            Self::Gc(Late(gc)) => gc.run().await,
            Self::Openapi(Late(openapi)) => openapi.run(),
            Self::Lsp(Late(lsp)) => lsp.run(),
            Self::Completions(Late(completions)) => completions.run(),
            Self::Man(Late(manual)) => manual.run(),
        }
    }

    /// Whether the command does one thing after the other, and answers a user who waits for it.
    fn is_short(&self) -> bool {
        matches!(
            self,
            Self::Check(_)
                | Self::Table(_)
                | Self::Signatures(_)
                | Self::Compare(_)
                | Self::Comment(_)
                | Self::History(_)
                | Self::Gaps(_)
                | Self::Drift(_)
        )
    }

    /// Whether the command writes files beside its result, which must go when it is interrupted.
    fn has_temporary_files(&self) -> bool {
        matches!(self, Self::Import(_) | Self::Backup(_) | Self::Restore(_))
    }
}

/// The error with similar names to the unknown one, in the words of the HTTP API.
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

/// Prints an error and its causes.
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

    /// Help of commands is sentences that end; help of options is phrases that end with a word.
    fn check(command: &clap::Command) {
        let name = command.get_name();
        let about = command.get_about().map(ToString::to_string);
        let about = about.unwrap_or_else(|| panic!("{name} has no help"));
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
        late::describe_all();
        let command = Cli::command();
        command.clone().debug_assert();
        check(&command);
    }
}
