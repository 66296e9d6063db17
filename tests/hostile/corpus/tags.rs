//! `tags.yaml` and `deprecated.yaml` beside operators.

use super::companions::{DEPRECATED, Files, NATIVE, OPERATOR, OPERATORS, TAGS};
use crate::shape::text;

pub const BUNDLES: &[(&str, Files)] = &[
    (
        "tags nearly used",
        &[
            (
                NATIVE,
                text(
                    "",
                    "- func: f{i}(Tensor self) -> Tensor\n  tags: tag{x}y\n",
                    "",
                ),
            ),
            (TAGS, text("", "- tag: tag{x}\n", "")),
        ],
    ),
    (
        "tags all used",
        &[
            (
                NATIVE,
                text(
                    "",
                    "- func: f{i}(Tensor self) -> Tensor\n  tags: tag{i}\n",
                    "",
                ),
            ),
            (TAGS, text("", "- tag: tag{i}\n  desc: x\n", "")),
        ],
    ),
    (
        "tags of one entry, all known",
        &[
            (
                NATIVE,
                text(
                    "- func: f(Tensor self) -> Tensor\n  tags: [",
                    "t{i}, ",
                    "core]\n",
                ),
            ),
            (TAGS, text("", "- tag: t{i}\n", "")),
        ],
    ),
    (
        "one tag declared again",
        &[(NATIVE, OPERATOR), (TAGS, text("", "- tag: a\n", ""))],
    ),
    (
        "tags as null entries",
        &[(NATIVE, OPERATOR), (TAGS, text("", "-\n", ""))],
    ),
    (
        "tags with unknown fields",
        &[
            (NATIVE, OPERATOR),
            (TAGS, text("- tag: a\n", "  dsc{i}: x\n", "")),
        ],
    ),
    (
        "descriptions of tags",
        &[
            (NATIVE, OPERATOR),
            (TAGS, text("- tag: a\n  desc: |\n", "    word\n", "")),
        ],
    ),
    (
        "tags of a whole namespace",
        &[
            (
                NATIVE,
                text(
                    "",
                    "- func: f.o{i}(Tensor self) -> Tensor\n  tags: t{i}\n- func: f.p{i}_(Tensor(a!) self) -> Tensor(a!)\n",
                    "",
                ),
            ),
            (TAGS, text("", "- tag: t{i}\n", "")),
        ],
    ),
    (
        "deprecated signatures",
        &[
            (NATIVE, OPERATORS),
            (
                DEPRECATED,
                text(
                    "",
                    "- name: operatr_{x}(Tensor self) -> Tensor\n  aten: operatr_{x}(self)\n",
                    "",
                ),
            ),
        ],
    ),
    (
        "deprecated signatures of one",
        &[
            (NATIVE, OPERATOR),
            (
                DEPRECATED,
                text(
                    "",
                    "- name: f(Scalar a{i}, Tensor self) -> Tensor\n  aten: f(self)\n",
                    "",
                ),
            ),
        ],
    ),
    (
        "arguments of one deprecated call",
        &[
            (NATIVE, OPERATOR),
            (
                DEPRECATED,
                text(
                    "- name: f(Tensor self) -> Tensor\n  aten: f(",
                    "self, ",
                    "self)\n",
                ),
            ),
        ],
    ),
    (
        "deprecated as null entries",
        &[(NATIVE, OPERATOR), (DEPRECATED, text("", "-\n", ""))],
    ),
];
