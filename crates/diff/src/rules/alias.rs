//! Rules about alias annotations of arguments.

use super::{ChangeRule, Example, Group, Impacts, Level, Official};
use crate::rules::ChangeRuleId;

pub(super) const RULES: &[ChangeRule] = &[
    ChangeRule {
        id: ChangeRuleId::AliasAnnotationAdded,
        group: Group::Alias,
        level: Some(Level::Breaking),
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("..rr.r.x"),
        what: "An argument without alias annotation has one now.",
        why: "A result may share memory with the argument: the operator became a view. \
              Functionalization then wants a copying twin and a way to replay the view.",
        instead: Some("Add a view operator of its own."),
        example: Some(Example {
            old: "op(Tensor self) -> Tensor",
            new: "op(Tensor(a) self) -> Tensor(a)",
        }),
        source: "aten/src/ATen/core/function_schema.cpp",
    },
    ChangeRule {
        id: ChangeRuleId::AliasAnnotationRemoved,
        group: Group::Alias,
        level: Some(Level::Breaking),
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("..rr.r.x"),
        what: "An argument lost its alias annotation.",
        why: "What was a view is a copy: writing to the result no longer reaches the base, and \
              nothing tells the caller.",
        instead: Some("Keep the view; add a copying operator beside it."),
        example: Some(Example {
            old: "op(Tensor(a) self) -> Tensor(a)",
            new: "op(Tensor self) -> Tensor",
        }),
        source: "aten/src/ATen/core/function_schema.cpp",
    },
    ChangeRule {
        id: ChangeRuleId::MutabilityGained,
        group: Group::Alias,
        level: Some(Level::Breaking),
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("rrrr.rxx"),
        what: "An argument is written to that was not before.",
        why: "Compiler passes that moved or merged calls of a pure operator are wrong about it \
              now, and callers find their input changed.",
        instead: Some(
            "Add a mutating operator beside the pure one, and let `autogen` make its \
                       functional form.",
        ),
        example: Some(Example {
            old: "op(Tensor self, Tensor buf) -> Tensor",
            new: "op(Tensor self, Tensor(a!) buf) -> Tensor",
        }),
        source: "aten/src/ATen/core/function_schema.cpp",
    },
    ChangeRule {
        id: ChangeRuleId::MutabilityLost,
        group: Group::Alias,
        level: Some(Level::Breaking),
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("xxrr.rxx"),
        what: "An argument is no longer written to.",
        why: "Whoever calls the operator for that effect gets none. In C++ the argument changes \
              from `Tensor&` to `const Tensor&`.",
        instead: Some("Keep the mutating operator and add a pure one beside it."),
        example: Some(Example {
            old: "op(Tensor self, Tensor(a!) buf) -> Tensor",
            new: "op(Tensor self, Tensor buf) -> Tensor",
        }),
        source: "aten/src/ATen/core/function_schema.cpp",
    },
    ChangeRule {
        id: ChangeRuleId::AliasSetRenamed,
        group: Group::Alias,
        level: Some(Level::Info),
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("........"),
        what: "Alias sets have other names throughout.",
        why: "The letters mean nothing by themselves, only which annotations share one. Torch \
              compares the letters and objects: a false alarm.",
        instead: Some("Keep the letters if you want the official check to stay quiet."),
        example: Some(Example {
            old: "op(Tensor(b) self) -> Tensor(b)",
            new: "op(Tensor(a) self) -> Tensor(a)",
        }),
        source: "aten/src/ATen/core/alias_info.h",
    },
    ChangeRule {
        id: ChangeRuleId::AliasSetChanged,
        group: Group::Alias,
        level: Some(Level::Breaking),
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("..rr...x"),
        what: "Alias sets were merged, split, or opened to everything by `*`.",
        why: "What may share memory with what is another set of promises, on which \
              functionalization and memory planning act.",
        instead: Some("Keep the annotation unless the kernel really changed."),
        example: Some(Example {
            old: "op(Tensor(a) self) -> Tensor(a)[]",
            new: "op(Tensor(a -> *) self) -> Tensor(a)[]",
        }),
        source: "aten/src/ATen/core/alias_info.h",
    },
    ChangeRule {
        id: ChangeRuleId::MutabilityRespelled,
        group: Group::Alias,
        level: Some(Level::Info),
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("........"),
        what: "A write annotation changed between `Tensor!` and `Tensor(a!)`.",
        why: "The bare `!` stands for a set of its own with a name that torch makes up. Nothing \
              changes, but the names differ and torch objects.",
        instead: Some("Write `Tensor(a!)`, the only form that the code generator reads."),
        example: Some(Example {
            old: "op(Tensor(a!) self) -> ()",
            new: "op(Tensor! self) -> ()",
        }),
        source: "torch/csrc/jit/frontend/schema_type_parser.cpp",
    },
];
