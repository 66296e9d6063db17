//! Commands that ask a server: they say what they say over the database that it serves, byte for
//! byte, and tell plainly what a server refuses.

mod acting;
mod dataset;
mod fake;
mod probe;
mod refusals;
mod same;
mod stored;
use crate::common::served;
mod tokens;
mod writes;

use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::folder::write;
use crate::common::index::only_own_index;
use crate::common::served::Served;
use tempfile::TempDir;

/// A folder with a database, and a server over it.
struct Place {
    folder: TempDir,
    database: String,
    server: Served,
}

/// What a command came to.
#[derive(Debug, PartialEq, Eq)]
struct Outcome {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Place {
    /// An empty database and its server.
    fn new() -> Self {
        Self::with(&[])
    }

    /// The same with options of the server.
    fn with(arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let database = format!("sqlite://{}", folder.path().join("own.db").display());
        Self {
            server: Served::start_with(&database, arguments),
            database,
            folder,
        }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn write(&self, name: &str, text: &str) {
        write(self.path(), name, text);
    }

    /// Runs a command as it stands.
    fn run(&self, arguments: &[&str]) -> Outcome {
        run(&mut self.command(arguments))
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = served::opatlas();
        only_own_index(&mut command, self.path());
        command
            .args(arguments)
            .current_dir(self.path())
            .env("NO_COLOR", "1")
            .stdin(Stdio::null());
        command
    }

    /// Runs a command over the database.
    fn here(&self, arguments: &[&str]) -> Outcome {
        self.run(&[arguments, &["--database", &self.database]].concat())
    }

    /// Runs a command over the server.
    fn there(&self, arguments: &[&str]) -> Outcome {
        self.run(&[arguments, &["--server", &self.server.url]].concat())
    }

    /// What a command says over the database, and that it succeeds.
    fn done(&self, arguments: &[&str]) -> String {
        let outcome = self.here(arguments);
        assert_eq!(outcome.code, Some(0), "{arguments:?}: {outcome:?}");
        outcome.out
    }

    /// A token, made where the database is.
    fn token(&self, arguments: &[&str]) -> String {
        let made = self.done(&[&["token", "create", "t"], arguments].concat());
        made.trim().to_owned()
    }
}

fn run(command: &mut Command) -> Outcome {
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Outcome {
        code: output.status.code(),
        out: text(output.stdout),
        err: text(output.stderr),
    }
}
