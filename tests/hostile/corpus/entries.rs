//! Texts of entries of `native_functions.yaml`: every field, over and over.

use crate::shape::{Text, text};

pub const TEXTS: &[(&str, Text)] = &[
    // Suppressions.
    (
        "suppressions in one comment",
        text("# ", "opatlas:", "\n- func: f() -> ()\n"),
    ),
    (
        "suppressions with blanks",
        text("- func: f() -> () # ", "opatlas: ", "\n"),
    ),
    (
        "suppressions of one rule",
        text("", "# opatlas: allow(name-invalid)\n", ""),
    ),
    (
        "rules of one suppression",
        text(
            "# opatlas: allow(",
            "name-invalid, ",
            "x)\n- func: f() -> ()\n",
        ),
    ),
    (
        "unknown rules suppressed",
        text("", "- func: f{i}() -> () # opatlas: allow({x})\n", ""),
    ),
    (
        "suppressions of the file",
        text("", "# opatlas: allow-file(r{i})\n", "- func: f() -> ()\n"),
    ),
    // Entries.
    (
        "one operator again and again",
        text("", "- func: f() -> ()\n", ""),
    ),
    (
        "one operator with an empty dispatch",
        text("", "- func: f() -> ()\n  dispatch: {}\n", ""),
    ),
    (
        "namesakes of one with all keys",
        text(
            "- func: f() -> ()\n  dispatch:\n    CPU, CUDA, MPS, XPU, HPU, Meta, MkldnnCPU, QuantizedCPU, QuantizedCUDA, SparseCPU, SparseCUDA, SparseMeta, SparseCsrCPU, SparseCsrCUDA, NestedTensorCPU, NestedTensorCUDA, ZeroTensor, CompositeExplicitAutograd: f\n",
            "- func: f() -> ()\n",
            "",
        ),
    ),
    (
        "operators",
        text("", "- func: f{i}(Tensor self) -> Tensor\n", ""),
    ),
    (
        "operators with a dispatch",
        text(
            "",
            "- func: f{i}(Tensor self) -> Tensor\n  dispatch: {CPU: f, CUDA: g}\n",
            "",
        ),
    ),
    (
        "overloads of one base",
        text("", "- func: f.o{i}(Tensor self) -> Tensor\n", ""),
    ),
    (
        "overloads that hide each other",
        text(
            "",
            "- func: f.o{i}(Tensor self, int a=1) -> Tensor\n  variants: function, method\n",
            "",
        ),
    ),
    (
        "overloads with many arguments",
        text(
            "",
            "- func: f.o{i}(Tensor a, int b=1, int c=2, int d=3, *, Tensor? e=None) -> Tensor\n",
            "",
        ),
    ),
    (
        "dunder operators",
        text("", "- func: __f{i}__(Tensor self) -> Tensor\n", ""),
    ),
    (
        "in-place without functional",
        text("", "- func: f{i}_(Tensor(a!) self) -> Tensor(a!)\n", ""),
    ),
    (
        "in-place with an autogen",
        text(
            "",
            "- func: f{i}_(Tensor(a!) self) -> Tensor(a!)\n  dispatch: {CPU: k}\n  autogen: f{i}, f{i}.out\n",
            "",
        ),
    ),
    (
        "out without functional",
        text(
            "",
            "- func: f{i}.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)\n",
            "",
        ),
    ),
    (
        "out forms of one operator",
        text(
            "- func: f(Tensor self) -> Tensor\n",
            "- func: f.out{i}(Tensor self, *, Tensor(a!) out) -> Tensor(a!)\n",
            "",
        ),
    ),
    (
        "functionals of one signature",
        text(
            "",
            "- func: f.a{i}(Tensor self) -> Tensor\n  autogen: f.out{i}\n",
            "",
        ),
    ),
    (
        "in-place of one signature",
        text(
            "",
            "- func: f_.a{i}(Tensor(a!) self) -> Tensor(a!)\n  tags: t{i}\n",
            "",
        ),
    ),
    (
        "mutable of one signature",
        text(
            "",
            "- func: f.m{i}(Tensor self, Tensor(a!) b) -> Tensor\n",
            "",
        ),
    ),
    (
        "autogen of one name",
        text(
            "",
            "- func: f{i}(Tensor self) -> Tensor\n  dispatch: {CPU: k}\n  autogen: g.out\n",
            "",
        ),
    ),
    (
        "autogen names of one entry",
        text(
            "- func: f(Tensor self) -> Tensor\n  autogen: ",
            "f.out{i}, ",
            "f.out\n",
        ),
    ),
    (
        "one autogen name again",
        text(
            "- func: f(Tensor self) -> Tensor\n  autogen: ",
            "f.out, ",
            "f.out\n",
        ),
    ),
    (
        "structured with delegates",
        text(
            "- func: f.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)\n  structured: True\n  dispatch: {CPU: f}\n",
            "- func: f.a{i}(Tensor self) -> Tensor\n  structured_delegate: f.out\n",
            "",
        ),
    ),
    (
        "delegates to nobody",
        text(
            "",
            "- func: f{i}(Tensor self) -> Tensor\n  structured_delegate: {x}.out\n",
            "",
        ),
    ),
    (
        "delegates in chains",
        text(
            "",
            "- func: f{i}(Tensor self) -> Tensor\n  structured_delegate: f{n}\n",
            "",
        ),
    ),
    (
        "structured outs",
        text(
            "",
            "- func: f{i}.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)\n  structured: True\n  dispatch: {CPU: f}\n",
            "",
        ),
    ),
    (
        "precomputed names",
        text(
            "- func: f.out(Tensor self, int d, *, Tensor(a!) out) -> Tensor(a!)\n  structured: True\n  precomputed:\n",
            "  - d -> int a{i}\n",
            "  dispatch: {CPU: f}\n",
        ),
    ),
    (
        "precomputed of one line",
        text(
            "- func: f.out(Tensor self, int d, *, Tensor(a!) out) -> Tensor(a!)\n  structured: True\n  precomputed:\n  - d -> int a",
            ", int b{i}",
            "\n  dispatch: {CPU: f}\n",
        ),
    ),
    (
        "ufunc loops",
        text(
            "- func: f.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)\n  structured: True\n  ufunc_inner_loop:\n",
            "    K{i}: f (Bool)\n",
            "",
        ),
    ),
    (
        "ufunc dtypes",
        text(
            "- func: f.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)\n  structured: True\n  ufunc_inner_loop:\n    Generic: f (",
            "D{i}, ",
            "Bool)\n",
        ),
    ),
    (
        "one ufunc dtype again",
        text(
            "- func: f.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)\n  structured: True\n  ufunc_inner_loop:\n    Generic: f (",
            "Bool, ",
            "Bool)\n",
        ),
    ),
    (
        "dispatch keys unknown",
        text(
            "- func: f(Tensor self) -> Tensor\n  dispatch:\n",
            "    K{i}: f\n",
            "",
        ),
    ),
    (
        "dispatch keys nearly known",
        text(
            "- func: f(Tensor self) -> Tensor\n  dispatch:\n",
            "    CompositeExplicitAutogra{i}: f\n",
            "",
        ),
    ),
    (
        "dispatch keys on one line",
        text(
            "- func: f(Tensor self) -> Tensor\n  dispatch:\n    ",
            "CPU, ",
            "CPU: f\n",
        ),
    ),
    (
        "unknown dispatch keys on one line",
        text(
            "- func: f(Tensor self) -> Tensor\n  dispatch:\n    ",
            "K{i}, ",
            "CPU: f\n",
        ),
    ),
    (
        "one dispatch key again",
        text(
            "- func: f(Tensor self) -> Tensor\n  dispatch:\n",
            "    CPU: f\n",
            "",
        ),
    ),
    (
        "dispatch of one line",
        text(
            "- func: f(Tensor self) -> Tensor\n  dispatch: {",
            "CPU: f, ",
            "CUDA: f}\n",
        ),
    ),
    (
        "a long kernel",
        text(
            "- func: f(Tensor self) -> Tensor\n  dispatch:\n    CPU: ",
            "a::",
            "f\n",
        ),
    ),
    (
        "kernels with namespaces",
        text(
            "",
            "- func: f{i}(Tensor self) -> Tensor\n  dispatch: {CPU: a::b::c{i}}\n",
            "",
        ),
    ),
    (
        "tags of one entry",
        text(
            "- func: f(Tensor self) -> Tensor\n  tags: [",
            "t{i}, ",
            "core]\n",
        ),
    ),
    (
        "one tag again",
        text(
            "- func: f(Tensor self) -> Tensor\n  tags: [",
            "core, ",
            "core]\n",
        ),
    ),
    (
        "tags as one text",
        text(
            "- func: f(Tensor self) -> Tensor\n  tags: ",
            "core, ",
            "core\n",
        ),
    ),
    (
        "near tags",
        text(
            "",
            "- func: f{i}(Tensor self) -> Tensor\n  tags: pointwis{x}\n",
            "",
        ),
    ),
    (
        "no-default arguments",
        text(
            "- func: f(Tensor self) -> Tensor\n  cpp_no_default_args: [",
            "a{i}, ",
            "b]\n",
        ),
    ),
    (
        "one no-default argument again",
        text(
            "- func: f(Tensor self, int a=1) -> Tensor\n  cpp_no_default_args: [",
            "a, ",
            "a]\n",
        ),
    ),
    (
        "variants",
        text(
            "- func: f(Tensor self) -> Tensor\n  variants: ",
            "function, ",
            "method\n",
        ),
    ),
    (
        "unknown fields",
        text(
            "",
            "- func: f{i}(Tensor self) -> Tensor\n  dispach{i}: x\n",
            "",
        ),
    ),
    (
        "values of the wrong type",
        text(
            "",
            "- func: f{i}(Tensor self) -> Tensor\n  structured: [1, {a: b}]\n  variants: {}\n  tags: 3\n",
            "",
        ),
    ),
    (
        "views",
        text(
            "",
            "- func: v{i}(Tensor(a) self) -> Tensor(a)\n  dispatch: {CPU: k}\n",
            "",
        ),
    ),
    (
        "views and copies",
        text(
            "",
            "- func: v{i}(Tensor(a) self) -> Tensor(a)\n- func: v{i}_copy(Tensor self) -> Tensor\n  tags: view_copy\n",
            "",
        ),
    ),
    (
        "copies without a view",
        text(
            "",
            "- func: v{i}_copy(Tensor self) -> Tensor\n  tags: view_copy\n",
            "",
        ),
    ),
    (
        "copies of one view",
        text(
            "- func: v(Tensor(a) self) -> Tensor(a)\n",
            "- func: v_copy.o{i}(Tensor self) -> Tensor\n  tags: view_copy\n",
            "",
        ),
    ),
    (
        "foreach",
        text(
            "",
            "- func: _foreach_f{i}(Tensor[] self) -> Tensor[]\n- func: _foreach_f{i}_(Tensor(a!)[] self) -> ()\n",
            "",
        ),
    ),
    (
        "random operators",
        text(
            "",
            "- func: rand_f{i}(Tensor self, *, Generator? generator=None) -> Tensor\n",
            "",
        ),
    ),
    (
        "backwards",
        text("", "- func: f{i}_backward(Tensor grad) -> Tensor\n", ""),
    ),
    (
        "names nearly alike",
        text(
            "",
            "- func: aaaaaaaaaaaaaaaaaaaaaaaa{i}(Tensor self) -> Tensor\n  structured_delegate: aaaaaaaaaaaaaaaaaaaaaaaa{i}x\n",
            "",
        ),
    ),
    ("copyright lines", text("# ", "=", "\n- func: f() -> ()\n")),
];
