//! The rules about alias annotations and mutation.

use opatlas_pytorch::release::Release;
use opatlas_source::diagnostic::{RuleId, Severity};

use crate::rule::{Example, Family, Rule, Stage};

const PARSE: &str = "torchgen/model.py: Annotation.parse";
const POST_INIT: &str = "torchgen/model.py: FunctionSchema.__post_init__";

const WRITES: Example =
    Example::native("- func: scale_(Tensor(a!) self, float factor) -> Tensor(a!)\n");

const fn error(id: RuleId) -> Rule {
    Rule::new(
        id,
        Family::Annotations,
        Severity::Error,
        Stage::Entry,
        WRITES,
        PARSE,
    )
}

const fn convention(id: RuleId) -> Rule {
    Rule {
        severity: Severity::Warning,
        stage: Stage::Convention,
        source: "aten/src/ATen/native/README.md: func, annotations",
        ..error(id)
    }
}

pub(super) static RULES: &[Rule] = &[
    Rule {
        what: "The alias annotation in the parentheses after `Tensor` is malformed. It consists of \
               one or more lower-case letters separated by `|`, then `!` if the tensor is mutated, \
               then optionally ` -> ` and the letters (or `*`) that the tensor may alias \
               afterwards.",
        why: "A letter names a set of tensors that share memory. PyTorch derives aliasing and \
              mutation from these annotations alone.",
        bad: Example::native("- func: scale_(Tensor(A!) self, float factor) -> Tensor(a!)\n"),
        ..error(RuleId::Annotation)
    },
    Rule {
        what: "The set before the `!` or the arrow has more than two letters.",
        why: "The pattern that parses annotations keeps only the first and the last letter, so the \
              printed schema differs from the declared one.",
        bad: Example::native("- func: pick(Tensor(a|b|c) self) -> Tensor\n"),
        good: Example::native("- func: pick(Tensor(a|b) self) -> Tensor\n"),
        ..error(RuleId::AnnotationBeforeSetTwo)
    },
    Rule {
        what: "A mutable annotation names more than one alias set.",
        why: "A write affects exactly one alias set.",
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
        what: "An annotation does not follow `Tensor` directly, or more than one `?` or `[]` \
               follows it.",
        why: "Only tensors can alias. The valid forms are `Tensor(a)`, `Tensor(a)?` and \
              `Tensor(a)[]`; a list with a size cannot be annotated.",
        bad: Example::native("- func: pick(Tensor[](a) self) -> Tensor\n"),
        good: Example::native("- func: pick(Tensor(a)[] self) -> Tensor\n"),
        source: "torchgen/model.py: Argument.parse, Return.parse",
        ..error(RuleId::AnnotationPlacement)
    },
    Rule {
        what: "A mutable tensor is declared as `Tensor!`.",
        why: "Older documentation uses this shorthand, but no release accepts it. Write an alias \
              letter instead: `Tensor(a!)`.",
        bad: Example::native("- func: scale_(Tensor! self, float factor) -> Tensor!\n"),
        source: "torchgen/model.py: Type._parse",
        ..error(RuleId::AnnotationShorthandTensorBang)
    },
    Rule {
        what: "A return whose annotation contains an arrow has no name.",
        why: "The parser splits a return at its last space. Without a name, that is the space \
              after the arrow.",
        bad: Example::native("- func: pick(Tensor(a -> *) self) -> Tensor(a -> b)\n"),
        good: Example::native("- func: fill(Tensor self) -> Tensor\n"),
        source: "torchgen/model.py: Return.parse",
        ..error(RuleId::AnnotationReturnArrowNeedsName)
    },
    Rule {
        what: "A return is annotated as mutable, but neither `self` nor an out argument has the \
               same annotation.",
        why: "A mutable return is one of the arguments: `self` or an out argument.",
        bad: Example::native("- func: scale(Tensor input, float factor) -> Tensor(a!)\n"),
        good: Example::native("- func: scale(Tensor input, float factor) -> Tensor\n"),
        source: POST_INIT,
        ..error(RuleId::MutableReturnMustAlias)
    },
    Rule {
        what: "The operator returns a mutable argument that is neither `self` nor an out argument.",
        why: "Such arguments are mutated but not returned; the returns are new values. An argument \
              named `out` is an out argument only if it is keyword-only.",
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
        what: "Some returns are mutable aliases and others are not.",
        why: "The generated code returns either the mutated arguments or new values, never a \
              mixture.",
        bad: Example::native("- func: split(Tensor(a!) self) -> (Tensor(a!), Tensor)\n"),
        good: Example::native("- func: split(Tensor self) -> (Tensor, Tensor)\n"),
        source: POST_INIT,
        ..error(RuleId::MixedMutableImmutableReturns)
    },
    Rule {
        what: "The operator mutates `self`, but its name does not end in `_`.",
        why: "The name determines the kind of an operator: without the trailing `_` PyTorch treats \
              it as functional, and users do not expect their tensor to change.",
        bad: Example::native("- func: scale(Tensor(a!) self, float factor) -> Tensor(a!)\n"),
        ..convention(RuleId::MutableSelfNotInplace)
    },
    Rule {
        what: "The name marks the operator as in-place (`scale_`, `__iadd__`), but it has no \
               mutable positional argument `self`.",
        why: "In-place operators mutate `self`, and all code that handles them relies on it.",
        bad: Example::native("- func: scale_(Tensor self, float factor) -> Tensor\n"),
        source: POST_INIT,
        ..error(RuleId::InplaceSelf)
    },
    Rule {
        what: "An in-place operator returns something other than `self`.",
        why: "In-place calls are chained, so the generated code returns `self`.",
        bad: Example::native("- func: scale_(Tensor(a!) self, float factor) -> ()\n"),
        source: POST_INIT,
        ..error(RuleId::InplaceReturn)
    },
    Rule {
        what: "An in-place operator on a list of tensors or on an optional tensor has returns.",
        why: "There is no single tensor to return.",
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
        what: "An in-place operator returns an optional tensor although `self` is a plain tensor.",
        why: "PyTorch compares only the annotations and accepts this, but `self` is never missing.",
        bad: Example::native("- func: lifted_(Tensor(a!) self, float factor) -> Tensor(a!)?\n"),
        source: POST_INIT,
        ..convention(RuleId::InplaceReturnTypeUnchecked)
    },
    Rule {
        stage: Stage::Codegen,
        what: "An optional tensor is mutable: `Tensor(a!)?`.",
        why: "The schema parses, but generated C++ does not compile: kernels take a reference to \
              an optional tensor, callers pass a reference to a tensor, and neither converts to \
              the other.",
        bad: Example::native("- func: scale_(Tensor(a!) self, Tensor(b!)? count) -> Tensor(a!)\n"),
        good: Example::native("- func: scale_(Tensor(a!) self, Tensor(b!) count) -> Tensor(a!)\n"),
        source: "torchgen/api/native.py: argumenttype_type; torchgen/api/translate.py: translate",
        ..error(RuleId::OptionalMutableTensor)
    },
];
