//! Rules about tags.

use super::{ChangeRule, Example, Group, Impacts, Level, Official};
use crate::rules::ChangeRuleId;

pub(super) const RULES: &[ChangeRule] = &[
    ChangeRule {
        id: ChangeRuleId::TagCoreAdded,
        group: Group::Tag,
        level: Some(Level::Info),
        backward: Official::NotChecked,
        forward: Official::NotChecked,
        impacts: Impacts::row("...r...."),
        what: "The operator gained the core tag.",
        why: "From now on it is frozen: no exception excuses a break. New models may use it on \
              runtimes that do not have it yet.",
        instead: None,
        example: Some(Example {
            old: "- func: blend(Tensor self, Tensor other) -> Tensor\n",
            new: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  tags: core\n",
            ),
        }),
        source: "PyTorch core ATen operator policy",
    },
    ChangeRule {
        id: ChangeRuleId::TagCoreRemoved,
        group: Group::Tag,
        level: Some(Level::Dangerous),
        backward: Official::NotChecked,
        forward: Official::NotChecked,
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
    },
    ChangeRule {
        id: ChangeRuleId::TagAliasBehaviourChanged,
        group: Group::Tag,
        level: Some(Level::Dangerous),
        backward: Official::NotChecked,
        forward: Official::NotChecked,
        impacts: Impacts::row(".......x"),
        what: "A tag about aliasing or mutation was added or removed: inplace_view, view_copy, \
               maybe_aliasing_or_mutating.",
        why: "Functionalization and the compiler use it to recognize views and mutable operators.",
        instead: None,
        example: Some(Example {
            old: "- func: blend(Tensor self, Tensor other) -> Tensor\n",
            new: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  tags: maybe_aliasing_or_mutating\n",
            ),
        }),
        source: "aten/src/ATen/native/tags.yaml",
    },
    ChangeRule {
        id: ChangeRuleId::TagDeterminismChanged,
        group: Group::Tag,
        level: Some(Level::Dangerous),
        backward: Official::NotChecked,
        forward: Official::NotChecked,
        impacts: Impacts::row(".......r"),
        what: "A tag about randomness was added or removed: nondeterministic_seeded, \
               nondeterministic_bitwise.",
        why: "The tag determines whether the compiler may repeat or merge calls.",
        instead: None,
        example: Some(Example {
            old: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  tags: nondeterministic_seeded\n",
            ),
            new: "- func: blend(Tensor self, Tensor other) -> Tensor\n",
        }),
        source: "aten/src/ATen/native/tags.yaml",
    },
    ChangeRule {
        id: ChangeRuleId::TagShapeChanged,
        group: Group::Tag,
        level: Some(Level::Dangerous),
        backward: Official::NotChecked,
        forward: Official::NotChecked,
        impacts: Impacts::row(".......r"),
        what: "A tag about shapes was added or removed: dynamic_output_shape, \
               data_dependent_output.",
        why: "Export and fake tensors use it to predict the shapes of outputs.",
        instead: None,
        example: Some(Example {
            old: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  tags: dynamic_output_shape\n",
            ),
            new: "- func: blend(Tensor self, Tensor other) -> Tensor\n",
        }),
        source: "aten/src/ATen/native/tags.yaml",
    },
    ChangeRule {
        id: ChangeRuleId::TagLayoutChanged,
        group: Group::Tag,
        level: Some(Level::Dangerous),
        backward: Official::NotChecked,
        forward: Official::NotChecked,
        impacts: Impacts::row(".......r"),
        what: "A tag about strides was added or removed: needs_exact_strides, \
               needs_fixed_stride_order, needs_contiguous_strides, flexible_layout.",
        why: "The compiler may permute the strides of inputs unless a tag forbids it.",
        instead: None,
        example: Some(Example {
            old: "- func: blend(Tensor self, Tensor other) -> Tensor\n",
            new: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  tags: needs_fixed_stride_order\n",
            ),
        }),
        source: "aten/src/ATen/native/tags.yaml",
    },
    ChangeRule {
        id: ChangeRuleId::TagClassificationChanged,
        group: Group::Tag,
        level: Some(Level::Info),
        backward: Official::NotChecked,
        forward: Official::NotChecked,
        impacts: Impacts::row("........"),
        what: "A tag that only classifies was added or removed, such as pointwise or reduction.",
        why: "Tools use it to group and test operators.",
        instead: None,
        example: Some(Example {
            old: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  tags: pointwise\n",
            ),
            new: "- func: blend(Tensor self, Tensor other) -> Tensor\n",
        }),
        source: "aten/src/ATen/native/tags.yaml",
    },
    ChangeRule {
        id: ChangeRuleId::TagUnknown,
        group: Group::Tag,
        level: Some(Level::Info),
        backward: Official::NotChecked,
        forward: Official::NotChecked,
        impacts: Impacts::row("........"),
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
        source: "aten/src/ATen/native/tags.yaml",
    },
];
