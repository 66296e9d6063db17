//! Hostile input: large, deep, broken or not text.

mod common;

use common::scanned;
use opatlas_sources::{FaultKind, File, LARGEST_FILE, Macros, scan};

fn faults(path: &str, bytes: &[u8]) -> Vec<FaultKind> {
    let scan = scan(&[File { path, bytes }], &Macros::built_in());
    scan.faults.iter().map(|fault| fault.kind).collect()
}

#[test]
fn files_that_are_no_source_are_faults() {
    assert_eq!(
        faults("a.cpp", &vec![b' '; LARGEST_FILE + 1]),
        [FaultKind::TooLarge]
    );
    assert_eq!(faults("a.py", b"torch.library\0"), [FaultKind::Binary]);
    assert_eq!(
        faults("a.cpp", b"TORCH_LIBRARY(a, m) { m.def(\"\xff() -> ()\"); }"),
        [FaultKind::Encoding]
    );
    assert_eq!(faults("a.txt", b"torch.library"), []);
}

#[test]
fn an_invalid_byte_costs_only_its_place() {
    let bytes = b"// \xff\nTORCH_LIBRARY(a, m) { m.def(\"f() -> ()\"); }";
    let file = File {
        path: "a.cpp",
        bytes,
    };
    let scan = scan(&[file], &Macros::built_in());
    assert_eq!(scan.registrations.len(), 1);
}

/// A head, a piece that repeats, and a tail.
const SHAPES: [(&str, &str, &str, &str); 23] = [
    (
        "a.cpp",
        "TORCH_LIBRARY_IMPL(aten, CPU, m) {",
        "m.impl(\"x\", f);",
        "}",
    ),
    ("a.cpp", "TORCH_LIBRARY_IMPL(aten, CPU, m) {", "{", ""),
    ("a.cpp", "TORCH_LIBRARY_IMPL(aten, CPU, m) {", "(", "}"),
    (
        "a.cpp",
        "TORCH_LIBRARY_IMPL(aten, CPU, m) { m.impl(\"x\", ",
        "f<",
        ");}",
    ),
    (
        "a.cpp",
        "TORCH_LIBRARY_IMPL(aten, CPU, m) { m",
        ".impl(\"x\", f)",
        ";}",
    ),
    (
        "a.cpp",
        "TORCH_LIBRARY_IMPL(aten, CPU, m) {",
        "KERNEL_XLA(x, y) ",
        "}",
    ),
    (
        "a.cpp",
        "TORCH_LIBRARY_IMPL(aten, CPU, m) {",
        "if (a) ",
        "m.impl(\"x\", f);}",
    ),
    ("a.cpp", "", "TORCH_LIBRARY_IMPL(aten, CPU, m) {", ""),
    ("a.cpp", "TORCH_LIBRARY", "\n#if A", ""),
    ("a.cpp", "TORCH_LIBRARY", "\n#define A m.impl(\"x\", f)", ""),
    ("a.cpp", "TORCH_LIBRARY", "R\"x(", ""),
    (
        "a.cpp",
        "",
        "void f(torch::Library& m) { m.impl(\"x\", f); g(m); }",
        "",
    ),
    (
        "a.cpp",
        "",
        "torch::Library m(torch::Library::IMPL, n, k); m.impl(\"x\", f);",
        "",
    ),
    (
        "a.cpp",
        "void f() {",
        "auto m = MAKE_TORCH_LIBRARY(a); m.impl(\"x\", f);",
        "}",
    ),
    ("a.cpp", "", "torch::Library& f() { f(); } ", ""),
    ("a.cpp", "torch::Library", " m.impl(\"x\", f);", ""),
    ("a.cpp", "torch::Library", " using L = ", ""),
    (
        "a.cpp",
        "TORCH_LIBRARY_IMPL(aten, CPU, m) {",
        "f([](torch::Library& m) {",
        "",
    ),
    ("a.cpp", "TORCH_LIBRARY_IMPL(aten, CPU, m) {", "${x}", ""),
    ("a.py", "import torch.library\nx = ", "[", ""),
    ("a.py", "import torch.library\nx = ", "\"a\" + ", "\"b\""),
    (
        "a.py",
        "lib = Library(\"aten\", \"IMPL\")\n",
        "lib.impl(\"x\", f, \"CPU\")\n",
        "",
    ),
    ("a.py", "import torch.library\n", "if x:\n ", ""),
];

#[test]
fn repeated_pieces_are_read_within_bounds() {
    for (path, head, piece, tail) in SHAPES {
        let text = format!("{head}{}{tail}", piece.repeat((100 << 10) / piece.len()));
        scanned(path, &text);
    }
}

#[test]
fn long_lines_are_read() {
    let piece = "m.impl(\"x\", f); ";
    let body = piece.repeat((1 << 20) / piece.len());
    let text = format!("TORCH_LIBRARY_IMPL(aten, CPU, m) {{ {body} }}");
    let scan = scanned("a.cpp", &text);
    assert_eq!(scan.registrations.len(), (1 << 20) / piece.len());
    assert!(scan.faults.is_empty());
}

#[test]
fn deep_code_is_a_fault() {
    let text = format!(
        "TORCH_LIBRARY_IMPL(aten, CPU, m) {{ {} m.impl(\"x\", f); {} }}",
        "{".repeat(1000),
        "}".repeat(1000)
    );
    let scan = scanned("a.cpp", &text);
    assert_eq!(scan.faults.len(), 1);
    assert_eq!(scan.faults[0].kind, FaultKind::TooDeep);
}

#[test]
fn every_prefix_of_a_file_is_read() {
    let text = "#if A\nTORCH_LIBRARY_IMPL(aten, CPU, m) {\n m.impl(\"é\" R\"(x)\", &f<1>);\n\
                KERNEL_XLA(a, b) /* c */ }\n#endif\n#define X m.def(\"a\")\n";
    let python = "lib = Library(\"é\", \"IMPL\")\n@lib.impl(f'{x}', \"CPU\")\ndef f(): ...\n";
    for (path, text) in [("a.cpp", text), ("a.py", python)] {
        for end in (0..=text.len()).filter(|end| text.is_char_boundary(*end)) {
            scanned(path, &text[..end]);
            scanned(path, &text[end..]);
        }
    }
}
