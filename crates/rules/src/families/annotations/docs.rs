//! The rules about alias annotations and mutation.

use crate::{Example, Family, Rule, Stage};
use opatlas_pytorch::release::Release;
use opatlas_source::diagnostic::RuleId;
use opatlas_source::diagnostic::Severity;

const PARSE: &str = "torchgen/model.py: Annotation.parse";
const POST_INIT: &str = "torchgen/model.py: FunctionSchema.__post_init__";

const WRITES: Example =
    Example::native("- func: scale_(Tensor(a!) self, float factor) -> Tensor(a!)\n");

const fn error(id: RuleId) -> Rule {
    Rule {
        id,
        family: Family::Annotations,
        severity: Severity::Error,
        stage: Stage::Entry,
        since: Release::V2_0,
        until: None,
        what: "",
        why: "",
        bad: WRITES,
        good: WRITES,
        source: PARSE,
    }
}

const fn convention(id: RuleId) -> Rule {
    Rule {
        severity: Severity::Warning,
        stage: Stage::Convention,
        source: "aten/src/ATen/native/README.md: func, annotations",
        ..error(id)
    }
}

pub(crate) static RULES: &[Rule] = &[
    Rule {
        what: "What stands in the parentheses behind `Tensor` is no annotation: one or more \
               lower-case letters with `|` between them, `!` if it is written, ` -> ` and the \
               letters or `*` that it may alias afterwards.",
        why: "Letters name sets of tensors that share memory. Everything PyTorch knows about \
              aliasing and mutation it knows from them.",
        bad: Example::native("- func: scale_(Tensor(A!) self, float factor) -> Tensor(a!)\n"),
        ..error(RuleId::Annotation)
    },
    Rule {
        what: "The set before the `!` or the arrow has more than two letters.",
        why: "The pattern that reads annotations keeps the first and the last letter only, and \
              printing no longer gives the text back.",
        bad: Example::native("- func: pick(Tensor(a|b|c) self) -> Tensor\n"),
        good: Example::native("- func: pick(Tensor(a|b) self) -> Tensor\n"),
        ..error(RuleId::AnnotationBeforeSetTwo)
    },
    Rule {
        what: "A written set has more than one letter.",
        why: "A write goes to one set of tensors.",
        bad: Example::native("- func: scale_(Tensor(a|b!) self, float factor) -> Tensor(a!)\n"),
        ..error(RuleId::AnnotationWriteSingleton)
    },
    Rule {
        what: "Both the set before and the set after the arrow have several letters.",
        why: "Only one side of the arrow can be ambiguous.",
        bad: Example::native("- func: pick(Tensor(a|b -> c|d) self) -> Tensor\n"),
        good: Example::native("- func: pick(Tensor(a|b -> c) self) -> Tensor\n"),
        ..error(RuleId::AnnotationBeforeAfterSize)
    },
    Rule {
        what: "An annotation stands somewhere else than right behind `Tensor`, or more than one \
               `?` or `[]` follows it.",
        why: "Only tensors alias. `Tensor(a)`, `Tensor(a)?` and `Tensor(a)[]` are the three forms; \
              a list with a size cannot be annotated.",
        bad: Example::native("- func: pick(Tensor[](a) self) -> Tensor\n"),
        good: Example::native("- func: pick(Tensor(a)[] self) -> Tensor\n"),
        source: "torchgen/model.py: Argument.parse, Return.parse",
        ..error(RuleId::AnnotationPlacement)
    },
    Rule {
        what: "A written tensor is given as `Tensor!`.",
        why: "The shorthand stands in older documentation, but no release reads it. Give the \
              tensor a letter of its own.",
        bad: Example::native("- func: scale_(Tensor! self, float factor) -> Tensor!\n"),
        source: "torchgen/model.py: Type._parse",
        ..error(RuleId::AnnotationShorthandTensorBang)
    },
    Rule {
        what: "A return with an arrow in its annotation has no name.",
        why: "A return is cut at its last space, which is the one behind the arrow unless a name \
              follows.",
        bad: Example::native("- func: pick(Tensor(a -> *) self) -> Tensor(a -> b)\n"),
        good: Example::native("- func: fill(Tensor self) -> Tensor\n"),
        source: "torchgen/model.py: Return.parse",
        ..error(RuleId::AnnotationReturnArrowNeedsName)
    },
    Rule {
        what: "A return is annotated as written, but no argument that may be returned is annotated \
               so: `self` or an out argument.",
        why: "A written return is the argument itself. Without that argument nothing is written.",
        bad: Example::native("- func: scale(Tensor input, float factor) -> Tensor(a!)\n"),
        good: Example::native("- func: scale(Tensor input, float factor) -> Tensor\n"),
        source: POST_INIT,
        ..error(RuleId::MutableReturnMustAlias)
    },
    Rule {
        what: "An argument that is written, but is neither `self` nor an out argument, is returned.",
        why: "Such arguments are written and nothing more; the returns are new values. An argument \
              called `out` is an out argument only behind `*`.",
        bad: Example::native(
            "- func: scale(Tensor self, float factor) -> Tensor\n- func: scale.out(Tensor self, float factor, Tensor(a!) out) -> Tensor(a!)\n",
        ),
        good: Example::native(
            "- func: scale(Tensor self, float factor) -> Tensor\n- func: scale.out(Tensor self, float factor, *, Tensor(a!) out) -> Tensor(a!)\n",
        ),
        source: POST_INIT,
        ..error(RuleId::MutablePositionalReturned)
    },
    Rule {
        what: "Some returns are written aliases and some are not.",
        why: "The generated code hands either the written arguments back or the new values.",
        bad: Example::native("- func: split(Tensor(a!) self) -> (Tensor(a!), Tensor)\n"),
        good: Example::native("- func: split(Tensor self) -> (Tensor, Tensor)\n"),
        source: POST_INIT,
        ..error(RuleId::MixedMutableImmutableReturns)
    },
    Rule {
        what: "The operator writes to `self`, but its name does not end in `_`.",
        why: "The name decides what an operator is taken for. Without the `_` it counts as \
              functional, and users do not expect their tensor to change.",
        bad: Example::native("- func: scale(Tensor(a!) self, float factor) -> Tensor(a!)\n"),
        ..convention(RuleId::MutableSelfNotInplace)
    },
    Rule {
        what: "The name says that the operator is in place (`scale_`, `__iadd__`), but it has no \
               positional `self` that is written.",
        why: "In-place operators change `self`; everything that handles them relies on it.",
        bad: Example::native("- func: scale_(Tensor self, float factor) -> Tensor\n"),
        source: POST_INIT,
        ..error(RuleId::InplaceSelf)
    },
    Rule {
        what: "An in-place operator does not return `self` and only that.",
        why: "In-place calls are chained, so the generated code returns the tensor that it got.",
        bad: Example::native("- func: scale_(Tensor(a!) self, float factor) -> ()\n"),
        source: POST_INIT,
        ..error(RuleId::InplaceReturn)
    },
    Rule {
        what: "An in-place operator on a list of tensors, or on an optional one, returns something.",
        why: "There is no tensor to hand back.",
        bad: Example::native(
            "- func: _foreach_scale_(Tensor(a!)[] self, float factor) -> Tensor(a!)[]\n  device_check: NoCheck\n",
        ),
        good: Example::native(
            "- func: _foreach_scale_(Tensor(a!)[] self, float factor) -> ()\n  device_check: NoCheck\n",
        ),
        source: POST_INIT,
        ..error(RuleId::InplaceListSelf)
    },
    Rule {
        since: Release::V2_2,
        what: "An in-place operator returns an optional tensor, although `self` is a plain one.",
        why: "Only the annotations are compared, so it passes, but `self` is never missing.",
        bad: Example::native("- func: scale_(Tensor(a!) self, float factor) -> Tensor(a!)?\n"),
        source: POST_INIT,
        ..convention(RuleId::InplaceReturnTypeUnchecked)
    },
    Rule {
        stage: Stage::Codegen,
        what: "An optional tensor is written, `Tensor(a!)?`.",
        why: "It is read, but kernels take it as a reference to an optional tensor and callers pass \
              a reference to a tensor, and no C++ turns one into the other.",
        bad: Example::native("- func: scale_(Tensor(a!) self, Tensor(b!)? count) -> Tensor(a!)\n"),
        good: Example::native("- func: scale_(Tensor(a!) self, Tensor(b!) count) -> Tensor(a!)\n"),
        source: "torchgen/api/native.py: argumenttype_type; torchgen/api/translate.py: translate",
        ..error(RuleId::OptionalMutableTensor)
    },
];
