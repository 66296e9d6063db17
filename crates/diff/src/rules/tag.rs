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
        what: "The operator carries the core tag now.",
        why: "From here on it is frozen: no break of it can be excused. New models may ask for \
              it on runtimes that do not have it yet.",
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
        why: "It is no longer frozen, which makes removing the tag the first half of getting \
              around the freeze. So it is shown even when nothing else changed.",
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
        what: "A tag about aliasing or mutation came or went: inplace_view, view_copy, \
               maybe_aliasing_or_mutating.",
        why: "Functionalization and the compiler decide by it what to treat as a view or as \
              mutating.",
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
        what: "A tag about randomness came or went: nondeterministic_seeded, \
               nondeterministic_bitwise.",
        why: "Whether a call may be computed twice or merged with another depends on it.",
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
        what: "A tag about shapes came or went: dynamic_output_shape, data_dependent_output.",
        why: "Export and fake tensors trust it when they predict what comes out.",
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
        what: "A tag about strides came or went: needs_exact_strides, needs_fixed_stride_order, \
               needs_contiguous_strides, flexible_layout.",
        why: "The compiler permutes inputs unless a tag forbids it.",
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
        what: "A tag that only classifies came or went, such as pointwise or reduction.",
        why: "Tools group and test operators by it.",
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
        what: "A tag is not in the revision's `tags.yaml`.",
        why: "The code generator refuses it; here it is noted so that the comparison explains \
              itself.",
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
