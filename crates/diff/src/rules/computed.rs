//! Rules about consequences of both files that neither file contains.

use super::{ChangeRule, Example, Group, Impacts, Level};
use crate::rules::ChangeRuleId as Id;

const fn rule(id: Id, level: Level) -> ChangeRule {
    ChangeRule::new(
        id,
        Group::Computed,
        level,
        "aten/src/ATen/core/dispatch/OperatorEntry.cpp",
    )
}

pub(super) const RULES: &[ChangeRule] = &[
    ChangeRule {
        impacts: Impacts::row("rr..r..."),
        what: "A backend no longer runs the operator.",
        why: "Opatlas computes this from kernels, delegates and composites together, so it also \
              finds entries whose own text did not change. Select the backends that matter to you.",
        instead: Some("Keep what served the backend, or add a kernel for it."),
        example: Some(Example {
            old: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  structured_delegate: blend.out\n",
                "- func: blend.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)\n",
                "  structured: True\n",
                "  dispatch:\n",
                "    CPU: blend_out_cpu\n",
                "    CUDA: blend_out_cuda\n",
            ),
            new: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  structured_delegate: blend.out\n",
                "- func: blend.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)\n",
                "  structured: True\n",
                "  dispatch:\n",
                "    CPU: blend_out_cpu\n",
            ),
        }),
        ..rule(Id::BackendSupportLost, Level::Breaking)
    },
    ChangeRule {
        what: "A backend now runs the operator.",
        why: "Code that failed on this backend now works.",
        example: Some(Example {
            old: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  structured_delegate: blend.out\n",
                "- func: blend.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)\n",
                "  structured: True\n",
                "  dispatch:\n",
                "    CPU: blend_out_cpu\n",
            ),
            new: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  structured_delegate: blend.out\n",
                "- func: blend.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)\n",
                "  structured: True\n",
                "  dispatch:\n",
                "    CPU: blend_out_cpu\n",
                "    CUDA: blend_out_cuda\n",
            ),
        }),
        ..rule(Id::BackendSupportGained, Level::Info)
    },
    ChangeRule {
        what: "A backend runs the operator through another kind of kernel.",
        why: "The operator's own kernel, a kernel of a delegate and a composite kernel differ in \
              speed, in supported dtypes and in differentiation.",
        example: Some(Example {
            old: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  dispatch:\n",
                "    CPU: blend_cpu\n",
                "    CompositeExplicitAutograd: blend\n",
            ),
            new: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  dispatch:\n",
                "    CompositeExplicitAutograd: blend\n",
            ),
        }),
        ..rule(Id::BackendSupportKindChanged, Level::Info)
    },
    ChangeRule {
        impacts: Impacts::row("xx....x."),
        what: "The operator was differentiable and no longer is, or only for some of its inputs.",
        why: "Operators with kernels of their own need a formula in `derivatives.yaml`. Without one, \
              or if it only calls `not_implemented`, training raises an error. If the file declares \
              the operator as not differentiable, the gradient silently stops there.",
        instead: Some("Add a formula, or keep what made the operator differentiable."),
        example: Some(Example {
            old: "- func: blend(Tensor self, Tensor other) -> Tensor\n",
            new: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  dispatch:\n",
                "    CPU: blend_cpu\n",
            ),
        }),
        source: "tools/autograd/load_derivatives.py",
        ..rule(Id::AutogradSupportLost, Level::Breaking)
    },
    ChangeRule {
        impacts: Impacts::row(".r.r...."),
        what: "A new or widened overload matches calls that an older overload served.",
        why: "Python tries overloads in a fixed order, so an existing call may silently reach \
              another kernel.",
        instead: Some(
            "Give the new overload a different required argument, or do not widen the old one.",
        ),
        example: Some(Example {
            old: "- func: blend.Tensor(Tensor self, Tensor other) -> Tensor\n",
            new: concat!(
                "- func: blend.Tensor(Tensor self, Tensor other) -> Tensor\n",
                "- func: blend.Any(Tensor self, Tensor? other=None) -> Tensor\n",
            ),
        }),
        source: "torch/csrc/utils/python_arg_parser.cpp",
        ..rule(Id::OverloadShadowing, Level::Dangerous)
    },
];
