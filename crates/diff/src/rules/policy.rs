//! Rules about what the project promised or allowed.

use super::{ChangeRule, Example, Group, Impacts, Level, Official};
use crate::rules::ChangeRuleId as Id;

const fn rule(id: Id, level: Level) -> ChangeRule {
    ChangeRule::new(
        id,
        Group::Policy,
        level,
        "test/forward_backward_compatibility/check_forward_backward_compatibility.py",
    )
}

pub(super) const RULES: &[ChangeRule] = &[
    ChangeRule {
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("xxxxxxxx"),
        what: "An operator with the core tag was removed, or its change breaks backward \
               compatibility.",
        why: "PyTorch promises that exported models with core operators run for half a year. No \
              exception or upgrader excuses this change.",
        instead: Some("Restore the operator."),
        example: Some(Example {
            old: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  tags: core\n",
                "- func: keep(Tensor self) -> Tensor\n",
            ),
            new: "- func: keep(Tensor self) -> Tensor\n",
        }),
        source: "PyTorch core ATen operator policy",
        ..rule(Id::CoreOperatorRemoved, Level::Breaking)
    },
    ChangeRule {
        backward: Official::Incompatible,
        forward: Official::Varies,
        impacts: Impacts::row("xxxxxxxx"),
        what: "PyTorch's check rejects a change to an operator that had the core tag in the old \
               revision.",
        why: "Opatlas reads the tag from the old file, so removing the tag in the same change does \
              not help. PyTorch's script asks the new build, which does not know removed \
              operators.",
        instead: Some("Keep the schema, and add an overload."),
        example: Some(Example {
            old: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  tags: core\n",
            ),
            new: "- func: blend(Tensor self, Tensor second) -> Tensor\n",
        }),
        source: "PyTorch core ATen operator policy",
        ..rule(Id::CoreOperatorBcBroken, Level::Breaking)
    },
    ChangeRule {
        backward: Official::Compatible,
        forward: Official::Compatible,
        impacts: Impacts::row("...x...."),
        what: "An operator was added with the core tag.",
        why: "Exporters may now use it, and runtimes without it cannot run the exported models.",
        example: Some(Example {
            old: "- func: keep(Tensor self) -> Tensor\n",
            new: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  tags: core\n",
                "- func: keep(Tensor self) -> Tensor\n",
            ),
        }),
        source: "PyTorch core ATen operator policy",
        ..rule(Id::CoreOperatorAdded, Level::ForwardBreaking)
    },
    ChangeRule {
        backward: Official::Incompatible,
        forward: Official::Varies,
        impacts: Impacts::row("..r....."),
        what: "The runtime has an upgrader for the old schema.",
        why: "The runtime upgrades stored models when it loads them, so PyTorch's check excuses \
              the break, except for core operators.",
        ..rule(Id::UpgraderPresent, Level::Info)
    },
    ChangeRule {
        backward: Official::Varies,
        forward: Official::Varies,
        what: "A change matches an exception.",
        why: "The report always shows the change, with the author, the reason and the expiry date \
              of the exception.",
        ..rule(Id::AllowListed, Level::Info)
    },
    ChangeRule {
        backward: Official::Varies,
        forward: Official::Varies,
        what: "The exception for a change has expired.",
        why: "The change counts as a break again.",
        instead: Some("Revert the change, or extend the exception and give a reason."),
        ..rule(Id::AllowListExpired, Level::Breaking)
    },
    ChangeRule {
        what: "An exception matches no operator in either revision, or only operators that another \
               exception already matches.",
        why: "It may later hide a change that its author did not have in mind.",
        instead: Some("Delete it."),
        ..rule(Id::AllowListUnused, Level::Info)
    },
    ChangeRule {
        what: "An exception matches more than one base name.",
        why: "It hides changes to operators that its author did not have in mind: a pattern \
              `static` also hides `nonzero_static`.",
        instead: Some("Write the operator's full name, or mark the exception as broad."),
        ..rule(Id::AllowListOverbroad, Level::Info)
    },
];
