//! Rules about operators that are generated.

use super::{ChangeRule, Example, Group, Impacts, Level};
use crate::rules::ChangeRuleId as Id;

const fn rule(id: Id, level: Level) -> ChangeRule {
    ChangeRule::new(
        id,
        Group::Generated,
        level,
        "torchgen/native_function_generation.py",
    )
}

pub(super) const RULES: &[ChangeRule] = &[
    ChangeRule {
        impacts: Impacts::row("..x..x.x"),
        what: "A generated operator is no longer generated.",
        why: "It has no entry of its own, so the diff of the file does not show it, but the \
              dispatcher loses the operator.",
        instead: Some("Keep its name in `autogen`, or declare it as an entry."),
        example: Some(Example {
            old: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  dispatch:\n",
                "    CompositeExplicitAutograd: blend\n",
                "  autogen: blend.out\n",
            ),
            new: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  dispatch:\n",
                "    CompositeExplicitAutograd: blend\n",
            ),
        }),
        ..rule(Id::AutogenRemoved, Level::Breaking)
    },
    ChangeRule {
        impacts: Impacts::row("...r...."),
        what: "PyTorch generates an additional operator.",
        why: "As with any new operator, only new models on an old runtime are affected.",
        example: Some(Example {
            old: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  dispatch:\n",
                "    CompositeExplicitAutograd: blend\n",
            ),
            new: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  dispatch:\n",
                "    CompositeExplicitAutograd: blend\n",
                "  autogen: blend.out\n",
            ),
        }),
        ..rule(Id::AutogenAdded, Level::Info)
    },
    ChangeRule {
        what: "A generated operator is now declared.",
        why: "This is not a new operator: the generated schema and the declared one are compared \
              like any other pair.",
        example: Some(Example {
            old: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  dispatch:\n",
                "    CompositeExplicitAutograd: blend\n",
                "  autogen: blend.out\n",
            ),
            new: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  dispatch:\n",
                "    CompositeExplicitAutograd: blend\n",
                "- func: blend.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)\n",
                "  dispatch:\n",
                "    CompositeExplicitAutograd: blend_out\n",
            ),
        }),
        ..rule(Id::AutogenBecameExplicit, Level::Info)
    },
    ChangeRule {
        impacts: Impacts::row(".......x"),
        what: "A view operator no longer has its `_copy` operator.",
        why: "Functionalization replaces views with their `_copy` operators and has no replacement \
              for this one.",
        instead: Some("Keep the `_copy` operator."),
        example: Some(Example {
            old: concat!(
                "- func: peel(Tensor(a) self, int dim) -> Tensor(a)\n",
                "  dispatch:\n",
                "    CompositeExplicitAutograd: peel\n",
                "- func: peel_copy(Tensor self, int dim) -> Tensor\n",
                "  dispatch:\n",
                "    CompositeExplicitAutogradNonFunctional: peel_copy\n",
                "  tags: view_copy\n",
            ),
            new: concat!(
                "- func: peel(Tensor(a) self, int dim) -> Tensor(a)\n",
                "  dispatch:\n",
                "    CompositeExplicitAutograd: peel\n",
            ),
        }),
        source: "torchgen/gen_functionalization_type.py",
        ..rule(Id::ViewCopyLost, Level::Dangerous)
    },
];
