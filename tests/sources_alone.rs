//! Imports, checks and compares a backend that consists of sources alone.

use std::process::Output;

use serde_json::Value;
use tempfile::TempDir;

use crate::cli_sources::{folder, run};

const BASE: &str = "- func: tilt(Tensor self, int dim) -> Tensor\n  dispatch:\n    CPU: tilt_cpu\n\
                    - func: lean(Tensor self) -> Tensor\n\
                    - func: rest(Tensor self) -> Tensor\n  dispatch:\n    CPU: rest_cpu\n";

/// `tilt` gained an argument, `lean` became an explicit composite, and `rest` was removed.
const HEAD: &str = "- func: tilt(Tensor self, int dim, float q) -> Tensor\n  dispatch:\n    CPU: tilt_cpu\n\
                    - func: lean(Tensor self) -> Tensor\n  dispatch:\n    CompositeExplicitAutograd: lean\n";

const KERNELS: &str = "namespace acme {\n\
                       at::Tensor tilt(const at::Tensor& self, int64_t dim) { return self; }\n}\n\
                       TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {\n  \
                       m.impl(\"tilt\", acme::tilt);\n  m.impl(\"rest\", acme::rest);\n}\n";

fn files() -> TempDir {
    folder(&[
        ("base.yaml", BASE),
        ("head.yaml", HEAD),
        ("csrc/k.cpp", KERNELS),
    ])
}

fn at(folder: &TempDir, name: &str) -> String {
    folder.path().join(name).to_str().unwrap().to_owned()
}

fn output(of: &Output) -> String {
    String::from_utf8_lossy(&of.stdout).into_owned()
}

fn compare(more: &[&str]) -> (Option<i32>, String) {
    let folder = files();
    let (base, head) = (at(&folder, "base.yaml"), at(&folder, "head.yaml"));
    let csrc = at(&folder, "csrc");
    let compared = run(&[&["compare", "--sources", &csrc, &base, &head], more].concat());
    (compared.status.code(), output(&compared))
}

#[test]
fn a_comparison_lists_the_kernels_that_must_change() {
    let (code, text) = compare(&[]);
    assert_eq!(code, Some(1), "{text}");
    for told in [
        "(PrivateUse1, 2 operators)",
        "Kernels that must change\n  `tilt`: the library does not load: the kernel `acme::tilt` does not have the type of \
         `tilt`: it takes 2 arguments, expected 3\n    old `at::Tensor tilt(const at::Tensor & self, int64_t dim)`",
        "`rest`: gone",
        "`lean`: the kernel for CompositeImplicitAutograd",
        "it no longer decomposes for autograd",
    ] {
        assert!(text.contains(told), "{told}: {text}");
    }
}

#[test]
fn a_comparison_as_json() {
    let (_, text) = compare(&["--format", "json"]);
    let report: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["key"], "PrivateUse1");
    assert_eq!(report["kernels"][0]["operator"], "tilt");
    assert_eq!(report["unknown"][0]["operator"], "rest");
    let reassigned = &report["reassigned"][0];
    assert_eq!(reassigned["old"]["source_key"], "CompositeImplicitAutograd");
    assert_eq!(reassigned["new"]["source_key"], "CompositeExplicitAutograd");
}

#[test]
fn sources_alone_are_checked_over_a_release() {
    let folder = files();
    let over = ["--over", &at(&folder, "head.yaml"), "--release", "2.9"];
    let csrc = at(&folder, "csrc");
    let checked = run(&[&["check", "--sources", &csrc], &over[..]].concat());
    let text = output(&checked);
    assert!(text.contains("source-operator-unknown"), "{text}");
    let alone = run(&["check", "--sources", &csrc]);
    assert_eq!(alone.status.code(), Some(2));
    let told = String::from_utf8_lossy(&alone.stderr).into_owned();
    assert!(told.contains("--over"), "{told}");
}

#[test]
fn sources_alone_are_imported() {
    let folder = folder(&[
        ("base/native_functions.yaml", BASE),
        ("csrc/k.cpp", KERNELS),
    ]);
    let database = format!("sqlite://{}", at(&folder, "opatlas.db"));
    let with = |arguments: &[&str]| {
        let done = run(&[arguments, &["--database", &database]].concat());
        let told = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(done.status.success(), "{arguments:?}: {told}");
        output(&done)
    };
    let (base, csrc) = (at(&folder, "base"), at(&folder, "csrc"));
    with(&["import", "--dir", &base, "--label", "2.9.0"]);
    let own = ["--project", "acme", "--label", "1"];
    with(&[&["import", "--sources", &csrc, "--over", "2.9.0"], &own[..]].concat());
    let table = with(&["table", "tilt", "--project", "acme", "--key", "PrivateUse1"]);
    assert!(table.starts_with("tilt on PrivateUse1: kernel"), "{table}");
}

/// A tree with sources and these backend files, each with its list of operators.
fn tree(backends: &[(&str, &str)]) -> TempDir {
    let texts: Vec<String> = backends
        .iter()
        .map(|(_, listed)| {
            format!("backend: PrivateUse1\ncpp_namespace: acme\nsupported: [{listed}]\n")
        })
        .collect();
    let mut all = vec![("base.yaml", BASE), ("head.yaml", HEAD)];
    all.push(("acme/csrc/k.cpp", KERNELS));
    let names = backends.iter().map(|(name, _)| *name);
    all.extend(names.zip(texts.iter().map(String::as_str)));
    folder(&all)
}

#[test]
fn the_backend_file_of_a_tree_counts() {
    let folder = tree(&[("acme/codegen/acme.yaml", "lean")]);
    let (base, head) = (at(&folder, "base.yaml"), at(&folder, "head.yaml"));
    let acme = at(&folder, "acme");
    let compared = run(&["compare", "--sources", &acme, &base, &head]);
    let text = output(&compared);
    assert!(text.contains("(PrivateUse1, 3 operators)"), "{text}");
    assert!(!text.contains("`lean`: the kernel for"), "{text}");
    let over = ["--over", &base, "--release", "2.9"];
    let checked = run(&[&["check", "--sources", &acme], &over[..]].concat());
    let text = output(&checked);
    assert!(text.contains("autograd-lost"), "{text}");
    assert!(text.contains("acme/codegen/acme.yaml:3"), "{text}");
}

#[test]
fn of_several_backend_files_none_counts() {
    let folder = tree(&[("acme/a.yaml", "lean"), ("acme/b.yaml", "lean")]);
    let (base, acme) = (at(&folder, "base.yaml"), at(&folder, "acme"));
    let over = ["--over", &base, "--release", "2.9"];
    let checked = run(&[&["check", "--sources", &acme], &over[..]].concat());
    let told = String::from_utf8_lossy(&checked.stderr).into_owned();
    assert!(told.contains("name the one to use"), "{told}");
    assert!(!output(&checked).contains("autograd-lost"));
}
