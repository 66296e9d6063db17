//! `derivatives.yaml` beside operators.

use super::companions::{DERIVATIVES, Files, KERNELS, NATIVE, OPERATOR, OPERATORS};
use crate::shape::text;

pub const BUNDLES: &[(&str, Files)] = &[
    (
        "derivatives of near names",
        &[
            (NATIVE, OPERATORS),
            (
                DERIVATIVES,
                text(
                    "",
                    "- name: operatr_{x}(Tensor self) -> Tensor\n  self: grad\n",
                    "",
                ),
            ),
        ],
    ),
    (
        "derivatives of near bases",
        &[
            (
                NATIVE,
                text("", "- func: f.o{i}(Tensor self) -> Tensor\n", ""),
            ),
            (
                DERIVATIVES,
                text(
                    "",
                    "- name: f.p{i}(Tensor self) -> Tensor\n  self: grad\n",
                    "",
                ),
            ),
        ],
    ),
    (
        "derivatives of all",
        &[
            (NATIVE, KERNELS),
            (
                DERIVATIVES,
                text(
                    "",
                    "- name: operator_{x}(Tensor self) -> Tensor\n  self: grad\n",
                    "",
                ),
            ),
        ],
    ),
    (
        "derivatives of one",
        &[
            (NATIVE, OPERATOR),
            (
                DERIVATIVES,
                text("", "- name: f(Tensor self) -> Tensor\n  self: grad\n", ""),
            ),
        ],
    ),
    (
        "derivatives that differ from their operators",
        &[
            (
                NATIVE,
                text(
                    "",
                    "- func: f.o{i}(Tensor self, Tensor a{i}) -> Tensor\n",
                    "",
                ),
            ),
            (
                DERIVATIVES,
                text(
                    "",
                    "- name: f.o{i}(Tensor self, Tensor b{i}) -> Tensor\n  b{i}: grad\n",
                    "",
                ),
            ),
        ],
    ),
    (
        "sizes in a formula",
        &[
            (NATIVE, OPERATOR),
            (
                DERIVATIVES,
                text(
                    "- name: f(Tensor self) -> Tensor\n  self: ",
                    "self.sizes() + ",
                    "grad\n",
                ),
            ),
        ],
    ),
    (
        "symbolic sizes in a formula",
        &[
            (NATIVE, OPERATOR),
            (
                DERIVATIVES,
                text(
                    "- name: f(Tensor self) -> Tensor\n  self: ",
                    "self.sym_size(1), ",
                    "grad\n",
                ),
            ),
        ],
    ),
    (
        "words in a formula",
        &[
            (NATIVE, OPERATOR),
            (
                DERIVATIVES,
                text(
                    "- name: f(Tensor self) -> Tensor\n  self: ",
                    "w{i} + ",
                    "grad\n",
                ),
            ),
        ],
    ),
    (
        "grads in a formula",
        &[
            (NATIVE, OPERATOR),
            (
                DERIVATIVES,
                text(
                    "- name: f(Tensor self) -> Tensor\n  self: ",
                    "grads[{i}] + ",
                    "grad\n",
                ),
            ),
        ],
    ),
    (
        "tangents in a formula",
        &[
            (NATIVE, OPERATOR),
            (
                DERIVATIVES,
                text(
                    "- name: f(Tensor self) -> Tensor\n  self: grad\n  result: ",
                    "self_t + self_p + ",
                    "self_t\n",
                ),
            ),
        ],
    ),
    (
        "parentheses in a formula",
        &[
            (NATIVE, OPERATOR),
            (
                DERIVATIVES,
                text("- name: f(Tensor self) -> Tensor\n  self: ", "(", "\n"),
            ),
        ],
    ),
    (
        "a long formula",
        &[
            (NATIVE, OPERATOR),
            (
                DERIVATIVES,
                text("- name: f(Tensor self) -> Tensor\n  self: ", "a", "\n"),
            ),
        ],
    ),
    (
        "arguments with formulas",
        &[
            (
                NATIVE,
                text("- func: f(", "Tensor a{i}, ", "Tensor b) -> Tensor\n"),
            ),
            (
                DERIVATIVES,
                text("- name: f(Tensor b) -> Tensor\n", "  a{i}: grad\n", ""),
            ),
        ],
    ),
    (
        "arguments with formulas that fit",
        &[
            (
                NATIVE,
                text("- func: f(", "Tensor a{i}, ", "Tensor b) -> Tensor\n"),
            ),
            (
                DERIVATIVES,
                text(
                    "- name: f(",
                    "Tensor a{i}, ",
                    "Tensor b) -> Tensor\n  b: grad\n",
                ),
            ),
        ],
    ),
    (
        "formulas of unknown arguments",
        &[
            (NATIVE, OPERATOR),
            (
                DERIVATIVES,
                text("- name: f(Tensor self) -> Tensor\n", "  slf{i}: grad\n", ""),
            ),
        ],
    ),
    (
        "one formula for many arguments",
        &[
            (NATIVE, OPERATOR),
            (
                DERIVATIVES,
                text(
                    "- name: f(Tensor self) -> Tensor\n  ",
                    "a{i}, ",
                    "self: grad\n",
                ),
            ),
        ],
    ),
    (
        "keys of dispatch in derivatives",
        &[
            (NATIVE, OPERATOR),
            (
                DERIVATIVES,
                text(
                    "- name: f(Tensor self) -> Tensor\n  dispatch:\n",
                    "    K{i}:\n      self: grad\n",
                    "",
                ),
            ),
        ],
    ),
    (
        "differentiability of outputs",
        &[
            (NATIVE, OPERATOR),
            (
                DERIVATIVES,
                text(
                    "- name: f(Tensor self) -> Tensor\n  output_differentiability: [",
                    "True, ",
                    "False]\n  self: grad\n",
                ),
            ),
        ],
    ),
    (
        "results with formulas",
        &[
            (
                NATIVE,
                text(
                    "- func: f(Tensor self) -> (",
                    "Tensor r{i}, ",
                    "Tensor r)\n",
                ),
            ),
            (
                DERIVATIVES,
                text(
                    "- name: f(Tensor self) -> Tensor\n  self: grad\n",
                    "  r{i}: self_t\n",
                    "",
                ),
            ),
        ],
    ),
    (
        "derivatives as null entries",
        &[(NATIVE, OPERATOR), (DERIVATIVES, text("", "-\n", ""))],
    ),
    (
        "derivatives by aliases",
        &[
            (NATIVE, OPERATOR),
            (
                DERIVATIVES,
                text(
                    "- &a\n  name: f(Tensor self) -> Tensor\n  self: grad\n",
                    "- *a\n",
                    "",
                ),
            ),
        ],
    ),
    (
        "derivatives in flow",
        &[
            (NATIVE, OPERATOR),
            (
                DERIVATIVES,
                text(
                    "[",
                    "{name: 'f{i}(Tensor self) -> Tensor', self: grad}, ",
                    "]\n",
                ),
            ),
        ],
    ),
    (
        "derivatives of in-place forms",
        &[
            (
                NATIVE,
                text(
                    "",
                    "- func: f{i}_(Tensor(a!) self) -> Tensor(a!)\n- func: f{i}(Tensor self) -> Tensor\n",
                    "",
                ),
            ),
            (
                DERIVATIVES,
                text(
                    "",
                    "- name: f{i}(Tensor self) -> Tensor\n  self: grad * self\n",
                    "",
                ),
            ),
        ],
    ),
];
