//! The rules about arguments and their names.

use crate::{Example, Family, Rule, Stage};
use opatlas_pytorch::release::Release;
use opatlas_source::diagnostic::RuleId;
use opatlas_source::diagnostic::Severity;

const PREPARSE: &str = "torchgen/model.py: Arguments._preparse";

const GOOD: Example = Example::native("- func: scale(Tensor self, float factor) -> Tensor\n");

const FACTORY: &str = "- func: grid(int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor\n  dispatch:\n    CompositeExplicitAutograd: grid\n  autogen: grid.out\n";

const fn error(id: RuleId, stage: Stage) -> Rule {
    Rule {
        id,
        family: Family::Arguments,
        severity: Severity::Error,
        stage,
        since: Release::V2_0,
        until: None,
        what: "",
        why: "",
        bad: GOOD,
        good: GOOD,
        source: "torchgen/model.py: Argument.parse",
    }
}

const fn convention(id: RuleId) -> Rule {
    Rule {
        severity: Severity::Warning,
        ..error(id, Stage::Convention)
    }
}

pub(crate) static RULES: &[Rule] = &[
    Rule {
        what: "An argument is not a type, a space and a name.",
        why: "The name is what stands behind the last space; Python callers and derivative \
              formulas use it.",
        bad: Example::native("- func: scale(Tensor, float factor) -> Tensor\n"),
        ..error(RuleId::ArgumentNameMissing, Stage::Entry)
    },
    Rule {
        what: "An argument's name is no identifier of letters, digits and underscores.",
        why: "Any text without spaces and `=` is read as a name, but the parameter of a C++ and a \
              Python function is called by it.",
        bad: Example::native("- func: scale(Tensor self, float 2nd) -> Tensor\n"),
        ..convention(RuleId::ArgumentNameCharset)
    },
    Rule {
        since: Release::V2_6,
        what: "An argument is named like a keyword of Python, such as `from`, `in` or `lambda`.",
        why: "It could not be given by name from Python. Three arguments of old operators are \
              exempt.",
        bad: Example::native("- func: scale(Tensor self, float from) -> Tensor\n"),
        good: Example::native("- func: scale(Tensor self, float from_) -> Tensor\n"),
        source: "torchgen/gen.py: error_check_native_functions",
        ..error(RuleId::ArgumentNameKeyword, Stage::File)
    },
    Rule {
        what: "Two arguments have the same name.",
        why: "Nothing in the generator minds, but a function with two parameters of one name is \
              neither C++ nor Python.",
        bad: Example::native("- func: scale(Tensor self, float factor, float factor) -> Tensor\n"),
        source: "not checked by torchgen; the C++ compiler refuses it",
        ..convention(RuleId::ArgumentNameDuplicate)
    },
    Rule {
        what: "An argument is called `result` or `grad_input_mask`.",
        why: "Formulas of derivatives use these words for the operator's own result and for which \
              gradients are wanted, so an operator with such an argument can get no derivative. \
              Argument names are public: choose them well, since they cannot be changed.",
        bad: Example::native("- func: scale(Tensor self, Tensor result) -> Tensor\n"),
        good: Example::native("- func: scale(Tensor self, Tensor other) -> Tensor\n"),
        source: "tools/autograd/load_derivatives.py: create_derivative",
        ..convention(RuleId::ArgumentNamingSemantic)
    },
    Rule {
        what: "`*` stands twice, or nothing follows it.",
        why: "`*` ends the positional arguments once; what follows can be given by name only.",
        bad: Example::native("- func: scale(Tensor self, float factor, *) -> Tensor\n"),
        good: Example::native("- func: scale(Tensor self, *, float factor) -> Tensor\n"),
        source: PREPARSE,
        ..error(RuleId::KwargMarker, Stage::Entry)
    },
    Rule {
        what: "An argument before `self` is written to.",
        why: "Only `self`, arguments behind it and out arguments may be written; the generated \
              code does not handle others.",
        bad: Example::native("- func: scale(Tensor(a!) count, Tensor self) -> Tensor\n"),
        good: Example::native("- func: scale(Tensor count, Tensor self) -> Tensor\n"),
        source: "torchgen/model.py: Arguments.__post_init__",
        ..error(RuleId::PreSelfMutable, Stage::Entry)
    },
    Rule {
        what: "The keyword-only run `dtype, layout, device, pin_memory` stands twice.",
        why: "The four are gathered into one TensorOptions, of which an operator has at most one.",
        bad: Example::native(
            "- func: grid(int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor\n  dispatch:\n    CompositeExplicitAutograd: grid\n  autogen: grid.out\n",
        ),
        good: Example::native(FACTORY),
        source: "torchgen/model.py: Arguments.parse",
        ..error(RuleId::TensorOptionsTwice, Stage::Entry)
    },
    Rule {
        what: "An operator that writes to an argument takes `dtype, layout, device, pin_memory`.",
        why: "The tensor that is written decides all four, so they belong to functional operators \
              only.",
        bad: Example::native(
            "- func: fill_grid_(Tensor(a!) self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor(a!)\n",
        ),
        good: Example::native("- func: fill_grid_(Tensor(a!) self) -> Tensor(a!)\n"),
        source: "torchgen/model.py: FunctionSchema.__post_init__",
        ..error(RuleId::TensorOptionsFunctionalOnly, Stage::Entry)
    },
    Rule {
        what: "One of the run `dtype, layout, device, pin_memory`, or a `memory_format` beside it, \
               is not of its optional type.",
        why: "The C++ function takes the four as one TensorOptions, from which only optional \
              values can be taken out again. It is read, but no C++ can be generated.",
        bad: Example::native(
            "- func: grid(int[] size, *, ScalarType dtype, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor\n  dispatch:\n    CompositeExplicitAutograd: grid\n",
        ),
        good: Example::native(FACTORY),
        source: "torchgen/api/translate.py: translate",
        ..error(RuleId::TensorOptionsOptional, Stage::Codegen)
    },
];
