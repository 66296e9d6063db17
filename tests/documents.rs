//! The documents are scripts: every command in README.md and docs/ runs, in order, and prints what is
//! shown.
//!
//! A block of ```` ```console ```` has commands after `$ `, which go on after a `\` at the end of a
//! line, and what they print. `...` in the output stands for any text, a line of `...` for any lines.
//! A command without output may print anything, but must not fail with 2 or more. Comments in the
//! documents say what readers know and the test does not:
//!
//! - `<!-- before` and lines up to `-->`: commands that make what the next blocks use;
//! - `<!-- not run: reason -->`: the next block needs something that a test does not have.
//!
//! Commands run in one shell per document, in a folder of their own, with an index that has a few
//! cached releases. `127.0.0.1:8080` and `https://opatlas.example.org` are a server on that folder's
//! database.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::common::index::{Index, name};

/// What the index of the shell has.
const PUBLISHED: [&str; 6] = ["2.0.0", "2.3.1", "2.4.0", "2.9.0", "2.14.1", "2.15.0"];

/// A part of a document that is run.
#[derive(Debug)]
struct Step {
    line: usize,
    command: String,
    /// What is shown; `None` for preparations.
    shown: Option<Vec<String>>,
}

/// The steps of a document.
fn steps(text: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut is_run = true;
    let mut lines = text.lines().enumerate();
    while let Some((at, line)) = lines.next() {
        if line == "<!-- before" {
            let block = lines.by_ref().map(|(_, line)| line);
            let commands: Vec<&str> = block.take_while(|line| *line != "-->").collect();
            steps.push(Step {
                line: at + 1,
                command: commands.join("\n"),
                shown: None,
            });
        } else if let Some(reason) = line.strip_prefix("<!-- not run: ") {
            assert!(reason.ends_with(" -->"), "line {}: {line}", at + 1);
            is_run = false;
        } else if line.starts_with("```") {
            let block = lines.by_ref().take_while(|(_, line)| *line != "```");
            let block: Vec<(usize, &str)> = block.collect();
            if line == "```console" && is_run {
                steps.extend(block_steps(&block));
            }
            is_run = true;
        }
    }
    assert!(is_run, "a comment is about no block");
    steps
}

fn block_steps(block: &[(usize, &str)]) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut goes_on = false;
    for &(at, line) in block {
        match (line.strip_prefix("$ "), steps.last_mut()) {
            (Some(command), _) => {
                steps.push(Step {
                    line: at + 1,
                    command: command.to_owned(),
                    shown: Some(Vec::new()),
                });
                goes_on = command.ends_with('\\');
            }
            (None, Some(step)) if goes_on => {
                step.command.push('\n');
                step.command.push_str(line);
                goes_on = line.ends_with('\\');
            }
            (None, Some(step)) => step
                .shown
                .get_or_insert_default()
                .push(line.trim_end().into()),
            (None, None) => panic!("line {}: output before a command", at + 1),
        }
    }
    for step in &mut steps {
        let shown = step.shown.get_or_insert_default();
        while shown.last().is_some_and(String::is_empty) {
            shown.pop();
        }
    }
    steps
}

/// Whether lines are those that are shown.
fn fits(shown: &[String], lines: &[&str]) -> bool {
    match shown.split_first() {
        None => lines.is_empty(),
        Some((first, rest)) if first == "..." => {
            (0..=lines.len()).any(|skipped| fits(rest, &lines[skipped..]))
        }
        Some((first, rest)) => lines
            .split_first()
            .is_some_and(|(line, lines)| fits_line(first, line.trim_end()) && fits(rest, lines)),
    }
}

fn fits_line(shown: &str, line: &str) -> bool {
    let mut parts = shown.split("...");
    let Some(mut rest) = line.strip_prefix(parts.next().unwrap_or_default()) else {
        return false;
    };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else {
        return rest.is_empty();
    };
    for part in middle {
        match rest.split_once(part) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// A server on the database of a folder, ended with the value.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(folder: &Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_opatlas"))
            .args(["serve", "--listen", "127.0.0.1:0"])
            .current_dir(folder)
            .env("OPATLAS_DATABASE", "sqlite://opatlas.db")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let first = lines.next().unwrap().unwrap();
        let address = first.rsplit("http://").next().unwrap().to_owned();
        Self { child, address }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An index that lists a few releases; their files come from the cache.
fn index() -> Index {
    Index::of(
        PUBLISHED
            .iter()
            .map(|version| (name(version), vec![]))
            .collect(),
    )
}

/// The shell's script: every step between marks.
fn script(steps: &[Step], server: &Server) -> String {
    let mut text = String::from("set +e\n");
    for (at, step) in steps.iter().enumerate() {
        let command = step
            .command
            .replace("127.0.0.1:8080", &server.address)
            .replace("localhost:8080", &server.address)
            .replace(
                "https://opatlas.example.org",
                &format!("http://{}", server.address),
            );
        text.push_str(&format!(
            "printf '\\n@@@ {at}\\n'\n{{ {command}\n}} 2>&1\nprintf '\\n@@@ {at} exit %s\\n' $?\n"
        ));
    }
    text
}

/// Runs the commands of a document and compares what they print.
fn check(name: &str) {
    if PUBLISHED
        .iter()
        .any(|version| opatlas_conformance::release(version).is_none())
    {
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(root.join(name)).unwrap();
    let steps = steps(&text);
    let folder = tempfile::tempdir().unwrap();
    let tools = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_opatlas"), tools.path().join("opatlas"))
        .unwrap();
    let server = Server::start(folder.path());
    // Progress bars of curl are no part of an answer, and a refusal is a failure.
    let curl = "silent\nshow-error\nfail-with-body\n";
    std::fs::write(folder.path().join(".curlrc"), curl).unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let mut shell = Command::new("bash");
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("OPATLAS_") {
            shell.env_remove(name);
        }
    }
    let output = shell
        .args(["-c", &script(&steps, &server)])
        .current_dir(folder.path())
        .env("PATH", format!("{}:{path}", tools.path().display()))
        .env("OPATLAS_CACHE", opatlas_conformance::releases_dir())
        .env("PIP_CONFIG_FILE", "/dev/null")
        .env("PIP_INDEX_URL", format!("{}/simple", index().url))
        .env("REPOSITORY", root)
        .env("HOME", folder.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    let printed = printed.replace(&server.address, "127.0.0.1:8080");
    let mut faults = String::new();
    for (at, step) in steps.iter().enumerate() {
        let fault = fault(at, step, &printed);
        if let Some(fault) = fault {
            faults.push_str(&format!(
                "{name}:{}: $ {}\n{fault}\n",
                step.line, step.command
            ));
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
}

/// What is wrong with what a step printed.
fn fault(at: usize, step: &Step, printed: &str) -> Option<String> {
    let begin = format!("\n@@@ {at}\n");
    let end = format!("\n@@@ {at} exit ");
    let Some((_, after)) = printed.split_once(&begin) else {
        return Some("was not run; a command before it ended the shell".to_owned());
    };
    let Some((own, after)) = after.split_once(&end) else {
        return Some("ended the shell".to_owned());
    };
    let code: i32 = after.lines().next().unwrap().parse().unwrap();
    let lines: Vec<&str> = own.trim_end().lines().collect();
    let most = if step.shown.is_some() { 1 } else { 0 };
    if code > most {
        return Some(format!("ended with {code}:\n{own}"));
    }
    let shown = step.shown.as_deref().unwrap_or_default();
    if shown.is_empty() || fits(shown, &lines) {
        return None;
    }
    let shown = shown.join("\n");
    Some(format!(
        "--- printed\n{}\n--- but shown is\n{shown}",
        lines.join("\n")
    ))
}

#[test]
fn what_is_shown_is_compared() {
    let fits = |shown: &str, printed: &str| {
        let shown: Vec<String> = shown.lines().map(str::to_owned).collect();
        fits(&shown, &printed.lines().collect::<Vec<_>>())
    };
    assert!(fits("a\n...\nd", "a\nb\nc\nd"));
    assert!(fits("a ... of ...", "a list of b"));
    assert!(fits("...", ""));
    assert!(!fits("a\n...\nd", "a\nb"));
    assert!(!fits("a", "a\nb"));
    assert!(!fits("a ... c", "a b d"));
}

#[test]
fn the_readme_runs() {
    check("README.md");
}

#[test]
fn the_chapters_run() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let mut chapters: Vec<String> = std::fs::read_dir(root)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".md"))
        .collect();
    chapters.sort();
    for chapter in chapters {
        check(&format!("docs/{chapter}"));
    }
}

/// The pages for contributors, owners of bots, authors of tools and release engineers.
#[test]
fn a_page_for_each_reader_is_short() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let readme = std::fs::read_to_string(root.join("../README.md")).unwrap();
    for page in [
        "for-operator-authors.md",
        "pull-requests.md",
        "api.md",
        "for-release-engineers.md",
    ] {
        let text = std::fs::read_to_string(root.join(page)).unwrap();
        let lines = text.lines().count();
        assert!(lines <= 120, "{page} has {lines} lines");
        assert!(readme.contains(&format!("(docs/{page})")), "{page}");
    }
}
