//! Tags that depend on other entries or files.

use opatlas_source::TAGS;
use opatlas_source::diagnostic::{RuleId, Severity};

use crate::rule::{Example, Family, Rule, Stage};

const fn rule(id: RuleId, severity: Severity, stage: Stage, source: &'static str) -> Rule {
    Rule::new(id, Family::Tags, severity, stage, GOOD, source)
}

const GOOD: Example = Example::native("- func: blend(Tensor self, Tensor other) -> Tensor\n");

pub(super) static RULES: &[Rule] = &[
    Rule {
        what: "An operator is tagged `inplace_view` but does not have an in-place name, or no \
               operator has its name without the `_`. `resize_` is exempt, `resize_as_` since 2.1, \
               and all overloads of `set_` since 2.3.",
        why: "PyTorch replays an in-place view with the view of the same name.",
        bad: Example::native(
            "- func: flip_sides_(Tensor(a!) self) -> Tensor(a!)\n  tags: inplace_view\n",
        ),
        good: Example::native(
            "- func: flip_sides(Tensor(a) self) -> Tensor(a)\n- func: flip_sides_(Tensor(a!) self) -> Tensor(a!)\n  tags: inplace_view\n",
        ),
        ..rule(
            RuleId::InplaceViewTag,
            Severity::Error,
            Stage::File,
            "torchgen/gen.py: error_check_native_functions",
        )
    },
    Rule {
        what: "An entry is tagged `generated`, but is not in a group with an out variant, or has \
               no variant that its kernel could be generated from.",
        why: "The tag marks operators that the generator creates, and those are always in a group.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  tags: generated\n",
        ),
        ..rule(
            RuleId::TagsGeneratedReserved,
            Severity::Error,
            Stage::Group,
            "torchgen/gen.py: get_grouped_native_functions",
        )
    },
    Rule {
        what: "An entry is tagged `generated`, so it counts as a generated operator.",
        why: "The generator also writes its kernel, which collides with a hand-written one, and \
              tools treat the operator as undeclared.",
        bad: Example::native(
            "- func: lifted(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    CPU: lifted\n  tags: generated\n- func: lifted_(Tensor(a!) self, Tensor other) -> Tensor(a!)\n  dispatch:\n    CPU: lifted_\n  autogen: lifted\n- func: lifted.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)\n  dispatch:\n    CPU: lifted_out\n",
        ),
        ..rule(
            RuleId::TagsGeneratedByHand,
            Severity::Warning,
            Stage::Convention,
            "torchgen/native_function_generation.py: generate_function",
        )
    },
    Rule {
        what: "The name of a tag in `tags.yaml` is a number, a boolean or null.",
        why: "The names become members of a C++ enum, and the generator sorts and joins them as \
              text.",
        bad: Example::of(TAGS, "- tag: 5\n  desc: the fifth\n"),
        good: Example::of(TAGS, "- tag: five\n  desc: the fifth\n"),
        ..rule(
            RuleId::TagsMustBeStrings,
            Severity::Error,
            Stage::Codegen,
            "torchgen/gen.py: gen_headers (gen_tags_enum)",
        )
    },
];
