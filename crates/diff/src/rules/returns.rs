//! Rules about returns.

use super::{ChangeRule, Example, Group, Impacts, Level, Official};
use crate::rules::ChangeRuleId;

pub(super) const RULES: &[ChangeRule] = &[
    ChangeRule {
        id: ChangeRuleId::ReturnCountChanged,
        group: Group::Return,
        level: Some(Level::Breaking),
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("xxxxxxxx"),
        what: "The number of returns is another. A list is one return, however many tensors it \
               holds.",
        why: "Unpacking fails, boxed kernels leave the wrong number of values on the stack, \
              stored graphs do not match.",
        instead: Some("Add an overload."),
        example: Some(Example {
            old: "op(Tensor self) -> Tensor",
            new: "op(Tensor self) -> ()",
        }),
        source: "aten/src/ATen/core/function_schema.cpp",
    },
    ChangeRule {
        id: ChangeRuleId::ReturnRenamed,
        group: Group::Return,
        level: Some(Level::Breaking),
        backward: Official::Incompatible,
        forward: Official::Compatible,
        impacts: Impacts::row("x.....x."),
        what: "A return has another name.",
        why: "The name is a field of the result in Python, and `derivatives.yaml` refers to it. \
              Torch looks at it one way round only.",
        instead: Some("Keep the name."),
        example: Some(Example {
            old: "op(Tensor self) -> (Tensor values, Tensor idx)",
            new: "op(Tensor self) -> (Tensor values, Tensor indices)",
        }),
        source: "aten/src/ATen/native/README.md",
    },
    ChangeRule {
        id: ChangeRuleId::ReturnNameAdded,
        group: Group::Return,
        level: Some(Level::Dangerous),
        backward: Official::Incompatible,
        forward: Official::Compatible,
        impacts: Impacts::row("r.....r."),
        what: "Returns without names got some.",
        why: "The result is a named tuple now: it still unpacks, but its type and how it prints \
              are others. Torch objects.",
        instead: None,
        example: Some(Example {
            old: "op(Tensor self) -> (Tensor, Tensor)",
            new: "op(Tensor self) -> (Tensor values, Tensor indices)",
        }),
        source: "aten/src/ATen/core/function_schema.cpp",
    },
    ChangeRule {
        id: ChangeRuleId::ReturnNameRemoved,
        group: Group::Return,
        level: Some(Level::Breaking),
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
        source: "aten/src/ATen/core/function_schema.cpp",
    },
    ChangeRule {
        id: ChangeRuleId::ReturnReordered,
        group: Group::Return,
        level: Some(Level::Breaking),
        backward: Official::Incompatible,
        forward: Official::Compatible,
        impacts: Impacts::row("xxxxxxxx"),
        what: "Returns changed places.",
        why: "Where the types are alike, values and indices are silently mistaken for each other.",
        instead: Some("Keep the order."),
        example: Some(Example {
            old: "op(Tensor self) -> (Tensor values, Tensor indices)",
            new: "op(Tensor self) -> (Tensor indices, Tensor values)",
        }),
        source: "aten/src/ATen/core/function_schema.cpp",
    },
    ChangeRule {
        id: ChangeRuleId::ReturnTypeWidened,
        group: Group::Return,
        level: Some(Level::Breaking),
        backward: Official::Incompatible,
        forward: Official::Compatible,
        impacts: Impacts::row("rrrxxxr."),
        what: "A return may now be something that it could not be before.",
        why: "Callers meet `None` or another type where they never had to look.",
        instead: Some("Keep the type, or add an overload."),
        example: Some(Example {
            old: "op(Tensor self) -> Tensor",
            new: "op(Tensor self) -> Tensor?",
        }),
        source: "aten/src/ATen/core/function_schema.cpp",
    },
    ChangeRule {
        id: ChangeRuleId::ReturnTypeNarrowed,
        group: Group::Return,
        level: Some(Level::Safe),
        backward: Official::Compatible,
        forward: Official::Compatible,
        impacts: Impacts::row("....xx.."),
        what: "A return is of a more special type.",
        why: "Whoever dealt with the wide type can deal with the narrow one. C++ signatures \
              change.",
        instead: None,
        example: Some(Example {
            old: "op(Tensor self) -> Tensor?",
            new: "op(Tensor self) -> Tensor",
        }),
        source: "aten/src/ATen/core/function_schema.cpp",
    },
    ChangeRule {
        id: ChangeRuleId::ReturnTypeChanged,
        group: Group::Return,
        level: Some(Level::Breaking),
        backward: Official::Incompatible,
        forward: Official::Compatible,
        impacts: Impacts::row("xxxxxxxx"),
        what: "A return has a type that shares nothing with the old one. Several returns that \
               become one list of their type, or the reverse, are this too: the number of returns \
               is another besides, and torch refuses that both ways round.",
        why: "Everything that uses the result breaks.",
        instead: Some("Add an overload."),
        example: Some(Example {
            old: "op(Tensor self) -> int",
            new: "op(Tensor self) -> Tensor",
        }),
        source: "aten/src/ATen/core/function_schema.cpp",
    },
    ChangeRule {
        id: ChangeRuleId::ReturnTypeChangedErased,
        group: Group::Return,
        level: Some(Level::Breaking),
        backward: Official::Compatible,
        forward: Official::Compatible,
        impacts: Impacts::row("rr..xx.."),
        what: "A return has another type that torch takes for the same.",
        why: "As with arguments the official check compares erased types, while bindings and \
              kernel signatures change.",
        instead: Some("Add an overload."),
        example: Some(Example {
            old: "op(Tensor self) -> int",
            new: "op(Tensor self) -> ScalarType",
        }),
        source: "aten/src/ATen/core/function_schema.cpp",
    },
    ChangeRule {
        id: ChangeRuleId::ReturnTypeSymint,
        group: Group::Return,
        level: Some(Level::Dangerous),
        backward: Official::Compatible,
        forward: Official::Compatible,
        impacts: Impacts::row("....xx.r"),
        what: "A return changed between `int` and `SymInt`.",
        why: "Kernels return the symbolic type whatever their arguments are, so every kernel \
              signature in C++ is another. Torch sees `int` both times.",
        instead: None,
        example: Some(Example {
            old: "op(Tensor self) -> int",
            new: "op(Tensor self) -> SymInt",
        }),
        source: "aten/src/ATen/core/function_schema.cpp",
    },
    ChangeRule {
        id: ChangeRuleId::ReturnAliasChanged,
        group: Group::Return,
        level: Some(Level::Breaking),
        backward: Official::Incompatible,
        forward: Official::Compatible,
        impacts: Impacts::row("..rr.r.x"),
        what: "The alias annotation of a return is another.",
        why: "What the result shares memory with, or whether it is the written argument itself, \
              is promised differently.",
        instead: Some("Keep the annotation unless the kernel really changed."),
        example: Some(Example {
            old: "op(Tensor(a) self) -> Tensor",
            new: "op(Tensor(a) self) -> Tensor(a)",
        }),
        source: "aten/src/ATen/core/function_schema.cpp",
    },
];
