//! Which files are read, and templates of sources.

mod common;

use common::{check, check_files, scanned};
use opatlas_sources::{FaultKind, File, Macros, Sieve};

const BLOCK: &str = "TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) { m.impl(\"abs\", f); }\n";

#[test]
fn sources_have_many_suffixes() {
    let macros = Macros::built_in();
    let sieve = Sieve::new(&macros);
    for ending in [
        "cpp",
        "cpp.inc",
        "cpp.in",
        "mu",
        "muh",
        "cu",
        "cuh",
        "hip",
        "mm",
        "inc",
        "ipp",
        "tpp",
        "tcc",
        "txx",
        "c++",
        "h++",
        "hpp.in",
        "tmpl",
        "cpp.jinja",
        "h.template",
        "def",
        "ini",
        "CPP",
    ] {
        let path = format!("src/ops.{ending}");
        let file = File {
            path: &path,
            bytes: BLOCK.as_bytes(),
        };
        assert!(sieve.keeps(file), "{path}");
        check(
            &path,
            BLOCK,
            &["1:44 impl aten::abs key=PrivateUse1 kernel=f"],
        );
    }
}

#[test]
fn documents_and_other_languages_register_nothing() {
    let macros = Macros::built_in();
    let sieve = Sieve::new(&macros);
    for path in [
        "notes.md",
        "guide.rst",
        "a.txt",
        "a.ipynb",
        "a.json",
        "build.log",
        "README",
        "a.html",
        "a.sh",
        "a.rs",
        "CMakeLists.txt",
        "a.yaml",
        "README.cpp.md",
    ] {
        let file = File {
            path,
            bytes: BLOCK.as_bytes(),
        };
        assert!(!sieve.keeps(file), "{path}");
        check(path, BLOCK, &[]);
    }
}

#[test]
fn files_without_a_suffix_are_read_by_their_contents() {
    let python = "import torch\nlib = torch.library.Library(\"aten\", \"IMPL\")\n\
                  lib.impl(\"abs\", f, \"XPU\")\n";
    check_files(
        &[
            ("bin/register", python),
            ("bin/table", "1 2 3\n"),
            ("ops.list", BLOCK),
        ],
        &[
            "bin/register:3:1 impl aten::abs key=XPU kernel=f",
            "ops.list:1:44 impl aten::abs key=PrivateUse1 kernel=f",
        ],
    );
}

#[test]
fn placeholders_of_templates_are_unresolved() {
    check(
        "ops.cpp.jinja",
        "TORCH_LIBRARY_IMPL(aten, {{ key }}, m) {\n\
         {% for op in ops %}\n  m.impl(\"{{ op.name }}\", TORCH_FN({{ op.kernel }}));\n{% endfor %}\n  \
         m.impl(\"abs\", f);\n}\n\
         TORCH_LIBRARY_IMPL(@NS@, CPU, m) {\n  m.impl(\"@OP@\", f);\n  m.impl(\"neg\", f);\n  ${more}\n}\n",
        &[
            "3:3 impl aten::? kernel={{op.kernel}} \
             why=the operator's name `{{ op.name }}` is a placeholder of a template",
            "5:3 impl aten::abs kernel=f why=the dispatch key `{{key}}` is a placeholder of a template",
            "8:3 impl ?::? key=CPU kernel=f \
             why=the operator's name `@OP@` is a placeholder of a template",
            "9:3 impl ?::neg key=CPU kernel=f \
             why=the namespace `@NS@` is a placeholder of a template",
            "10:3 impl ?::? key=CPU why=`${more}` is a placeholder of a template",
        ],
    );
}

#[test]
fn a_patch_that_adds_registrations_is_a_fault() {
    let patch = "--- a/ops.cpp\n+++ b/ops.cpp\n@@ -1 +1,2 @@\n {\n+  m.impl(\"abs\", f);\n";
    let faults = |text: &str| {
        let scan = scanned("ops.cpp.patch", text);
        assert_eq!(scan.registrations, []);
        let faults = scan.faults.iter();
        faults
            .map(|fault| (fault.kind, fault.at.start))
            .collect::<Vec<_>>()
    };
    assert_eq!(faults(patch), [(FaultKind::Patch, 45)]);
    assert_eq!(faults(&patch.replace("+  m", "-  m")), []);
}
