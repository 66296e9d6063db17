//! Files of out-of-tree backends and `observed.json` beside operators.

use super::companions::{BACKEND, Files, KERNELS, NATIVE, OBSERVED, OPERATOR, OPERATORS, VENDOR};
use crate::shape::text;

pub const BUNDLES: &[(&str, Files)] = &[
    (
        "a backend of near names",
        &[
            (NATIVE, OPERATORS),
            (BACKEND, text(VENDOR, "- operatr_{x}\n", "")),
        ],
    ),
    (
        "a backend of near overloads",
        &[
            (
                NATIVE,
                text("", "- func: f.o{i}(Tensor self) -> Tensor\n", ""),
            ),
            (BACKEND, text(VENDOR, "- f.p{i}\n", "")),
        ],
    ),
    (
        "a backend with all",
        &[
            (NATIVE, KERNELS),
            (BACKEND, text(VENDOR, "- operator_{x}\n", "")),
        ],
    ),
    (
        "a backend with one again",
        &[(NATIVE, OPERATOR), (BACKEND, text(VENDOR, "- f\n", ""))],
    ),
    (
        "a backend of empty values",
        &[(NATIVE, OPERATOR), (BACKEND, text(VENDOR, "-\n", ""))],
    ),
    (
        "a backend on one line",
        &[
            (NATIVE, OPERATORS),
            (
                BACKEND,
                text(
                    "backend: PrivateUse1\ncpp_namespace: acme\nsupported: [",
                    "operatr_{x}, ",
                    "f]\n",
                ),
            ),
        ],
    ),
    (
        "a backend with its own autograd",
        &[
            (NATIVE, OPERATORS),
            (
                BACKEND,
                text(
                    "backend: PrivateUse1\ncpp_namespace: acme\nautograd:\n",
                    "- operator_{x}\n",
                    "symint:\n- f\n",
                ),
            ),
        ],
    ),
    (
        "symbolic integers of a backend",
        &[
            (NATIVE, OPERATORS),
            (
                BACKEND,
                text(
                    "backend: PrivateUse1\ncpp_namespace: acme\nsymint:\n",
                    "- operatr_{x}\n",
                    "",
                ),
            ),
        ],
    ),
    (
        "members of a backend",
        &[
            (NATIVE, OPERATOR),
            (
                BACKEND,
                text(
                    "backend: PrivateUse1\ncpp_namespace: acme\n",
                    "suported{i}: []\n",
                    "",
                ),
            ),
        ],
    ),
    (
        "a backend of a long name",
        &[
            (NATIVE, OPERATOR),
            (
                BACKEND,
                text("cpp_namespace: acme\nsupported: []\nbackend: ", "CPU", "\n"),
            ),
        ],
    ),
    (
        "a namespace of a backend",
        &[
            (NATIVE, OPERATOR),
            (
                BACKEND,
                text(
                    "backend: PrivateUse1\nsupported: []\ncpp_namespace: ",
                    "a::",
                    "b\n",
                ),
            ),
        ],
    ),
    (
        "groups of a backend",
        &[
            (
                NATIVE,
                text(
                    "",
                    "- func: f{i}.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)\n- func: f{i}(Tensor self) -> Tensor\n",
                    "",
                ),
            ),
            (
                BACKEND,
                text(VENDOR, "- f{i}\n- f{i}.out\n", "autograd:\n- f1\n"),
            ),
        ],
    ),
    (
        "observed of unknown operators",
        &[
            (NATIVE, OPERATOR),
            (
                OBSERVED,
                text(
                    r#"{"registrations": {"CPU": {"a.cpp": ["#,
                    r#""g{i}","#,
                    r#""f"]}}}"#,
                ),
            ),
        ],
    ),
    (
        "observed of one operator",
        &[
            (NATIVE, OPERATOR),
            (
                OBSERVED,
                text(
                    r#"{"registrations": {"CPU": {"a.cpp": ["#,
                    r#""f","#,
                    r#""f"]}}}"#,
                ),
            ),
        ],
    ),
    (
        "observed at unknown keys",
        &[
            (NATIVE, OPERATOR),
            (
                OBSERVED,
                text(
                    r#"{"registrations": {"#,
                    r#""K{i}": {"a.cpp": ["f"]},"#,
                    r#""CPU": {}}}"#,
                ),
            ),
        ],
    ),
    (
        "observed of many sources",
        &[
            (NATIVE, OPERATOR),
            (
                OBSERVED,
                text(
                    r#"{"registrations": {"CPU": {"#,
                    r#""a{i}.cpp": ["f"],"#,
                    r#""b.cpp": []}}}"#,
                ),
            ),
        ],
    ),
    (
        "observed that is all lists",
        &[(NATIVE, OPERATOR), (OBSERVED, text("", "[", ""))],
    ),
    (
        "observed with members to spare",
        &[
            (NATIVE, OPERATOR),
            (
                OBSERVED,
                text(r#"{"other": ["#, "1,", r#"1], "registrations": {}}"#),
            ),
        ],
    ),
    (
        "observed with empty lists",
        &[
            (NATIVE, OPERATOR),
            (
                OBSERVED,
                text(r#"{"other": ["#, "[],", r#"1], "registrations": {}}"#),
            ),
        ],
    ),
    (
        "observed of all",
        &[
            (NATIVE, OPERATORS),
            (
                OBSERVED,
                text(
                    r#"{"registrations": {"CPU": {"a.cpp": ["#,
                    r#""operator_{x}","#,
                    r#""f"]}}}"#,
                ),
            ),
        ],
    ),
];
