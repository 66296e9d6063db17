//! `opatlas table` as its users run it, over a small bundle.

use std::path::Path;
use std::process::Output;

use crate::cli::program::{self, stderr, stdout};

const SMALL: &str = "tests/api/small.yaml";

fn run(arguments: &[&str]) -> Output {
    program::run(Path::new(env!("CARGO_MANIFEST_DIR")), arguments)
}

/// Runs it over the small bundle under 2.9.
fn over_small(arguments: &[&str]) -> Output {
    let bundle = ["--release", "2.9", "--file", SMALL];
    run(&[&["table"], arguments, &bundle].concat())
}

fn table(arguments: &[&str]) -> String {
    let output = over_small(arguments);
    let errors = stderr(&output);
    assert!(output.status.success(), "{arguments:?}: {errors}");
    stdout(&output)
}

fn refusal(arguments: &[&str]) -> String {
    let output = over_small(arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    stderr(&output)
}

#[test]
fn a_table_for_people() {
    insta::assert_snapshot!(table(&["add.Tensor", "--build", "linux-cuda"]));
}

#[test]
fn one_entry_and_why() {
    insta::assert_snapshot!(table(&["add.Tensor", "--key", "SparseXPU", "--explain"]));
    let line = table(&["add.Tensor", "--key", "CPU"]);
    assert!(line.starts_with("add.Tensor on CPU: kernel, "), "{line}");
}

#[test]
fn a_backend_with_counts() {
    insta::assert_snapshot!(table(&["--backend", "MPS", "--missing"]));
    let all = table(&["--backend", "MPS", "--source", "files"]);
    assert!(all.contains("blend_mps"), "{all}");
}

#[test]
fn before_and_after() {
    insta::assert_snapshot!(table(&[
        "half_of",
        "--source",
        "files",
        "--with",
        "MPS:mine",
        "--without",
        "CompositeImplicitAutograd",
    ]));
}

#[test]
fn machines_get_json_and_csv() {
    let json = table(&["add.Tensor", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["table"].as_array().unwrap().len(), 138);
    let csv = table(&["add.Tensor", "--format", "csv", "--key", "CPU"]);
    assert_eq!(csv.lines().count(), 2);
    let csv = table(&["--backend", "MPS", "--format", "csv"]);
    assert_eq!(csv.lines().count(), 11);
    let json = table(&["--backend", "MPS", "--missing", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert!(json["items"].as_array().unwrap().len() < 8);
}

#[test]
fn what_is_unknown_has_near_names() {
    for (arguments, near) in [
        (&["add.Tensr"][..], "`add.Tensor`"),
        (&["add.Tensor", "--key", "CPUU"], "`CPU`"),
        (&["--backend", "Autograd"], "`AutogradCPU`"),
        (&["add.Tensor", "--build", "linux-cud"], "`linux-cuda`"),
        (&["add.Tensor", "--with", "MSP:k"], "`MPS`"),
    ] {
        let said = refusal(arguments);
        assert!(said.contains(near), "{arguments:?}: {said}");
    }
}

#[test]
fn stored_releases_are_found_by_their_line() {
    let folder = tempfile::tempdir().unwrap();
    let files = folder.path().join("files");
    std::fs::create_dir(&files).unwrap();
    let small = Path::new(env!("CARGO_MANIFEST_DIR")).join(SMALL);
    std::fs::copy(small, files.join("native_functions.yaml")).unwrap();
    let database = format!("sqlite://{}", folder.path().join("x.db").display());
    let files = files.display().to_string();
    let import = [
        "import",
        "--dir",
        &files,
        "--label",
        "2.9.1",
        "--database",
        &database,
    ];
    assert!(run(&import).status.success());
    for release in [&["--release", "2.9"][..], &[]] {
        let mut arguments = vec!["table", "add.Tensor", "--database", &database];
        arguments.extend(release);
        let told = String::from_utf8(run(&arguments).stdout).unwrap();
        assert!(told.starts_with("add.Tensor   pytorch 2.9.1"), "{told}");
    }
    let output = run(&["table", "f", "--release", "2.5", "--database", &database]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("opatlas import torch==2.5.0"), "{said}");
}
