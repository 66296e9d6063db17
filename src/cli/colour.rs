//! Whether output has colors: as `--color` says, or by default on a terminal that shows them.

use std::ffi::{OsStr, OsString};
use std::io::IsTerminal;
use std::sync::OnceLock;

use clap::{Args, ColorChoice, ValueEnum};
use opatlas_report::findings::Colour;

/// The option of every command.
#[derive(Debug, Args)]
pub(super) struct ColourOptions {
    /// When to use colors: auto means on a terminal, unless NO_COLOR is set or TERM is dumb
    #[arg(
        long,
        global = true,
        value_enum,
        value_name = "WHEN",
        default_value_t = When::Auto
    )]
    color: When,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum When {
    Auto,
    Always,
    Never,
}

impl When {
    fn is_on(self, stream: &impl IsTerminal) -> bool {
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto => stream.is_terminal() && !is_plain(),
        }
    }
}

static CHOSEN: OnceLock<When> = OnceLock::new();

impl ColourOptions {
    pub(super) fn choose(&self) {
        // The command line is parsed once.
        let _ = CHOSEN.set(self.color);
    }
}

pub(super) fn of_output() -> Colour {
    if is_wanted(&std::io::stdout()) {
        Colour::Always
    } else {
        Colour::Never
    }
}

pub(super) fn is_wanted(stream: &impl IsTerminal) -> bool {
    CHOSEN.get().unwrap_or(&When::Auto).is_on(stream)
}

pub(super) fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|term| term == "dumb")
}

/// An empty `NO_COLOR` counts as unset (<https://no-color.org>).
fn is_plain() -> bool {
    is_dumb() || std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
}

/// Help and usage errors are printed before `--color` is parsed. The parser's own choice would also
/// depend on `CI` and `CLICOLOR_FORCE`.
pub(super) fn of_usage(arguments: &[OsString], is_error: bool) -> ColorChoice {
    let asked = asked(arguments);
    let is_on = if is_error {
        asked.is_on(&std::io::stderr())
    } else {
        asked.is_on(&std::io::stdout())
    };
    if is_on {
        ColorChoice::Always
    } else {
        ColorChoice::Never
    }
}

fn asked(arguments: &[OsString]) -> When {
    let mut choice = When::Auto;
    let mut arguments = arguments.iter().map(OsString::as_os_str);
    while let Some(argument) = arguments.next() {
        let value = match argument.to_str() {
            Some("--") => break,
            Some("--color") => arguments.next().and_then(OsStr::to_str),
            Some(text) => text.strip_prefix("--color="),
            None => None,
        };
        choice = value
            .and_then(|value| When::from_str(value, false).ok())
            .unwrap_or(choice);
    }
    choice
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_usage_have_colours_as_the_option_says() {
        let of = |arguments: &[&str]| {
            let arguments: Vec<_> = arguments.iter().map(OsString::from).collect();
            asked(&arguments)
        };
        assert_eq!(of(&["check", "--color", "never"]), When::Never);
        assert_eq!(of(&["--color=always", "check"]), When::Always);
        assert_eq!(of(&["check", "--", "--color=always"]), When::Auto);
        assert_eq!(of(&["check", "--color", "often"]), When::Auto);
    }
}
