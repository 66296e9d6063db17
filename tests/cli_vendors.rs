//! Vendors' files through profiles: what `table`, `check` and `compare` say of their entries.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

const BASE: &str = "\
- func: abs(Tensor self) -> Tensor
  dispatch:
    CPU: abs
- func: cos(Tensor self) -> Tensor
  dispatch:
    CPU: cos
- func: add.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
  dispatch:
    CPU: add_out
- func: mul.Tensor(Tensor self, Tensor other) -> Tensor
  dispatch:
    CPU: mul
- func: lstm.input(Tensor input) -> Tensor
";

const PROFILE: &str = "\
[vendor]
name = \"Acme\"
key = \"PrivateUse1\"
spellings = [\"ACME\"]
namespace = \"acme\"
";

fn run(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_opatlas"))
        .current_dir(folder)
        .env_remove("OPATLAS_DATABASE")
        .env_remove("OPATLAS_SERVER")
        .env_remove("OPATLAS_PROJECT")
        .env("NO_COLOR", "1")
        .stdin(Stdio::null())
        .args(arguments)
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// A folder with operators, `acme.yaml`, and `opatlas.toml` unless it is empty.
fn folder(file: &str, profile: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for base in ["base", "next"] {
        std::fs::create_dir(at(base)).unwrap();
        std::fs::write(at(base).join("native_functions.yaml"), BASE).unwrap();
    }
    std::fs::write(at("acme.yaml"), file).unwrap();
    if !profile.is_empty() {
        std::fs::write(at("opatlas.toml"), profile).unwrap();
    }
    folder
}

fn supported(entries: &str) -> String {
    format!("backend: PrivateUse1\ncpp_namespace: acme\nsupported:\n{entries}")
}

/// The first line of a table entry.
fn entry(folder: &Path, operator: &str, key: &str) -> String {
    let files = ["--file", "base", "acme.yaml", "--release", "2.9"];
    let output = run(
        folder,
        &[&["table", operator], &files[..], &["--key", key]].concat(),
    );
    let lines = text(&output.stdout).lines().next();
    let first = lines.unwrap_or_else(|| panic!("{}", text(&output.stderr)));
    first.to_owned()
}

/// Rules and lines of the findings, and what is said on standard error.
fn check(folder: &Path) -> (Vec<(String, u64)>, String) {
    let arguments = [
        "check",
        "acme.yaml",
        "--over",
        "base",
        "--release",
        "2.9",
        "--format",
        "json",
    ];
    let output = run(folder, &arguments);
    let said = text(&output.stderr).to_owned();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{said}"));
    let findings = answer["findings"].as_array().unwrap().iter();
    let findings = findings.map(|finding| {
        let rule = finding["rule"].as_str().unwrap().to_owned();
        (rule, finding["span"]["line"].as_u64().unwrap())
    });
    (findings.collect(), said)
}

#[test]
fn an_entry_without_dispatch_has_its_kernel_at_the_key_of_the_backend() {
    let folder = folder(&supported("- func: abs\n- func: add.out\n"), PROFILE);
    let said = entry(folder.path(), "abs", "PrivateUse1");
    assert_eq!(said, "abs on PrivateUse1: kernel, abs");
}

#[test]
fn dispatch_says_at_which_key_the_kernel_is() {
    let entries = "- func: mul.Tensor\n  dispatch:\n    SparsePrivateUse1: mul_sparse\n\
                   - func: abs\n  dispatch:\n    PrivateUse1: abs_acme\n- func: add.out\n";
    let folder = folder(&supported(entries), PROFILE);
    let dense = entry(folder.path(), "mul.Tensor", "PrivateUse1");
    assert!(!dense.contains(": kernel"), "{dense}");
    let sparse = entry(folder.path(), "mul.Tensor", "SparsePrivateUse1");
    assert!(sparse.ends_with(": kernel, mul_sparse"), "{sparse}");
    let named = entry(folder.path(), "abs", "PrivateUse1");
    assert_eq!(named, "abs on PrivateUse1: kernel, abs_acme");
    let (findings, said) = check(folder.path());
    assert_eq!(findings, []);
    assert!(
        said.contains(
            "3 operators listed, 0 of its own; kernels: PrivateUse1 2, SparsePrivateUse1 1"
        ),
        "{said}"
    );
}

#[test]
fn custom_autograd_adds_a_kernel_at_the_autograd_key() {
    let entries = "- func: lstm.input\n  custom_autograd: True\n";
    let folder = folder(&supported(entries), PROFILE);
    let said = entry(folder.path(), "lstm.input", "AutogradPrivateUse1");
    assert!(
        said.starts_with("lstm.input on AutogradPrivateUse1: kernel"),
        "{said}"
    );
}

#[test]
fn a_field_that_the_profile_does_not_know_is_a_finding() {
    let entries = "- func: cos\n  only_when_tracing: True\n- func: add.out\n";
    let folder = folder(&supported(entries), PROFILE);
    let (findings, _) = check(folder.path());
    assert_eq!(findings, [("vendor-field".to_owned(), 5)]);
}

#[test]
fn a_dispatch_key_that_does_not_exist_is_an_error() {
    let entries = "- func: cos\n  dispatch:\n    SparsACME: cos_sparse\n";
    let folder = folder(&supported(entries), PROFILE);
    let (findings, _) = check(folder.path());
    assert_eq!(findings, [("backend-key".to_owned(), 6)]);
}

#[test]
fn a_plain_file_is_compared_as_it_is() {
    let folder = folder(&supported("- add.out\n- abs\n"), "");
    let compare = [
        "compare",
        "--backend",
        "acme.yaml",
        "base",
        "next",
        "--format",
        "json",
    ];
    let output = run(folder.path(), &compare);
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["listed"], 2);
    assert_eq!(answer["key"], "PrivateUse1");
}

#[test]
fn every_command_says_why_a_file_without_a_profile_is_not_read() {
    let folder = folder(&supported("- func: add.out\n- func: abs\n"), "");
    for arguments in [
        &["compare", "--backend", "acme.yaml", "base", "next"][..],
        &[
            "table",
            "abs",
            "--file",
            "base",
            "acme.yaml",
            "--release",
            "2.9",
        ],
    ] {
        let output = run(folder.path(), arguments);
        let said = text(&output.stderr);
        assert!(!output.status.success(), "{said}");
        assert!(
            said.contains("seems to be a backend file in a format of"),
            "{said}"
        );
        assert!(said.contains("vendor = {"), "{said}");
        assert!(!said.contains("has no `backend`"), "{said}");
    }
}

/// The line that the finding shows, copied into `opatlas.toml`, makes the file readable.
#[test]
fn the_profile_in_the_finding_is_valid_when_copied() {
    for (file, kernels) in [
        (
            "backend: ACME\ncpp_namespace: acme\nsupported:\n- func: abs\n- func: cos\n".to_owned(),
            "PrivateUse1 2",
        ),
        (
            "- name: abs\n- name: cos\n  autograd: True\n".to_owned(),
            "AutogradPrivateUse1 1, PrivateUse1 2",
        ),
        (
            "ops:\n- op: abs\n  kernel: fast_abs\ncustom_ops:\n- op: mine(Tensor self) -> Tensor\n"
                .to_owned(),
            "PrivateUse1 2",
        ),
        (
            "mul.Tensor:\n  dispatch: {SparseACME: f}\nabs:\n  tags: core\n".to_owned(),
            "PrivateUse1 1, SparsePrivateUse1 1",
        ),
    ] {
        let folder = folder(&file, "");
        let (findings, _) = check(folder.path());
        assert_eq!(findings.len(), 1, "{file}: {findings:?}");
        assert_eq!(findings[0].0, "backend-superset", "{file}");
        let output = run(
            folder.path(),
            &["check", "acme.yaml", "--over", "base", "--release", "2.9"],
        );
        let shown = text(&output.stdout);
        let start = shown
            .find("vendor = {")
            .unwrap_or_else(|| panic!("{shown}"));
        let line = shown[start..].lines().next().unwrap().trim_end_matches('`');
        std::fs::write(folder.path().join("opatlas.toml"), line).unwrap();
        let (findings, said) = check(folder.path());
        assert_eq!(findings, [], "{line}: {said}");
        assert!(
            said.contains(&format!("kernels: {kernels}\n")),
            "{line}: {said}"
        );
    }
}

#[test]
fn a_profile_maps_lists_and_fields() {
    let file = "license: MIT\nops:\n  add.out:\n    call: fast_add\n  cos:\n    grad: True\n  abs:\n    \
                wired: False\nown:\n- op: mine(Tensor self) -> Tensor\n";
    let profile = format!(
        "{PROFILE}keys = [\"license\"]\nlists = {{ ops = \"aten\", own = \"acme\" }}\noperator = [\"op\"]\n\
         kernel = \"call\"\nautograd = [\"grad\"]\nskip_if = {{ wired = false }}\n"
    );
    let folder = folder(file, &profile);
    let (findings, said) = check(folder.path());
    assert_eq!(findings, []);
    assert!(
        said.contains(
            "2 operators listed, 1 of its own; kernels: AutogradPrivateUse1 1, PrivateUse1 3"
        ),
        "{said}"
    );
    let named = entry(folder.path(), "add.out", "PrivateUse1");
    assert_eq!(named, "add.out on PrivateUse1: kernel, fast_add");
}

#[test]
fn a_file_with_errors_is_stored_only_on_demand() {
    let file = "backend: PrivateUse1\ncpp_namespace: acme\nsupported:\n- abs\n- no_such_thing\n";
    let folder = folder(file, "");
    let run = |arguments: &[&str]| run(folder.path(), arguments);
    assert!(
        run(&["import", "--dir", "base", "--label", "2.9.0"])
            .status
            .success()
    );
    let import = [
        "import",
        "--project",
        "acme",
        "--backend",
        "acme.yaml",
        "--over",
        "2.9.0",
    ];
    let refused = run(&import);
    let told = text(&refused.stderr);
    assert_eq!(refused.status.code(), Some(1), "{told}");
    assert!(
        told.contains("acme.yaml:5:3: backend-op-exists: "),
        "{told}"
    );
    assert!(told.contains("nothing was stored"), "{told}");
    let unknown = run(&["table", "abs", "--project", "acme"]);
    assert!(
        text(&unknown.stderr).contains("acme"),
        "{}",
        text(&unknown.stderr)
    );
    assert_eq!(unknown.status.code(), Some(2));
    let stored = run(&[&import[..], &["--allow-errors"]].concat());
    assert!(stored.status.success(), "{}", text(&stored.stderr));
    let table = run(&["table", "abs", "--project", "acme", "--key", "PrivateUse1"]);
    assert!(text(&table.stdout).contains("abs on PrivateUse1: kernel"));
}
