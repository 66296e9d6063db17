//! The rules about out arguments.

use crate::{Example, Family, Rule, Stage};
use opatlas_pytorch::release::Release;
use opatlas_source::diagnostic::RuleId;
use opatlas_source::diagnostic::Severity;

const POST_INIT: &str = "torchgen/model.py: FunctionSchema.__post_init__";
const README: &str = "aten/src/ATen/native/README.md: func, argument names";

const GOOD: Example = Example::native(
    "- func: scale(Tensor self, float factor) -> Tensor\n- func: scale.out(Tensor self, float factor, *, Tensor(a!) out) -> Tensor(a!)\n",
);

const fn rule(id: RuleId, severity: Severity, stage: Stage) -> Rule {
    Rule {
        id,
        family: Family::OutNaming,
        severity,
        stage,
        since: Release::V2_0,
        until: None,
        what: "",
        why: "",
        bad: GOOD,
        good: GOOD,
        source: POST_INIT,
    }
}

const fn error(id: RuleId) -> Rule {
    rule(id, Severity::Error, Stage::Entry)
}

pub(crate) static RULES: &[Rule] = &[
    Rule {
        what: "An argument that is not written stands behind an out argument.",
        why: "Out arguments, the keyword-only ones that are written, come last.",
        bad: Example::native(
            "- func: scale(Tensor self, float factor) -> Tensor\n- func: scale.out(Tensor self, *, Tensor(a!) out, float factor) -> Tensor(a!)\n",
        ),
        source: "torchgen/model.py: Arguments._preparse",
        ..error(RuleId::OutArgsLast)
    },
    Rule {
        what: "An out argument is not called `out`, or `out0`, `out1` and so on where there are \
               several.",
        why: "That is what callers expect and what generated out variants use. Many old operators \
              have other names, which cannot be changed any more.",
        bad: Example::native(
            "- func: scale(Tensor self, float factor) -> Tensor\n- func: scale.out(Tensor self, float factor, *, Tensor(a!) scaled) -> Tensor(a!)\n",
        ),
        source: README,
        ..rule(RuleId::OutArgNaming, Severity::Info, Stage::Convention)
    },
    Rule {
        what: "The overload name of an out variant is not `out`, or the name of the functional \
               overload with `_out` behind it.",
        why: "Generated out variants are called so, and tools pair variants by it.",
        bad: Example::native(
            "- func: scale(Tensor self, float factor) -> Tensor\n- func: scale.into(Tensor self, float factor, *, Tensor(a!) out) -> Tensor(a!)\n",
        ),
        source: "torchgen/native_function_generation.py: get_expected_out_variant_overload_name",
        ..rule(RuleId::OutOverloadNaming, Severity::Info, Stage::Convention)
    },
    Rule {
        what: "An argument is called `out`, but is not annotated as written.",
        why: "Mutation is known from annotations alone. Without one the operator counts as \
              functional, whatever the argument is called, and no out variant exists.",
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
        what: "The names say that this is an out variant, but it has no out arguments: the \
               overload is `out` or ends in `_out`, or a written argument called `out` stands \
               before `*`.",
        why: "What an operator is follows from its annotations and from where `*` stands: only \
              keyword-only arguments that are written are out arguments.",
        bad: Example::native("- func: scale.out(Tensor self, float factor) -> Tensor\n"),
        good: Example::native("- func: scale.factor(Tensor self, float factor) -> Tensor\n"),
        source: "torchgen/model.py: FunctionSchema.kind",
        ..rule(RuleId::SchemaKind, Severity::Warning, Stage::Convention)
    },
    Rule {
        what: "An out argument and the return in its place have different annotations.",
        why: "Out arguments are returned in their order, so that calls can be chained.",
        bad: Example::native(
            "- func: scale(Tensor self, float factor) -> Tensor\n- func: scale.out(Tensor self, float factor, *, Tensor(a!) out) -> Tensor(b!)\n",
        ),
        ..error(RuleId::OutReturnMatches)
    },
    Rule {
        what: "There are not as many returns as out arguments.",
        why: "Each out argument that is a plain tensor is returned, those called `_scratch_...` \
              excepted.",
        bad: Example::native(
            "- func: scale(Tensor self, float factor) -> Tensor\n- func: scale.out(Tensor self, float factor, *, Tensor(a!) out) -> ()\n",
        ),
        ..error(RuleId::OutReturnCount)
    },
    Rule {
        what: "An out argument is a list of tensors or an optional one, and something is returned.",
        why: "Lists are written in place and not handed back.",
        bad: Example::native(
            "- func: parts(Tensor self) -> Tensor[]\n- func: parts.out(Tensor self, *, Tensor(a!)[] out) -> Tensor(a!)[]\n",
        ),
        good: Example::native(
            "- func: parts(Tensor self) -> Tensor[]\n- func: parts.out(Tensor self, *, Tensor(a!)[] out) -> ()\n",
        ),
        ..error(RuleId::OutListReturnsNothing)
    },
    Rule {
        what: "An out argument called `_scratch_...` stands before one that is returned.",
        why: "Scratch arguments are room to work in and are not returned. Returns are matched with \
              out arguments by position, so the scratch ones must come last.",
        bad: Example::native(
            "- func: scale.out(Tensor self, float factor, *, Tensor(a!) _scratch_room, Tensor(b!) out) -> Tensor(b!)\n",
        ),
        good: Example::native(
            "- func: scale.out(Tensor self, float factor, *, Tensor(a!) out, Tensor(b!) _scratch_room) -> Tensor(a!)\n",
        ),
        ..error(RuleId::Scratch)
    },
    Rule {
        what: "An in-place operator has out arguments.",
        why: "An operator writes either to `self` or to its out arguments. Declare two.",
        bad: Example::native(
            "- func: scale_.out(Tensor(a!) self, float factor, *, Tensor(a!) out) -> Tensor(a!)\n",
        ),
        good: Example::native("- func: scale_(Tensor(a!) self, float factor) -> Tensor(a!)\n"),
        source: "torchgen/model.py: FunctionSchema.kind",
        ..rule(RuleId::InplaceAndOut, Severity::Error, Stage::Generate)
    },
    Rule {
        what: "A return of an operator in a group aliases several written arguments, because they \
               share a letter.",
        why: "Functionalization must know which argument a return is.",
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
        what: "Two arguments that are written share a letter.",
        why: "Equal letters say that the two are the same memory, which is hardly what is meant, \
              and stop generation as soon as the operator has variants.",
        bad: Example::native(
            "- func: split.out(Tensor self, *, Tensor(a!) out0, Tensor(a!) out1) -> (Tensor(a!), Tensor(a!))\n",
        ),
        good: Example::native(
            "- func: split.out(Tensor self, *, Tensor(a!) out0, Tensor(b!) out1) -> (Tensor(a!), Tensor(b!))\n",
        ),
        source: "torchgen/model.py: FunctionSchema.aliased_return_names",
        ..rule(
            RuleId::WrittenLettersShared,
            Severity::Warning,
            Stage::Convention,
        )
    },
];
