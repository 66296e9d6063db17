//! What people expect of any command line: completions, manual pages, colours, closed pipes, help, and
//! names that are nearly right.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Stdio;

use crate::cli::program::{
    PROGRAM, clean, on_a_terminal, opatlas, refusal, run, stderr, stdout, succeeds,
};

/// A folder whose database has the sample under the labels 2.14.0 and 2.15.0.
fn with_sample() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for label in ["2.14.0", "2.15.0"] {
        succeeds(folder.path(), &["import", "--sample", "--label", label]);
    }
    folder
}

/// The names of all commands, from the help.
fn commands(folder: &Path) -> BTreeSet<String> {
    let help = succeeds(folder, &["--help"]);
    let (list, _) = help.split_once("Options:\n").unwrap();
    let (_, list) = list.split_once("Usage:").unwrap();
    let lines = list.lines();
    let names = lines.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let names = names.filter(|name| !name.is_empty() && *name != "help");
    names.map(str::to_owned).collect()
}

#[test]
fn completions_know_the_commands_and_their_options() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let text = succeeds(folder, &["completions", shell]);
        assert!(text.contains("neighbours"), "{shell}");
    }
    // As a shell uses them.
    let complete = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let script = format!(
            "eval \"$('{PROGRAM}' completions bash)\"\nCOMP_WORDS=({line})\nCOMP_CWORD={}\n\
             _opatlas opatlas '{}' '{}'\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"",
            words.len() - 1,
            words[words.len() - 1],
            words[words.len() - 2]
        );
        let output = clean("bash", folder).args(["-c", &script]).output();
        let output = output.unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        stdout(&output)
    };
    assert_eq!(complete("opatlas comp"), "compare\ncompletions\n");
    assert_eq!(complete("opatlas check --neigh"), "--neighbours\n");
    assert_eq!(
        complete("opatlas check --fail-on w").lines().next(),
        Some("warning")
    );
    // Commands below a command are known to `help` too.
    let below = complete("opatlas help exception ");
    assert!(below.lines().any(|it| it == "extend"), "{below}");
}

#[test]
fn every_command_has_a_manual_page() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    succeeds(folder, &["man", "--out", "pages"]);
    let pages = std::fs::read_dir(folder.join("pages")).unwrap();
    let pages = pages.map(|page| page.unwrap().file_name().into_string().unwrap());
    let pages: BTreeSet<String> = pages.collect();
    for command in commands(folder) {
        let page = format!("opatlas-{command}.1");
        assert!(pages.contains(&page), "{page} is not among {pages:?}");
    }
    assert!(pages.contains("opatlas-token-create.1"), "{pages:?}");
    let whole = succeeds(folder, &["man"]);
    let written = std::fs::read_to_string(folder.join("pages/opatlas.1")).unwrap();
    assert_eq!(whole, written);
    let page = std::fs::read_to_string(folder.join("pages/opatlas-check.1")).unwrap();
    for part in [
        ".TH opatlas-check 1",
        ".SH SYNOPSIS",
        "neighbours",
        "tags.yaml",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
}

#[test]
fn colours_are_for_terminals_that_show_them() {
    let folder = with_sample();
    let folder = folder.path();
    std::fs::write(folder.join("bad.yaml"), "- func: f(Tensr self) -> Tensor\n").unwrap();
    let is_coloured = |text: &str| text.contains("\x1b[");
    let commands: [&[&str]; 3] = [
        &["check", "bad.yaml"],
        &["table", "blend.Tensor"],
        // A usage error.
        &["table", "--nonsense"],
    ];
    for command in commands {
        let piped = run(folder, command);
        let piped = stdout(&piped) + &stderr(&piped);
        assert!(!is_coloured(&piped), "{command:?}: {piped}");
        for (when, expected) in [("always", true), ("never", false)] {
            let output = run(folder, &[&["--color", when], command].concat());
            let said = stdout(&output) + &stderr(&output);
            assert_eq!(is_coloured(&said), expected, "{command:?} {when}: {said}");
        }
        for (environment, option, expected) in [
            (&[][..], "auto", true),
            (&[], "never", false),
            (&[("NO_COLOR", "1")], "auto", false),
            (&[("NO_COLOR", "")], "auto", true),
            (&[("NO_COLOR", "1")], "always", true),
            (&[("TERM", "dumb")], "auto", false),
            (&[("TERM", "dumb"), ("CI", "true")], "auto", false),
            (&[("TERM", "dumb"), ("CLICOLOR_FORCE", "1")], "auto", false),
        ] {
            let option = format!("--color={option}");
            let said = on_a_terminal(folder, environment, &[&[&*option], command].concat());
            let is_right = is_coloured(&said) == expected;
            assert!(is_right, "{command:?} {option} {environment:?}: {said}");
        }
    }
}

/// `opatlas ... | true`, for every command that prints.
#[test]
fn closed_pipes_end_every_command_quietly() {
    let folder = with_sample();
    let folder = folder.path();
    std::fs::write(
        folder.join("ops.yaml"),
        "- func: f(Tensor self) -> Tensor\n",
    )
    .unwrap();
    let source = "TORCH_LIBRARY_IMPL(aten, CUDA, m) { m.impl(\"f\", f); }\n";
    std::fs::write(folder.join("f.cpp"), source).unwrap();
    succeeds(
        folder,
        &[
            "exception",
            "add",
            "blend.Tensor",
            "argument-renamed",
            "--reason",
            "x",
        ],
    );
    for command in [
        &["check", "ops.yaml"][..],
        &["check", "ops.yaml", "--format", "json"],
        &["explain"],
        &["explain", "type-unknown"],
        &["table", "blend.Tensor"],
        &["table", "--backend", "CPU", "--format", "csv"],
        &["schema", "f(Tensor x) -> Tensor"],
        &["signatures", "blend.Tensor"],
        &["call", "blend", "tensor, tensor"],
        &["compare", "2.14.0", "2.15.0"],
        &["compare", "2.14.0", "2.15.0", "--format", "json"],
        &["history", "blend.Tensor"],
        &["gaps", "CPU"],
        &["list"],
        &["search", "blend"],
        &["support", "blend.Tensor"],
        &["trends"],
        &["label", "set", "next", "2.15.0"],
        &["scan", "f.cpp"],
        &["exception", "list"],
        &["import", "--sample", "--label", "2.15.0"],
        &["export", "--file", "native_functions.yaml"],
        &[
            "token",
            "create",
            "ci",
            "--all-projects",
            "--action",
            "read",
        ],
        &["token", "list"],
        &["doctor"],
        &["gc"],
        &["backup", "saved.backup"],
        &["openapi"],
        &["completions", "bash"],
        &["man"],
    ] {
        let mut child = opatlas(folder)
            .args(command)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let said = stderr(&output);
        assert!(
            !said.contains("error") && !said.contains("panic"),
            "{command:?}: {said}"
        );
        assert_eq!(output.status.code(), Some(141), "{command:?}: {said}");
    }
    // A closed standard error is no reason to fail in another way.
    let mut child = opatlas(folder)
        .args(["table", "absent"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stderr.take());
    assert_eq!(child.wait().unwrap().code(), Some(2));
}

#[test]
fn names_that_are_nearly_right_are_suggested() {
    let folder = with_sample();
    let folder = folder.path();
    for (arguments, suggestion) in [
        (
            &["table", "blend.Tensor", "--project", "pytroch"][..],
            "pytorch",
        ),
        (
            &["history", "blend.Tensor", "--project", "pytroch"],
            "pytorch",
        ),
        (&["exception", "list", "--project", "pytroch"], "pytorch"),
        (
            &["compare", "2.14.0", "2.15.0", "--project", "pytroch"],
            "pytorch",
        ),
        (&["table", "blend.Tensor", "--revision", "2.15.9"], "2.15.0"),
        (&["export", "2.14.9", "--file", "tags.yaml"], "2.14.0"),
        (&["compare", "2.14.0", "latst"], "latest"),
        (
            &["compare", "2.14.0", "2.15.0", "--against", "2.14.1"],
            "2.14.0",
        ),
        (&["gaps", "CPU", "--since", "2.140"], "2.14.0"),
        (&["table", "blend.Tensr"], "blend.Tensor"),
        (&["table", "blend.Tensor", "--key", "CPUU"], "CPU"),
    ] {
        let said = refusal(folder, arguments);
        let expected = format!("`{suggestion}`");
        let question = said.split("Did you mean").nth(1);
        let question = question.unwrap_or_else(|| panic!("{arguments:?}: {said}"));
        assert!(question.contains(&expected), "{arguments:?}: {said}");
    }
    // A base name is not an operator; its overloads are.
    let said = refusal(folder, &["table", "blend"]);
    assert!(
        said.contains("It has the overloads `blend.Tensor`"),
        "{said}"
    );
    // Nothing is near.
    let said = refusal(folder, &["table", "blend.Tensor", "--project", "something"]);
    assert_eq!(said, "error: unknown project `something`\n");
}

#[test]
fn a_file_of_another_release_gets_a_hint() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    // The type was removed in 2.13.
    let entries = (0..40).map(|n| format!("- func: f{n}(Tensor self, Dimname dim) -> Tensor\n"));
    std::fs::write(folder.join("old.yaml"), entries.collect::<String>()).unwrap();
    let output = run(folder, &["check", "old.yaml"]);
    let said = stderr(&output);
    assert!(
        said.contains(
            "40 errors under the rules of PyTorch 2.15, but none under those of 2.0 to 2.12"
        ),
        "{said}"
    );
    assert!(said.contains("--release 2.12"), "{said}");
    // Not where the release was named, and not for errors of every release.
    let output = run(folder, &["check", "old.yaml", "--release", "2.13"]);
    assert_eq!(stderr(&output), "");
    let entries = (0..40).map(|n| format!("- func: f{n}(Tensr self) -> Tensor\n"));
    std::fs::write(folder.join("bad.yaml"), entries.collect::<String>()).unwrap();
    assert_eq!(stderr(&run(folder, &["check", "bad.yaml"])), "");
}

#[test]
fn a_refused_database_is_not_a_busy_one() {
    let folder = tempfile::tempdir().unwrap();
    // Nothing listens on a port that was free a moment ago.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("postgres://me@{}/it", port.local_addr().unwrap());
    drop(port);
    let said = refusal(folder.path(), &["doctor", "--database", &url]);
    assert_eq!(said.matches("Connection refused").count(), 1, "{said}");
    assert!(!said.contains("busy") && !said.contains("pool"), "{said}");
}
