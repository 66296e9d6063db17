//! What the program reads and says in a clone of PyTorch: its layout, its branches, and `opatlas.toml`.

use std::fs;
use std::path::Path;
use std::process::Output;

use tempfile::TempDir;

use crate::cli::program::{opatlas, run, stderr, stdout, succeeds};
use crate::common::folder::write;
use crate::common::git::git;

const NATIVE: &str = "aten/src/ATen/native/native_functions.yaml";
const TAGS: &str = "aten/src/ATen/native/tags.yaml";
const DERIVATIVES: &str = "tools/autograd/derivatives.yaml";
const DEPRECATED: &str = "tools/autograd/deprecated.yaml";

const OPERATORS: &str = "\
- func: zap(Tensor self, int d) -> Tensor
  variants: function, method
  dispatch:
    CPU: zap
  autogen: zap.out
";

const FORMULAS: &str = "- name: zap(Tensor self, int d) -> Tensor\n  self: grad\n";

/// A clone with one operator.
fn small() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), NATIVE, OPERATORS.as_bytes());
    write(folder.path(), TAGS, b"- tag: core\n");
    write(folder.path(), DERIVATIVES, FORMULAS.as_bytes());
    write(folder.path(), DEPRECATED, b"[]\n");
    git(folder.path(), &["init", "--quiet"]);
    commit(folder.path());
    folder
}

fn commit(folder: &Path) {
    git(folder, &["add", "--all"]);
    git(folder, &["commit", "--quiet", "--message=change"]);
}

fn replace(folder: &Path, name: &str, from: &str, to: &str) {
    let text = fs::read_to_string(folder.join(name)).unwrap();
    assert!(text.contains(from), "{name} has no {from}");
    fs::write(folder.join(name), text.replace(from, to)).unwrap();
}

fn check(folder: &Path, arguments: &[&str]) -> Output {
    let arguments = [&["check", "--neighbours"], arguments].concat();
    opatlas(folder).args(arguments).output().unwrap()
}

/// A renamed argument leaves a stale use in a formula, whose near name gives another gradient.
#[test]
fn a_formula_is_not_changed_by_a_safe_fix() {
    let Some(release) = opatlas_conformance::release("2.9.0") else {
        return;
    };
    let folder = small();
    let folder = folder.path();
    for (name, file) in [
        (NATIVE, "native_functions.yaml"),
        (TAGS, "tags.yaml"),
        (DERIVATIVES, "derivatives.yaml"),
        (DEPRECATED, "deprecated.yaml"),
    ] {
        write(folder, name, release.file(file).unwrap());
    }
    commit(folder);
    replace(
        folder,
        NATIVE,
        "Tensor vec1, Tensor vec2",
        "Tensor v1, Tensor vec2",
    );
    let entry = "addr(Tensor self, Tensor vec1, Tensor vec2";
    replace(folder, DERIVATIVES, entry, &entry.replace("vec1", "v1"));
    replace(folder, DERIVATIVES, "  vec1: maybe_mul", "  v1: maybe_mul");
    let before = fs::read_to_string(folder.join(DERIVATIVES)).unwrap();
    let files = ["--release=2.9", NATIVE, DERIVATIVES];
    let fixed = check(folder, &[&files[..], &["--fix"]].concat());
    assert_eq!(fixed.status.code(), Some(1));
    assert!(
        stdout(&fixed).contains("did you mean `vec2`?"),
        "{}",
        stdout(&fixed)
    );
    assert!(fs::read_to_string(folder.join(DERIVATIVES)).unwrap() == before);
    let linted = check(folder, &[&files[..], &["--format=lintrunner"]].concat());
    assert!(!stdout(&linted).contains("safe edits"));
}

#[test]
fn the_configuration_is_found_above_the_files() {
    let folder = small();
    let folder = folder.path();
    write(folder, "opatlas.toml", b"[files]\nrelease = \"2.9\"\n");
    let full = folder.join(NATIVE);
    let full = full.to_str().unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    for (from, file) in [
        (folder.to_owned(), NATIVE),
        (folder.join("aten"), "src/ATen/native/native_functions.yaml"),
        (folder.join("tools"), &format!("../{NATIVE}")),
        (elsewhere.path().to_owned(), full),
    ] {
        for command in [&["check"][..], &["check", "--neighbours"]] {
            let said = succeeds(&from, &[command, &[file]].concat());
            assert!(said.contains("judged as 2.9)"), "{file}: {said}");
        }
    }
    // A repository within another one has its own.
    let inner = folder.join("third_party/inner");
    write(&inner, NATIVE, OPERATORS.as_bytes());
    git(&inner, &["init", "--quiet"]);
    let said = succeeds(&inner, &["check", NATIVE]);
    assert!(!said.contains("judged as 2.9)"), "{said}");
    // A policy counts in every folder, too.
    write(
        folder,
        "opatlas.toml",
        b"[policy]\nfail-on = \"sometimes\"\n",
    );
    let compared = run(&folder.join("tools"), &["compare", "git:HEAD", "git:HEAD"]);
    assert!(
        stderr(&compared).contains("[policy]"),
        "{}",
        stderr(&compared)
    );
}

#[test]
fn a_branch_is_compared_with_the_merge_base() {
    let folder = small();
    let folder = folder.path();
    git(folder, &["branch", "topic"]);
    let added = "- func: later(Tensor self) -> Tensor\n";
    write(folder, NATIVE, format!("{OPERATORS}{added}").as_bytes());
    commit(folder);
    git(folder, &["checkout", "--quiet", "topic"]);
    replace(folder, NATIVE, "int d)", "int d, int e=0)");
    replace(folder, DERIVATIVES, "int d)", "int d, int e=0)");
    commit(folder);
    let short = git(folder, &["rev-parse", "--short=9", "topic~1"]);
    let compare = |base: &str, head: &str| stdout(&run(folder, &["compare", base, head]));
    let said = compare("git:main", "git:HEAD");
    assert!(said.contains("later"), "{said}");
    let command = "run `opatlas compare git:main...HEAD git:HEAD`";
    assert!(said.contains(command) && said.contains(&short), "{said}");
    for base in ["git:main...HEAD", "git:main..."] {
        let said = compare(base, "git:HEAD");
        assert!(!said.contains("later") && said.contains("zap"), "{said}");
        assert!(!said.contains("note: "), "{said}");
    }
    // The base has nothing that the head lacks.
    assert!(!compare("git:topic~1", "git:topic").contains("note: "));
    let output = run(folder, &["compare", "git:main...nowhere", "git:HEAD"]);
    assert!(stderr(&output).contains("no merge base of main and nowhere"));
}

#[test]
fn a_clone_is_a_revision() {
    let folder = small();
    let folder = folder.path();
    let native = folder.join("aten/src/ATen/native");
    let says = |from: &Path, spec: &str| succeeds(from, &["table", "zap", "-r", spec]);
    let by_file = says(folder, NATIVE);
    assert!(by_file.contains("own formula"), "{by_file}");
    let after_title = |text: &str| text.split_once('\n').unwrap().1.to_owned();
    for (from, spec) in [
        (folder, "."),
        (folder, "aten/src/ATen/native"),
        (&native, "."),
        (&native, "native_functions.yaml"),
    ] {
        let by_spec = says(from, spec);
        assert_eq!(after_title(&by_spec), after_title(&by_file), "{spec}");
    }
    for spec in [".", NATIVE, "aten/src/ATen/native"] {
        let output = run(folder, &["compare", "git:HEAD", spec]);
        assert!(output.status.success(), "{spec}: {}", stdout(&output));
        assert!(
            !stdout(&output).contains("note: "),
            "{spec}: {}",
            stdout(&output)
        );
    }
    replace(folder, DERIVATIVES, "self: grad", "self: grad * 2");
    let changed = stdout(&run(folder, &["compare", "git:HEAD", "."]));
    assert!(
        changed.contains(DERIVATIVES) || changed.contains("formula"),
        "{changed}"
    );
    let nothing = tempfile::tempdir().unwrap();
    let output = run(nothing.path(), &["compare", "git:HEAD", "."]);
    assert_ne!(output.status.code(), Some(0));
}

#[test]
fn markers_of_a_conflict_are_shown() {
    let folder = small();
    let folder = folder.path();
    let text = format!("<<<<<<< HEAD\n{OPERATORS}=======\n{OPERATORS}>>>>>>> topic\n");
    write(folder, NATIVE, text.as_bytes());
    let said = stdout(&check(folder, &[NATIVE]));
    assert!(said.contains("1 | <<<<<<< HEAD\n"), "{said}");
    write(
        folder,
        DERIVATIVES,
        format!("<<<<<<< HEAD\n{FORMULAS}").as_bytes(),
    );
    let said = stdout(&check(folder, &[DERIVATIVES]));
    assert!(said.contains("1 | <<<<<<< HEAD\n"), "{said}");
}

#[test]
fn only_named_files_are_listed() {
    let folder = small();
    let folder = folder.path();
    let suites = |from: &Path, files: &[&str]| {
        let output = check(from, &[&["--format=junit"], files].concat());
        let text = stdout(&output);
        let suites = text
            .lines()
            .filter_map(|line| line.trim().strip_prefix("<testsuite name=\""));
        let names = suites.map(|line| line.split('"').next().unwrap().to_owned());
        names.collect::<Vec<String>>()
    };
    assert_eq!(suites(folder, &[NATIVE]), [NATIVE]);
    assert_eq!(suites(folder, &[DERIVATIVES]), [DERIVATIVES]);
    assert_eq!(
        suites(folder, &[NATIVE, DERIVATIVES]),
        [DERIVATIVES, NATIVE]
    );
    // A file that a finding refers to is written like the named one, and is not a suite.
    replace(folder, DERIVATIVES, "self: grad", "self: grad * factor");
    assert_eq!(suites(folder, &[DERIVATIVES]), [DERIVATIVES]);
    replace(folder, DERIVATIVES, "int d)", "int e)");
    let tools = folder.join("tools/autograd");
    assert_eq!(suites(&tools, &["derivatives.yaml"]), ["derivatives.yaml"]);
    for (from, file, other) in [
        (folder, DERIVATIVES, NATIVE),
        (&tools, "derivatives.yaml", &format!("../../{NATIVE}")),
    ] {
        for format in ["text", "sarif", "json"] {
            let output = check(from, &["--format", format, file]);
            let text = stdout(&output);
            assert!(text.contains(file), "{text}");
            assert!(text.contains(other), "{format}: {text}");
            assert!(!text.contains(folder.to_str().unwrap()), "{format}: {text}");
        }
    }
}
