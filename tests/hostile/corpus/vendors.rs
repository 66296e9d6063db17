//! Files of vendors that PyTorch's generator does not read: supersets of backend files, lists over
//! PyTorch's entries, libraries of operators, and the profiles that say how they are read.

use super::companions::{BACKEND, Files, NATIVE, OPERATOR, OPERATORS};
use crate::shape::text;

const PROFILE: &str = "vendor.yaml";
const ASCEND: &str = "backend: NPU\ncpp_namespace: op_plugin\n";

pub const BUNDLES: &[(&str, Files)] = &[
    (
        "operators of a vendor's own",
        &[
            (NATIVE, OPERATOR),
            (
                BACKEND,
                text(
                    "backend: NPU\ncpp_namespace: op_plugin\ncustom:\n",
                    "- func: npu_{x}(Tensor self) -> Tensor\n  all_version: [v2.1, newest]\n",
                    "",
                ),
            ),
        ],
    ),
    (
        "one operator of a vendor again",
        &[
            (NATIVE, OPERATOR),
            (
                BACKEND,
                text(
                    "backend: NPU\ncpp_namespace: op_plugin\ncustom:\n",
                    "- func: npu_f(Tensor self) -> Tensor\n",
                    "",
                ),
            ),
        ],
    ),
    (
        "schemas of a vendor that differ",
        &[
            (NATIVE, OPERATORS),
            (
                BACKEND,
                text(
                    "backend: NPU\ncpp_namespace: op_plugin\nofficial:\n",
                    "- func: operator_{x}(Tensor self, int n=0) -> Tensor\n  all_version: all_version\n",
                    "",
                ),
            ),
        ],
    ),
    (
        "versions of a vendor's entry",
        &[
            (NATIVE, OPERATOR),
            (
                BACKEND,
                text(
                    "backend: NPU\ncpp_namespace: op_plugin\nofficial:\n- func: f(Tensor self) -> Tensor\n  all_version: ",
                    "v2.1, ",
                    "v2.2\n",
                ),
            ),
        ],
    ),
    (
        "fields of a vendor's entry",
        &[
            (NATIVE, OPERATOR),
            (
                BACKEND,
                text(
                    "backend: NPU\ncpp_namespace: op_plugin\nofficial:\n- func: f(Tensor self) -> Tensor\n",
                    "  field_{x}: v2.1\n",
                    "",
                ),
            ),
        ],
    ),
    (
        "formulas of a vendor",
        &[
            (NATIVE, OPERATORS),
            (
                BACKEND,
                text(
                    "all_version: [v2.1]\nbackward:\n",
                    "- name: operatr_{x}(Tensor self) -> Tensor\n  self: f(grad)\n",
                    "",
                ),
            ),
        ],
    ),
    (
        "a superset of an unknown vendor",
        &[
            (NATIVE, OPERATORS),
            (
                BACKEND,
                text("backend: Acme\ncustom:\n", "- func: npu_{x}() -> ()\n", ""),
            ),
        ],
    ),
    (
        "a list over PyTorch's",
        &[
            (NATIVE, OPERATORS),
            (
                BACKEND,
                text(
                    "",
                    "- func: operator_{x}(Tensor self) -> Tensor\n  dispatch:\n    XPU: k\n",
                    "",
                ),
            ),
        ],
    ),
    (
        "a list of near names over PyTorch's",
        &[
            (NATIVE, OPERATORS),
            (
                BACKEND,
                text(
                    "",
                    "- func: operatr_{x}(Tensor self) -> Tensor\n  dispatch:\n    XPU, CUDA: k\n",
                    "",
                ),
            ),
        ],
    ),
    (
        "one operator again over PyTorch's",
        &[
            (NATIVE, OPERATOR),
            (
                BACKEND,
                text(
                    "",
                    "- func: f(Tensor self) -> Tensor\n  dispatch: {XPU: k}\n",
                    "",
                ),
            ),
        ],
    ),
    (
        "a library",
        &[
            (NATIVE, text("[]\n", "", "")),
            (
                BACKEND,
                text(
                    "namespace: vision\nschemas:\n",
                    "- vision::nms_{x}(Dict(str, Tensor) d, (int, int) t, int[2]? s=None) -> Tensor[]\n",
                    "",
                ),
            ),
        ],
    ),
    (
        "a library of one schema with many arguments",
        &[
            (NATIVE, text("[]\n", "", "")),
            (
                BACKEND,
                text(
                    "namespace: vision\nschemas:\n- \"vision::f(Tensor self",
                    ", int a{i}",
                    ") -> Tensor\"\n",
                ),
            ),
        ],
    ),
    (
        "spellings of a vendor",
        &[
            (NATIVE, OPERATOR),
            (
                PROFILE,
                text("key: PrivateUse1\nspellings:\n", "- ACME_{x}\n", ""),
            ),
            (BACKEND, text(ASCEND, "custom{i}: []\n", "")),
        ],
    ),
    (
        "fields and versions of a vendor's profile",
        &[
            (NATIVE, OPERATOR),
            (
                PROFILE,
                text(
                    "key: PrivateUse1\nversions: [since]\nfields: [",
                    "f{i}, ",
                    "g]\n",
                ),
            ),
            (
                BACKEND,
                text(
                    "backend: PrivateUse1\ncpp_namespace: acme\ncustom:\n",
                    "- func: a_{x}() -> ()\n  f{i}: 1\n  since: v2.1\n",
                    "",
                ),
            ),
        ],
    ),
    (
        "members of a vendor's profile",
        &[
            (NATIVE, OPERATOR),
            (
                PROFILE,
                text("key: PrivateUse1\n", "spelings_{x}: []\n", ""),
            ),
        ],
    ),
];
