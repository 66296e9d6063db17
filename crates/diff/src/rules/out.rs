//! Rules about out arguments.

use super::{ChangeRule, Example, Group, Impacts, Level, Official};
use crate::rules::ChangeRuleId as Id;

const fn rule(id: Id, level: Level) -> ChangeRule {
    ChangeRule::new(
        id,
        Group::Out,
        level,
        "aten/src/ATen/core/function_schema.cpp",
    )
}

pub(super) const RULES: &[ChangeRule] = &[
    ChangeRule {
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("xxxxxxxx"),
        what: "A keyword-only argument became an out argument.",
        why: "Callers must now pass a tensor for the result instead of an input.",
        instead: Some("Add an `out` overload."),
        example: Some(Example {
            old: "op(Tensor self, Tensor(a!) out) -> ()",
            new: "op(Tensor self, *, Tensor(a!) out) -> ()",
        }),
        ..rule(Id::ArgumentBecameOut, Level::Breaking)
    },
    ChangeRule {
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("xxxxxxxx"),
        what: "An out argument became an input.",
        why: "The operator reads the tensor that callers pass for the result as data.",
        instead: Some("Keep the `out` overload and add one with the input."),
        example: Some(Example {
            old: "op(Tensor self, *, Tensor(a!) out) -> ()",
            new: "op(Tensor self, Tensor(a!) out) -> ()",
        }),
        ..rule(Id::OutArgumentBecameInput, Level::Breaking)
    },
    ChangeRule {
        backward: Official::Compatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("xxxxxxxx"),
        what: "An out argument was added.",
        why: "Existing calls do not pass it. If the returns do not change, PyTorch's check accepts \
              it: a blind spot.",
        instead: Some("Add an overload."),
        example: Some(Example {
            old: "op(Tensor self) -> ()",
            new: "op(Tensor self, *, Tensor(a!) out) -> ()",
        }),
        ..rule(Id::OutArgumentAdded, Level::Breaking)
    },
    ChangeRule {
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("xxxxxxxx"),
        what: "An out argument was removed.",
        why: "Callers that pass it fail, and its result is lost.",
        instead: Some("Keep the overload."),
        example: Some(Example {
            old: "op(Tensor self, *, Tensor(a!) out) -> ()",
            new: "op(Tensor self) -> ()",
        }),
        ..rule(Id::OutArgumentRemoved, Level::Breaking)
    },
    ChangeRule {
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("x.rr..x."),
        what: "An out argument was renamed.",
        why: "Out arguments are passed by keyword, so the name is the interface. It is also the \
              name of the field in the result.",
        instead: Some("Keep the name."),
        example: Some(Example {
            old: "op.out(Tensor self, *, Tensor(a!) out, Tensor(b!) out1) -> ()",
            new: "op.out(Tensor self, *, Tensor(a!) res, Tensor(b!) out1) -> ()",
        }),
        source: "aten/src/ATen/native/README.md",
        ..rule(Id::OutArgumentRenamed, Level::Breaking)
    },
    ChangeRule {
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("..xxxx.."),
        what: "Out arguments were reordered.",
        why: "Python passes them by keyword and is not affected. Callers that pass them by \
              position get the results in the wrong tensors.",
        instead: Some("Keep the order."),
        example: Some(Example {
            old: "op.out(Tensor self, *, Tensor(a!) values, Tensor(b!) indices) -> (Tensor(a!), \
                  Tensor(b!))",
            new: "op.out(Tensor self, *, Tensor(b!) indices, Tensor(a!) values) -> (Tensor(a!), \
                  Tensor(b!))",
        }),
        ..rule(Id::OutArgumentReordered, Level::Breaking)
    },
    ChangeRule {
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("xxxxxxxx"),
        what: "The type of an out argument changed to an incompatible one.",
        why: "No tensor that callers pass has the new type.",
        instead: Some("Add an overload."),
        example: Some(Example {
            old: "op.out(Tensor self, *, Tensor(a!) out) -> ()",
            new: "op.out(Tensor self, *, Tensor(a!)[] out) -> ()",
        }),
        ..rule(Id::OutArgumentTypeChanged, Level::Breaking)
    },
    ChangeRule {
        backward: Official::Compatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("...xxx.."),
        what: "The type of an out argument was widened.",
        why: "Existing calls continue to work. New calls may omit what an old runtime requires.",
        example: Some(Example {
            old: "op.out(Tensor self, *, Tensor(a!) out) -> ()",
            new: "op.out(Tensor self, *, Tensor(a!)? out) -> ()",
        }),
        ..rule(Id::OutArgumentTypeWidened, Level::ForwardBreaking)
    },
    ChangeRule {
        backward: Official::Incompatible,
        forward: Official::Compatible,
        impacts: Impacts::row("rrrrxx.."),
        what: "The type of an out argument was narrowed.",
        why: "Calls that rely on the wider type fail.",
        instead: Some("Keep the wider type."),
        example: Some(Example {
            old: "op.out(Tensor self, *, Tensor(a!)? out) -> ()",
            new: "op.out(Tensor self, *, Tensor(a!) out) -> ()",
        }),
        ..rule(Id::OutArgumentTypeNarrowed, Level::Breaking)
    },
    ChangeRule {
        backward: Official::Raises,
        forward: Official::Incompatible,
        impacts: Impacts::row("xxxxxxxx"),
        what: "Out arguments were replaced by inputs, with the same total number of arguments.",
        why: "No existing call is correct any more. PyTorch's check reads past the end of the \
              arguments and raises `IndexError` instead of giving a verdict.",
        instead: Some("Add an overload."),
        example: Some(Example {
            old: "op(Tensor self, *, Tensor(a!) out) -> ()",
            new: "op(Tensor self, *, int n=0) -> ()",
        }),
        ..rule(Id::OutArgumentsReplaced, Level::Breaking)
    },
];
