//! The step of `docs/pull-request-reference.md` that asks a server, over a repository. `tests/comment` runs the
//! action.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use crate::common::git::git;

const CHAPTER: &str = include_str!("../docs/pull-request-reference.md");
const FILE: &str = "aten/src/ATen/native/native_functions.yaml";

/// The script of the step of this name, taken out of the chapter.
fn script(step: &str) -> String {
    let begin = CHAPTER.find(&format!("- name: {step}\n")).unwrap();
    let rest = &CHAPTER[begin..];
    let block = &rest[rest.find("run: |\n").unwrap() + "run: |\n".len()..];
    let indent = block.len() - block.trim_start().len();
    let lines = block
        .lines()
        .take_while(|line| line.is_empty() || line.len() - line.trim_start().len() >= indent);
    lines
        .map(|line| line.get(indent..).unwrap_or("").to_owned() + "\n")
        .collect()
}

/// A repository whose second commit makes this of the operators.
fn repository(old: &str, new: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let write = |name: &str, text: &str| {
        let file = path.join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    };
    write(FILE, old);
    git(path, &["init", "-q"]);
    git(path, &["add", "aten"]);
    git(path, &["commit", "-qm", "base"]);
    write(FILE, new);
    git(path, &["commit", "-qam", "head"]);
    folder
}

const OLD: &str = "- func: can_cast(ScalarType from, ScalarType to) -> bool\n";
const NEW: &str = "- func: can_cast(ScalarType from_, ScalarType to) -> bool\n";

/// The server keeps the base.
#[test]
fn a_server_is_asked() {
    let folder = repository(OLD, NEW);
    let path = folder.path();
    std::fs::create_dir(path.join("base")).unwrap();
    std::fs::write(path.join("base/native_functions.yaml"), OLD).unwrap();
    let opatlas = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_opatlas"));
        command.args(arguments).current_dir(path);
        command.env("OPATLAS_DATABASE", "sqlite://test.db");
        command
    };
    let import = ["import", "--dir", "base", "--label", "main"];
    assert!(opatlas(&import).output().unwrap().status.success());
    let mut server = opatlas(&["serve", "--listen", "127.0.0.1:0"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(server.stdout.take().unwrap()).lines();
    let address = lines.next().unwrap().unwrap();
    let address = address
        .split_whitespace()
        .find(|word| word.starts_with("http://"));
    let output = Command::new("bash")
        .args(["-e", "-o", "pipefail", "-c", &script("Ask the server")])
        .current_dir(path)
        .env("SERVER", address.unwrap())
        .env("PROJECT", "pytorch")
        .env("BASE", "main")
        .env("HEAD", git(path, &["rev-parse", "HEAD"]))
        .env("NUMBER", "7")
        .env("GITHUB_STEP_SUMMARY", path.join("summary.md"))
        .output();
    server.kill().unwrap();
    server.wait().unwrap();
    let output = output.unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}{error}");
    assert!(said.contains("conclusion: fail"), "{said}");
    let comment = std::fs::read_to_string(path.join("report/parts/part-1.md")).unwrap();
    assert!(
        comment.contains("\npytorch main → this pull request: "),
        "{comment}"
    );
}
