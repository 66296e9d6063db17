//! Rules about operators as a whole: coming, going, and names.

use super::{ChangeRule, Example, Group, Impacts, Level, Official};
use crate::rules::ChangeRuleId;

pub(super) const RULES: &[ChangeRule] = &[
    ChangeRule {
        id: ChangeRuleId::OperatorRemoved,
        group: Group::Operator,
        level: Some(Level::Breaking),
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("xxxrxxxx"),
        what: "An operator of the old revision is gone.",
        why: "Whoever calls it, registers a kernel for it or stored a model with it is left \
              without it. For an operator that carried the core tag no exception and no \
              upgrader may hide that.",
        instead: Some(
            "Keep the operator and let it call its successor; announce the removal \
                       before you make it.",
        ),
        example: Some(Example {
            old: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "- func: keep(Tensor self) -> Tensor\n",
            ),
            new: "- func: keep(Tensor self) -> Tensor\n",
        }),
        source: "test/forward_backward_compatibility/check_forward_backward_compatibility.py",
    },
    ChangeRule {
        id: ChangeRuleId::OperatorAdded,
        group: Group::Operator,
        level: Some(Level::Info),
        backward: Official::Compatible,
        forward: Official::Compatible,
        impacts: Impacts::row("...r...."),
        what: "An operator under a new base name.",
        why: "Nothing that exists can depend on it. Only a model made with the new revision \
              fails on a runtime that has never heard of it.",
        instead: None,
        example: Some(Example {
            old: "- func: keep(Tensor self) -> Tensor\n",
            new: concat!(
                "- func: keep(Tensor self) -> Tensor\n",
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
            ),
        }),
        source: "test/forward_backward_compatibility/check_forward_backward_compatibility.py",
    },
    ChangeRule {
        id: ChangeRuleId::OverloadAdded,
        group: Group::Operator,
        level: Some(Level::Info),
        backward: Official::Compatible,
        forward: Official::Compatible,
        impacts: Impacts::row(".r.r...."),
        what: "A further overload of a base name that was there before.",
        why: "Calls that name an overload are untouched. Calls that leave the choice to Python \
              may now choose the newcomer; where that can happen, overload-shadowing says so.",
        instead: None,
        example: Some(Example {
            old: "- func: blend.Tensor(Tensor self, Tensor other) -> Tensor\n",
            new: concat!(
                "- func: blend.Tensor(Tensor self, Tensor other) -> Tensor\n",
                "- func: blend.Scalar(Tensor self, Scalar other) -> Tensor\n",
            ),
        }),
        source: "aten/src/ATen/native/README.md",
    },
    ChangeRule {
        id: ChangeRuleId::OverloadRemoved,
        group: Group::Operator,
        level: Some(Level::Breaking),
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("rrxrrx.r"),
        what: "One overload is gone while others of its name remain.",
        why: "A Python call may quietly bind to one of the siblings and compute something else. \
              Stored models and backends ask for the overload by name and fail at once.",
        instead: Some("Keep the overload and forward it to the sibling that replaces it."),
        example: Some(Example {
            old: concat!(
                "- func: blend.Tensor(Tensor self, Tensor other) -> Tensor\n",
                "- func: blend.Scalar(Tensor self, Scalar other) -> Tensor\n",
            ),
            new: "- func: blend.Tensor(Tensor self, Tensor other) -> Tensor\n",
        }),
        source: "aten/src/ATen/native/README.md",
    },
    ChangeRule {
        id: ChangeRuleId::OverloadRenamed,
        group: Group::Operator,
        level: Some(Level::Breaking),
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("..xx.x.x"),
        what: "The overload name changed and nothing else.",
        why: "Python and C++ callers never write it, so nobody notices in review; but it is \
              part of the key under which models are stored, kernels are registered and \
              `torch.ops` finds the operator.",
        instead: Some("Leave the old overload name, however odd. It is no place for tidying up."),
        example: Some(Example {
            old: "merge.tensor(Tensor self, Tensor other) -> Tensor",
            new: "merge.Tensor(Tensor self, Tensor other) -> Tensor",
        }),
        source: "aten/src/ATen/native/README.md",
    },
    ChangeRule {
        id: ChangeRuleId::OverloadNameAdded,
        group: Group::Operator,
        level: Some(Level::Breaking),
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("..xx.x.x"),
        what: "The default overload got a name.",
        why: "The operator without overload name, `.default` in Python, ceases to exist, with \
              the consequences of any renaming of an overload.",
        instead: Some("Keep the default overload; give a name to new overloads only."),
        example: Some(Example {
            old: "merge(Tensor self, Tensor other) -> Tensor",
            new: "merge.Tensor(Tensor self, Tensor other) -> Tensor",
        }),
        source: "aten/src/ATen/native/README.md",
    },
    ChangeRule {
        id: ChangeRuleId::OverloadNameRemoved,
        group: Group::Operator,
        level: Some(Level::Breaking),
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("..xx.x.x"),
        what: "A named overload became the default one.",
        why: "What asks for it by its name finds nothing. Two default overloads cannot exist \
              either, so the name blocks the way for another.",
        instead: Some("Keep the overload name."),
        example: Some(Example {
            old: "merge.Tensor(Tensor self, Tensor other) -> Tensor",
            new: "merge(Tensor self, Tensor other) -> Tensor",
        }),
        source: "aten/src/ATen/native/README.md",
    },
    ChangeRule {
        id: ChangeRuleId::OperatorRenamed,
        group: Group::Operator,
        level: Some(Level::Breaking),
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("xxxxxxxx"),
        what: "The same signature stands under another base name, and the old name is gone.",
        why: "To every caller that is a removal; that the replacement exists helps only those \
              who read about it. Found by comparing signatures, so it is a guess with a \
              confidence.",
        instead: Some("Add the new name beside the old one and let the old one call it."),
        example: Some(Example {
            old: "merge(Tensor self) -> Tensor",
            new: "merge_all(Tensor self) -> Tensor",
        }),
        source: "test/forward_backward_compatibility/check_forward_backward_compatibility.py",
    },
    ChangeRule {
        id: ChangeRuleId::OperatorBecamePrivate,
        group: Group::Operator,
        level: Some(Level::Breaking),
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("xxxxxxxx"),
        what: "The name gained a leading underscore.",
        why: "Public callers lose it. The underscore itself is fine for operators that nobody \
              outside should use, but that cannot be declared after the fact.",
        instead: Some("Keep the public name as an alias of the private one."),
        example: Some(Example {
            old: "merge(Tensor self) -> Tensor",
            new: "_merge(Tensor self) -> Tensor",
        }),
        source: "PyTorch wiki, backward compatibility policy",
    },
    ChangeRule {
        id: ChangeRuleId::OperatorBecamePublic,
        group: Group::Operator,
        level: Some(Level::Breaking),
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("xxxxxxxx"),
        what: "The name lost its leading underscore.",
        why: "Nobody was promised the private name, yet stored models and backends may use it \
              all the same.",
        instead: Some("Keep the private name as an alias for a few releases."),
        example: Some(Example {
            old: "_merge(Tensor self) -> Tensor",
            new: "merge(Tensor self) -> Tensor",
        }),
        source: "PyTorch wiki, backward compatibility policy",
    },
    ChangeRule {
        id: ChangeRuleId::OperatorBecameInplace,
        group: Group::Operator,
        level: Some(Level::Breaking),
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("xxxxxxxx"),
        what: "The name gained the trailing underscore and `self` is written to now.",
        why: "This is another operator under a similar name: what used to return a result now \
              overwrites its input.",
        instead: Some(
            "Add the in-place operator as an entry of its own and keep the functional \
                       one.",
        ),
        example: Some(Example {
            old: "merge(Tensor self) -> Tensor",
            new: "merge_(Tensor(a!) self) -> Tensor(a!)",
        }),
        source: "aten/src/ATen/native/README.md",
    },
    ChangeRule {
        id: ChangeRuleId::OperatorBecameFunctional,
        group: Group::Operator,
        level: Some(Level::Breaking),
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("xxxxxxxx"),
        what: "The trailing underscore is gone and `self` is no longer written to.",
        why: "Callers that rely on the change of their input see none.",
        instead: Some(
            "Add the functional operator as an entry of its own and keep the in-place \
                       one.",
        ),
        example: Some(Example {
            old: "merge_(Tensor(a!) self) -> Tensor(a!)",
            new: "merge(Tensor self) -> Tensor",
        }),
        source: "aten/src/ATen/native/README.md",
    },
    ChangeRule {
        id: ChangeRuleId::VariantGroupIncomplete,
        group: Group::Operator,
        level: Some(Level::Dangerous),
        backward: Official::NotChecked,
        forward: Official::NotChecked,
        impacts: Impacts::row("......rx"),
        what: "A functional, in-place, out or mutable sibling that existed before is missing.",
        why: "Structured kernels, functionalization and `out=` work on the group as a whole: \
              without the partner they have nothing to turn the operator into.",
        instead: Some("Keep the sibling, or let `autogen` make it."),
        example: Some(Example {
            old: concat!(
                "- func: glow(Tensor self) -> Tensor\n",
                "- func: glow.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)\n",
            ),
            new: "- func: glow(Tensor self) -> Tensor\n",
        }),
        source: "torchgen/native_function_generation.py",
    },
    ChangeRule {
        id: ChangeRuleId::NoChange,
        group: Group::Operator,
        level: Some(Level::None),
        backward: Official::Compatible,
        forward: Official::Compatible,
        impacts: Impacts::row("........"),
        what: "Both sides print the same.",
        why: "There is nothing to report; the rule exists so that the comparison of two texts \
              always has an answer.",
        instead: None,
        example: Some(Example {
            old: "blend(Tensor self, Tensor other) -> Tensor",
            new: "blend(Tensor self, Tensor other) -> Tensor",
        }),
        source: "aten/src/ATen/core/function_schema.cpp",
    },
    ChangeRule {
        id: ChangeRuleId::SignatureRespelled,
        group: Group::Operator,
        level: Some(Level::None),
        backward: Official::Compatible,
        forward: Official::Compatible,
        impacts: Impacts::row("........"),
        what: "The text differs, the schema that is read from it does not.",
        why: "Blanks, the order of alias sets and the like have no meaning. Reported so that a \
              changed line is accounted for.",
        instead: None,
        example: Some(Example {
            old: "ws(Tensor self, int dim=0) -> Tensor",
            new: "ws( Tensor self,int dim = 0 )->Tensor",
        }),
        source: "torch/csrc/jit/frontend/function_schema_parser.cpp",
    },
    ChangeRule {
        id: ChangeRuleId::Compound,
        group: Group::Operator,
        level: None,
        backward: Official::Varies,
        forward: Official::Varies,
        impacts: Impacts::row("........"),
        what: "Several changes to one operator at once.",
        why: "Each is reported by its own rule; the operator as a whole is as bad as the worst \
              of them. Torch gives one verdict for all.",
        instead: None,
        example: Some(Example {
            old: "op(Tensor self, int dim) -> Tensor",
            new: "op(Tensor self, int? dim=None, bool keepdim=False) -> Tensor",
        }),
        source: "aten/src/ATen/core/function_schema.cpp",
    },
];
