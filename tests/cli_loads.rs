//! Tests `opatlas` on declarations that do not compile or load: library definitions, schemas that
//! PyTorch's runtime refuses, C++ defaults, and C++ functions.

use std::fs;
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// Runs `opatlas` in a folder with these files.
fn run(files: &[(&str, &str)], arguments: &[&str]) -> (Option<i32>, String) {
    let folder = TempDir::new().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let output = Command::new(env!("CARGO_BIN_EXE_opatlas"))
        .current_dir(folder.path())
        .env_remove("OPATLAS_DATABASE")
        .env_remove("OPATLAS_PROJECT")
        .stdin(Stdio::null())
        .args(arguments)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    (output.status.code(), text)
}

fn json(files: &[(&str, &str)], arguments: &[&str]) -> Value {
    let arguments = [arguments, &["--format", "json"]].concat();
    serde_json::from_str(&run(files, &arguments).1).unwrap()
}

fn entry(schema: &str) -> String {
    format!("- func: {schema}\n  dispatch:\n    CPU: tilt_cpu\n  autogen: tilt.out\n")
}

/// The errors of `check` about one schema: rule and message.
fn errors(schema: &str) -> Vec<(String, String)> {
    let text = entry(schema);
    let found = json(
        &[("ops.yaml", &text)],
        &["check", "ops.yaml", "--release", "2.9"],
    );
    let findings = found["findings"].as_array().unwrap().iter();
    let errors = findings.filter(|finding| finding["severity"] == "error");
    let word = |finding: &Value, key: &str| finding[key].as_str().unwrap().to_owned();
    errors
        .map(|finding| (word(finding, "rule"), word(finding, "message")))
        .collect()
}

#[test]
fn the_library_dialect_refuses_type_variables() {
    for schema in [
        "tilt(Tensor x, int64_t n) -> Tensor",
        "tilt(tensor x) -> tensor",
        "tilt(Tensor x, t y) -> Tensor",
        "tilt(Tensor x) -> void",
    ] {
        let dialect = ["schema", "--dialect", "library", "--release"];
        let (code, _) = run(&[], &[&dialect[..], &["2.9", schema]].concat());
        assert_eq!(code, Some(1), "{schema}");
        let (code, _) = run(&[], &[&dialect[..], &["2.3", schema]].concat());
        assert_eq!(code, Some(0), "{schema}");
    }
}

const BACKEND: &str = "backend: PrivateUse1\ncpp_namespace: acme\nsupported: []\n";

#[test]
fn definitions_in_sources_are_parsed() {
    let cpp = "TORCH_LIBRARY(acme, m) {\n  m.def(\"lean(Tensor x, int n) -> Tensor\");\n  \
               m.def(\"tilt(Tensor x, int64_t n) -> Tensor\");\n  m.def(\"bare\");\n  \
               m.def(\"joined(\" REST);\n  m.def(\"opaque(acme.Thing x) -> ()\");\n}\n\
               static auto old = torch::RegisterOperators(\"acme::old(t x) -> t\");\n";
    let python = "import torch\nlib = torch.library.Library(\"acme2\", \"DEF\")\n\
                  lib.define(\"fine(Tensor x, SymInt n) -> Tensor\")\n\
                  lib.define(\"bent(Tensor x, double p) -> Tensor\")\n";
    let found = json(
        &[
            ("ops.yaml", "- func: other(Tensor self) -> Tensor\n"),
            ("acme.yaml", BACKEND),
            ("csrc/k.cpp", cpp),
            ("csrc/k.py", python),
        ],
        &[
            "check",
            "acme.yaml",
            "--over",
            "ops.yaml",
            "--release",
            "2.9",
            "--sources",
            "csrc",
        ],
    );
    let findings = found["findings"].as_array().unwrap().iter();
    let of_rule = findings.filter(|finding| finding["rule"] == "source-definition");
    let places: Vec<_> = of_rule
        .map(|finding| (&finding["file"], &finding["span"]["line"], &finding["help"]))
        .map(|(file, line, help)| {
            (
                file.as_str().unwrap(),
                line.as_u64().unwrap(),
                help.as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        places,
        [
            (
                "csrc/k.cpp",
                3,
                "use `SymInt` or `int` instead of `int64_t`"
            ),
            ("csrc/k.py", 4, "use `float` instead of `double`"),
        ]
    );
}

/// Tried with `torch._C.parse_schema` of 2.9.0.
#[test]
fn schemas_that_the_runtime_refuses_are_errors() {
    for argument in [
        "float p=inf",
        "float p=nan",
        "Scalar p=-inf",
        "int[]? x=[1,2]",
        "int[]? x=[]",
        "Scalar[] x=[1,2]",
        "Tensor[] x=[]",
        "Tensor? x=[]",
        "Tensor?[] x=[]",
        "MemoryFormat? m=channels_last",
        "MemoryFormat m=preserve_format",
        "Device d=cpu",
        "str s=abc",
        "float x=1e400",
        "Storage s=None",
        "Layout? l=sparse_coo",
    ] {
        let found = errors(&format!("tilt(Tensor self, {argument}) -> Tensor"));
        assert_eq!(found.len(), 1, "{argument}: {found:?}");
        assert_eq!(found[0].0, "schema-load", "{argument}");
        assert!(
            found[0].1.starts_with("PyTorch will fail to load"),
            "{found:?}"
        );
    }
    for argument in [
        "float p=1.0",
        "int[2] x=0",
        "int[2]? x=1",
        "SymInt[] x=[]",
        "Tensor[]? x=None",
        "MemoryFormat m=contiguous_format",
        "Device? d=None",
        "ScalarType? d=long",
        "int r=Mean",
    ] {
        let found = errors(&format!("tilt(Tensor self, {argument}) -> Tensor"));
        assert!(found.is_empty(), "{argument}: {found:?}");
    }
}

/// Tried with a compiler and the headers of 2.9.0.
#[test]
fn defaults_that_do_not_compile_are_errors() {
    for argument in [
        "Device d='cpu'",
        "Layout l=strided",
        "int x=None",
        "int x=long",
        "Tensor? t=1",
        "str s=1",
    ] {
        let found = errors(&format!("tilt(Tensor self, {argument}) -> Tensor"));
        assert_eq!(found.len(), 1, "{argument}: {found:?}");
        assert_eq!(found[0].0, "default-cpp", "{argument}");
    }
    let found = errors("tilt(Tensor self, int dim=0, *, bool flip) -> Tensor");
    assert_eq!(found[0].0, "default-suffix-only", "{found:?}");
}

fn changes(base: &str, head: &str) -> Vec<Value> {
    let files = [("base.yaml", base), ("head.yaml", head)];
    let found = json(&files, &["compare", "base.yaml", "head.yaml"]);
    found["changes"].as_array().unwrap().clone()
}

fn breaks(changes: &[Value], rule: &str) -> Vec<String> {
    let change = changes.iter().find(|change| change["rule"] == rule);
    let change = change.unwrap_or_else(|| panic!("{rule}: {changes:#?}"));
    let breaks = change["breaks"].as_array().unwrap().iter();
    breaks.map(|it| it.as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_changed_mutability_breaks_whom_the_type_breaks() {
    let plain = entry("tilt(Tensor self, Tensor noise, float p) -> Tensor");
    let mutable = "- func: tilt(Tensor self, Tensor(a!) noise, float p) -> Tensor\n  dispatch:\n    \
                   CPU: tilt_cpu\n  autogen: tilt.out, tilt_functional\n";
    let gained = changes(&plain, mutable);
    let gained = breaks(&gained, "mutability-gained");
    assert!(gained.contains(&"cpp".to_owned()) && gained.contains(&"backend".to_owned()));
    // A mutable variable also binds to `const Tensor&`, but a registered kernel has the old type.
    let lost = changes(mutable, &plain);
    let lost = breaks(&lost, "mutability-lost");
    assert!(!lost.contains(&"cpp".to_owned()) && lost.contains(&"backend".to_owned()));
    // The C++ type of a list of tensors stays the same.
    let list =
        |ty: &str| format!("- func: tilt({ty} xs, float p) -> ()\n  dispatch:\n    CPU: k\n");
    let of_list = changes(&list("Tensor[]"), &list("Tensor(a!)[]"));
    let of_list = breaks(&of_list, "mutability-gained");
    assert!(!of_list.contains(&"cpp".to_owned()) && !of_list.contains(&"backend".to_owned()));
}

#[test]
fn new_overloads_change_cpp_calls() {
    let float = entry("tilt(Tensor self, float p) -> Tensor");
    let int = "- func: tilt.int(Tensor self, int n) -> Tensor\n  dispatch:\n    CPU: tilt_int\n  \
               autogen: tilt.int_out\n";
    let found = changes(&float, &format!("{float}{int}"));
    assert_eq!(breaks(&found, "cpp-call-ambiguous"), ["cpp"]);
    let ambiguous = found
        .iter()
        .find(|it| it["rule"] == "cpp-call-ambiguous")
        .unwrap();
    let message = ambiguous["message"].as_str().unwrap();
    assert!(message.contains("at::tilt(x, 2)"), "{message}");
    let scalar = entry("tilt(Tensor self, Scalar p) -> Tensor");
    let found = changes(&scalar, &format!("{scalar}{int}"));
    let rebound = found
        .iter()
        .find(|it| it["rule"] == "cpp-call-rebound")
        .unwrap();
    assert_eq!(rebound["level"], "dangerous");
    assert_eq!(rebound["operator"], "tilt");
    let apart = "- func: tilt.Tensor(Tensor self, Tensor other, *, bool flip) -> Tensor\n  \
                 dispatch:\n    CPU: tilt_tensor\n  autogen: tilt.Tensor_out\n";
    let found = changes(&float, &format!("{float}{apart}"));
    assert!(
        found.iter().all(|it| it["level"] != "breaking"),
        "{found:#?}"
    );
}

#[test]
fn functions_without_the_dispatcher_are_listed_and_compared() {
    let both = "- func: tilt(Tensor self) -> Tensor\n  dispatch:\n    CPU: tilt_cpu\n    CUDA: tilt_cuda\n";
    let arguments = [
        "signatures",
        "tilt",
        "--file",
        "ops.yaml",
        "--release",
        "2.9",
    ];
    let (_, text) = run(&[("ops.yaml", both)], &arguments);
    assert!(
        text.contains("namespace at::cpu)") && text.contains("namespace at::cuda)"),
        "{text}"
    );
    let one = "- func: tilt(Tensor self) -> Tensor\n  dispatch:\n    CPU: tilt_cpu\n";
    let lost = changes(both, one);
    assert_eq!(breaks(&lost, "direct-function-removed"), ["cpp"]);
    let gained = changes(one, both);
    assert!(
        gained
            .iter()
            .any(|it| it["rule"] == "direct-function-added")
    );
    let renamed = changes(one, &one.replace("tilt_cpu", "tilt_kernel"));
    let renamed = renamed
        .iter()
        .find(|it| it["rule"] == "internal-function-removed");
    assert_eq!(renamed.unwrap()["risks"], serde_json::json!(["cpp"]));
}

#[test]
fn kernels_keep_their_namespace() {
    let text =
        "- func: tilt(Tensor self) -> Tensor\n  dispatch:\n    CPU: custom::deep::tilt_cpu\n";
    let files = [("ops.yaml", text)];
    let of_file = ["--file", "ops.yaml", "--release", "2.9"];
    let kernel = "custom::deep::native::tilt_cpu";
    let (_, shown) = run(&files, &[&["signatures", "tilt"], &of_file[..]].concat());
    let declared = "namespace custom::deep::native { TORCH_API at::Tensor tilt_cpu(const at::Tensor & self); }";
    assert!(shown.contains(declared), "{shown}");
    let (_, shown) = run(
        &files,
        &[&["signatures", "tilt", "--key", "CPU"], &of_file[..]].concat(),
    );
    assert!(shown.contains("CPU: custom::deep::tilt_cpu"), "{shown}");
    let (_, shown) = run(&files, &[&["table", "tilt"], &of_file[..]].concat());
    assert!(shown.contains(kernel), "{shown}");
    let (_, shown) = run(
        &files,
        &[&["table", "tilt", "--key", "CPU"], &of_file[..]].concat(),
    );
    assert!(shown.contains(kernel), "{shown}");
}
