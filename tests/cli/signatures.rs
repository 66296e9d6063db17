//! `opatlas signatures` as its users run it, over a small bundle.

use std::path::Path;
use std::process::Output;

use crate::cli::program;

const SMALL: &str = "tests/api/small.yaml";

/// Runs it over the small bundle under 2.9.
fn run(arguments: &[&str]) -> Output {
    let bundle = ["--release", "2.9", "--file", SMALL];
    let all = [&["signatures"], arguments, &bundle].concat();
    program::run(Path::new(env!("CARGO_MANIFEST_DIR")), &all)
}

fn shown(arguments: &[&str]) -> String {
    let output = run(arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

fn refusal(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn declarations_for_people() {
    insta::assert_snapshot!(shown(&["slice_of"]));
    let python = shown(&["add.Tensor", "--lang", "python"]);
    assert!(
        python.contains("torch, Tensor") && !python.contains("at::"),
        "{python}"
    );
    let cpp = shown(&["slice_of", "--lang", "cpp", "--symint"]);
    assert!(
        cpp.contains("slice_symint") || cpp.contains("slice_of_symint"),
        "{cpp}"
    );
    assert!(!cpp.contains("def "), "{cpp}");
}

#[test]
fn what_implements_a_key() {
    insta::assert_snapshot!(shown(&["add.Tensor", "--key", "MPS"]));
    insta::assert_snapshot!(shown(&["slice_of", "--key", "PrivateUse1"]));
}

#[test]
fn as_data() {
    let text = shown(&["add.Tensor", "--key", "MPS", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["implement"]["key"], "MPS");
    assert_eq!(json["bound"]["torch"], true);
}

#[test]
fn what_is_not_there_is_refused() {
    for (arguments, said) in [
        (&["add.Tensr"][..], "add.Tensor"),
        (&["add.Tensor", "--key", "PrivatUse1"], "PrivateUse1"),
        (&["add.Tensor", "--symint"], "leave out --symint"),
    ] {
        let refusal = refusal(arguments);
        assert!(refusal.contains(said), "{arguments:?}: {refusal}");
    }
}
