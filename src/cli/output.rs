//! All writes to standard output and standard error.
//!
//! Commands print texts that strangers wrote. Neither a terminal nor a CI runner that reads its log
//! for commands may act on them, so all text goes through [`harmless`]. If the reader goes away, as
//! in `opatlas explain RULE | head`, the program ends quietly.

use std::borrow::Cow;
use std::fmt::Arguments;
use std::io::{self, ErrorKind, IsTerminal as _, Write as _};

use opatlas_report::findings::Colour;
use opatlas_source::visible::is_acting;

/// The exit code that shells report for a closed pipe: 128 + SIGPIPE.
pub(super) const CLOSED_PIPE: u8 = 141;

/// Writes bytes to standard output unchanged. Ends the process if the reader closed it.
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

/// Writes a stored file to standard output, unchanged unless that is a terminal.
pub(super) fn file(file: &[u8]) -> io::Result<()> {
    if io::stdout().is_terminal() {
        bytes(harmless(&String::from_utf8_lossy(file), Colour::Never).as_bytes())
    } else {
        bytes(file)
    }
}

/// The reader of standard output went away.
#[derive(Debug, thiserror::Error)]
#[error("standard output was closed")]
pub(super) struct Closed;

/// Prints a line like [`print`], but returns errors, for a caller with temporary files to remove.
pub(super) fn line(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    let text = harmless(text, Colour::Never);
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(Closed.into()),
        written => Ok(written?),
    }
}

pub(super) fn print(text: Arguments<'_>) {
    write(&harmless(&text.to_string(), Colour::Never));
}

/// Prints text with the colors that the program put into it.
pub(super) fn painted(text: &str, colour: Colour) {
    write(&harmless(text, colour));
}

pub(super) fn commands(text: &str) {
    write(&shown(text, Colour::Never));
}

/// Prints formatted text to standard error. Ignores write errors, which cannot be reported.
pub(super) fn note(text: Arguments<'_>) {
    let text = text.to_string();
    let _ = io::stderr().write_all(harmless(&text, Colour::Never).as_bytes());
}

/// Prints text with the colors that the program put into it to standard error.
pub(super) fn painted_note(text: &str) {
    let _ = io::stderr().write_all(harmless(text, Colour::Always).as_bytes());
}

fn write(text: &str) {
    if let Err(error) = bytes(text.as_bytes()) {
        note(format_args!(
            "error: cannot write to standard output: {error}\n"
        ));
        std::process::exit(2);
    }
}

pub(super) fn json(text: &str) -> String {
    let text = text.replace("##[", "##\\u005b");
    if !acts(&text) {
        return text;
    }
    let mut out = String::with_capacity(text.len() + 64);
    let mut units = [0; 2];
    for char in text.chars() {
        if !is_acting(char) || char == '\n' {
            out.push(char);
            continue;
        }
        for unit in char.encode_utf16(&mut units) {
            out.push_str(&format!("\\u{unit:04x}"));
        }
    }
    out
}

/// Whether a terminal acts on a character of a text, besides line breaks. Large JSON is plain ASCII.
fn acts(text: &str) -> bool {
    let is_plain = |byte| matches!(byte, b'\n' | b' '..=b'~');
    !text.bytes().all(is_plain) && text.contains(|c| is_acting(c) && c != '\n')
}

/// Text that neither a terminal nor a CI runner acts on.
pub(super) fn harmless(text: &str, colour: Colour) -> Cow<'_, str> {
    let text = shown(text, colour);
    let is_command = |line: &str| line.trim_start().starts_with("::") || line.contains("##[");
    if !text.lines().any(is_command) {
        return text;
    }
    // A word joiner is invisible, and keeps the line from being a command.
    let lines = text.split_inclusive('\n').map(|line| {
        let start = line.len() - line.trim_start().len();
        let (space, rest) = line.split_at(start);
        let joiner = if rest.starts_with("::") {
            "\u{2060}"
        } else {
            ""
        };
        format!("{space}{joiner}{}", rest.replace("##[", "#\u{2060}#["))
    });
    Cow::Owned(lines.collect())
}

/// The text with control characters as numbers, except line breaks, tabs, and allowed colors.
fn shown(text: &str, colour: Colour) -> Cow<'_, str> {
    if !acts(text) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 64);
    let mut rest = text;
    while let Some(char) = rest.chars().next() {
        let length = match char {
            '\n' | '\t' => 1,
            '\r' if rest.starts_with("\r\n") => 2,
            '\u{1b}' if colour == Colour::Always => length_of_colour(rest),
            char if is_acting(char) => 0,
            char => char.len_utf8(),
        };
        if length == 0 {
            out.extend(char.escape_unicode());
            rest = &rest[char.len_utf8()..];
        } else {
            out.push_str(&rest[..length]);
            rest = &rest[length..];
        }
    }
    Cow::Owned(out)
}

fn length_of_colour(text: &str) -> usize {
    let Some(numbers) = text.strip_prefix("\u{1b}[") else {
        return 0;
    };
    let is_number = |c: char| c.is_ascii_digit() || c == ';';
    let end = numbers.find(|c| !is_number(c)).unwrap_or(numbers.len());
    if numbers[end..].starts_with('m') {
        "\u{1b}[".len() + end + 1
    } else {
        0
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_acts_on_a_terminal() {
        let plain = |text: &str| harmless(text, Colour::Never).into_owned();
        assert_eq!(plain("a\tb\r\nc\n"), "a\tb\r\nc\n");
        assert_eq!(plain("a\rb"), "a\\u{d}b");
        assert_eq!(
            plain("\u{1b}[31m\u{9b}\u{7f}\u{202e}"),
            "\\u{1b}[31m\\u{9b}\\u{7f}\\u{202e}"
        );
        let painted = |text: &str| harmless(text, Colour::Always).into_owned();
        assert_eq!(painted("\u{1b}[1;31ma\u{1b}[0m"), "\u{1b}[1;31ma\u{1b}[0m");
        assert_eq!(
            painted("\u{1b}]52;c;x\u{7}\u{1b}[2K"),
            "\\u{1b}]52;c;x\\u{7}\\u{1b}[2K"
        );
    }

    #[test]
    fn no_line_is_a_workflow_command() {
        let plain = |text: &str| harmless(text, Colour::Never).into_owned();
        assert_eq!(
            plain("a::b\n  ::stop-commands::x\n"),
            "a::b\n  \u{2060}::stop-commands::x\n"
        );
        assert_eq!(plain("x ##[add-mask]y"), "x #\u{2060}#[add-mask]y");
    }

    #[test]
    fn json_means_the_same() {
        let text = serde_json::json!({"a": "\u{1b}\u{9b}\u{7f}\u{202e}\u{e0041}é"}).to_string();
        let shown = json(&text);
        assert!(!shown.contains(is_acting));
        let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(value(&shown), value(&text));
    }
}
