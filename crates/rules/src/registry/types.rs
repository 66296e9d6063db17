//! The rules about types.

use opatlas_source::diagnostic::{RuleId, Severity};

use crate::rule::{Example, Family, Rule, Stage};

const PARSE: &str = "torchgen/model.py: Type._parse";
const CPP: &str = "torchgen/api/cpp.py: valuetype_type, argumenttype_type";

const GOOD: Example = Example::native("- func: scale(Tensor self, float factor) -> Tensor\n");

const fn error(id: RuleId, stage: Stage) -> Rule {
    Rule::new(id, Family::Types, Severity::Error, stage, GOOD, PARSE)
}

pub(super) static RULES: &[Rule] = &[
    Rule {
        what: "A type does not exist in this release. Types are case-sensitive, and C++ types such \
               as `double`, `int64_t` or `IntArrayRef` do not exist.",
        why: "Each release has a fixed list of types. `DeviceIndex` exists since 2.1, `SymBool` \
              and `GraphModule` since 2.5; `ConstQuantizerPtr` was removed in 2.6 and `Dimname` in \
              2.13.",
        bad: Example::native("- func: scale(Tensor self, double factor) -> Tensor\n"),
        ..error(RuleId::TypeUnknown, Stage::Entry)
    },
    Rule {
        what: "The size of a list is not a decimal number of at least 1 without leading zeros.",
        why: "The printed type must equal the text, and size 0 prints as no size.",
        bad: Example::native("- func: pad(Tensor self, int[02] amount) -> Tensor\n"),
        good: Example::native("- func: pad(Tensor self, int[2] amount) -> Tensor\n"),
        ..error(RuleId::TypeListSize, Stage::Entry)
    },
    Rule {
        what: "A tuple, a dictionary or a union is used as a type.",
        why: "A schema supports only lists and optional types. Declare several arguments or \
              returns instead.",
        bad: Example::native("- func: scale(Tensor self, Dict(str, Tensor) factors) -> Tensor\n"),
        good: Example::native("- func: scale(Tensor self, Tensor[] factors) -> Tensor\n"),
        ..error(RuleId::TypeContainer, Stage::Entry)
    },
    Rule {
        what: "A type begins with `__torch__.torch.classes.` like a custom class, but no dotted \
               name of letters, digits and underscores follows.",
        why: "A custom class is named by its path in the runtime's class registry.",
        bad: Example::native(
            "- func: scale(Tensor self, __torch__.torch.classes. plan) -> Tensor\n",
        ),
        good: Example::native("- func: scale(Tensor self, int plan) -> Tensor\n"),
        ..error(RuleId::TypeCustomClass, Stage::Entry)
    },
    Rule {
        what: "The schema accepts a type that has no C++ type: a custom class, `GraphModule`, \
               `ConstQuantizerPtr`, `SymBool` before 2.9, or a `SymInt` inside more than one `?` \
               or list.",
        why: "Every argument and return needs a C++ type, and only code generation detects that it \
              is missing. Register operators on custom classes from a library instead.",
        bad: Example::native(
            "- func: scale(Tensor self, __torch__.torch.classes.acme.Plan plan) -> Tensor\n",
        ),
        good: Example::native("- func: scale(Tensor self, int plan) -> Tensor\n"),
        source: CPP,
        ..error(RuleId::TypeNotGenerated, Stage::Codegen)
    },
    Rule {
        what: "A list of `bool` has no size.",
        why: "In C++ it is an array of fixed size, and there is no other form. PyTorch's own \
              operators use sizes up to four.",
        bad: Example::native("- func: select_backward(Tensor grad, bool[] mask) -> Tensor\n"),
        good: Example::native("- func: select_backward(Tensor grad, bool[3] mask) -> Tensor\n"),
        source: CPP,
        ..error(RuleId::BoolListSize, Stage::Codegen)
    },
];
