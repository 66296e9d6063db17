//! The text of `--help`: examples first, then the options in groups. A short flag has one meaning in
//! all commands.

use clap::{Arg, ArgAction, Command, CommandFactory as _};

use super::Cli;
use super::examples::EXAMPLES;

/// The options with a short flag, which are those that people type most.
const SHORT: [(&str, char); 6] = [
    ("format", 'f'),
    ("key", 'k'),
    ("limit", 'n'),
    ("out", 'o'),
    ("project", 'p'),
    ("revision", 'r'),
];

/// Headings for options that mean the same in every command.
const GROUPS: [(&str, &[&str]); 4] = [
    (
        "Output",
        &["format", "out", "limit", "color", "max_chars", "quiet"],
    ),
    ("Fixes", &["fix", "diff"]),
    (
        "Stored revisions",
        &["project", "base_project", "database", "server", "token"],
    ),
    ("Git", &["path", "repository", "range", "first_parent"]),
];

/// Options that `--help` leaves out; `opatlas help COMMAND` explains them.
const RARE: [&str; 6] = [
    "path",
    "repository",
    "macros",
    "base_project",
    "max_wait",
    "head_title",
];

/// The commands of the program, by what people want to do.
const COMMANDS: [(&str, &[&str]); 6] = [
    ("Check and fix", &["check", "explain", "lsp", "scan"]),
    (
        "Ask",
        &[
            "table",
            "ways",
            "support",
            "gaps",
            "why",
            "call",
            "signatures",
            "schema",
            "preflight",
        ],
    ),
    (
        "Compare",
        &[
            "compare",
            "comment",
            "history",
            "trends",
            "watch",
            "exception",
        ],
    ),
    (
        "Stored revisions",
        &[
            "list", "search", "label", "import", "export", "drift", "probe",
        ],
    ),
    ("Serve", &["serve", "token", "mcp", "openapi"]),
    (
        "Maintain",
        &[
            "backup",
            "restore",
            "doctor",
            "gc",
            "completions",
            "man",
            "help",
        ],
    ),
];

const TEMPLATE: &str =
    "{about-with-newline}\n{before-help}{usage-heading} {usage}\n\n{all-args}{after-help}\n";

const HELP: &str = "Explain a command and all of its options";

const SPEC: &str = "SPEC is a revision: a stored label (2.15.0), a commit, sha256:DIGITS or latest; \
                    git:REV or the merge base git:A...B in a local clone; a file, a folder or a clone.";

/// The program's command line, as it is parsed, described and completed.
pub(super) fn command() -> Command {
    let command = Cli::command().disable_help_flag(true).arg(help_flag());
    let commands = listed(&command);
    with_help(command, "")
        .help_template(format!(
            "{{about-with-newline}}\n{{before-help}}{{usage-heading}} {{usage}}\n\n{commands}Options:\n{{options}}{{after-help}}\n"
        ))
        .after_help("`opatlas COMMAND -h` shows the options of a command, `opatlas help COMMAND` all about it.")
}

/// A command and its subcommands with their examples. `path` is its name without that of the program.
fn with_help(command: Command, path: &str) -> Command {
    let has_spec = command.get_arguments().any(names_a_revision);
    let examples = EXAMPLES.iter().find(|(name, _)| *name == path);
    let examples = examples.map_or(&[][..], |(_, examples)| examples);
    let examples = examples.iter().map(|example| format!("\n  {example}"));
    let details = match path.is_empty() {
        true => String::new(),
        false => format!("`opatlas help {path}` explains every option."),
    };
    let after = if has_spec {
        format!("{SPEC}\n\n{details}")
    } else {
        details
    };
    let command = command
        .mut_args(arranged)
        .before_help(format!("Examples:{}", examples.collect::<String>()))
        .after_help(after)
        .help_template(TEMPLATE);
    let path = path.to_owned();
    command.mut_subcommands(move |below| {
        let own = format!("{path} {}", below.get_name());
        with_help(below, own.trim_start())
    })
}

/// An option with its short flag, under its heading.
fn arranged(argument: Arg) -> Arg {
    let id = argument.get_id().as_str().to_owned();
    let is = |(name, _): &&(&str, char)| *name == id && argument.get_long().is_some();
    let short = SHORT.iter().find(is).map(|(_, short)| *short);
    let group = GROUPS.iter().find(|(_, ids)| ids.contains(&&*id));
    let is_rare = RARE.contains(&&*id);
    let argument = match short {
        Some(short) => argument.short(short),
        None => argument,
    };
    let is_option = argument.get_long().is_some();
    let argument = match group.filter(|_| is_option) {
        Some((heading, _)) => argument.help_heading(*heading),
        None => argument,
    };
    argument.hide_short_help(is_rare)
}

fn names_a_revision(argument: &Arg) -> bool {
    let names = argument.get_value_names().unwrap_or_default();
    names.iter().any(|name| name.as_str() == "SPEC")
}

fn help_flag() -> Arg {
    Arg::new("help")
        .long("help")
        .short('h')
        .global(true)
        .help("Show help")
        .help_heading("Output")
        .action(ArgAction::HelpShort)
}

fn listed(program: &Command) -> String {
    let mut out = String::new();
    for (heading, names) in COMMANDS {
        out.push_str(&format!("{heading}:\n"));
        for name in names {
            let about = program.find_subcommand(name).and_then(Command::get_about);
            let about = about.map_or_else(|| HELP.to_owned(), ToString::to_string);
            out.push_str(&format!("  {name:<12} {}\n", about.trim_end_matches('.')));
        }
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// The commands without those of `opatlas help`, with their names.
    fn all(command: &Command, path: &str, found: &mut Vec<(String, Command)>) {
        found.push((path.to_owned(), command.clone()));
        for below in command.get_subcommands() {
            let own = format!("{path} {}", below.get_name());
            all(below, own.trim_start(), found);
        }
    }

    fn commands() -> Vec<(String, Command)> {
        let mut found = Vec::new();
        all(&command(), "", &mut found);
        found
    }

    /// The words of an example, as a shell would split them.
    fn words(example: &str) -> Vec<String> {
        let line = example.split(['<', '>']).next().unwrap_or_default();
        let mut words = vec![String::new()];
        let mut quote = None;
        for char in line.trim().chars() {
            match (quote, char) {
                (Some(end), char) if char == end => quote = None,
                (None, '\'' | '"') => quote = Some(char),
                (None, ' ') => words.push(String::new()),
                _ => words.last_mut().unwrap().push(char),
            }
        }
        words
    }

    #[test]
    fn every_command_has_examples_that_it_accepts() {
        let commands = commands();
        for (path, _) in &commands {
            let (_, examples) = EXAMPLES
                .iter()
                .find(|(name, _)| name == path)
                .unwrap_or_else(|| panic!("`{path}` has no examples"));
            assert!((1..=4).contains(&examples.len()), "{path}");
            for example in *examples {
                let words = words(example);
                let read = command().try_get_matches_from(&words);
                assert!(read.is_ok(), "{example}: {}", read.unwrap_err());
                assert!(words[1..].join(" ").starts_with(path), "{example}");
            }
        }
        assert_eq!(EXAMPLES.len(), commands.len());
    }

    #[test]
    fn the_program_lists_every_command_once() {
        let program = command();
        let names = program.get_subcommands().map(|it| it.get_name().to_owned());
        let names: BTreeSet<String> = names.chain(["help".to_owned()]).collect();
        let listed: Vec<&str> = COMMANDS
            .iter()
            .flat_map(|(_, names)| *names)
            .copied()
            .collect();
        assert_eq!(listed.len(), names.len());
        assert!(listed.iter().all(|name| names.contains(*name)));
    }

    #[test]
    fn a_short_flag_has_one_meaning() {
        for (path, command) in commands() {
            for argument in command.get_arguments() {
                let Some(short) = argument.get_short() else {
                    continue;
                };
                let expected = SHORT.iter().find(|(_, it)| *it == short);
                let name = argument.get_id().as_str();
                let is_right = expected.is_some_and(|(id, _)| *id == name);
                assert!(
                    is_right || ["help", "version"].contains(&name),
                    "{path} -{short}: {name}"
                );
            }
        }
    }

    #[test]
    fn help_fits_on_a_screen_or_two() {
        for (path, mut command) in commands() {
            let most = if path == "serve" { 90 } else { 65 };
            let lines = command.render_help().to_string().lines().count();
            assert!(lines <= most, "{path} has {lines} lines of help");
        }
    }
}
