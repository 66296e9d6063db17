//! `opatlas scan` as its users run it.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::common::folder::write;
use crate::common::git::git;

pub fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_opatlas"))
        .env_remove("OPATLAS_DATABASE")
        .env_remove("OPATLAS_PROJECT")
        .stdin(Stdio::null())
        .args(arguments)
        .output()
        .unwrap()
}

pub fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

const KERNELS: &str = "TORCH_LIBRARY_IMPL(aten, XPU, m) {\n  m.impl(\"add.Tensor\", add);\n  \
                       ACME(mul, Tensor)\n}\n";

fn scan(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = run(&[&["scan"], arguments].concat());
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        output.status.code(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

fn path(folder: &Path) -> &str {
    folder.to_str().unwrap()
}

#[test]
fn registrations_as_lines_of_json() {
    let folder = folder(&[("csrc/a.cpp", KERNELS), ("csrc/notes.txt", KERNELS)]);
    let (code, out, _) = scan(&[path(folder.path()), "--format", "jsonl"]);
    assert_eq!(code, Some(0));
    let rows: Vec<Value> = out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let file = format!("{}/csrc/a.cpp", path(folder.path()));
    let expected = serde_json::json!({
        "kind": "impl", "namespace": "aten", "operator": "add.Tensor", "key": "XPU",
        "kernel": "add", "fallthrough": false, "schema": null, "file": file, "line": 2,
        "column": 3, "resolved": true, "why": null, "condition": null,
        "through": "TORCH_LIBRARY_IMPL", "block_line": 1,
    });
    assert_eq!(rows[0], expected);
    assert_eq!(rows[1]["resolved"], false);
    assert_eq!(rows[1]["why"], "macro `ACME` is unknown");
    assert_eq!(rows.len(), 2);
}

#[test]
fn files_of_any_suffix() {
    let patch = "--- a\n+++ b\n+  m.impl(\"abs\", f);\n";
    let files = [
        ("a.mu", KERNELS),
        ("b.cpp.in", KERNELS),
        ("ops", KERNELS),
        ("guide.md", KERNELS),
        ("weights", "\0TORCH_LIBRARY"),
        ("table", "1 2 3"),
        ("ops.cpp.patch", patch),
    ];
    let folder = folder(&files);
    let (code, out, errors) = scan(&[path(folder.path())]);
    assert_eq!(code, Some(0));
    assert!(
        out.ends_with("6 registrations in 3 source files, 3 unresolved\n"),
        "{out}"
    );
    let expected = "/ops.cpp.patch:3: the patch adds registrations and was not read; \
                    scan the sources that it makes\n";
    assert_eq!(errors, format!("{}{expected}", path(folder.path())));
}

#[test]
fn registrations_for_people_and_a_projects_macros() {
    let macros = "[[macro]]\nname = \"ACME\"\nparameters = [\"op\", \"overload\"]\n\
                  impl = \"{op}.{overload}\"\n";
    let folder = folder(&[("a.cpp", KERNELS), ("macros.toml", macros)]);
    let file = folder.path().join("macros.toml");
    let (code, out, _) = scan(&[path(folder.path()), "--macros", path(&file)]);
    assert_eq!(code, Some(0));
    let shown = out.replace(path(folder.path()), "DIR");
    let expected = "DIR/a.cpp:2:3: impl aten::add.Tensor at XPU, kernel add (TORCH_LIBRARY_IMPL)\n\
                    DIR/a.cpp:3:3: impl aten::mul.Tensor at XPU (ACME)\n\
                    2 registrations in 1 source files, 0 unresolved\n";
    assert_eq!(shown, expected);
}

#[test]
fn a_projects_macros_in_its_configuration() {
    let config = "[sources]\nnothing = [\"ACME_CHECK\"]\n\n[[sources.macro]]\nname = \"ACME\"\n\
                  parameters = [\"op\", \"overload\"]\nimpl = \"{op}.{overload}\"\n";
    // Of the same name and with as many parameters, so that it replaces the other.
    let other = "nothing = []\n[[macro]]\nname = \"ACME\"\nparameters = [\"op\", \"overload\"]\n\
                 impl = \"{op}\"\n";
    let folder = folder(&[
        ("csrc/a.cpp", KERNELS),
        ("opatlas.toml", config),
        ("macros.toml", other),
    ]);
    let scan = |more: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_opatlas"))
            .args(["scan", "csrc"])
            .args(more)
            .current_dir(folder.path())
            .output()
            .unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (text(output.stdout), text(output.stderr))
    };
    let (out, _) = scan(&[]);
    assert!(out.contains("impl aten::mul.Tensor at XPU (ACME)"), "{out}");
    let (out, _) = scan(&["--macros", "macros.toml"]);
    assert!(out.contains("impl aten::mul at XPU (ACME)"), "{out}");
    let invalid = "[sources]\nmacros = 1\n";
    std::fs::write(folder.path().join("opatlas.toml"), invalid).unwrap();
    let (_, errors) = scan(&[]);
    let expected = "[sources] of opatlas.toml is invalid: `macros` must be a list";
    assert!(errors.contains(expected), "{errors}");
}

#[test]
fn invalid_macros_are_refused() {
    let folder = folder(&[
        ("typo.toml", "[[macro]]\nname = \"A\"\nimpl = \"{op}\"\n"),
        ("field.toml", "[[macro]]\nname = \"A\"\noperator = \"x\"\n"),
        ("nothing.toml", "[[macro]]\nname = \"A\"\n"),
    ]);
    for (name, why) in [
        (
            "typo.toml",
            "`{op}` names a parameter that it does not have",
        ),
        ("field.toml", "unknown field `operator`"),
        ("nothing.toml", "neither `library` nor `def` nor `impl`"),
        ("missing.toml", "cannot read"),
    ] {
        let file = folder.path().join(name);
        let (code, _, errors) = scan(&[path(folder.path()), "--macros", path(&file)]);
        assert_eq!(code, Some(2), "{name}");
        assert!(errors.contains(why), "{name}: {errors}");
    }
}

#[cfg(unix)]
#[test]
fn links_out_of_the_folder_are_reported_and_not_followed() {
    let outside = folder(&[("secret.cpp", KERNELS)]);
    let folder = folder(&[("a.cpp", KERNELS), (".git/b.cpp", KERNELS)]);
    let link = |target: &Path, name: &str| {
        std::os::unix::fs::symlink(target, folder.path().join(name)).unwrap();
    };
    link(outside.path(), "out");
    link(&outside.path().join("secret.cpp"), "c.cpp");
    link(&folder.path().join("a.cpp"), "d.cpp");
    link(folder.path(), "cycle");
    link(Path::new("/nowhere"), "broken");
    let (code, out, errors) = scan(&[path(folder.path()), "--format", "jsonl"]);
    assert_eq!(code, Some(0));
    assert_eq!(out.lines().count(), 2);
    let told: Vec<_> = errors.lines().collect();
    assert_eq!(told.len(), 2, "{errors}");
    assert!(
        told.iter()
            .all(|line| line.contains("leads out of the folder"))
    );
}

#[test]
fn what_cannot_be_read_is_said() {
    let folder = folder(&[("a.cpp", "TORCH_LIBRARY\0"), ("b.cpp", KERNELS)]);
    let (code, out, errors) = scan(&[path(folder.path())]);
    assert_eq!(code, Some(0));
    assert!(out.contains("add.Tensor"));
    assert!(
        errors.contains("a.cpp:1: the file contains NUL bytes"),
        "{errors}"
    );
    assert_eq!(scan(&["/nowhere/at/all"]).0, Some(2));
}

/// A fallback, a kernel and a library of another name for the key of the backend.
const REGISTRATIONS: &str = "TORCH_LIBRARY_IMPL(_, PrivateUse1, m) {\n  \
    m.fallback(torch::CppFunction::makeFromBoxedFunction<&acme::on_cpu>());\n}\n\
    TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) { m.impl(\"add.Tensor\", acme::add); }\n";

#[test]
fn a_backend_with_its_sources() {
    let folder = folder(&[
        ("base/native_functions.yaml", include_str!("api/small.yaml")),
        (
            "acme.yaml",
            "backend: PrivateUse1\ncpp_namespace: acme\nsupported: []\n",
        ),
        ("csrc/ops.cpp", REGISTRATIONS),
        ("csrc/unused.cpp", "int x;\n"),
    ]);
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let database = format!("sqlite://{}", at("opatlas.db"));
    let with = |arguments: &[&str]| {
        let output = run(&[arguments, &["--database", &database]].concat());
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let errors = text(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {errors}");
        (text(&output.stdout), errors)
    };
    with(&[
        "import",
        "--dir",
        &at("base"),
        "--label",
        "base",
        "--release",
        "2.9",
    ]);
    let (_, told) = with(&[
        "import",
        "--project",
        "acme",
        "--backend",
        &at("acme.yaml"),
        "--sources",
        &at("csrc"),
        "--over",
        "base",
        "--label",
        "one",
    ]);
    assert!(
        told.contains("2 registrations in 1 file, 0 unresolved"),
        "{told}"
    );
    let table = |operator: &str| {
        let place = ["--project", "acme", "--revision", "one"];
        with(&[&["table", operator], &place[..]].concat()).0
    };
    let line = |operator: &str| {
        let table = table(operator);
        let mut lines = table.lines().map(str::trim);
        let found = lines.find(|line| line.starts_with("PrivateUse1 "));
        found
            .unwrap_or_default()
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    };
    let add = line("add.Tensor");
    assert!(
        add.ends_with("acme::add kernel source, sources/csrc/ops.cpp:4"),
        "{add}"
    );
    let other = line("blend");
    assert!(
        other.ends_with("acme::on_cpu backend fallback source, sources/csrc/ops.cpp:2"),
        "{other}"
    );
    assert!(table("blend").contains("falls-back"));
}

#[test]
fn sources_are_checked_beside_the_files() {
    let kernels = "namespace at { namespace native {\n\
                   Tensor half_of(const Tensor& self) {\n  return self.item();\n}\n}}\n\
                   TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) { m.impl(\"gone\", f); }\n";
    let folder = folder(&[
        ("native_functions.yaml", include_str!("api/small.yaml")),
        ("src/a.cpp", kernels),
    ]);
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let check = |format: &str| {
        let output = run(&[
            "check",
            &at("native_functions.yaml"),
            "--sources",
            &at("src"),
            "--format",
            format,
            "--release",
            "2.9",
            "--fail-on",
            "warning",
        ]);
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8(output.stdout).unwrap()
    };
    let text = check("text");
    assert!(text.contains("composite-data-access"), "{text}");
    assert!(text.contains("src/a.cpp:3:15"), "{text}");
    assert!(text.contains("source-operator-unknown"), "{text}");
    let sarif: Value = serde_json::from_str(&check("sarif")).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap().clone();
    assert!(
        results
            .iter()
            .any(|result| result["ruleId"] == "composite-data-access")
    );
    let json: Value = serde_json::from_str(&check("json")).unwrap();
    let findings = json["findings"].as_array().unwrap();
    let found = findings
        .iter()
        .find(|f| f["rule"] == "composite-data-access")
        .unwrap();
    assert_eq!(found["span"]["line"], 3);
    assert!(found["file"].as_str().unwrap().ends_with("src/a.cpp"));
}

#[test]
fn sources_are_checked_beside_a_backend_file() {
    let backend = "backend: XLA\ncpp_namespace: torch_xla\nsupported:\n- blend\n- slice_of\n";
    let kernels = "namespace torch_xla {\n\
                   at::Tensor XLANativeFunctions::blend(const at::Tensor& self) {\n  return self;\n}\n}\n";
    let folder = folder(&[
        ("native_functions.yaml", include_str!("api/small.yaml")),
        ("xla.yaml", backend),
        ("csrc/a.cpp", kernels),
    ]);
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let over = &at("native_functions.yaml");
    let (file, sources) = (&at("xla.yaml"), &at("csrc"));
    let check = ["check", file, "--over", over, "--release", "2.9"];
    let output = run(&[&check[..], &["--sources", sources, "--format", "json"]].concat());
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{errors}");
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let findings = json["findings"].as_array().unwrap().iter();
    let told: Vec<_> = findings
        .map(|finding| {
            let file = finding["file"].as_str().unwrap();
            let file = file.strip_prefix(folder.path().to_str().unwrap()).unwrap();
            (
                finding["rule"].as_str().unwrap(),
                file,
                &finding["span"]["line"],
            )
        })
        .collect();
    let expected = [
        ("source-kernel-signature", "/csrc/a.cpp", &Value::from(2)),
        ("source-kernel-missing", "/xla.yaml", &Value::from(5)),
    ];
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(expected.iter().all(|row| told.contains(row)), "{told:?}");
    assert_eq!(json["valid"], false);
    // Without the sources there is nothing to say.
    let output = run(&check);
    assert_eq!(output.status.code(), Some(0));
}

const COMPOSITE: &str = "\
- func: empty.memory_format(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor
  dispatch:
    CPU: empty_cpu
    CUDA: empty_cuda
- func: only_cpu(Tensor self) -> Tensor
  dispatch:
    CPU: only_cpu
";
const NEW_COMPOSITE: &str = "- func: blend(Tensor self) -> Tensor\n";
const BODY: &str = "namespace at::native {\n\
                    Tensor blend(const Tensor& self) { return at::only_cpu(self); }\n}\n";

#[test]
fn a_new_composite_has_a_verdict_from_its_body() {
    let operators = format!("{COMPOSITE}{NEW_COMPOSITE}");
    let folder = folder(&[
        ("native_functions.yaml", &operators),
        ("csrc/blend.cpp", BODY),
        ("csrc/other.cpp", "int main() {}\n"),
    ]);
    let file = folder.path().join("native_functions.yaml");
    let sources = folder.path().join("csrc");
    let table = |key: &str, more: &[&str]| -> Value {
        let arguments = [
            "table",
            "blend",
            "--file",
            path(&file),
            "--key",
            key,
            "--format",
            "json",
        ];
        let output = run(&[&arguments[..], more].concat());
        let error = String::from_utf8_lossy(&output.stderr);
        let table: Value = serde_json::from_slice(&output.stdout).expect(&error);
        table["table"][0]["support"].clone()
    };
    assert_eq!(table("CPU", &[])["verdict"], "unknown");
    let given = ["--sources", path(&sources)];
    let on_cpu = table("CPU", &given);
    assert_eq!(
        [&on_cpu["verdict"], &on_cpu["known_from"]],
        ["decomposes", "source"]
    );
    let on_cuda = table("CUDA", &given);
    assert_eq!(on_cuda["verdict"], "fails");
    assert_eq!(on_cuda["needs"], serde_json::json!(["only_cpu"]));
}

#[test]
fn a_comparison_of_commits_reads_the_sources_of_each() {
    let folder = folder(&[("native_functions.yaml", COMPOSITE)]);
    let commit = || {
        git(folder.path(), &["add", "--all"]);
        git(folder.path(), &["commit", "--quiet", "--message", "x"]);
    };
    git(folder.path(), &["init", "--quiet"]);
    commit();
    let operators = format!("{COMPOSITE}{NEW_COMPOSITE}");
    write(folder.path(), "native_functions.yaml", operators);
    write(folder.path(), "csrc/blend.cpp", BODY);
    commit();
    let compare = |more: &[&str]| {
        let of = [
            "--repository",
            path(folder.path()),
            "--path",
            "native_functions.yaml",
        ];
        let arguments = ["compare", "git:HEAD~1", "git:HEAD"];
        let output = run(&[&arguments[..], &of, more].concat());
        String::from_utf8(output.stdout).unwrap()
    };
    let without = compare(&[]);
    assert!(without.contains("runs on: unknown"), "{without}");
    let with = compare(&["--sources", "csrc"]);
    assert!(with.contains("runs on: CPU"), "{with}");
}
