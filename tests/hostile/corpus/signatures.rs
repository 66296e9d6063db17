//! Texts of entries whose schemas are long, odd or broken.

use crate::shape::{Text, text};

pub const TEXTS: &[(&str, Text)] = &[
    (
        "arguments",
        text("- func: f(", "Tensor a{i}, ", "Tensor b) -> Tensor\n"),
    ),
    (
        "one argument again",
        text("- func: f(", "Tensor a, ", "Tensor a) -> Tensor\n"),
    ),
    (
        "arguments of unknown types",
        text("- func: f(", "Tensr{i} a{i}, ", "Tensor b) -> Tensor\n"),
    ),
    (
        "an unknown type each",
        text("", "- func: f{i}(Tensr{x} self) -> Tensor\n", ""),
    ),
    (
        "returns",
        text(
            "- func: f(Tensor self) -> (",
            "Tensor r{i}, ",
            "Tensor r)\n",
        ),
    ),
    (
        "one return again",
        text("- func: f(Tensor self) -> (", "Tensor r, ", "Tensor r)\n"),
    ),
    (
        "alias sets",
        text("- func: f(", "Tensor(a!) a{i}, ", "Tensor b) -> Tensor\n"),
    ),
    (
        "alias sets of one annotation",
        text("- func: f(Tensor(", "a|", "b) self) -> Tensor\n"),
    ),
    (
        "outs of one operator",
        text(
            "- func: f(Tensor self, *, ",
            "Tensor(a!) o{i}, ",
            "Tensor(a!) out) -> Tensor(a!)\n",
        ),
    ),
    ("list types", text("- func: f(int", "[]", " a) -> Tensor\n")),
    (
        "optional types",
        text("- func: f(int", "?", " a) -> Tensor\n"),
    ),
    (
        "list sizes",
        text(
            "- func: f(",
            "int[99999999]  a{i}=1, ",
            "int b) -> Tensor\n",
        ),
    ),
    (
        "spread defaults",
        text(
            "- func: f(",
            "int[65536] a{i}=1, ",
            "int[65536] b=1) -> Tensor\n",
        ),
    ),
    (
        "spread defaults of many operators",
        text("", "- func: f{i}(int[65536] a=1) -> Tensor\n", ""),
    ),
    (
        "a list size of many digits",
        text("- func: f(int[", "9", "] a) -> Tensor\n"),
    ),
    (
        "a default list",
        text("- func: f(int[] a=[", "1,", "1]) -> Tensor\n"),
    ),
    (
        "a default text",
        text("- func: \"f(str a='", "x", "') -> Tensor\"\n"),
    ),
    (
        "a default number",
        text("- func: f(int a=", "9", ") -> Tensor\n"),
    ),
    (
        "a default nobody knows",
        text("- func: f(int a=", "Mea", ") -> Tensor\n"),
    ),
    (
        "wrong defaults",
        text("- func: f(", "int a{i}=x, ", "int b=1) -> Tensor\n"),
    ),
    ("stars", text("- func: f(", "*, ", "int b) -> Tensor\n")),
    ("parentheses", text("- func: f", "(", "\n")),
    ("arrows", text("- func: f() ", "-> ", "\n")),
    ("commas", text("- func: f(", ",", ") -> Tensor\n")),
    (
        "a long name",
        text("- func: ", "a", "(Tensor self) -> Tensor\n"),
    ),
    (
        "a long name with underscores",
        text("- func: ", "_", "(Tensor self) -> Tensor\n"),
    ),
    ("dots", text("- func: f", ".a", "(Tensor self) -> Tensor\n")),
    (
        "namespaces",
        text("- func: ", "a::", "f(Tensor self) -> Tensor\n"),
    ),
    (
        "a namespace each",
        text("", "- func: n{i}::f(Tensor self) -> Tensor\n", ""),
    ),
    (
        "blanks in schemas",
        text("- func: f(Tensor", " ", "self) -> Tensor\n"),
    ),
    (
        "a schema never ended",
        text("", "- func: f{i}(Tensor self\n", ""),
    ),
    ("schemas that are none", text("", "- func: {x}\n", "")),
    (
        "entries without a schema",
        text("", "- variants: function\n", ""),
    ),
    ("schemas of the wrong type", text("", "- func: [f]\n", "")),
    (
        "dimnames and generators",
        text(
            "",
            "- func: f{i}(Tensor self, Dimname[]? names, Generator? g=None, MemoryFormat? m=None) -> Tensor\n",
            "",
        ),
    ),
    (
        "tensor options",
        text(
            "",
            "- func: f{i}(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor\n",
            "",
        ),
    ),
    (
        "options in turn",
        text(
            "- func: f(*, ",
            "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, ",
            "int b=1) -> Tensor\n",
        ),
    ),
];
