//! Rules about plain arguments.

use super::{ChangeRule, Example, Group, Impacts, Level, Official};
use crate::rules::ChangeRuleId as Id;

const fn rule(id: Id, level: Level) -> ChangeRule {
    ChangeRule::new(
        id,
        Group::Argument,
        level,
        "aten/src/ATen/core/function_schema.cpp",
    )
}

pub(super) const RULES: &[ChangeRule] = &[
    ChangeRule {
        backward: Official::Compatible,
        forward: Official::Compatible,
        impacts: Impacts::row("....xx.."),
        what: "An argument with a default was appended: as the last positional or keyword-only \
               argument, or directly before the out arguments.",
        why: "Python calls and stored models continue to work. Models do not store trailing \
              defaults, so even new models run on an old runtime. C++ signatures change: callers \
              and boxed kernels must be rebuilt.",
        example: Some(Example {
            old: "op(Tensor self) -> Tensor",
            new: "op(Tensor self, int? extra=None) -> Tensor",
        }),
        ..rule(Id::ArgumentAddedWithDefault, Level::Safe)
    },
    ChangeRule {
        backward: Official::Compatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("...xxx.."),
        what: "An argument with a list default was appended.",
        why: "Old calls continue to work. But PyTorch's forward-compatibility check does not \
              accept containers as defaults.",
        instead: Some(
            "Make the argument optional with the default `None`, and use the list in the kernel.",
        ),
        example: Some(Example {
            old: "op(Tensor self) -> Tensor",
            new: "op(Tensor self, int[2] extra=0) -> Tensor",
        }),
        ..rule(Id::ArgumentAddedContainerDefault, Level::ForwardBreaking)
    },
    ChangeRule {
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("xxxxxxx."),
        what: "An argument without a default was added.",
        why: "Existing calls do not pass it.",
        instead: Some("Add a default that keeps the current behavior, or add an overload."),
        example: Some(Example {
            old: "op(Tensor self) -> Tensor",
            new: "op(Tensor self, Tensor extra) -> Tensor",
        }),
        ..rule(Id::ArgumentAddedRequired, Level::Breaking)
    },
    ChangeRule {
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("rxxxxxx."),
        what: "An argument was inserted before the last position.",
        why: "PyTorch compares and stores arguments by position, so all following arguments shift, \
              with or without a default. A keyword-only argument with a default does not affect \
              keyword callers.",
        instead: Some("Append it as the last keyword-only argument, with a default."),
        example: Some(Example {
            old: "op(Tensor self, int a=0, bool b=False) -> Tensor",
            new: "op(Tensor self, int a=0, float mid=1.0, bool b=False) -> Tensor",
        }),
        ..rule(Id::ArgumentInserted, Level::Breaking)
    },
    ChangeRule {
        backward: Official::Compatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("xxxrxxx."),
        what: "An argument was added after an out argument.",
        why: "Existing calls may not pass it. PyTorch's check ignores arguments after the out \
              arguments of the old schema and accepts even a required one: a blind spot, not a \
              permission.",
        instead: Some("Put it before the out arguments, with a default."),
        example: Some(Example {
            old: "op.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)",
            new: "op.out(Tensor self, *, Tensor(a!) out, int n) -> Tensor(a!)",
        }),
        ..rule(Id::ArgumentAddedAfterOut, Level::Breaking)
    },
    ChangeRule {
        backward: Official::Incompatible,
        forward: Official::Compatible,
        impacts: Impacts::row("xxxrxxx."),
        what: "An argument was removed.",
        why: "Calls that pass it fail. PyTorch's check accepts the removal of a trailing argument \
              for new models on an old runtime, but if it had no default, those models fail too.",
        instead: Some("Keep the argument, ignore its value and document this."),
        example: Some(Example {
            old: "op(Tensor self, int extra=0) -> Tensor",
            new: "op(Tensor self) -> Tensor",
        }),
        ..rule(Id::ArgumentRemoved, Level::Breaking)
    },
    ChangeRule {
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("x.rr..x."),
        what: "The argument at this position has the same type but another name. Renamed out \
               arguments are also reported as `out-argument-renamed`.",
        why: "The name is the interface for keyword callers, and `derivatives.yaml` refers to it.",
        instead: Some("Keep the old name, or add an overload with the new one."),
        example: Some(Example {
            old: "op(Tensor input, int k=0) -> Tensor",
            new: "op(Tensor self, int k=0) -> Tensor",
        }),
        source: "aten/src/ATen/native/README.md",
        ..rule(Id::ArgumentRenamed, Level::Breaking)
    },
    ChangeRule {
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row(".xxxxx.."),
        what: "The arguments are the same, but in another order.",
        why: "Positional calls pass their values in the wrong order. If the types are equal, no \
              error occurs and the result silently changes.",
        instead: Some("Keep the order, or add an overload."),
        example: Some(Example {
            old: "op(Tensor self, int a, bool b) -> Tensor",
            new: "op(Tensor self, bool b, int a) -> Tensor",
        }),
        ..rule(Id::ArgumentReordered, Level::Breaking)
    },
    ChangeRule {
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("..rrxx.."),
        what: "Only keyword-only arguments were reordered.",
        why: "Python callers are not affected. C++ and boxed calls pass them by position, and \
              PyTorch's check compares by position.",
        instead: Some("Keep the order."),
        example: Some(Example {
            old: "op(Tensor self, *, int a=0, bool b=False) -> Tensor",
            new: "op(Tensor self, *, bool b=False, int a=0) -> Tensor",
        }),
        ..rule(Id::ArgumentReorderedKwargOnly, Level::Dangerous)
    },
    ChangeRule {
        backward: Official::Compatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("...xxx.."),
        what: "The new type accepts everything that the old type accepts, and more.",
        why: "Existing calls continue to work. A new call may pass a value that an old runtime \
              rejects, and the C++ signature changes.",
        example: Some(Example {
            old: "op(Tensor self, *, Tensor x) -> Tensor",
            new: "op(Tensor self, *, Tensor? x) -> Tensor",
        }),
        ..rule(Id::ArgumentTypeWidened, Level::ForwardBreaking)
    },
    ChangeRule {
        backward: Official::Incompatible,
        forward: Official::Compatible,
        impacts: Impacts::row("rrrrxx.."),
        what: "The new type accepts only a part of what the old type accepts.",
        why: "Calls that pass other values fail; how many there are is unknown.",
        instead: Some("Keep the wider type, and reject unsupported values in the kernel."),
        example: Some(Example {
            old: "op(Tensor self, Tensor? x) -> Tensor",
            new: "op(Tensor self, Tensor x) -> Tensor",
        }),
        ..rule(Id::ArgumentTypeNarrowed, Level::Breaking)
    },
    ChangeRule {
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("xxxxxxx."),
        what: "Neither type accepts the values of the other.",
        why: "No value fits both types. PyTorch rejects even conversions that look harmless: `int` \
              to `float`, `bool` to `Scalar` and `Tensor[]` to `Tensor?[]`.",
        instead: Some("Add an overload for the new type."),
        example: Some(Example {
            old: "op(Tensor self, int x) -> Tensor",
            new: "op(Tensor self, float x) -> Tensor",
        }),
        ..rule(Id::ArgumentTypeChanged, Level::Breaking)
    },
    ChangeRule {
        backward: Official::Compatible,
        forward: Official::Compatible,
        impacts: Impacts::row("rr..xx.."),
        what: "The types differ, but the runtime treats both as `int` or both as `str`.",
        why: "PyTorch's check compares erased types and sees no change. Python and C++ bindings \
              use the declared types and do change.",
        instead: Some("Add an overload for the new type."),
        example: Some(Example {
            old: "op(Tensor self, int x) -> Tensor",
            new: "op(Tensor self, ScalarType x) -> Tensor",
        }),
        ..rule(Id::ArgumentTypeChangedErased, Level::Breaking)
    },
    ChangeRule {
        backward: Official::Compatible,
        forward: Official::Compatible,
        impacts: Impacts::row("....rx.r"),
        what: "`int` became `SymInt`, alone, optional or in a list.",
        why: "The usual way to support dynamic shapes, and invisible to PyTorch's check. `at::op` \
              keeps its signature, but out-of-tree kernels must now take symbolic sizes.",
        example: Some(Example {
            old: "op(Tensor self, int x) -> Tensor",
            new: "op(Tensor self, SymInt x) -> Tensor",
        }),
        ..rule(Id::ArgumentTypeSymint, Level::Dangerous)
    },
    ChangeRule {
        backward: Official::Compatible,
        forward: Official::Compatible,
        impacts: Impacts::row("....rx.x"),
        what: "`SymInt` became `int`, alone, optional or in a list.",
        why: "`torch.compile` and export specialize symbolic sizes to numbers or reject them. \
              PyTorch's check treats both types as `int` and accepts the change.",
        instead: Some("Keep `SymInt`; a kernel that needs a number can add a guard."),
        example: Some(Example {
            old: "op(Tensor self, SymInt x) -> Tensor",
            new: "op(Tensor self, int x) -> Tensor",
        }),
        ..rule(Id::ArgumentTypeDeSymint, Level::Breaking)
    },
    ChangeRule {
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("rr..r..."),
        what: "A sized list lost its size.",
        why: "Python callers can no longer pass a single number for the whole list.",
        instead: Some("Keep the size."),
        example: Some(Example {
            old: "op(Tensor self, int[2] x) -> Tensor",
            new: "op(Tensor self, int[] x) -> Tensor",
        }),
        source: "aten/src/ATen/native/README.md",
        ..rule(Id::ListSizeHintRemoved, Level::Breaking)
    },
    ChangeRule {
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        what: "A list gained a size.",
        why: "Callers can now also pass a single number for the whole list. PyTorch's check still \
              fails, because it compares sizes.",
        example: Some(Example {
            old: "op(Tensor self, int[] x) -> Tensor",
            new: "op(Tensor self, int[2] x) -> Tensor",
        }),
        source: "aten/src/ATen/native/README.md",
        ..rule(Id::ListSizeHintAdded, Level::Safe)
    },
    ChangeRule {
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("rr..r..."),
        what: "The size of a list changed.",
        why: "A single number, as a value or as the default, expands to a different length.",
        instead: Some("Add an overload."),
        example: Some(Example {
            old: "op(Tensor self, bool[3] x) -> Tensor",
            new: "op(Tensor self, bool[4] x) -> Tensor",
        }),
        source: "aten/src/ATen/native/README.md",
        ..rule(Id::ListSizeHintChanged, Level::Breaking)
    },
    ChangeRule {
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row(".xrr...."),
        what: "A positional argument became keyword-only.",
        why: "Calls that pass it by position fail.",
        instead: Some("Keep it positional."),
        example: Some(Example {
            old: "op(Tensor self, Tensor other) -> Tensor",
            new: "op(Tensor self, *, Tensor other) -> Tensor",
        }),
        ..rule(Id::ArgumentBecameKwargOnly, Level::Breaking)
    },
    ChangeRule {
        backward: Official::Compatible,
        forward: Official::Compatible,
        impacts: Impacts::row("...r...."),
        what: "A keyword-only argument became positional.",
        why: "Existing calls pass it by keyword and continue to work. A new positional call fails \
              on an old runtime, which PyTorch's check ignores.",
        example: Some(Example {
            old: "op(Tensor self, *, int dim) -> Tensor",
            new: "op(Tensor self, int dim) -> Tensor",
        }),
        ..rule(Id::ArgumentBecamePositional, Level::Safe)
    },
];
