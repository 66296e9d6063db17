//! Standard output. When the reader goes away, as in `opatlas explain RULE | head`, the program ends
//! quietly instead of panicking.

use std::fmt::Arguments;
use std::io::{self, ErrorKind, Write as _};

/// What shells report for a program that a closed pipe ended: 128 + SIGPIPE.
const CLOSED_PIPE: i32 = 141;

/// Writes to standard output. Ends the process when nobody reads it any more.
///
/// # Errors
/// Every other fault of writing, such as a full disk.
pub(super) fn bytes(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let written = out.write_all(bytes).and_then(|()| out.flush());
    match written {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => std::process::exit(CLOSED_PIPE),
        written => written,
    }
}

/// Prints formatted text. What cannot be written for another reason than a closed pipe ends the
/// process with an error.
pub(super) fn print(text: Arguments<'_>) {
    if let Err(error) = bytes(text.to_string().as_bytes()) {
        eprintln!("error: cannot write to standard output: {error}");
        std::process::exit(2);
    }
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
