//! Rules about tags.

use super::{ChangeRule, Example, Group, Impacts, Level};
use crate::rules::ChangeRuleId as Id;

const fn rule(id: Id, level: Level) -> ChangeRule {
    ChangeRule::new(id, Group::Tag, level, "aten/src/ATen/native/tags.yaml")
}

pub(super) const RULES: &[ChangeRule] = &[
    ChangeRule {
        impacts: Impacts::row("...r...."),
        what: "The operator gained the core tag.",
        why: "From now on it is frozen: no exception excuses a break. New models may use it on \
              runtimes that do not have it yet.",
        example: Some(Example {
            old: "- func: blend(Tensor self, Tensor other) -> Tensor\n",
            new: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  tags: core\n",
            ),
        }),
        source: "PyTorch core ATen operator policy",
        ..rule(Id::TagCoreAdded, Level::Info)
    },
    ChangeRule {
        impacts: Impacts::row("..rr...."),
        what: "The operator lost the core tag.",
        why: "The operator is no longer frozen. Removing the tag would be the first step to evade \
              the freeze, so this is always shown.",
        instead: Some("Keep the tag as long as exported models may use the operator."),
        example: Some(Example {
            old: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  tags: core\n",
            ),
            new: "- func: blend(Tensor self, Tensor other) -> Tensor\n",
        }),
        source: "PyTorch core ATen operator policy",
        ..rule(Id::TagCoreRemoved, Level::Dangerous)
    },
    ChangeRule {
        impacts: Impacts::row(".......x"),
        what: "A tag about aliasing or mutation was added or removed: inplace_view, view_copy, \
               maybe_aliasing_or_mutating.",
        why: "Functionalization and the compiler use it to recognize views and mutable operators.",
        example: Some(Example {
            old: "- func: blend(Tensor self, Tensor other) -> Tensor\n",
            new: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  tags: maybe_aliasing_or_mutating\n",
            ),
        }),
        ..rule(Id::TagAliasBehaviourChanged, Level::Dangerous)
    },
    ChangeRule {
        impacts: Impacts::row(".......r"),
        what: "A tag about randomness was added or removed: nondeterministic_seeded, \
               nondeterministic_bitwise.",
        why: "The tag determines whether the compiler may repeat or merge calls.",
        example: Some(Example {
            old: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  tags: nondeterministic_seeded\n",
            ),
            new: "- func: blend(Tensor self, Tensor other) -> Tensor\n",
        }),
        ..rule(Id::TagDeterminismChanged, Level::Dangerous)
    },
    ChangeRule {
        impacts: Impacts::row(".......r"),
        what: "A tag about shapes was added or removed: dynamic_output_shape, \
               data_dependent_output.",
        why: "Export and fake tensors use it to predict the shapes of outputs.",
        example: Some(Example {
            old: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  tags: dynamic_output_shape\n",
            ),
            new: "- func: blend(Tensor self, Tensor other) -> Tensor\n",
        }),
        ..rule(Id::TagShapeChanged, Level::Dangerous)
    },
    ChangeRule {
        impacts: Impacts::row(".......r"),
        what: "A tag about strides was added or removed: needs_exact_strides, \
               needs_fixed_stride_order, needs_contiguous_strides, flexible_layout.",
        why: "The compiler may permute the strides of inputs unless a tag forbids it.",
        example: Some(Example {
            old: "- func: blend(Tensor self, Tensor other) -> Tensor\n",
            new: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  tags: needs_fixed_stride_order\n",
            ),
        }),
        ..rule(Id::TagLayoutChanged, Level::Dangerous)
    },
    ChangeRule {
        what: "A tag that only classifies was added or removed, such as pointwise or reduction.",
        why: "Tools use it to group and test operators. Inductor, DTensor and jagged nested tensors \
              recognize operators by `pointwise`.",
        example: Some(Example {
            old: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  tags: pointwise\n",
            ),
            new: "- func: blend(Tensor self, Tensor other) -> Tensor\n",
        }),
        ..rule(Id::TagClassificationChanged, Level::Info)
    },
    ChangeRule {
        what: "`tags.yaml` of the revision does not declare a tag.",
        why: "The code generator rejects it. The comparison lists it as an explanation.",
        instead: Some("Declare it in `tags.yaml`."),
        example: Some(Example {
            old: "- func: blend(Tensor self, Tensor other) -> Tensor\n",
            new: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  tags: very_new_tag\n",
            ),
        }),
        ..rule(Id::TagUnknown, Level::Info)
    },
    ChangeRule {
        impacts: Impacts::row("xx..xx.."),
        what: "`tags.yaml` no longer declares a tag.",
        why: "PyTorch generates the members of `torch.Tag` and `at::Tag` from the file. Python code \
              that reads the member raises `AttributeError`, and C++ code that uses it does not \
              compile.",
        instead: Some("Keep the tag in `tags.yaml`, even if no operator has it any more."),
        ..rule(Id::TagMemberRemoved, Level::Breaking)
    },
    ChangeRule {
        what: "`tags.yaml` declares a new tag.",
        why: "`torch.Tag` and `at::Tag` gain a member, so code for older releases cannot use it.",
        ..rule(Id::TagMemberAdded, Level::Info)
    },
];
