//! The workflow of `docs/pull-requests.md`, as far as it can be run without the site that hosts it:
//! its very script over a repository.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Output, Stdio};

const CHAPTER: &str = include_str!("../docs/pull-requests.md");
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

fn git(folder: &Path, arguments: &[&str]) -> String {
    let own = ["-c", "user.name=A", "-c", "user.email=a@example.org"];
    let output = Command::new("git")
        .args(own)
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(output.status.success(), "git {arguments:?}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// A repository whose second commit makes this of the operators, and what the step says of it.
fn compare(old: &str, new: &str, config: &str) -> (tempfile::TempDir, Output) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let write = |name: &str, text: &str| {
        let file = path.join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    };
    write(FILE, old);
    write("opatlas.toml", config);
    git(path, &["init", "-q"]);
    git(path, &["add", "aten", "opatlas.toml"]);
    git(path, &["commit", "-qm", "base"]);
    let base = git(path, &["rev-parse", "HEAD"]);
    write(FILE, new);
    git(path, &["commit", "-qam", "head"]);
    let head = git(path, &["rev-parse", "HEAD"]);
    let program = Path::new(env!("CARGO_BIN_EXE_opatlas")).parent().unwrap();
    let mut search = vec![program.to_path_buf()];
    search.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap()));
    let output = Command::new("bash")
        .args(["-e", "-o", "pipefail", "-c", &script("Compare")])
        .current_dir(path)
        .env("PATH", std::env::join_paths(search).unwrap())
        .env("BASE", base)
        .env("HEAD", head)
        .env("NUMBER", "7")
        .env("GITHUB_STEP_SUMMARY", path.join("summary.md"))
        .output()
        .unwrap();
    (folder, output)
}

const OLD: &str = "- func: can_cast(ScalarType from, ScalarType to) -> bool\n";
const NEW: &str = "- func: can_cast(ScalarType from_, ScalarType to) -> bool\n";

#[test]
fn a_break_blocks_and_is_told() {
    let (folder, output) = compare(OLD, NEW, "");
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("::error "), "{said}");
    let annotations = said.lines().filter(|line| line.starts_with("::")).count();
    assert!(annotations <= 50);
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(read("report/number"), "7\n");
    let comment = read("report/parts/part-1.md");
    assert!(
        comment.starts_with("### Operator schemas: 1 breaking change"),
        "{comment}"
    );
    assert_eq!(read("summary.md").trim_end(), comment.trim_end());
    let sarif: serde_json::Value = serde_json::from_str(&read("report/operators.sarif")).unwrap();
    let result = &sarif["runs"][0]["results"][0];
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], FILE);
    assert_eq!(place["region"]["startLine"], 1);
}

#[test]
fn what_is_accepted_or_unchanged_passes() {
    let exception = "[[exception]]\noperator = \"can_cast\"\nrule = \"argument-renamed\"\n\
                     reason = \"a keyword\"\n";
    for (new, config) in [(NEW, exception), (&*format!("{OLD}# more\n"), "")] {
        let (_folder, output) = compare(OLD, new, config);
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(0), "{said}");
    }
}

/// Every part fits a comment with the hidden line before it.
#[test]
fn every_part_fits_a_comment() {
    let entries = |suffix: &str| -> String {
        let entry = |i: usize| {
            let kind = ["int", "float", "bool", "Scalar", "Tensor"][i % 5];
            format!("- func: operator_{i}({kind} argument{suffix}, int dim) -> Tensor\n")
        };
        (0..1500).map(entry).collect()
    };
    let (folder, output) = compare(&entries(""), &entries("_of_another_name"), "");
    assert_eq!(output.status.code(), Some(1));
    let parts = std::fs::read_dir(folder.path().join("report/parts")).unwrap();
    let parts: Vec<_> = parts.map(|part| part.unwrap().path()).collect();
    assert!(parts.len() > 1);
    for part in parts {
        let text = std::fs::read_to_string(part).unwrap();
        assert!(text.chars().count() + "<!-- opatlas operators 10 -->\n".len() <= 65_536);
    }
}

/// The other script, over a server that keeps the base.
#[test]
fn a_server_is_asked() {
    let (folder, _) = compare(OLD, NEW, "");
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
        comment.contains("(pytorch main → this pull request)"),
        "{comment}"
    );
}
