//! How the tests start the program and read what it says.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::common::index::only_own_index;

/// Where it was built.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_opatlas");

/// Settings of the tester's own that change what a program writes.
const LOOKS: [&str; 6] = [
    "CI",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "COLUMNS",
    "NO_COLOR",
    "TERM",
];

/// A program without the tester's own settings, in this folder.
pub fn clean(program: &str, folder: &Path) -> Command {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("OPATLAS_") {
            command.env_remove(name);
        }
    }
    for name in LOOKS {
        command.env_remove(name);
    }
    only_own_index(&mut command, folder);
    command.current_dir(folder).stdin(Stdio::null());
    command
}

/// The program itself, likewise.
pub fn opatlas(folder: &Path) -> Command {
    clean(PROGRAM, folder)
}

/// Runs the program to its end.
pub fn run(folder: &Path, arguments: &[&str]) -> Output {
    opatlas(folder).args(arguments).output().unwrap()
}

/// What it wrote to standard output.
pub fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// What it wrote to standard error.
pub fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Runs a command that succeeds. Gives its standard output.
pub fn succeeds(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    let (said, errors) = (stdout(&output), stderr(&output));
    assert!(output.status.success(), "{arguments:?}: {said}{errors}");
    said
}

/// Runs a command that is refused. Gives its standard error.
pub fn refusal(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    let (said, errors) = (stdout(&output), stderr(&output));
    assert_eq!(
        output.status.code(),
        Some(2),
        "{arguments:?}: {said}{errors}"
    );
    errors
}

/// What a command writes to a terminal with this environment.
pub fn on_a_terminal(folder: &Path, environment: &[(&str, &str)], arguments: &[&str]) -> String {
    const SPAWN: &str = "import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)";
    let mut python = clean("python3", folder);
    python
        .env("TERM", "xterm")
        .envs(environment.iter().copied());
    let python = python.args(["-c", SPAWN, PROGRAM]).args(arguments);
    let output = python.output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}
