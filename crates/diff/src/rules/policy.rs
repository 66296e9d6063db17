//! Rules about what the project promised or allowed.

use super::{ChangeRule, Example, Group, Impacts, Level, Official};
use crate::rules::ChangeRuleId;

pub(super) const RULES: &[ChangeRule] = &[
    ChangeRule {
        id: ChangeRuleId::CoreOperatorRemoved,
        group: Group::Policy,
        level: Some(Level::Breaking),
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("xxxxxxxx"),
        what: "An operator with the core tag is gone or no longer backward compatible.",
        why: "Models exported with it are promised to run for half a year. Neither exception \
              nor upgrader excuses it.",
        instead: Some("Bring it back."),
        example: Some(Example {
            old: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  tags: core\n",
                "- func: keep(Tensor self) -> Tensor\n",
            ),
            new: "- func: keep(Tensor self) -> Tensor\n",
        }),
        source: "PyTorch core ATen operator policy",
    },
    ChangeRule {
        id: ChangeRuleId::CoreOperatorBcBroken,
        group: Group::Policy,
        level: Some(Level::Breaking),
        backward: Official::Incompatible,
        forward: Official::Varies,
        impacts: Impacts::row("xxxxxxxx"),
        what: "Torch calls a change to an operator incompatible that carried the core tag in \
               the old revision.",
        why: "The tag is looked up in the old file: taking it away in the same change does not \
              help. Torch's script asks the new build and cannot know it for what is gone.",
        instead: Some("Leave the schema as it was and add an overload."),
        example: Some(Example {
            old: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  tags: core\n",
            ),
            new: "- func: blend(Tensor self, Tensor second) -> Tensor\n",
        }),
        source: "PyTorch core ATen operator policy",
    },
    ChangeRule {
        id: ChangeRuleId::CoreOperatorAdded,
        group: Group::Policy,
        level: Some(Level::ForwardBreaking),
        backward: Official::Compatible,
        forward: Official::Compatible,
        impacts: Impacts::row("...x...."),
        what: "An operator got the core tag, or came with it.",
        why: "Exporters may use it from now on, and runtimes that do not have it cannot run \
              what they export.",
        instead: None,
        example: Some(Example {
            old: "- func: keep(Tensor self) -> Tensor\n",
            new: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  tags: core\n",
                "- func: keep(Tensor self) -> Tensor\n",
            ),
        }),
        source: "PyTorch core ATen operator policy",
    },
    ChangeRule {
        id: ChangeRuleId::UpgraderPresent,
        group: Group::Policy,
        level: Some(Level::Info),
        backward: Official::Incompatible,
        forward: Official::Varies,
        impacts: Impacts::row("..r....."),
        what: "The old schema is one that the runtime knows how to upgrade.",
        why: "Stored models that use it are rewritten when they are loaded, so torch excuses \
              the break, except for core operators.",
        instead: None,
        example: None,
        source: "test/forward_backward_compatibility/check_forward_backward_compatibility.py",
    },
    ChangeRule {
        id: ChangeRuleId::AllowListed,
        group: Group::Policy,
        level: Some(Level::Info),
        backward: Official::Varies,
        forward: Official::Varies,
        impacts: Impacts::row("........"),
        what: "A change matches an exception.",
        why: "It is shown with who allowed it, why and until when, and is never dropped from \
              the report.",
        instead: None,
        example: None,
        source: "test/forward_backward_compatibility/check_forward_backward_compatibility.py",
    },
    ChangeRule {
        id: ChangeRuleId::AllowListExpired,
        group: Group::Policy,
        level: Some(Level::Breaking),
        backward: Official::Varies,
        forward: Official::Varies,
        impacts: Impacts::row("........"),
        what: "The exception that a change matches is over.",
        why: "The change counts again.",
        instead: Some("Undo the change, or extend the exception with a reason."),
        example: None,
        source: "test/forward_backward_compatibility/check_forward_backward_compatibility.py",
    },
    ChangeRule {
        id: ChangeRuleId::AllowListUnused,
        group: Group::Policy,
        level: Some(Level::Info),
        backward: Official::NotChecked,
        forward: Official::NotChecked,
        impacts: Impacts::row("........"),
        what: "An exception matches nothing in either revision, or nothing that another does \
               not match already.",
        why: "It waits for something that nobody thought of when it was written.",
        instead: Some("Delete it."),
        example: None,
        source: "test/forward_backward_compatibility/check_forward_backward_compatibility.py",
    },
    ChangeRule {
        id: ChangeRuleId::AllowListOverbroad,
        group: Group::Policy,
        level: Some(Level::Info),
        backward: Official::NotChecked,
        forward: Official::NotChecked,
        impacts: Impacts::row("........"),
        what: "An exception matches more than one base name.",
        why: "It hides changes to operators that its author never had in mind: a pattern \
              `static` hides `nonzero_static` as well.",
        instead: Some("Write the operator's full name, or mark the exception as broad on purpose."),
        example: None,
        source: "test/forward_backward_compatibility/check_forward_backward_compatibility.py",
    },
];
