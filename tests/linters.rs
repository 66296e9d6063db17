//! The program in lintrunner and pre-commit, on a repository with PyTorch's layout. The
//! configuration is that of `docs/linters.md`.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::common::folder::write;
use crate::common::git::git;
use serde_json::Value;
use tempfile::TempDir;

const VERSION: &str = "2.9.0";
const NATIVE: &str = "aten/src/ATen/native/native_functions.yaml";
const DERIVATIVES: &str = "tools/autograd/derivatives.yaml";

/// Whether a linter is installed.
fn has(linter: &str) -> bool {
    if Command::new(linter).arg("--version").output().is_ok() {
        return true;
    }
    assert!(
        std::env::var_os("OPATLAS_REQUIRE_LINTERS").is_none(),
        "{linter} is not installed; `pip install {linter}` brings it"
    );
    println!("skipped: {linter} is not installed (pip install {linter})");
    false
}

/// The block of a document that begins with a line.
fn block(language: &str, first: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/linters.md");
    let text = fs::read_to_string(path).unwrap();
    let start = format!("```{language}\n");
    let mut blocks = text.split(&start).skip(1);
    let block = blocks.find(|block| block.starts_with(first)).unwrap();
    block.split("```").next().unwrap().to_owned()
}

/// A command that finds the program under test, with a home of its own.
fn command(program: &str, folder: &Path) -> Command {
    let own = Path::new(env!("CARGO_BIN_EXE_opatlas")).parent().unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let paths = std::iter::once(own.to_owned()).chain(std::env::split_paths(&path));
    let path: OsString = std::env::join_paths(paths).unwrap();
    let mut command = Command::new(program);
    command
        .env("PATH", path)
        .env_remove("CI")
        .env_remove("GITHUB_BASE_REF")
        .env("XDG_CACHE_HOME", folder.join(".git/cache"))
        .env("XDG_DATA_HOME", folder.join(".git/data"))
        .current_dir(folder);
    command
}

fn run(folder: &Path, program: &str, arguments: &[&str]) -> Output {
    command(program, folder).args(arguments).output().unwrap()
}

/// A repository with the files of a release in PyTorch's layout and a configuration.
fn repository(configuration: (&str, &str)) -> Option<TempDir> {
    let release = opatlas_conformance::release(VERSION)?;
    let folder = TempDir::new().unwrap();
    for name in ["native_functions.yaml", "tags.yaml"] {
        write(
            folder.path(),
            &format!("aten/src/ATen/native/{name}"),
            release.file(name)?,
        );
    }
    for name in ["derivatives.yaml", "deprecated.yaml"] {
        write(
            folder.path(),
            &format!("tools/autograd/{name}"),
            release.file(name)?,
        );
    }
    write(folder.path(), configuration.0, configuration.1.as_bytes());
    write(
        folder.path(),
        "opatlas.toml",
        b"[files]\nrelease = \"2.9\"\n",
    );
    git(folder.path(), &["init", "--quiet", "--initial-branch=main"]);
    git(folder.path(), &["add", "--all"]);
    git(folder.path(), &["commit", "--quiet", "--message=base"]);
    Some(folder)
}

/// Replaces the first occurrence of a text in a file.
fn edit(folder: &Path, name: &str, from: &str, to: &str) {
    let text = fs::read_to_string(folder.join(name)).unwrap();
    assert!(text.contains(from), "{name} has no {from}");
    fs::write(folder.join(name), text.replacen(from, to, 1)).unwrap();
}

fn messages(folder: &Path) -> Vec<Value> {
    let output = run(folder, "lintrunner", &["--output", "json"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let lines = text.lines().filter(|line| line.starts_with('{'));
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn lintrunner_reports_faults_and_makes_safe_edits() {
    if !has("lintrunner") {
        return;
    }
    let linter = block("toml", "[[linter]]");
    let Some(folder) = repository((".lintrunner.toml", &linter)) else {
        return;
    };
    let folder = folder.path();
    // A missing space is an error with one reading; a formula for nothing is one without an edit.
    edit(
        folder,
        NATIVE,
        "add.Tensor(Tensor self, Tensor other",
        "add.Tensor(Tensor self,Tensor other",
    );
    edit(folder, DERIVATIVES, "- name: abs(", "- name: absent(");
    let found = messages(folder);
    let of = |name: &str| -> Vec<&Value> {
        let named = found.iter().filter(|message| message["name"] == name);
        named.collect()
    };
    assert_eq!(of("Linter failed").len(), 0, "{found:#?}");
    assert!(found.iter().all(|message| message["code"] == "OPATLAS"));
    let paths = found
        .iter()
        .map(|message| message["path"].as_str().unwrap());
    assert!(
        paths.clone().any(|path| path.ends_with(NATIVE)),
        "{found:#?}"
    );
    assert!(
        paths.clone().any(|path| path.ends_with(DERIVATIVES)),
        "{found:#?}"
    );
    let edits = of("safe edits");
    assert_eq!(edits.len(), 1, "{found:#?}");
    assert_eq!(edits[0]["severity"], "warning");
    assert!(
        edits[0]["replacement"]
            .as_str()
            .unwrap()
            .contains("self, Tensor other")
    );

    let before = run(folder, "git", &["show", &format!("HEAD:{NATIVE}")]).stdout;
    assert!(fs::read(folder.join(NATIVE)).unwrap() != before);
    run(folder, "lintrunner", &["--apply-patches"]);
    assert!(fs::read(folder.join(NATIVE)).unwrap() == before);
}

#[test]
fn lintrunner_is_content_with_a_release() {
    if !has("lintrunner") {
        return;
    }
    let linter = block("toml", "[[linter]]");
    let Some(folder) = repository((".lintrunner.toml", &linter)) else {
        return;
    };
    let output = run(
        folder.path(),
        "lintrunner",
        &["--output", "json", NATIVE, DERIVATIVES],
    );
    assert!(output.status.success(), "{output:?}");
    assert!(!String::from_utf8_lossy(&output.stdout).contains("OPATLAS"));
}

#[test]
fn pre_commit_blocks_a_commit_with_errors() {
    if !has("pre-commit") {
        return;
    }
    let hooks =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(".pre-commit-hooks.yaml"));
    let source = TempDir::new().unwrap();
    write(
        source.path(),
        ".pre-commit-hooks.yaml",
        hooks.unwrap().as_bytes(),
    );
    git(source.path(), &["init", "--quiet", "--initial-branch=main"]);
    git(source.path(), &["add", "--all"]);
    git(source.path(), &["commit", "--quiet", "--message=hooks"]);
    git(source.path(), &["tag", "v0.1.0"]);
    let of_docs = block("yaml", "repos:");
    let own = source.path().to_str().unwrap();
    let configuration = of_docs
        .replace("https://github.com/OWNER/opatlas", own)
        .replace("COMMIT", "v0.1.0");
    assert!(configuration != of_docs);
    let Some(folder) = repository((".pre-commit-config.yaml", &configuration)) else {
        return;
    };
    let folder = folder.path();
    let passed = run(folder, "pre-commit", &["run", "--all-files"]);
    assert!(passed.status.success(), "{passed:?}");
    edit(
        folder,
        NATIVE,
        "add.Tensor(Tensor self",
        "add.Tensor(Tensors self",
    );
    git(folder, &["add", "--all"]);
    let failed = run(folder, "pre-commit", &["run"]);
    assert_eq!(failed.status.code(), Some(1), "{failed:?}");
    let text = String::from_utf8_lossy(&failed.stdout);
    assert!(text.contains("type-unknown"), "{text}");
}
