//! Names and signatures that two entries share.

use opatlas_source::diagnostic::{RuleId, Severity};

use crate::rule::{Example, Family, Rule, Stage};

const GOOD: Example = Example::native(
    "- func: blend(Tensor self, Tensor other) -> Tensor\n- func: blend.weight(Tensor self, Tensor other, float weight) -> Tensor\n",
);

const fn rule(id: RuleId, severity: Severity, stage: Stage) -> Rule {
    Rule::new(
        id,
        Family::Overloads,
        severity,
        stage,
        GOOD,
        "torchgen/model.py: BackendIndex.grow_index",
    )
}

pub(super) static RULES: &[Rule] = &[
    Rule {
        what: "Two entries declare the same operator and overload, and both have a kernel for the \
               same dispatch key. Namespaces do not matter.",
        why: "PyTorch looks up kernels by dispatch key and operator name, and there can be only \
              one.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n- func: blend(Tensor self, Tensor other, float weight) -> Tensor\n",
        ),
        ..rule(RuleId::DuplicateOperator, Severity::Error, Stage::File)
    },
    Rule {
        what: "Two entries declare the same operator and overload, with kernels for different \
               dispatch keys.",
        why: "PyTorch does not detect this and treats each entry as if it had the kernels of both.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n- func: blend(Tensor self, Tensor other, float weight) -> Tensor\n  dispatch:\n    CPU: blend_weighted\n  autogen: blend.out\n",
        ),
        ..rule(
            RuleId::DuplicateOperatorUnnoticed,
            Severity::Warning,
            Stage::Convention,
        )
    },
    Rule {
        what: "Two operators of the same kind have the same signature: the same base name, \
               arguments, defaults and returns, ignoring overload names, annotations and out \
               arguments.",
        why: "PyTorch groups variants by signature, and a group has at most one functional, one \
              in-place, one out and one mutable variant.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n- func: blend.Tensor(Tensor self, Tensor other) -> Tensor\n",
        ),
        source: "torchgen/native_function_generation.py: pre_group_native_functions",
        ..rule(RuleId::DuplicateSignature, Severity::Error, Stage::Generate)
    },
    Rule {
        what: "Two operators of one base name have a function in `at::`, or a method, with the same parameter types.",
        why: "Only parameter types tell overloads apart in C++. The names of arguments, overload names, defaults and \
              `*` do not, so the generated header defines one function twice and does not compile.",
        bad: Example::native(
            "- func: blend(Tensor self, int n) -> Tensor\n- func: blend.keyword(Tensor self, *, int n) -> Tensor\n",
        ),
        source: "torchgen/api/cpp.py: arguments",
        ..rule(
            RuleId::CppOverloadDuplicate,
            Severity::Error,
            Stage::Compile,
        )
    },
];
