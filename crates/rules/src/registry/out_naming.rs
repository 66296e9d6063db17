//! The rules about out arguments.

use opatlas_source::diagnostic::{RuleId, Severity};

use crate::rule::{Example, Family, Rule, Stage};

const POST_INIT: &str = "torchgen/model.py: FunctionSchema.__post_init__";
const README: &str = "aten/src/ATen/native/README.md: func, argument names";

const GOOD: Example = Example::native(
    "- func: scale(Tensor self, float factor) -> Tensor\n- func: scale.out(Tensor self, float factor, *, Tensor(a!) out) -> Tensor(a!)\n",
);

const fn rule(id: RuleId, severity: Severity, stage: Stage) -> Rule {
    Rule::new(id, Family::OutNaming, severity, stage, GOOD, POST_INIT)
}

const fn error(id: RuleId) -> Rule {
    rule(id, Severity::Error, Stage::Entry)
}

pub(super) static RULES: &[Rule] = &[
    Rule {
        what: "An argument that is not mutable follows an out argument.",
        why: "Out arguments (the mutable keyword-only arguments) come last.",
        bad: Example::native(
            "- func: scale(Tensor self, float factor) -> Tensor\n- func: scale.out(Tensor self, *, Tensor(a!) out, float factor) -> Tensor(a!)\n",
        ),
        source: "torchgen/model.py: Arguments._preparse",
        ..error(RuleId::OutArgsLast)
    },
    Rule {
        what: "An out argument is not named `out`. If there are several, they are named `out0`, \
               `out1` and so on, or after the named returns.",
        why: "Callers expect these names, and generated out variants use them. Many old operators \
              have other names, which cannot change any more.",
        bad: Example::native(
            "- func: scale(Tensor self, float factor) -> Tensor\n- func: scale.out(Tensor self, float factor, *, Tensor(a!) scaled) -> Tensor(a!)\n",
        ),
        source: README,
        ..rule(RuleId::OutArgNaming, Severity::Info, Stage::Convention)
    },
    Rule {
        what: "The overload name of an out variant is neither `out` nor the name of the functional \
               overload plus `_out`.",
        why: "Generated out variants have these names, and tools pair variants by them.",
        bad: Example::native(
            "- func: scale(Tensor self, float factor) -> Tensor\n- func: scale.into(Tensor self, float factor, *, Tensor(a!) out) -> Tensor(a!)\n",
        ),
        source: "torchgen/native_function_generation.py: get_expected_out_variant_overload_name",
        ..rule(RuleId::OutOverloadNaming, Severity::Info, Stage::Convention)
    },
    Rule {
        what: "An argument is named `out`, but its annotation is not mutable.",
        why: "PyTorch derives mutation from annotations alone. Without one the operator is \
              functional, whatever the name of the argument, and there is no out variant.",
        bad: Example::native(
            "- func: scale(Tensor self, float factor) -> Tensor\n- func: scale.out(Tensor self, float factor, *, Tensor out) -> Tensor\n",
        ),
        source: README,
        ..rule(
            RuleId::OutArgumentAnnotation,
            Severity::Warning,
            Stage::Convention,
        )
    },
    Rule {
        what: "The names suggest an out variant, but the operator has no out arguments: the \
               overload is `out` or ends in `_out`, or a mutable argument named `out` precedes \
               `*`.",
        why: "The annotations and the position of `*` determine the kind of an operator: only \
              mutable keyword-only arguments are out arguments.",
        bad: Example::native("- func: scale.out(Tensor self, float factor) -> Tensor\n"),
        good: Example::native("- func: scale.factor(Tensor self, float factor) -> Tensor\n"),
        source: "torchgen/model.py: FunctionSchema.kind",
        ..rule(RuleId::SchemaKind, Severity::Warning, Stage::Convention)
    },
    Rule {
        what: "An out argument and the corresponding return have different annotations.",
        why: "The operator returns its out arguments in order, so that calls can be chained.",
        bad: Example::native(
            "- func: scale(Tensor self, float factor) -> Tensor\n- func: scale.out(Tensor self, float factor, *, Tensor(a!) out) -> Tensor(b!)\n",
        ),
        ..error(RuleId::OutReturnMatches)
    },
    Rule {
        what: "The number of returns differs from the number of out arguments.",
        why: "The operator returns each out argument that is a plain tensor, except those named \
              `_scratch_...`.",
        bad: Example::native(
            "- func: scale(Tensor self, float factor) -> Tensor\n- func: scale.out(Tensor self, float factor, *, Tensor(a!) out) -> ()\n",
        ),
        ..error(RuleId::OutReturnCount)
    },
    Rule {
        what: "An out argument is a list of tensors or an optional tensor, and the operator has \
               returns.",
        why: "Lists are mutated in place and not returned.",
        bad: Example::native(
            "- func: parts(Tensor self) -> Tensor[]\n- func: parts.out(Tensor self, *, Tensor(a!)[] out) -> Tensor(a!)[]\n",
        ),
        good: Example::native(
            "- func: parts(Tensor self) -> Tensor[]\n- func: parts.out(Tensor self, *, Tensor(a!)[] out) -> ()\n",
        ),
        ..error(RuleId::OutListReturnsNothing)
    },
    Rule {
        what: "An out argument named `_scratch_...` precedes one that is returned.",
        why: "Scratch arguments are working memory and are not returned. PyTorch matches returns \
              with out arguments by position, so scratch arguments must come last.",
        bad: Example::native(
            "- func: scale_forward.out(Tensor self, float factor, *, Tensor(a!) _scratch_room, Tensor(b!) out) -> Tensor(b!)\n",
        ),
        good: Example::native(
            "- func: scale_forward.out(Tensor self, float factor, *, Tensor(a!) out, Tensor(b!) _scratch_room) -> Tensor(a!)\n",
        ),
        ..error(RuleId::Scratch)
    },
    Rule {
        what: "An in-place operator has out arguments.",
        why: "An operator mutates either `self` or its out arguments. Declare two operators.",
        bad: Example::native(
            "- func: scale_.out(Tensor(a!) self, float factor, *, Tensor(a!) out) -> Tensor(a!)\n",
        ),
        good: Example::native("- func: scale_(Tensor(a!) self, float factor) -> Tensor(a!)\n"),
        source: "torchgen/model.py: FunctionSchema.kind",
        ..rule(RuleId::InplaceAndOut, Severity::Error, Stage::Generate)
    },
    Rule {
        what: "A return of an operator in a group aliases several mutable arguments, because they \
               share an alias letter.",
        why: "Functionalization must know which argument is returned.",
        bad: Example::native(
            "- func: split(Tensor self) -> (Tensor, Tensor)\n- func: split.out(Tensor self, *, Tensor(a!) out0, Tensor(a!) out1) -> (Tensor(a!), Tensor(a!))\n",
        ),
        good: Example::native(
            "- func: split(Tensor self) -> (Tensor, Tensor)\n- func: split.out(Tensor self, *, Tensor(a!) out0, Tensor(b!) out1) -> (Tensor(a!), Tensor(b!))\n",
        ),
        source: "torchgen/model.py: FunctionSchema.aliased_return_names",
        ..rule(
            RuleId::OutAnnotationsDistinct,
            Severity::Error,
            Stage::Codegen,
        )
    },
    Rule {
        what: "Two mutable arguments share an alias letter.",
        why: "Equal letters say that both arguments share memory, which is rarely intended. Code \
              generation fails as soon as the operator has variants.",
        bad: Example::native(
            "- func: split_forward.out(Tensor self, *, Tensor(a!) out0, Tensor(a!) out1) -> (Tensor(a!), Tensor(a!))\n",
        ),
        good: Example::native(
            "- func: split_forward.out(Tensor self, *, Tensor(a!) out0, Tensor(b!) out1) -> (Tensor(a!), Tensor(b!))\n",
        ),
        source: "torchgen/model.py: FunctionSchema.aliased_return_names",
        ..rule(
            RuleId::WrittenLettersShared,
            Severity::Warning,
            Stage::Convention,
        )
    },
];
