//! Standard output and standard error. When the reader goes away, as in `opatlas explain RULE | head`,
//! the program ends quietly instead of panicking.

use std::fmt::Arguments;
use std::io::{self, ErrorKind, Write as _};

/// What shells report for a program that a closed pipe ended: 128 + SIGPIPE.
pub(super) const CLOSED_PIPE: u8 = 141;

/// Writes to standard output. Ends the process if the reader closed it.
///
/// # Errors
/// Every other fault of writing, such as a full disk.
pub(super) fn bytes(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let written = out.write_all(bytes).and_then(|()| out.flush());
    match written {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => {
            std::process::exit(CLOSED_PIPE.into())
        }
        written => written,
    }
}

/// The reader of standard output went away.
#[derive(Debug, thiserror::Error)]
#[error("standard output was closed")]
pub(super) struct Closed;

/// Prints a line as [`print`] does, but leaves it to the caller to end, who has temporary files to
/// remove.
///
/// # Errors
/// [`Closed`], and every other fault of writing.
pub(super) fn line(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(Closed.into()),
        written => Ok(written?),
    }
}

/// Prints formatted text. What cannot be written for another reason than a closed pipe ends the
/// process with an error.
pub(super) fn print(text: Arguments<'_>) {
    if let Err(error) = bytes(text.to_string().as_bytes()) {
        note(format_args!(
            "error: cannot write to standard output: {error}\n"
        ));
        std::process::exit(2);
    }
}

/// Prints formatted text to standard error. What cannot be written there can be reported nowhere.
pub(super) fn note(text: Arguments<'_>) {
    let _ = io::stderr().write_fmt(text);
}

/// As [`std::eprint!`], through [`note`].
macro_rules! eprint {
    ($($text:tt)*) => { crate::cli::output::note(format_args!($($text)*)) };
}

/// As [`std::eprintln!`], through [`note`].
macro_rules! eprintln {
    ($($text:tt)*) => { crate::cli::output::note(format_args!("{}\n", format_args!($($text)*))) };
}

/// As [`std::print!`], through [`print`].
macro_rules! print {
    ($($text:tt)*) => { crate::cli::output::print(format_args!($($text)*)) };
}

/// As [`std::println!`], through [`print`].
macro_rules! println {
    () => { crate::cli::output::print(format_args!("\n")) };
    ($($text:tt)*) => { crate::cli::output::print(format_args!("{}\n", format_args!($($text)*))) };
}
