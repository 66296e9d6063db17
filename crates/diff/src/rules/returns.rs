//! Rules about returns.

use super::{ChangeRule, Example, Group, Impacts, Level, Official};
use crate::rules::ChangeRuleId as Id;

const fn rule(id: Id, level: Level) -> ChangeRule {
    ChangeRule::new(
        id,
        Group::Return,
        level,
        "aten/src/ATen/core/function_schema.cpp",
    )
}

pub(super) const RULES: &[ChangeRule] = &[
    ChangeRule {
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("xxxxxxxx"),
        what: "The number of returns changed. A list is one return, however many tensors it \
               contains.",
        why: "Unpacking fails, boxed kernels leave the wrong number of values on the stack, and \
              stored graphs do not match.",
        instead: Some("Add an overload."),
        example: Some(Example {
            old: "op(Tensor self) -> Tensor",
            new: "op(Tensor self) -> ()",
        }),
        ..rule(Id::ReturnCountChanged, Level::Breaking)
    },
    ChangeRule {
        backward: Official::Incompatible,
        forward: Official::Compatible,
        impacts: Impacts::row("x.....x."),
        what: "A return was renamed.",
        why: "The name is a field of the result in Python, and `derivatives.yaml` refers to it. \
              PyTorch checks it in one direction only.",
        instead: Some("Keep the name."),
        example: Some(Example {
            old: "op(Tensor self) -> (Tensor values, Tensor idx)",
            new: "op(Tensor self) -> (Tensor values, Tensor indices)",
        }),
        source: "aten/src/ATen/native/README.md",
        ..rule(Id::ReturnRenamed, Level::Breaking)
    },
    ChangeRule {
        backward: Official::Incompatible,
        forward: Official::Compatible,
        impacts: Impacts::row("r.....r."),
        what: "Unnamed returns gained names.",
        why: "The result is now a named tuple: it still unpacks, but its type and its printed form \
              change. PyTorch's check rejects this.",
        example: Some(Example {
            old: "op(Tensor self) -> (Tensor, Tensor)",
            new: "op(Tensor self) -> (Tensor values, Tensor indices)",
        }),
        ..rule(Id::ReturnNameAdded, Level::Dangerous)
    },
    ChangeRule {
        backward: Official::Incompatible,
        forward: Official::Compatible,
        impacts: Impacts::row("x.....x."),
        what: "Returns lost their names.",
        why: "Code that reads `result.values` fails.",
        instead: Some("Keep the names."),
        example: Some(Example {
            old: "op(Tensor self) -> (Tensor values, Tensor indices)",
            new: "op(Tensor self) -> (Tensor, Tensor)",
        }),
        ..rule(Id::ReturnNameRemoved, Level::Breaking)
    },
    ChangeRule {
        backward: Official::Incompatible,
        forward: Official::Compatible,
        impacts: Impacts::row("xxxxxxxx"),
        what: "Returns were reordered.",
        why: "If the types are equal, callers silently mix up values and indices.",
        instead: Some("Keep the order."),
        example: Some(Example {
            old: "op(Tensor self) -> (Tensor values, Tensor indices)",
            new: "op(Tensor self) -> (Tensor indices, Tensor values)",
        }),
        ..rule(Id::ReturnReordered, Level::Breaking)
    },
    ChangeRule {
        backward: Official::Incompatible,
        forward: Official::Compatible,
        impacts: Impacts::row("rrrxxxr."),
        what: "The type of a return was widened.",
        why: "Callers may get `None` or another type that they do not handle.",
        instead: Some("Keep the type, or add an overload."),
        example: Some(Example {
            old: "op(Tensor self) -> Tensor",
            new: "op(Tensor self) -> Tensor?",
        }),
        ..rule(Id::ReturnTypeWidened, Level::Breaking)
    },
    ChangeRule {
        backward: Official::Compatible,
        forward: Official::Compatible,
        impacts: Impacts::row("....xx.."),
        what: "The type of a return was narrowed.",
        why: "Code that handles the wider type also handles the narrower one. C++ signatures \
              change.",
        example: Some(Example {
            old: "op(Tensor self) -> Tensor?",
            new: "op(Tensor self) -> Tensor",
        }),
        ..rule(Id::ReturnTypeNarrowed, Level::Safe)
    },
    ChangeRule {
        backward: Official::Incompatible,
        forward: Official::Compatible,
        impacts: Impacts::row("xxxxxxxx"),
        what: "The type of a return changed to an incompatible one. This includes several returns \
               that become one list of their type, or the reverse; then the number of returns \
               changes too, and PyTorch's check rejects it in both directions.",
        why: "All code that uses the result breaks.",
        instead: Some("Add an overload."),
        example: Some(Example {
            old: "op(Tensor self) -> int",
            new: "op(Tensor self) -> Tensor",
        }),
        ..rule(Id::ReturnTypeChanged, Level::Breaking)
    },
    ChangeRule {
        backward: Official::Compatible,
        forward: Official::Compatible,
        impacts: Impacts::row("rr..xx.."),
        what: "The type of a return changed to one that the runtime treats as the same type.",
        why: "As for arguments, PyTorch's check compares erased types, while bindings and kernel \
              signatures change.",
        instead: Some("Add an overload."),
        example: Some(Example {
            old: "op(Tensor self) -> int",
            new: "op(Tensor self) -> ScalarType",
        }),
        ..rule(Id::ReturnTypeChangedErased, Level::Breaking)
    },
    ChangeRule {
        backward: Official::Compatible,
        forward: Official::Compatible,
        impacts: Impacts::row("....xx.r"),
        what: "A return changed between `int` and `SymInt`.",
        why: "Kernels return the symbolic type whatever their arguments are, so the C++ signature \
              of every kernel changes. PyTorch's check sees `int` in both.",
        example: Some(Example {
            old: "op(Tensor self) -> int",
            new: "op(Tensor self) -> SymInt",
        }),
        ..rule(Id::ReturnTypeSymint, Level::Dangerous)
    },
    ChangeRule {
        backward: Official::Incompatible,
        forward: Official::Compatible,
        impacts: Impacts::row("..rr.r.x"),
        what: "The alias annotation of a return changed.",
        why: "The operator now makes a different promise about the memory of its result, or about \
              returning the mutated argument itself.",
        instead: Some("Keep the annotation unless the behavior of the kernel changed."),
        example: Some(Example {
            old: "op(Tensor(a) self) -> Tensor",
            new: "op(Tensor(a) self) -> Tensor(a)",
        }),
        ..rule(Id::ReturnAliasChanged, Level::Breaking)
    },
];
