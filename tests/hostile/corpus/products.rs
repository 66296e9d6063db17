//! Texts of two parts that grow, each of which meets all of the other: a product, where nothing stops
//! it.

use super::comparisons::{self, LONGEST};
use crate::shape::{Asked, Shape, Text, text};

const NATIVE: &str = "native_functions.yaml";

/// Two texts, one behind the other, each of half the size.
const PRODUCTS: &[(&str, Text, Text)] = &[
    (
        "aliases of one entry with many faults",
        text(
            "- &a\n  func: f(Tensor self) -> Tensor\n",
            "  k{i}: 1\n",
            "",
        ),
        text("", "- *a\n", ""),
    ),
    (
        "aliases of one operator with many arguments",
        text("- &a\n  func: f(", "Tensor a{i}, ", "Tensor b) -> Tensor\n"),
        text("", "- *a\n", ""),
    ),
    (
        "aliases of one operator with many tags",
        text(
            "- &a\n  func: f(Tensor self) -> Tensor\n  tags: [",
            "t{i}, ",
            "core]\n",
        ),
        text("", "- *a\n", ""),
    ),
    (
        "aliases of one operator with many kernels",
        text(
            "- &a\n  func: f(Tensor self) -> Tensor\n  dispatch:\n",
            "    K{i}: f\n",
            "",
        ),
        text("", "- *a\n", ""),
    ),
    (
        "aliases of one large list",
        text("- &a [", "1, ", "1]\n"),
        text("", "- *a\n", ""),
    ),
    (
        "aliases of one long schema",
        text("- func: &a f(", "Tensor a{i}, ", "Tensor b) -> Tensor\n"),
        text("", "- func: *a\n", ""),
    ),
    (
        "aliases of one large dispatch",
        text(
            "- func: f(Tensor self) -> Tensor\n  dispatch: &a\n",
            "    K{i}: f\n",
            "",
        ),
        text(
            "",
            "- func: g{i}(Tensor self) -> Tensor\n  dispatch: *a\n",
            "",
        ),
    ),
    (
        "aliases of one long list of tags",
        text(
            "- func: f(Tensor self) -> Tensor\n  tags: &a [",
            "t{i}, ",
            "core]\n",
        ),
        text("", "- func: g{i}(Tensor self) -> Tensor\n  tags: *a\n", ""),
    ),
    (
        "merges of one large mapping",
        text("- &a {", "k{i}: 1, ", "z: 1}\n"),
        text("", "- <<: *a\n", ""),
    ),
    (
        "handles of tags",
        text("", "%TAG !a{i}! x\n", ""),
        text("---\n", "- !a{i}!y b\n", ""),
    ),
    (
        "anchors and breaks",
        text("", "- &a{i} b\n", ""),
        text("", "- [\n", ""),
    ),
    (
        "suppressions within one entry",
        text("- func: f(Tensor self) -> Tensor\n", "  k{i}: 1\n", ""),
        text("", "  # opatlas: allow(field-unknown) x\n", ""),
    ),
    (
        "rules of one suppression over many faults",
        text("# opatlas: allow(", "field-unknown, ", "field-unknown) x\n"),
        text("- func: f(Tensor self) -> Tensor\n", "  k{i}: 1\n", ""),
    ),
    (
        "namesakes of one with many kernels",
        text(
            "- func: f(Tensor self) -> Tensor\n  dispatch:\n",
            "    K{i}: f\n",
            "",
        ),
        text("", "- func: f(Tensor self) -> Tensor\n", ""),
    ),
    (
        "namesakes of one with many tags",
        text(
            "- func: f(Tensor self) -> Tensor\n  tags: [",
            "t{i}, ",
            "core]\n",
        ),
        text("", "- func: f(Tensor self) -> Tensor\n", ""),
    ),
    (
        "delegates of one with many arguments",
        text(
            "- func: f.out(",
            "Tensor a{i}, ",
            "*, Tensor(a!) out) -> Tensor(a!)\n  structured: True\n  dispatch: {CPU: f}\n",
        ),
        text(
            "",
            "- func: f.a{i}(Tensor self) -> Tensor\n  structured_delegate: f.out\n",
            "",
        ),
    ),
    (
        "delegates of one with many kernels",
        text(
            "- func: f.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)\n  structured: True\n  dispatch:\n",
            "    K{i}: f\n",
            "",
        ),
        text(
            "",
            "- func: f.a{i}(Tensor self) -> Tensor\n  structured_delegate: f.out\n",
            "",
        ),
    ),
    (
        "overloads of a base with one long schema",
        text("- func: f(", "Tensor a{i}, ", "Tensor b) -> Tensor\n"),
        text("", "- func: f.a{i}(Tensor self) -> Tensor\n", ""),
    ),
    (
        "one long unknown name beside many",
        text(
            "- func: g(Tensor self) -> Tensor\n  structured_delegate: ",
            "operator_",
            "\n",
        ),
        text(
            "",
            "- func: operator_{x}.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)\n  structured: True\n",
            "",
        ),
    ),
    (
        "many faults in one long line",
        text("- func: f(Tensor self) -> Tensor # ", "a", "\n"),
        text(
            "- {func: f(Tensor self) -> Tensor, ",
            "k{i}: 1, ",
            "z: 1}\n",
        ),
    ),
];

/// A file beside operators, each of half the size.
const BESIDE: &[(&str, &str, Text, Text)] = &[
    (
        "derivatives of overloads of one base",
        "derivatives.yaml",
        text(
            "",
            "- func: f.o{i}(Tensor self) -> Tensor\n  dispatch: {CPU: k}\n",
            "",
        ),
        text(
            "",
            "- name: f.o{i}(Tensor self) -> Tensor\n  self: grad\n",
            "",
        ),
    ),
    (
        "a formula of all arguments",
        "derivatives.yaml",
        text("- func: f(", "Tensor a{i}, ", "Tensor b) -> Tensor\n"),
        text("- name: f(Tensor b) -> Tensor\n  b: ", "a{i} + ", "grad\n"),
    ),
    (
        "a tangent of all arguments",
        "derivatives.yaml",
        text("- func: f(", "Tensor a{i}, ", "Tensor b) -> Tensor\n"),
        text(
            "- name: f(Tensor b) -> Tensor\n  b: grad\n  result: ",
            "a{i}_t + a{i}_p + ",
            "b_t\n",
        ),
    ),
    (
        "aliases of one long formula",
        "derivatives.yaml",
        text("", "- func: f{i}(Tensor self) -> Tensor\n", ""),
        text(
            "- name: f0(Tensor self) -> Tensor\n  self: &a grad + grad + grad\n",
            "- name: f{i}(Tensor self) -> Tensor\n  self: *a\n",
            "",
        ),
    ),
    (
        "one long name in derivatives",
        "derivatives.yaml",
        text("", "- func: operator_{x}(Tensor self) -> Tensor\n", ""),
        text(
            "- name: ",
            "operator_",
            "(Tensor self) -> Tensor\n  self: grad\n",
        ),
    ),
    (
        "one long tag",
        "tags.yaml",
        text(
            "",
            "- func: f{i}(Tensor self) -> Tensor\n  tags: tag_{x}\n",
            "",
        ),
        text("- tag: ", "tag_", "\n"),
    ),
    (
        "one long operator of a backend",
        "backends/acme.yaml",
        text("", "- func: operator_{x}(Tensor self) -> Tensor\n", ""),
        text(
            "backend: PrivateUse1\ncpp_namespace: acme\nsupported:\n- ",
            "operator_",
            "\n",
        ),
    ),
    (
        "overloads of one base of a backend",
        "backends/acme.yaml",
        text("", "- func: f.o{i}(Tensor self) -> Tensor\n", ""),
        text(
            "backend: PrivateUse1\ncpp_namespace: acme\nsupported:\n",
            "- f.o{i}\n- f\n",
            "",
        ),
    ),
    (
        "observed of overloads of one base",
        "observed.json",
        text("", "- func: f.o{i}(Tensor self) -> Tensor\n", ""),
        text(
            r#"{"registrations": {"CPU": {"a.cpp": ["#,
            r#""f","f.o{i}","#,
            r#""f"]}}}"#,
        ),
    ),
    (
        "observed again at every key",
        "observed.json",
        text("", "- func: f{i}(Tensor self) -> Tensor\n", ""),
        text(
            r#"{"registrations": {"#,
            r#""CPU": {"a{i}.cpp": ["f{i}", "f0"]},"#,
            r#""CUDA": {}}}"#,
        ),
    ),
];

pub fn shapes() -> Vec<Shape> {
    let products = PRODUCTS.iter().map(|&(name, first, second)| {
        Shape::new(format!("a product: {name}"), move |size| {
            let both = first.of(size / 2) + &second.of(size / 2);
            Asked::yaml("/v1/validate", both)
        })
    });
    let beside = BESIDE.iter().map(|&(name, file, native, other)| {
        Shape::new(format!("a product: {name}"), move |size| {
            let files = [(NATIVE, native.of(size / 2)), (file, other.of(size / 2))];
            Asked::bundle("/v1/validate", &files)
        })
    });
    products.chain(beside).chain(long()).collect()
}

/// Schemas as long as they are read, as many as there is room for.
fn long() -> Vec<Shape> {
    const SCHEMAS: &[(&str, Text)] = &[
        (
            "arguments",
            text("(", "Tensor a{i}, ", "Tensor b) -> Tensor"),
        ),
        (
            "arguments of unknown types",
            text("(", "T{x} a{i}, ", "Tensor b) -> Tensor"),
        ),
        (
            "one argument again",
            text("(", "Tensor a, ", "Tensor a) -> Tensor"),
        ),
        (
            "returns",
            text("(Tensor self) -> (", "Tensor r{i}, ", "Tensor r)"),
        ),
        (
            "outs",
            text("(*, ", "Tensor(a!) o{i}, ", "Tensor(a!) out) -> Tensor(a!)"),
        ),
        (
            "wrong defaults",
            text("(", "int a{i}=x, ", "int b=1) -> Tensor"),
        ),
        (
            "spread defaults",
            text("(", "int[65536] a{i}=1, ", "int b=1) -> Tensor"),
        ),
        (
            "options",
            text(
                "(*, ",
                "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, ",
                "int b=1) -> Tensor",
            ),
        ),
        ("types", text("(int", "[]", " a) -> Tensor")),
        (
            "alias sets",
            text("(", "Tensor(a!) a{i}, ", "Tensor b) -> Tensor"),
        ),
    ];
    let file = |text: Text, name: char, size: usize| -> String {
        let schema = text.of(LONGEST.min(size));
        let count = (size / schema.len()).max(1);
        let entries = (0..count).map(|at| format!("- func: {name}{at}{schema}\n"));
        entries.collect()
    };
    let validated = SCHEMAS.iter().map(move |&(name, text)| {
        Shape::new(format!("long schemas: {name}"), move |size| {
            Asked::yaml("/v1/validate", file(text, 'f', size))
        })
    });
    let compared = SCHEMAS.iter().map(move |&(name, text)| {
        Shape::new(format!("compare long schemas: {name}"), move |size| {
            let old = file(text, 'f', size / 2);
            let new = old
                .replace(" a", " b")
                .replace(" r", " s")
                .replace(" o", " p");
            comparisons::compare(&old, &new, serde_json::json!({}))
        })
    });
    validated.chain(compared).collect()
}
