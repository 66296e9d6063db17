//! The rules about arguments and their names.

use opatlas_pytorch::release::Release;
use opatlas_source::diagnostic::{RuleId, Severity};

use crate::rule::{Example, Family, Rule, Stage};

const PREPARSE: &str = "torchgen/model.py: Arguments._preparse";

const GOOD: Example = Example::native("- func: scale(Tensor self, float factor) -> Tensor\n");

const FACTORY: &str = "- func: grid(int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor\n  dispatch:\n    CompositeExplicitAutograd: grid\n  autogen: grid.out\n";

const fn error(id: RuleId, stage: Stage) -> Rule {
    Rule::new(
        id,
        Family::Arguments,
        Severity::Error,
        stage,
        GOOD,
        "torchgen/model.py: Argument.parse",
    )
}

const fn convention(id: RuleId) -> Rule {
    Rule {
        severity: Severity::Warning,
        ..error(id, Stage::Convention)
    }
}

pub(super) static RULES: &[Rule] = &[
    Rule {
        what: "An argument is not of the form `Type name`.",
        why: "The parser takes the text after the last space as the name. Python callers and \
              derivative formulas refer to it.",
        bad: Example::native("- func: scale(Tensor, float factor) -> Tensor\n"),
        ..error(RuleId::ArgumentNameMissing, Stage::Entry)
    },
    Rule {
        what: "An argument name is not an identifier (letters, digits and underscores).",
        why: "The parser accepts any text without spaces and `=`, but C++ and Python parameters \
              get the same name.",
        bad: Example::native("- func: scale(Tensor self, float 2nd) -> Tensor\n"),
        ..convention(RuleId::ArgumentNameCharset)
    },
    Rule {
        since: Release::V2_6,
        what: "An argument name is a Python keyword, such as `from`, `in` or `lambda`.",
        why: "Python callers could not pass it by keyword. Three arguments of old operators are \
              exempt.",
        bad: Example::native("- func: scale(Tensor self, float from) -> Tensor\n"),
        good: Example::native("- func: scale(Tensor self, float from_) -> Tensor\n"),
        source: "torchgen/gen.py: error_check_native_functions",
        ..error(RuleId::ArgumentNameKeyword, Stage::File)
    },
    Rule {
        what: "Two arguments have the same name.",
        why: "torchgen does not check this, but neither C++ nor Python allows a function with two \
              parameters of the same name.",
        bad: Example::native("- func: scale(Tensor self, float factor, float factor) -> Tensor\n"),
        source: "torchgen does not check this; the C++ compiler rejects it",
        ..convention(RuleId::ArgumentNameDuplicate)
    },
    Rule {
        what: "An argument is named `result` or `grad_input_mask`.",
        why: "In derivative formulas these names mean the operator's result and the mask of \
              requested gradients, so an operator with such an argument cannot have a derivative. \
              Argument names are public API and cannot be renamed later.",
        bad: Example::native("- func: scale(Tensor self, Tensor result) -> Tensor\n"),
        good: Example::native("- func: scale(Tensor self, Tensor other) -> Tensor\n"),
        source: "tools/autograd/load_derivatives.py: create_derivative",
        ..convention(RuleId::ArgumentNamingSemantic)
    },
    Rule {
        what: "`*` occurs twice, or no argument follows it.",
        why: "A single `*` ends the positional arguments; the arguments after it are keyword-only.",
        bad: Example::native("- func: scale(Tensor self, float factor, *) -> Tensor\n"),
        good: Example::native("- func: scale(Tensor self, *, float factor) -> Tensor\n"),
        source: PREPARSE,
        ..error(RuleId::KwargMarker, Stage::Entry)
    },
    Rule {
        what: "An argument before `self` is mutable.",
        why: "Only `self`, arguments after it and out arguments may be mutable; the generated code \
              does not handle others.",
        bad: Example::native("- func: scale(Tensor(a!) count, Tensor self) -> Tensor\n"),
        good: Example::native("- func: scale(Tensor count, Tensor self) -> Tensor\n"),
        source: "torchgen/model.py: Arguments.__post_init__",
        ..error(RuleId::PreSelfMutable, Stage::Entry)
    },
    Rule {
        what: "The keyword-only arguments `dtype, layout, device, pin_memory` occur twice.",
        why: "The generator gathers the four into one TensorOptions, and an operator has at most \
              one.",
        bad: Example::native(
            "- func: grid(int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor\n  dispatch:\n    CompositeExplicitAutograd: grid\n  autogen: grid.out\n",
        ),
        good: Example::native(FACTORY),
        source: "torchgen/model.py: Arguments.parse",
        ..error(RuleId::TensorOptionsTwice, Stage::Entry)
    },
    Rule {
        what: "An operator that mutates an argument takes `dtype, layout, device, pin_memory`.",
        why: "The mutated tensor determines all four, so only functional operators may take them.",
        bad: Example::native(
            "- func: fill_grid_(Tensor(a!) self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor(a!)\n",
        ),
        good: Example::native("- func: fill_grid_(Tensor(a!) self) -> Tensor(a!)\n"),
        source: "torchgen/model.py: FunctionSchema.__post_init__",
        ..error(RuleId::TensorOptionsFunctionalOnly, Stage::Entry)
    },
    Rule {
        what: "One of `dtype, layout, device, pin_memory`, or a `memory_format` next to them, is \
               not optional.",
        why: "The C++ function takes the four as one TensorOptions, which yields only optional \
              values. The schema parses, but no C++ can be generated.",
        bad: Example::native(
            "- func: grid(int[] size, *, ScalarType dtype, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor\n  dispatch:\n    CompositeExplicitAutograd: grid\n",
        ),
        good: Example::native(FACTORY),
        source: "torchgen/api/translate.py: translate",
        ..error(RuleId::TensorOptionsOptional, Stage::Codegen)
    },
];
