//! Rules about alias annotations of arguments.

use super::{ChangeRule, Example, Group, Impacts, Level, Official};
use crate::rules::ChangeRuleId as Id;

const fn rule(id: Id, level: Level) -> ChangeRule {
    ChangeRule::new(
        id,
        Group::Alias,
        level,
        "aten/src/ATen/core/function_schema.cpp",
    )
}

pub(super) const RULES: &[ChangeRule] = &[
    ChangeRule {
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("..rr.r.x"),
        what: "An argument gained an alias annotation.",
        why: "A result may share memory with the argument, so the operator is now a view. \
              Functionalization then needs a `_copy` operator and a way to replay the view.",
        instead: Some("Add a separate view operator."),
        example: Some(Example {
            old: "op(Tensor self) -> Tensor",
            new: "op(Tensor(a) self) -> Tensor(a)",
        }),
        ..rule(Id::AliasAnnotationAdded, Level::Breaking)
    },
    ChangeRule {
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("..rr.r.x"),
        what: "An argument lost its alias annotation.",
        why: "A view became a copy: writing to the result no longer changes the base, and no error \
              reports it.",
        instead: Some("Keep the view, and add a separate copying operator."),
        example: Some(Example {
            old: "op(Tensor(a) self) -> Tensor(a)",
            new: "op(Tensor self) -> Tensor",
        }),
        ..rule(Id::AliasAnnotationRemoved, Level::Breaking)
    },
    ChangeRule {
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("rrrrxxxx"),
        what: "An argument became mutable.",
        why: "In C++ the argument changes from `const Tensor&` to `Tensor&`: kernels with the old type \
              are refused when their library loads, and calls with a temporary do not compile. \
              Compiler passes that reorder or merge calls of the functional operator are now wrong, \
              and the inputs of callers change.",
        instead: Some("Keep this operator, and add a mutable one under another name."),
        example: Some(Example {
            old: "op(Tensor self, Tensor buf) -> Tensor",
            new: "op(Tensor self, Tensor(a!) buf) -> Tensor",
        }),
        ..rule(Id::MutabilityGained, Level::Breaking)
    },
    ChangeRule {
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("xxrrrxxx"),
        what: "An argument is no longer mutable.",
        why: "Callers that rely on the mutation no longer get it. In C++ the argument changes from \
              `Tensor&` to `const Tensor&`: calls still compile, but kernels with the old type are \
              refused when their library loads.",
        instead: Some("Keep the mutable operator, and add a functional one."),
        example: Some(Example {
            old: "op(Tensor self, Tensor(a!) buf) -> Tensor",
            new: "op(Tensor self, Tensor buf) -> Tensor",
        }),
        ..rule(Id::MutabilityLost, Level::Breaking)
    },
    ChangeRule {
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        what: "The alias letters changed consistently.",
        why: "Letters have no meaning of their own; only sharing a letter matters. PyTorch's check \
              compares the letters and reports a false alarm.",
        instead: Some("Keep the letters to avoid a report from PyTorch's check."),
        example: Some(Example {
            old: "op(Tensor(b) self) -> Tensor(b)",
            new: "op(Tensor(a) self) -> Tensor(a)",
        }),
        source: "aten/src/ATen/core/alias_info.h",
        ..rule(Id::AliasSetRenamed, Level::Info)
    },
    ChangeRule {
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("..rr...x"),
        what: "Alias sets were merged, split, or widened to everything (`*`).",
        why: "The operator now makes different promises about shared memory, and functionalization \
              and memory planning rely on them.",
        instead: Some("Keep the annotation unless the behavior of the kernel changed."),
        example: Some(Example {
            old: "op(Tensor(a) self) -> Tensor(a)[]",
            new: "op(Tensor(a -> *) self) -> Tensor(a)[]",
        }),
        source: "aten/src/ATen/core/alias_info.h",
        ..rule(Id::AliasSetChanged, Level::Breaking)
    },
    ChangeRule {
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        what: "The annotation of a mutable argument changed between `Tensor!` and `Tensor(a!)`.",
        why: "The runtime invents an alias set for a bare `!`. The behavior is the same, but the \
              names differ and PyTorch's check fails.",
        instead: Some("Write `Tensor(a!)`, the only form that the code generator accepts."),
        example: Some(Example {
            old: "op(Tensor(a!) self) -> ()",
            new: "op(Tensor! self) -> ()",
        }),
        source: "torch/csrc/jit/frontend/schema_type_parser.cpp",
        ..rule(Id::MutabilityRespelled, Level::Info)
    },
];
