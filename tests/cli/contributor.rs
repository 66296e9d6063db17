//! What a contributor to PyTorch sees: only what they did wrong, with the errors last, and edits for it.

use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::Value;
use tempfile::TempDir;

use crate::cli::program::{opatlas, stderr, stdout};
use crate::common::folder::write;
use crate::common::git::git;

const NATIVE: &str = "aten/src/ATen/native/native_functions.yaml";
const DERIVATIVES: &str = "tools/autograd/derivatives.yaml";

/// Misspelled words of an entry of PyTorch's own file, each with one near name.
const TYPOS: [(&str, &str); 5] = [
    ("add.Tensor(Tensor self", "add.Tensor(Tensr self"),
    (
        "- func: abs(Tensor self) -> Tensor\n  device_check",
        "- func: abs(Tensor self) -> Tensor\n  device_chek",
    ),
    (
        "SparseMPS, SparseXPU: abs_sparse_\n",
        "SparsMPS, SparseXPU: abs_sparse_\n",
    ),
    ("- func: dot(Tensor self", "- func: dot(Tnsor self"),
    ("- func: vdot(Tensor self", "- func: vdot(Tensorr self"),
];

/// A repository in PyTorch's layout with the files of a release.
fn repository() -> Option<TempDir> {
    let release = opatlas_conformance::release("2.15.0")?;
    let folder = TempDir::new().unwrap();
    for (name, path) in [
        ("native_functions.yaml", NATIVE),
        ("tags.yaml", "aten/src/ATen/native/tags.yaml"),
        ("derivatives.yaml", DERIVATIVES),
    ] {
        write(folder.path(), path, release.file(name)?);
    }
    git(folder.path(), &["init", "--quiet", "--initial-branch=main"]);
    commit(folder.path());
    Some(folder)
}

fn commit(folder: &Path) {
    git(folder, &["add", "--all"]);
    git(folder, &["commit", "--quiet", "--message=change"]);
}

fn read(folder: &Path) -> String {
    fs::read_to_string(folder.join(NATIVE)).unwrap()
}

fn edit(folder: &Path, edits: &[(&str, &str)]) {
    let mut text = read(folder);
    for (from, to) in edits {
        assert!(text.contains(from), "{from}");
        text = text.replacen(from, to, 1);
    }
    fs::write(folder.join(NATIVE), text).unwrap();
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    opatlas(folder)
        .env_remove("CI")
        .env_remove("GITHUB_BASE_REF")
        .args(arguments)
        .output()
        .unwrap()
}

/// The titles of findings, such as `error[type-unknown]`.
fn titles(text: &str) -> Vec<&str> {
    let kinds = ["error[", "warning[", "info["];
    let lines = text
        .lines()
        .filter(|line| kinds.iter().any(|kind| line.starts_with(kind)));
    lines.map(|line| line.split(':').next().unwrap()).collect()
}

#[test]
fn errors_come_last_before_their_count() {
    let Some(folder) = repository() else { return };
    let folder = folder.path();
    edit(folder, &TYPOS);
    let output = run(folder, &["check", NATIVE]);
    assert_eq!(output.status.code(), Some(1));
    let text = stdout(&output);
    let titles = titles(&text);
    let errors = titles
        .iter()
        .filter(|title| title.starts_with("error["))
        .count();
    assert_eq!(errors, 5, "{titles:?}");
    assert!(
        titles[titles.len() - 5..]
            .iter()
            .all(|title| title.starts_with("error["))
    );
    assert!(!titles.iter().any(|title| title.starts_with("info[")));
    let last: Vec<&str> = text.lines().rev().take(3).collect();
    assert!(last[2].starts_with("5 errors"), "{last:?}");
    assert_eq!(last[1], "5 fixable with --fix");
    assert!(
        last[0].ends_with("infos are hidden; --info shows them"),
        "{last:?}"
    );

    let with_infos = stdout(&run(folder, &["check", NATIVE, "--info"]));
    assert!(with_infos.contains("\ninfo["));
    assert!(!with_infos.contains("hidden; --info"));
    // Programs get everything.
    let json = stdout(&run(folder, &["check", NATIVE, "--format", "json"]));
    let json: Value = serde_json::from_str(&json).unwrap();
    assert!(json["summary"]["infos"].as_u64().unwrap() > 0);
}

#[test]
fn a_name_with_one_near_name_is_fixed() {
    let Some(folder) = repository() else { return };
    let folder = folder.path();
    let before = read(folder);
    edit(folder, &TYPOS);
    let typos = read(folder);
    let shown = run(folder, &["check", NATIVE, "--fix", "--diff"]);
    let diff = stdout(&shown);
    assert_eq!(
        diff.lines().filter(|line| line.starts_with("@@")).count(),
        5,
        "{diff}"
    );
    assert!(
        stderr(&shown).contains("5 edits to apply"),
        "{}",
        stderr(&shown)
    );
    assert_eq!(read(folder), typos);
    run(folder, &["check", NATIVE, "--fix"]);
    assert!(read(folder) == before);
}

#[test]
fn fixes_leave_alone_what_the_base_has() {
    let Some(folder) = repository() else { return };
    let folder = folder.path();
    edit(folder, &TYPOS[..1]);
    commit(folder);
    let base = read(folder);
    edit(folder, &TYPOS[3..]);
    let output = run(folder, &["check", NATIVE, "--fix", "--base", "git:HEAD"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(read(folder) == base);
    // The base is found without being named, and its error is still one.
    let all = run(folder, &["check", "--neighbours", "--all", NATIVE]);
    assert_eq!(all.status.code(), Some(1));
}

#[test]
fn a_file_with_its_neighbours_is_fixed() {
    let Some(folder) = repository() else { return };
    let folder = folder.path();
    edit(folder, &TYPOS[..1]);
    commit(folder);
    let base = read(folder);
    edit(folder, &TYPOS[3..]);
    let output = run(folder, &["check", "--neighbours", "--fix", NATIVE]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(read(folder) == base);
}

#[test]
fn a_backend_file_is_compared_with_git() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    write(
        folder,
        "pytorch/native_functions.yaml",
        "- func: one(Tensor self) -> Tensor\n- func: two(Tensor self) -> Tensor\n",
    );
    let supported = |names: &str| {
        let text = format!("backend: XLA\ncpp_namespace: acme\nsupported:\n{names}");
        write(folder, "acme.yaml", &text);
    };
    supported("- one\n- old_fault\n");
    git(folder, &["init", "--quiet", "--initial-branch=main"]);
    commit(folder);
    let errors = |more: &[&str]| {
        let command = ["check", "acme.yaml", "--over", "pytorch"];
        stdout(&run(folder, &[&command[..], more].concat()))
    };
    assert!(errors(&[]).contains("old_fault"));
    assert!(!errors(&["--neighbours"]).contains("old_fault"));
    supported("- one\n- old_fault\n- new_fault\n");
    let new = errors(&["--neighbours"]);
    assert!(new.contains("new_fault"), "{new}");
    assert_eq!(titles(&new).len(), 1, "{new}");
    assert!(errors(&["--neighbours", "--all"]).contains("old_fault"));
}

#[test]
fn linters_report_what_a_change_introduces() {
    let Some(folder) = repository() else { return };
    let folder = folder.path();
    let lint = |more: &[&str]| {
        let command = [
            "check",
            "--neighbours",
            "--format=lintrunner",
            NATIVE,
            DERIVATIVES,
        ];
        let output = run(folder, &[&command[..], more].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let lines = stdout(&output);
        let lines = lines
            .lines()
            .map(|line| serde_json::from_str(line).unwrap());
        lines.collect::<Vec<Value>>()
    };
    assert_eq!(lint(&[]), [Value::Null; 0]);
    assert!(!lint(&["--all"]).is_empty());

    edit(folder, &TYPOS[..1]);
    let found = lint(&[]);
    let names: Vec<&str> = found
        .iter()
        .map(|it| it["name"].as_str().unwrap())
        .collect();
    assert!(names.contains(&"type-unknown"), "{names:?}");
    assert_eq!(names.last(), Some(&"safe edits"));
    let fixed = found.last().unwrap()["replacement"].as_str().unwrap();
    assert!(fixed.contains("add.Tensor(Tensor self"));

    // A committed change of a branch is still one; on the branch itself it is not.
    git(folder, &["checkout", "--quiet", "-b", "topic"]);
    commit(folder);
    assert_eq!(lint(&[]).len(), found.len());
    git(folder, &["branch", "--quiet", "--force", "main", "topic"]);
    assert_eq!(lint(&[]), [Value::Null; 0]);
    // CI runs after the commit.
    let output = opatlas(folder)
        .env("CI", "true")
        .env_remove("GITHUB_BASE_REF")
        .args(["check", "--neighbours", NATIVE])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", stdout(&output));
}
