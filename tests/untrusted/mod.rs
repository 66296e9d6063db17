//! What comes from strangers: repositories, files, servers and backups.

mod pins;
#[cfg(unix)]
mod readers;
#[cfg(unix)]
mod repositories;
mod restored;
mod servers;

use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The operators of the first and the second commit.
const OLD: &str = "- func: tilt(Tensor self, int dim) -> Tensor\n";
const NEW: &str = "- func: tilt(Tensor self, int axis) -> Tensor\n";

/// The program in a folder.
fn opatlas(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_opatlas"));
    command.current_dir(folder).stdin(Stdio::null());
    for name in ["OPATLAS_SERVER", "OPATLAS_DATABASE", "OPATLAS_PROJECT"] {
        command.env_remove(name);
    }
    command.env("NO_COLOR", "1");
    command
}

/// The exit code, and all that a command said.
fn said(output: Output) -> (i32, String) {
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    (output.status.code().unwrap_or(-1), text)
}

fn run(folder: &Path, arguments: &[&str]) -> (i32, String) {
    said(opatlas(folder).args(arguments).output().unwrap())
}
