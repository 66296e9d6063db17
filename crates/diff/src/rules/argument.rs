//! Rules about plain arguments.

use super::{ChangeRule, Example, Group, Impacts, Level, Official};
use crate::rules::ChangeRuleId;

pub(super) const RULES: &[ChangeRule] = &[
    ChangeRule {
        id: ChangeRuleId::ArgumentAddedWithDefault,
        group: Group::Argument,
        level: Some(Level::Safe),
        backward: Official::Compatible,
        forward: Official::Compatible,
        impacts: Impacts::row("....xx.."),
        what: "An argument with a default was appended: the last among the positional or the \
               keyword-only ones, or right before the out arguments.",
        why: "Python calls and stored models go on as before, and trailing defaults are not \
              stored, so even the way back is open. C++ signatures change: callers and boxed \
              kernels must be built again.",
        instead: None,
        example: Some(Example {
            old: "op(Tensor self) -> Tensor",
            new: "op(Tensor self, int? extra=None) -> Tensor",
        }),
        source: "aten/src/ATen/core/function_schema.cpp",
    },
    ChangeRule {
        id: ChangeRuleId::ArgumentAddedContainerDefault,
        group: Group::Argument,
        level: Some(Level::ForwardBreaking),
        backward: Official::Compatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("...xxx.."),
        what: "An argument was appended whose default is a list.",
        why: "As with any other default old calls are fine. But the check of new models on an \
              old runtime does not accept containers as defaults.",
        instead: Some(
            "Make the argument optional with the default `None` and put the list into \
                       the kernel.",
        ),
        example: Some(Example {
            old: "op(Tensor self) -> Tensor",
            new: "op(Tensor self, int[2] extra=0) -> Tensor",
        }),
        source: "aten/src/ATen/core/function_schema.cpp",
    },
    ChangeRule {
        id: ChangeRuleId::ArgumentAddedRequired,
        group: Group::Argument,
        level: Some(Level::Breaking),
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("xxxxxxx."),
        what: "An argument without a default was added.",
        why: "No call that exists passes it.",
        instead: Some("Give it a default that keeps the present behaviour, or add an overload."),
        example: Some(Example {
            old: "op(Tensor self) -> Tensor",
            new: "op(Tensor self, Tensor extra) -> Tensor",
        }),
        source: "aten/src/ATen/core/function_schema.cpp",
    },
    ChangeRule {
        id: ChangeRuleId::ArgumentInserted,
        group: Group::Argument,
        level: Some(Level::Breaking),
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("rxxxxxx."),
        what: "An argument was put anywhere but at the tail.",
        why: "Arguments are compared and stored by position, so all that follow it shift, with \
              or without a default. Inserted among keyword-only arguments and with a default, \
              it spares those who call by keyword.",
        instead: Some("Append it as the last keyword-only argument."),
        example: Some(Example {
            old: "op(Tensor self, int a=0, bool b=False) -> Tensor",
            new: "op(Tensor self, int a=0, float mid=1.0, bool b=False) -> Tensor",
        }),
        source: "aten/src/ATen/core/function_schema.cpp",
    },
    ChangeRule {
        id: ChangeRuleId::ArgumentAddedAfterOut,
        group: Group::Argument,
        level: Some(Level::Breaking),
        backward: Official::Compatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("xxxrxxx."),
        what: "An argument was put behind an out argument.",
        why: "Callers must pass it or stumble over it. Torch does not look past the out \
              arguments of the old schema and calls even a required one compatible: a blind \
              spot of the check, not a licence.",
        instead: Some("Put it before the out arguments, with a default."),
        example: Some(Example {
            old: "op.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)",
            new: "op.out(Tensor self, *, Tensor(a!) out, int n) -> Tensor(a!)",
        }),
        source: "aten/src/ATen/core/function_schema.cpp",
    },
    ChangeRule {
        id: ChangeRuleId::ArgumentRemoved,
        group: Group::Argument,
        level: Some(Level::Breaking),
        backward: Official::Incompatible,
        forward: Official::Compatible,
        impacts: Impacts::row("xxxrxxx."),
        what: "An argument is gone.",
        why: "Calls that pass it fail. Torch sees no harm for new models on an old runtime when \
              a trailing one goes; where it had no default they fail there too.",
        instead: Some("Keep it and ignore it, and say so in the documentation."),
        example: Some(Example {
            old: "op(Tensor self, int extra=0) -> Tensor",
            new: "op(Tensor self) -> Tensor",
        }),
        source: "aten/src/ATen/core/function_schema.cpp",
    },
    ChangeRule {
        id: ChangeRuleId::ArgumentRenamed,
        group: Group::Argument,
        level: Some(Level::Breaking),
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("x.rr..x."),
        what: "At the same place, with the same type, stands an argument of another name. Out \
               arguments are reported as `out-argument-renamed` besides.",
        why: "Names are the interface for whoever calls by keyword, and `derivatives.yaml` \
              refers to them.",
        instead: Some("Keep the old name; or add an overload under the new one."),
        example: Some(Example {
            old: "op(Tensor input, int k=0) -> Tensor",
            new: "op(Tensor self, int k=0) -> Tensor",
        }),
        source: "aten/src/ATen/native/README.md",
    },
    ChangeRule {
        id: ChangeRuleId::ArgumentReordered,
        group: Group::Argument,
        level: Some(Level::Breaking),
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row(".xxxxx.."),
        what: "The same arguments stand in another order.",
        why: "Positional calls put their values in the wrong place. Where the types are alike \
              nothing complains, and the result is silently another.",
        instead: Some("Keep the order. If it is unbearable, add an overload."),
        example: Some(Example {
            old: "op(Tensor self, int a, bool b) -> Tensor",
            new: "op(Tensor self, bool b, int a) -> Tensor",
        }),
        source: "aten/src/ATen/core/function_schema.cpp",
    },
    ChangeRule {
        id: ChangeRuleId::ArgumentReorderedKwargOnly,
        group: Group::Argument,
        level: Some(Level::Dangerous),
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("..rrxx.."),
        what: "Only keyword-only arguments changed places.",
        why: "Python does not care. C++ and boxed calls pass them by position all the same, and \
              torch compares by position.",
        instead: Some("Keep the order."),
        example: Some(Example {
            old: "op(Tensor self, *, int a=0, bool b=False) -> Tensor",
            new: "op(Tensor self, *, bool b=False, int a=0) -> Tensor",
        }),
        source: "aten/src/ATen/core/function_schema.cpp",
    },
    ChangeRule {
        id: ChangeRuleId::ArgumentTypeWidened,
        group: Group::Argument,
        level: Some(Level::ForwardBreaking),
        backward: Official::Compatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("...xxx.."),
        what: "The new type takes all that the old one took, and more.",
        why: "Every old call still fits. A new call may carry something that an old runtime \
              does not take, and the C++ signature is another.",
        instead: None,
        example: Some(Example {
            old: "op(Tensor self, *, Tensor x) -> Tensor",
            new: "op(Tensor self, *, Tensor? x) -> Tensor",
        }),
        source: "aten/src/ATen/core/function_schema.cpp",
    },
    ChangeRule {
        id: ChangeRuleId::ArgumentTypeNarrowed,
        group: Group::Argument,
        level: Some(Level::Breaking),
        backward: Official::Incompatible,
        forward: Official::Compatible,
        impacts: Impacts::row("rrrrxx.."),
        what: "The new type takes only a part of what the old one took.",
        why: "Calls that used the other part fail, and nobody can tell from the outside how \
              many do.",
        instead: Some("Keep the wide type and refuse in the kernel what cannot be served."),
        example: Some(Example {
            old: "op(Tensor self, Tensor? x) -> Tensor",
            new: "op(Tensor self, Tensor x) -> Tensor",
        }),
        source: "aten/src/ATen/core/function_schema.cpp",
    },
    ChangeRule {
        id: ChangeRuleId::ArgumentTypeChanged,
        group: Group::Argument,
        level: Some(Level::Breaking),
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("xxxxxxx."),
        what: "Neither type takes what the other takes.",
        why: "No value fits both. Conversions that look harmless are none to torch: `int` to \
              `float`, `bool` to `Scalar` and `Tensor[]` to `Tensor?[]` are all refused.",
        instead: Some("Add an overload for the new type."),
        example: Some(Example {
            old: "op(Tensor self, int x) -> Tensor",
            new: "op(Tensor self, float x) -> Tensor",
        }),
        source: "aten/src/ATen/core/function_schema.cpp",
    },
    ChangeRule {
        id: ChangeRuleId::ArgumentTypeChangedErased,
        group: Group::Argument,
        level: Some(Level::Breaking),
        backward: Official::Compatible,
        forward: Official::Compatible,
        impacts: Impacts::row("rr..xx.."),
        what: "The types differ, but torch takes both for `int` or both for `str`.",
        why: "The official check compares erased types and sees no change. Bindings in Python \
              and C++ are made from the real ones and do change.",
        instead: Some("Add an overload for the new type."),
        example: Some(Example {
            old: "op(Tensor self, int x) -> Tensor",
            new: "op(Tensor self, ScalarType x) -> Tensor",
        }),
        source: "aten/src/ATen/core/function_schema.cpp",
    },
    ChangeRule {
        id: ChangeRuleId::ArgumentTypeSymint,
        group: Group::Argument,
        level: Some(Level::Dangerous),
        backward: Official::Compatible,
        forward: Official::Compatible,
        impacts: Impacts::row("....rx.r"),
        what: "`int` became `SymInt`, alone, optional or in a list.",
        why: "The usual way to make an operator fit for dynamic shapes, and invisible to torch. \
              `at::op` keeps its form, but kernels outside the tree are registered with the \
              signature that now takes symbolic sizes.",
        instead: None,
        example: Some(Example {
            old: "op(Tensor self, int x) -> Tensor",
            new: "op(Tensor self, SymInt x) -> Tensor",
        }),
        source: "aten/src/ATen/core/function_schema.cpp",
    },
    ChangeRule {
        id: ChangeRuleId::ArgumentTypeDeSymint,
        group: Group::Argument,
        level: Some(Level::Breaking),
        backward: Official::Compatible,
        forward: Official::Compatible,
        impacts: Impacts::row("....rx.x"),
        what: "`SymInt` became `int`, alone, optional or in a list.",
        why: "Under `torch.compile` and export a symbolic size is fixed to a number or refused. \
              Torch takes both types for `int` and says nothing.",
        instead: Some("Keep `SymInt`; a kernel that needs a number can guard on it."),
        example: Some(Example {
            old: "op(Tensor self, SymInt x) -> Tensor",
            new: "op(Tensor self, int x) -> Tensor",
        }),
        source: "aten/src/ATen/core/function_schema.cpp",
    },
    ChangeRule {
        id: ChangeRuleId::ListSizeHintRemoved,
        group: Group::Argument,
        level: Some(Level::Breaking),
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("rr..r..."),
        what: "A sized list lost its size.",
        why: "Python callers may no longer write a single number for the whole list.",
        instead: Some("Keep the size."),
        example: Some(Example {
            old: "op(Tensor self, int[2] x) -> Tensor",
            new: "op(Tensor self, int[] x) -> Tensor",
        }),
        source: "aten/src/ATen/native/README.md",
    },
    ChangeRule {
        id: ChangeRuleId::ListSizeHintAdded,
        group: Group::Argument,
        level: Some(Level::Safe),
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("........"),
        what: "A list got a size.",
        why: "It only allows more: a single number now stands for the whole list. Torch wants \
              sizes to be equal and objects nevertheless.",
        instead: None,
        example: Some(Example {
            old: "op(Tensor self, int[] x) -> Tensor",
            new: "op(Tensor self, int[2] x) -> Tensor",
        }),
        source: "aten/src/ATen/native/README.md",
    },
    ChangeRule {
        id: ChangeRuleId::ListSizeHintChanged,
        group: Group::Argument,
        level: Some(Level::Breaking),
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("rr..r..."),
        what: "A sized list has another size.",
        why: "A single number, as a value or as the default, is spread to another length.",
        instead: Some("Add an overload."),
        example: Some(Example {
            old: "op(Tensor self, bool[3] x) -> Tensor",
            new: "op(Tensor self, bool[4] x) -> Tensor",
        }),
        source: "aten/src/ATen/native/README.md",
    },
    ChangeRule {
        id: ChangeRuleId::ArgumentBecameKwargOnly,
        group: Group::Argument,
        level: Some(Level::Breaking),
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row(".xrr...."),
        what: "A positional argument moved behind the `*`.",
        why: "Calls that pass it by position fail.",
        instead: Some("Leave it positional."),
        example: Some(Example {
            old: "op(Tensor self, Tensor other) -> Tensor",
            new: "op(Tensor self, *, Tensor other) -> Tensor",
        }),
        source: "aten/src/ATen/core/function_schema.cpp",
    },
    ChangeRule {
        id: ChangeRuleId::ArgumentBecamePositional,
        group: Group::Argument,
        level: Some(Level::Safe),
        backward: Official::Compatible,
        forward: Official::Compatible,
        impacts: Impacts::row("...r...."),
        what: "A keyword-only argument may now be passed by position.",
        why: "Old calls pass it by keyword and still may. A new call by position does not bind \
              on an old runtime, which torch does not mind.",
        instead: None,
        example: Some(Example {
            old: "op(Tensor self, *, int dim) -> Tensor",
            new: "op(Tensor self, int dim) -> Tensor",
        }),
        source: "aten/src/ATen/core/function_schema.cpp",
    },
];
