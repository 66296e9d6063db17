//! Rules about ways to run an operator besides a plain call: packages compiled ahead of time, export,
//! compilation, and transforms (`docs/spec/ways.md`).

use super::{Audience, Audiences, ChangeRule, Example, Group, Impacts, Level};
use crate::rules::ChangeRuleId as Id;

const fn rule(id: Id, level: Level) -> ChangeRule {
    ChangeRule::new(id, Group::Way, level, "torchgen/gen_aoti_c_shim.py")
}

const BREAKS_AOTI: Impacts = Impacts {
    breaks: Audiences::of(&[Audience::Aoti]),
    risks: Audiences::NONE,
};

pub(super) const RULES: &[ChangeRule] = &[
    ChangeRule {
        impacts: BREAKS_AOTI,
        what: "A function of the C shim changed its declaration.",
        why: "Packages compiled by AOTInductor call the function with the C arguments of the day \
              they were compiled. torchgen compares the generated header with the one in the \
              tree, and fails until the list says which arguments are new.",
        instead: Some(
            "Add an overload and leave this one alone: no version entry keeps its old functions.",
        ),
        example: Some(Example {
            old: concat!(
                "- func: cumprod(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor\n",
                "  dispatch:\n",
                "    CPU: cumprod_cpu\n",
            ),
            new: concat!(
                "- func: cumprod(Tensor self, int dim, *, ScalarType? dtype=None, bool reverse=False) -> Tensor\n",
                "  dispatch:\n",
                "    CPU: cumprod_cpu\n",
            ),
        }),
        ..rule(Id::ShimChanged, Level::Breaking)
    },
    ChangeRule {
        impacts: BREAKS_AOTI,
        what: "The C shim lost a function.",
        why: "Packages compiled by AOTInductor that call the function no longer load. It vanishes \
              with the operator, with the last kernel for a device, with the operator's name in \
              the list, and with an argument that has no C type.",
        instead: Some("Keep the operator, its kernels and its line in the list."),
        example: Some(Example {
            old: concat!(
                "- func: cumprod(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor\n",
                "  dispatch:\n",
                "    CPU: cumprod_cpu\n",
                "    CUDA: cumprod_cuda\n",
            ),
            new: concat!(
                "- func: cumprod(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor\n",
                "  dispatch:\n",
                "    CPU: cumprod_cpu\n",
            ),
        }),
        ..rule(Id::ShimRemoved, Level::Breaking)
    },
    ChangeRule {
        what: "The functions of an operator in the C shim gained a version.",
        why: "New packages call the new version; old packages keep the functions that they were \
              compiled with.",
        source: "torchgen/aoti/fallback_ops.py",
        ..rule(Id::ShimVersionAdded, Level::Info)
    },
    ChangeRule {
        impacts: BREAKS_AOTI,
        what: "An operator that the stable headers call takes other arguments or returns others.",
        why: "Extensions that include `torch/csrc/stable/ops.h` call the operator by its name, \
              with the number, order and types of arguments of the release that they were \
              compiled with.",
        instead: Some("Add an overload, and call that one in a newer version of the headers."),
        example: Some(Example {
            old: concat!(
                "- func: unsqueeze(Tensor(a) self, int dim) -> Tensor(a)\n",
                "  dispatch:\n",
                "    CompositeExplicitAutograd: unsqueeze\n",
            ),
            new: concat!(
                "- func: unsqueeze(Tensor(a) self, int dim, int count=1) -> Tensor(a)\n",
                "  dispatch:\n",
                "    CompositeExplicitAutograd: unsqueeze\n",
            ),
        }),
        source: "torch/csrc/stable/ops.h",
        ..rule(Id::StableOperatorChanged, Level::Breaking)
    },
    ChangeRule {
        impacts: Impacts {
            breaks: Audiences::NONE,
            risks: Audiences::of(&[
                Audience::Compiler,
                Audience::Export,
                Audience::Aoti,
                Audience::Transforms,
            ]),
        },
        what: "A way to run the operator no longer serves it, or serves it worse.",
        why: "The operator lost its Meta kernel, lowering, decomposition, batching rule, sharding \
              rule or autocast policy, so calls on that way fail, loop, or take the eager kernel. \
              Without a Meta kernel, or if functionalization raises, calls under `torch.compile` \
              or export fail.",
        instead: Some("Keep what served the operator on that way, or add what replaces it."),
        example: Some(Example {
            old: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  dispatch:\n",
                "    CPU: blend_cpu\n",
                "    Meta: blend_meta\n",
            ),
            new: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  dispatch:\n",
                "    CPU: blend_cpu\n",
            ),
        }),
        source: "torch/_inductor/lowering.py",
        ..rule(Id::WayLost, Level::Dangerous)
    },
    ChangeRule {
        what: "A way to run the operator now serves it, or serves it better.",
        why: "Calls that failed, looped or took the eager kernel no longer do.",
        example: Some(Example {
            old: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  dispatch:\n",
                "    CPU: blend_cpu\n",
            ),
            new: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  dispatch:\n",
                "    CPU: blend_cpu\n",
                "    Meta: blend_meta\n",
            ),
        }),
        source: "torch/_inductor/lowering.py",
        ..rule(Id::WayGained, Level::Info)
    },
    ChangeRule {
        what: "A way serves the operator by other means.",
        why: "The result is the same, but speed, precision or the exported graph may differ.",
        example: Some(Example {
            old: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  dispatch:\n",
                "    CPU: blend_cpu\n",
                "    Meta: blend_meta\n",
            ),
            new: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  dispatch:\n",
                "    CompositeExplicitAutograd: blend\n",
            ),
        }),
        source: "torch/_inductor/lowering.py",
        ..rule(Id::WayChanged, Level::Info)
    },
];
