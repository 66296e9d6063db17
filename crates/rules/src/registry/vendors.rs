//! Rules of vendors' files (`docs/spec/vendors.md`): supersets of backend files, and overlays. The parser
//! reports problems of the text alone.

use opatlas_source::VENDOR;
use opatlas_source::diagnostic::{RuleId, Severity};

use crate::rule::{Example, Family, Rule, Stage};

const fn example(text: &'static str) -> Example {
    Example::of("backends/acme.yaml", text)
}

const fn profile(text: &'static str) -> Example {
    Example::of(VENDOR, text)
}

const fn rule(id: RuleId, severity: Severity) -> Rule {
    Rule {
        good: example(
            "backend: NPU\nsupported:\n- func: scale(Tensor self, Tensor other) -> Tensor\n  \
             op_api: True\ncustom:\n- func: mine(Tensor self) -> Tensor\n",
        ),
        ..Rule::new(
            id,
            Family::Backends,
            severity,
            Stage::Convention,
            example(""),
            "none; PyTorch has no such files",
        )
    }
}

pub(super) static RULES: [Rule; 5] = [
    Rule {
        what: "A file with sections, lists or entries that only generators of vendors read has a \
               vendor profile.",
        why: "PyTorch's generator rejects such a file. A profile says where its operators are and \
              what their fields mean; those of some vendors are built in. The finding shows a \
              profile for the file.",
        bad: example(
            "backend: ACME\ncpp_namespace: acme\nsupported:\n- func: scale\n  fast: True\n",
        ),
        ..rule(RuleId::BackendSuperset, Severity::Error)
    },
    Rule {
        what: "A whole schema in a vendor's file is the schema that PyTorch has in this release.",
        why: "The kernel has the signature of the old schema. PyTorch calls it with the arguments \
              of its own.",
        bad: example("backend: NPU\nsupported:\n- func: scale(Tensor self) -> Tensor\n"),
        ..rule(RuleId::SchemaDrift, Severity::Warning)
    },
    Rule {
        what: "An entry of a vendor's file has only fields that the vendor profile knows, with \
               values that it can read.",
        why: "The field may change which kernels the entry registers, or be a misspelt one that \
              has no effect.",
        bad: example("backend: NPU\nsupported:\n- func: scale\n  op_aip: True\n"),
        ..rule(RuleId::VendorField, Severity::Warning)
    },
    Rule {
        what: "`vendor.yaml` is a mapping with `key`, and with the other fields of a vendor \
               profile where they are needed.",
        why: "It says how the backend files of the bundle are read.",
        bad: profile("name: Acme\n"),
        good: profile(
            "name: Acme\nkey: PrivateUse1\nspellings: [ACME]\nlists: {ops: aten}\n\
             operator: [op]\n",
        ),
        ..rule(RuleId::VendorProfile, Severity::Error)
    },
    Rule {
        what: "Every entry of a vendor's file names an operator. A schema in it can be read, and \
               operators of the vendor's own have one.",
        why: "Without its schema an operator cannot be declared or compared.",
        bad: example("backend: NPU\ncustom:\n- func: mine(Tensor self -> Tensor\n"),
        ..rule(RuleId::VendorSchema, Severity::Error)
    },
];
