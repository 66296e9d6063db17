//! What people expect of any command line: completions, manual pages, colours, closed pipes, Ctrl-C,
//! help, and names that are nearly right.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::Duration;

const PROGRAM: &str = env!("CARGO_BIN_EXE_opatlas");

/// A program with this environment and no settings of the tester's own.
fn clean(program: &str, folder: &Path) -> Command {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("OPATLAS_") {
            command.env_remove(name);
        }
    }
    for name in ["NO_COLOR", "TERM", "COLUMNS", "CLICOLOR", "CLICOLOR_FORCE"] {
        command.env_remove(name);
    }
    command.current_dir(folder).stdin(Stdio::null());
    command
}

fn opatlas(folder: &Path) -> Command {
    clean(PROGRAM, folder)
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    opatlas(folder).args(arguments).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn succeeds(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    let said = stderr(&output);
    assert!(output.status.success(), "{arguments:?}: {said}");
    stdout(&output)
}

fn refusal(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    stderr(&output)
}

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
    let list = help.split("Commands:\n").nth(1).unwrap();
    let lines = list.lines().take_while(|line| !line.is_empty());
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

/// What a command writes to a terminal with this environment.
fn on_a_terminal(folder: &Path, environment: &[(&str, &str)], arguments: &[&str]) -> String {
    const SPAWN: &str = "import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)";
    let mut python = clean("python3", folder);
    python
        .env("TERM", "xterm")
        .envs(environment.iter().copied());
    let python = python.args(["-c", SPAWN, PROGRAM]).args(arguments);
    let output = python.output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
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
        &["compare", "2.14.0", "2.15.0"],
        &["compare", "2.14.0", "2.15.0", "--format", "json"],
        &["history", "blend.Tensor"],
        &["gaps", "CPU"],
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
        (
            &["table", "blend.Tensor", "--revision", "2.15.00"],
            "2.15.0",
        ),
        (&["export", "v2.14.0", "--file", "tags.yaml"], "2.14.0"),
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

/// A pip that writes this script's files and then runs the rest.
fn pip(folder: &Path, then: &str) -> String {
    let wheel = folder.join("torch-2.9.0-cp311-none-any.whl");
    let mut archive = zip::ZipWriter::new(std::fs::File::create(&wheel).unwrap());
    let member = "torchgen/packaged/ATen/native/native_functions.yaml";
    let options = zip::write::SimpleFileOptions::default();
    archive.start_file(member, options).unwrap();
    archive
        .write_all(b"- func: one(Tensor self) -> Tensor\n")
        .unwrap();
    archive.finish().unwrap();
    let script = folder.join("pip.sh");
    let text = format!(
        "while [ $# -gt 0 ]; do\n\
         case $1 in --version) exit 0;; --dest) dest=$2; shift;; esac; shift; done\n\
         cp '{}' $dest\necho partial > $TMPDIR/pip-unpack\n{then}\n",
        wheel.display()
    );
    std::fs::write(&script, text).unwrap();
    format!("sh {}", script.display())
}

/// Waits until a file is there.
fn await_file(path: &Path) {
    for _ in 0..6000 {
        if path.exists() {
            return;
        }
        thread::sleep(Duration::from_millis(10));
    }
    panic!("{} did not appear", path.display());
}

fn entries(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect()
}

#[cfg(unix)]
#[test]
fn an_interrupted_import_leaves_nothing_behind() {
    for (signal, code) in [("INT", 130), ("TERM", 143)] {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        std::fs::create_dir(folder.join("tmp")).unwrap();
        let pip = pip(
            folder,
            "echo $$ > started.new; mv started.new started; exec sleep 600",
        );
        let child = opatlas(folder)
            .args(["import", "torch==2.9.0", "--pip", &pip])
            .env("TMPDIR", folder.join("tmp"))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        await_file(&folder.join("started"));
        assert!(!entries(&folder.join("tmp")).is_empty());
        let id = child.id().to_string();
        let sent = Command::new("kill").args(["-s", signal, &id]).status();
        assert!(sent.unwrap().success());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{}", stderr(&output));
        assert_eq!(entries(&folder.join("tmp")), [""; 0]);
        // pip has ended as well.
        let pip = std::fs::read_to_string(folder.join("started")).unwrap();
        let lives = Command::new("kill").args(["-s", "0", pip.trim()]).output();
        assert!(!lives.unwrap().status.success());
    }
}

#[test]
fn a_release_has_one_label_however_it_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let pip = pip(folder, "");
    let import = |release: &str| {
        succeeds(
            folder,
            &["import", release, "--pip", &pip, "--cache", "cache"],
        )
    };
    assert!(import("torch==2.9").starts_with("pytorch 2.9.0: "));
    assert!(import("torch==2.9.0").contains("already stored"));
    assert!(import("torch==v2.9").contains("already stored"));
    assert_eq!(entries(&folder.join("cache")), ["2.9.0"]);
    let said = refusal(folder, &["export", "2.9", "--file", "tags.yaml"]);
    assert!(said.contains("has no revision `2.9`"), "{said}");
}

#[test]
fn progress_promises_nothing_before_something_is_done() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let pip = pip(folder, "sleep 0.5");
    let arguments = ["import", "torch==2.9.0", "--pip", &pip];
    let shown = on_a_terminal(folder, &[], &arguments);
    assert!(
        shown.contains("fetching torch 2.9.0 (0 of 1 done, 0s)"),
        "{shown}"
    );
    assert!(!shown.contains("left"), "{shown}");
    // A terminal that cannot change a line shows only the result.
    let shown = on_a_terminal(folder, &[("TERM", "dumb")], &arguments);
    assert!(
        !shown.contains("fetching") && shown.contains("already stored"),
        "{shown}"
    );
}

/// A server, ended with the value.
struct Server {
    child: std::process::Child,
    address: String,
    title: String,
}

impl Server {
    fn start(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let first = lines.next().unwrap().unwrap();
        let address = first.rsplit("http://").next().unwrap().to_owned();
        let title = lines.next().unwrap().unwrap();
        Self {
            child,
            address,
            title,
        }
    }

    fn get(&self, path: &str) -> String {
        use std::io::Read as _;
        let mut stream = std::net::TcpStream::connect(&self.address).unwrap();
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn localhost_is_an_address_to_listen_on() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let server = Server::start(
        opatlas(folder)
            .args(["serve", "--listen", "localhost:0"])
            .stderr(Stdio::null()),
    );
    assert!(
        server.address.starts_with("127.0.0.1:"),
        "{}",
        server.address
    );
    assert!(server.get("/healthz").starts_with("HTTP/1.1 200"));
    for listen in ["8080", ":8080", "localhost", "opatlas.example.org:80"] {
        let said = refusal(folder, &["serve", "--listen", listen]);
        assert!(said.contains("localhost:8080"), "{listen}: {said}");
    }
}

/// The sample is there at once, and goes when the release is there.
#[test]
fn the_sample_is_served_until_the_release_is_fetched() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let pip = pip(folder, "while [ ! -e go ]; do sleep 0.05; done");
    let serve = [
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--bootstrap",
        "2.9",
        "--pip",
        &pip,
    ];
    let revisions = "/v1/projects/pytorch/revisions";
    let server = Server::start(opatlas(folder).args(serve).stderr(Stdio::null()));
    assert!(server.title.contains("pytorch sample"), "{}", server.title);
    let answer = server.get(&format!("{revisions}/latest/operators/blend.Tensor"));
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    std::fs::write(folder.join("go"), "").unwrap();
    let is_fetched = || {
        let answer = server.get(&format!("{revisions}/latest/operators/one"));
        answer.starts_with("HTTP/1.1 200")
    };
    for _ in 0..6000 {
        if is_fetched() {
            break;
        }
        thread::sleep(Duration::from_millis(10));
    }
    assert!(is_fetched());
    for _ in 0..6000 {
        if !server.get(revisions).contains("sample") {
            break;
        }
        thread::sleep(Duration::from_millis(10));
    }
    let left = server.get(revisions);
    assert!(
        left.contains("\"2.9.0\"") && !left.contains("sample"),
        "{left}"
    );
    drop(server);
    // The next start has the release and fetches nothing.
    let server = Server::start(opatlas(folder).args(serve).stderr(Stdio::null()));
    assert!(server.title.contains("pytorch 2.9.0"), "{}", server.title);
}

#[test]
fn a_refused_database_is_not_a_busy_one() {
    let folder = tempfile::tempdir().unwrap();
    // Nothing listens on a port that was free a moment ago.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("postgres://me@{}/it", port.local_addr().unwrap());
    drop(port);
    let said = refusal(folder.path(), &["doctor", "--database", &url]);
    assert!(said.contains("Connection refused"), "{said}");
    assert!(!said.contains("busy") && !said.contains("pool"), "{said}");
}
