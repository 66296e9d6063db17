//! Files of vendors over a revision: `opatlas check --over` and `opatlas import --backend`.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::common::git::git;
use serde_json::Value;

const BASE: &str = "\
- func: scale(Tensor self, Tensor other) -> Tensor
  structured_delegate: scale.out
- func: scale_(Tensor(a!) self, Tensor other) -> Tensor(a!)
  variants: method
  structured_delegate: scale.out
- func: scale.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
  structured: True
  structured_inherits: TensorIteratorBase
  dispatch:
    CPU: scale_out_cpu
- func: pick(Tensor self, SymInt k) -> Tensor
  dispatch:
    CPU: pick_cpu
  autogen: pick.out
- func: decomposed(Tensor self) -> Tensor
";

const NPU: &str = "\
backend: NPU
cpp_namespace: acme::native
supported:
- scale.out
- func: pick
  op_api: True
- keep_
autograd:
- decomposed
custom:
- func: keep_(Tensor(a!) self) -> Tensor(a!)
  exposed: True
- func: make(int[] size) -> Tensor
  dispatch:
    CompositeExplicitAutograd: make_anywhere
";

const PLUGIN: &str = "\
all_version: [v2.1, v2.2, v2.9, v2.10]
official:
- func: pick(Tensor self, int k) -> Tensor
  op_api: [v2.1, newest]
  impl_ns: acl_op, op_api
- func: soon(Tensor self) -> Tensor
  op_api: [v2.10, newest]
custom:
- func: keep(Tensor self) -> Tensor
  acl_op: v2.1, v2.9
- func: keep(Tensor self, int n) -> Tensor
  op_api: [v2.10, newest]
custom_supported:
- func: keep(Tensor self) -> Tensor
quant:
- func: q_scale(Tensor self) -> float
  acl_op: v2.2
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

/// A folder with files.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// The findings of a check under 2.9, as rule and file.
fn findings(output: &Output) -> Vec<(String, String)> {
    let answer: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", text(&output.stderr)));
    let findings = answer["findings"].as_array().unwrap().iter();
    findings
        .map(|f| {
            let part = |name: &str| f[name].as_str().unwrap().to_owned();
            (part("rule"), part("file"))
        })
        .collect()
}

const OVER: [&str; 6] = ["--over", "base", "--release", "2.9", "--format", "json"];

fn check(folder: &Path, files: &[&str]) -> Output {
    run(folder, &[&["check"], files, &OVER].concat())
}

#[test]
fn a_superset_is_read_by_its_built_in_profile() {
    let folder = folder(&[
        ("base/native_functions.yaml", BASE),
        ("npu.yaml", NPU),
        ("plugin.yaml", PLUGIN),
    ]);
    let output = check(folder.path(), &["npu.yaml", "plugin.yaml"]);
    let drift = ("schema-drift".to_owned(), "plugin.yaml".to_owned());
    assert_eq!(findings(&output), [drift]);
    assert!(output.status.success());
    let said = text(&output.stderr);
    assert!(
        said.contains("npu.yaml: 4 operators listed, 2 of its own; kernels: AutogradPrivateUse1 1, CompositeExplicitAutograd 1, PrivateUse1 3"),
        "{said}"
    );
    assert!(
        said.contains("plugin.yaml: 1 operators listed, 1 of its own; kernels: PrivateUse1 2"),
        "{said}"
    );
    // Of another release other entries apply, and one names an operator that is not there.
    let later = ["--over", "base", "--release", "2.10", "--format", "json"];
    let output = run(
        folder.path(),
        &[&["check", "plugin.yaml"], &later[..]].concat(),
    );
    let rules: Vec<_> = findings(&output)
        .into_iter()
        .map(|(rule, _)| rule)
        .collect();
    assert!(rules.contains(&"backend-op-exists".to_owned()), "{rules:?}");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_superset_without_a_profile_has_one_finding() {
    let file = NPU.replace("NPU", "ACME");
    let folder = folder(&[("base/native_functions.yaml", BASE), ("acme.yaml", &file)]);
    let output = check(folder.path(), &["acme.yaml"]);
    let superset = ("backend-superset".to_owned(), "acme.yaml".to_owned());
    assert_eq!(findings(&output), [superset]);
    assert_eq!(output.status.code(), Some(1));
    let profile = "[vendor]\nname = \"Acme\"\nkey = \"PrivateUse1\"\nspellings = [\"ACME\"]\n\
                   namespace = \"acme\"\n";
    std::fs::write(folder.path().join("opatlas.toml"), profile).unwrap();
    let output = check(folder.path(), &["acme.yaml"]);
    let field = ("vendor-field".to_owned(), "acme.yaml".to_owned());
    assert_eq!(findings(&output), [field.clone(), field]);
    let profile = format!("{profile}fields = [\"op_api\", \"exposed\"]\n");
    std::fs::write(folder.path().join("opatlas.toml"), profile).unwrap();
    let output = check(folder.path(), &["acme.yaml"]);
    assert_eq!(findings(&output), []);
    assert!(text(&output.stderr).contains("2 of its own"));
}

#[test]
fn a_list_is_laid_over_the_operators() {
    let overlay = "\
- func: scale.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
  structured: True
  structured_inherits: TensorIteratorBase
  dispatch:
    CPU: scale_out_cpu
    XPU: scale_out_xpu
    SparseXPU: scale_out_sparse
- func: pick(Tensor self, int k) -> Tensor
  dispatch:
    XPU: pick_xpu
- func: fresh(Tensor self) -> Tensor
  dispatch:
    XPU: fresh_xpu
";
    let folder = folder(&[
        ("base/native_functions.yaml", BASE),
        ("native_functions.yaml", overlay),
    ]);
    let output = check(folder.path(), &["native_functions.yaml"]);
    let drift = (
        "schema-drift".to_owned(),
        "native_functions.yaml".to_owned(),
    );
    assert_eq!(findings(&output), [drift]);
    let said = text(&output.stderr);
    assert!(
        said.contains("3 operators listed, 1 of its own; kernels: SparseXPU 3, XPU 5"),
        "{said}"
    );
}

#[test]
fn a_folder_is_read_with_its_vendor_files() {
    let folder = folder(&[
        ("native_functions.yaml", BASE),
        ("npu_native_functions.yaml", NPU),
        ("other.yaml", "a: 1\n"),
        ("base/native_functions.yaml", BASE),
    ]);
    let output = run(
        folder.path(),
        &["check", ".", "--release", "2.9", "--format", "json"],
    );
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["summary"]["operators"], 5 + 2, "{answer}");
    let output = check(folder.path(), &["."]);
    assert!(text(&output.stderr).starts_with("./npu_native_functions.yaml: 4 operators"));
}

#[test]
fn operators_of_vendors_are_stored_listed_and_have_tables() {
    let folder = folder(&[
        ("base/native_functions.yaml", BASE),
        ("npu.yaml", NPU),
        ("plugin.yaml", PLUGIN),
    ]);
    let done = |arguments: &[&str]| {
        let output = run(folder.path(), arguments);
        let said = format!("{}{}", text(&output.stdout), text(&output.stderr));
        assert!(output.status.success(), "{arguments:?}: {said}");
        said
    };
    done(&["import", "--dir", "base", "--label", "2.9.0"]);
    let said = done(&[
        "import",
        "--backend",
        "npu.yaml",
        "--backend",
        "plugin.yaml",
        "--over",
        "2.9.0",
        "--project",
        "acme",
    ]);
    assert!(said.contains("acme 2.9.0: 8 declared and"), "{said}");
    let table = done(&["table", "npu::keep_", "--project", "acme"]);
    assert!(table.contains("backends/npu.yaml:"), "{table}");
    let kernel = done(&["table", "npu::make", "--project", "acme"]);
    assert!(kernel.contains("make_anywhere"), "{kernel}");
    // A kernel of a plain list, and the wrong schema is said with its C++ declarations.
    let checked = run(folder.path(), &["check", "plugin.yaml", "--over", "2.9.0"]);
    let shown = text(&checked.stdout);
    assert!(
        shown.contains("int64_t k") && shown.contains("c10::SymInt k"),
        "{shown}"
    );
}

/// Runs git in a folder.
#[test]
fn the_history_of_a_backend_file_is_imported_through_renames_and_reverts() {
    let folder = folder(&[
        ("base/native_functions.yaml", BASE),
        (
            "next/native_functions.yaml",
            &BASE.replace("SymInt k", "SymInt n"),
        ),
        ("repo/old.yaml", NPU),
        ("repo/setup.py", "install('torch==2.9.0')\n"),
        (
            "opatlas.toml",
            "[vendor]\nkey = \"PrivateUse1\"\nspellings = [\"NPU\"]\nnamespace = \"npu\"\n\
             pin_file = \"setup.py\"\npin_pattern = \"torch=={version}'\"\n",
        ),
    ]);
    let repo = folder.path().join("repo");
    let commit = |name: &str, file: &str, subject: &str| {
        std::fs::write(repo.join(name), file).unwrap();
        git(&repo, &["add", "-A"]);
        git(&repo, &["commit", "-q", "-m", subject]);
    };
    git(&repo, &["init", "-q"]);
    commit("old.yaml", NPU, "begin");
    let less = NPU.replace("- scale.out\n", "");
    commit("old.yaml", &less, "drop a kernel");
    git(&repo, &["mv", "old.yaml", "npu.yaml"]);
    git(&repo, &["commit", "-q", "-m", "rename"]);
    commit("npu.yaml", NPU, "revert");
    std::fs::write(repo.join("setup.py"), "install('torch==2.10.0')\n").unwrap();
    commit("npu.yaml", &less, "next release");
    for (files, label) in [("base", "2.9.0"), ("next", "2.10.0")] {
        let done = run(folder.path(), &["import", "--dir", files, "--label", label]);
        assert!(done.status.success(), "{}", text(&done.stderr));
    }
    let import = [
        "import",
        "--git",
        "repo",
        "--backend",
        "npu.yaml",
        "--over",
        "2.9.0",
        "--project",
        "npu",
    ];
    let done = run(folder.path(), &import);
    let said = text(&done.stdout);
    assert!(done.status.success(), "{}", text(&done.stderr));
    assert!(
        said.contains("5 commits stored") && said.contains("timeline has 5"),
        "{said}"
    );
    let history = run(folder.path(), &["history", "pick", "--project", "npu"]);
    assert!(history.status.success(), "{}", text(&history.stderr));
    let again = run(folder.path(), &import);
    assert!(
        text(&again.stdout).contains("0 commits stored, 5 already"),
        "{}",
        text(&again.stdout)
    );
}

#[test]
fn a_library_is_a_project_of_schemas() {
    let old = "# boxes\nnms(Tensor dets,Tensor scores , float t = 0.5)->Tensor\nacme::keep(Tensor x) -> Tensor\n";
    let wide = "named(Dict(str, Tensor) named) -> ((int, str))\n\
        on(Tensor x, *, Device d=\"cpu\") -> (Tensor , int)\n\
        nms_out(Tensor dets,*,Tensor(a!) out) -> Tensor(a!)\n";
    let folder = folder(&[
        ("1.txt", old),
        ("2.txt", &old.replace("float t = 0.5", "float t")),
        ("3.txt", "good() -> ()\nbad(Tensor\n"),
        ("wide.txt", wide),
        ("fewer.txt", wide.split("nms_out").next().unwrap()),
        ("wider.txt", &wide.replace("(str, Tensor)", "(str, int)")),
    ]);
    for label in ["1", "2"] {
        let file = format!("{label}.txt");
        let done = run(
            folder.path(),
            &[
                "import",
                "--library",
                &file,
                "--namespace",
                "acme",
                "--label",
                label,
                "--project",
                "lib",
            ],
        );
        let said = text(&done.stdout);
        assert!(
            said.contains("2 declared and 0 generated operators, 0 errors"),
            "{said}{}",
            text(&done.stderr)
        );
    }
    let compared = run(folder.path(), &["compare", "1", "2", "--project", "lib"]);
    let shown = text(&compared.stdout);
    assert_eq!(
        compared.status.code(),
        Some(1),
        "{shown}{}",
        text(&compared.stderr)
    );
    assert!(
        shown.contains("acme::nms") && shown.contains("PyTorch's own check"),
        "{shown}"
    );
    let done = |arguments: &[&str]| {
        let output = run(folder.path(), arguments);
        format!("{}{}", text(&output.stdout), text(&output.stderr))
    };
    let wider = [
        "--library",
        "wide.txt",
        "--namespace",
        "acme",
        "--label",
        "w",
    ];
    let said = done(&[&["import", "--project", "wide"], &wider[..]].concat());
    assert!(
        said.contains("3 declared and 0 generated operators, 0 errors"),
        "{said}"
    );
    let table = done(&["table", "acme::nms_out", "--project", "wide"]);
    assert!(table.starts_with("acme::nms_out "), "{table}");
    let wider = [
        "--library",
        "wider.txt",
        "--namespace",
        "acme",
        "--label",
        "x",
    ];
    done(&[&["import", "--project", "wide"], &wider[..]].concat());
    let shown = done(&["compare", "w", "x", "--project", "wide"]);
    assert!(
        shown.contains("acme::named") && shown.contains("Dict(str, int)"),
        "{shown}"
    );
    let fewer = [
        "--library",
        "fewer.txt",
        "--namespace",
        "acme",
        "--label",
        "y",
    ];
    done(&[&["import", "--project", "wide"], &fewer[..]].concat());
    let gone = run(folder.path(), &["compare", "w", "y", "--project", "wide"]);
    assert_eq!(gone.status.code(), Some(1), "{}", text(&gone.stdout));
    let shown = text(&gone.stdout);
    assert!(
        shown.contains("operator-removed") && shown.contains("acme::nms_out"),
        "{shown}"
    );
    let shown = done(&["compare", "y", "w", "--project", "wide"]);
    assert!(
        shown.contains("operator-added") && !shown.contains("autogen"),
        "{shown}"
    );
    let refused = run(
        folder.path(),
        &[
            "import",
            "--library",
            "3.txt",
            "--namespace",
            "acme",
            "--label",
            "3",
        ],
    );
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        text(&refused.stderr).contains("3.txt:2:"),
        "{}",
        text(&refused.stderr)
    );
}
