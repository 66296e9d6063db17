//! Rules about what follows from both files and stands in neither.

use super::{ChangeRule, Example, Group, Impacts, Level, Official};
use crate::rules::ChangeRuleId;

pub(super) const RULES: &[ChangeRule] = &[
    ChangeRule {
        id: ChangeRuleId::BackendSupportLost,
        group: Group::Computed,
        level: Some(Level::Breaking),
        backward: Official::NotChecked,
        forward: Official::NotChecked,
        impacts: Impacts::row("rr..r..."),
        what: "A backend that ran the operator has nothing left to run it with.",
        why: "Computed from kernels, delegates and composites together, so it also finds \
              entries whose own text did not change. Ask for the backends that you care about.",
        instead: Some("Keep the kernel, or add a composite that serves the backend."),
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
        source: "aten/src/ATen/core/dispatch/OperatorEntry.cpp",
    },
    ChangeRule {
        id: ChangeRuleId::BackendSupportGained,
        group: Group::Computed,
        level: Some(Level::Info),
        backward: Official::NotChecked,
        forward: Official::NotChecked,
        impacts: Impacts::row("........"),
        what: "A backend runs the operator that did not before.",
        why: "More works than worked before.",
        instead: None,
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
        source: "aten/src/ATen/core/dispatch/OperatorEntry.cpp",
    },
    ChangeRule {
        id: ChangeRuleId::BackendSupportKindChanged,
        group: Group::Computed,
        level: Some(Level::Info),
        backward: Official::NotChecked,
        forward: Official::NotChecked,
        impacts: Impacts::row("........"),
        what: "A backend runs the operator through another kind of kernel.",
        why: "A kernel of its own, one of a delegate and a composite differ in speed, in the \
              dtypes they take and in how they are differentiated.",
        instead: None,
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
        source: "aten/src/ATen/core/dispatch/OperatorEntry.cpp",
    },
    ChangeRule {
        id: ChangeRuleId::AutogradSupportLost,
        group: Group::Computed,
        level: Some(Level::Breaking),
        backward: Official::NotChecked,
        forward: Official::NotChecked,
        impacts: Impacts::row("xx....x."),
        what: "The operator could be differentiated and no longer can.",
        why: "Neither an implicit composite nor a formula in `derivatives.yaml` is there: \
              training raises, or stops at this operator.",
        instead: Some("Add a formula, or keep CompositeImplicitAutograd."),
        example: Some(Example {
            old: "- func: blend(Tensor self, Tensor other) -> Tensor\n",
            new: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  dispatch:\n",
                "    CPU: blend_cpu\n",
            ),
        }),
        source: "tools/autograd/load_derivatives.py",
    },
    ChangeRule {
        id: ChangeRuleId::OverloadShadowing,
        group: Group::Computed,
        level: Some(Level::Dangerous),
        backward: Official::NotChecked,
        forward: Official::NotChecked,
        impacts: Impacts::row(".r.r...."),
        what: "A new or widened overload takes calls that an older sibling served.",
        why: "Python tries overloads in an order of its own, so a call that exists may go to \
              another kernel without a word.",
        instead: Some("Make the new overload differ in a required argument."),
        example: Some(Example {
            old: "- func: blend.Tensor(Tensor self, Tensor other) -> Tensor\n",
            new: concat!(
                "- func: blend.Tensor(Tensor self, Tensor other) -> Tensor\n",
                "- func: blend.Any(Tensor self, Tensor? other=None) -> Tensor\n",
            ),
        }),
        source: "torch/csrc/utils/python_arg_parser.cpp",
    },
];
