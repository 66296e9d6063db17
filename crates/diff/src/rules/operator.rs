//! Rules about operators as a whole: coming, going, and names.

use super::{ChangeRule, Example, Group, Impacts, Level, Official};
use crate::rules::ChangeRuleId as Id;

const fn rule(id: Id, level: Level) -> ChangeRule {
    ChangeRule::new(id, Group::Operator, level, "aten/src/ATen/native/README.md")
}

pub(super) const RULES: &[ChangeRule] = &[
    ChangeRule {
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("xxxrxxxx"),
        what: "An operator was removed.",
        why: "Its callers, its registered kernels and the models that use it fail. No exception or \
              upgrader can excuse the removal of an operator with the core tag.",
        instead: Some(
            "Keep the operator, and forward it to its successor if there is one. Announce the \
             removal in advance.",
        ),
        example: Some(Example {
            old: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "- func: keep(Tensor self) -> Tensor\n",
            ),
            new: "- func: keep(Tensor self) -> Tensor\n",
        }),
        source: "test/forward_backward_compatibility/check_forward_backward_compatibility.py",
        ..rule(Id::OperatorRemoved, Level::Breaking)
    },
    ChangeRule {
        backward: Official::Compatible,
        forward: Official::Compatible,
        impacts: Impacts::row("...r...."),
        what: "An operator with a new base name was added.",
        why: "Existing code cannot depend on it. Only a model from the new revision fails on an \
              old runtime.",
        example: Some(Example {
            old: "- func: keep(Tensor self) -> Tensor\n",
            new: concat!(
                "- func: keep(Tensor self) -> Tensor\n",
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
            ),
        }),
        source: "test/forward_backward_compatibility/check_forward_backward_compatibility.py",
        ..rule(Id::OperatorAdded, Level::Info)
    },
    ChangeRule {
        backward: Official::Compatible,
        forward: Official::Compatible,
        impacts: Impacts::row(".r.r...."),
        what: "An overload was added to an existing base name.",
        why: "Calls that name an overload are not affected. Python calls without an overload may \
              now select the new one; `overload-shadowing` reports where this can happen.",
        example: Some(Example {
            old: "- func: blend.Tensor(Tensor self, Tensor other) -> Tensor\n",
            new: concat!(
                "- func: blend.Tensor(Tensor self, Tensor other) -> Tensor\n",
                "- func: blend.Scalar(Tensor self, Scalar other) -> Tensor\n",
            ),
        }),
        ..rule(Id::OverloadAdded, Level::Info)
    },
    ChangeRule {
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("rrxrrx.r"),
        what: "An overload was removed while others of its name remain.",
        why: "A Python call may silently bind to another overload and compute a different result. \
              Stored models and backends request the overload by name and fail.",
        instead: Some("Keep the overload, and forward it to its replacement if there is one."),
        example: Some(Example {
            old: concat!(
                "- func: blend.Tensor(Tensor self, Tensor other) -> Tensor\n",
                "- func: blend.Scalar(Tensor self, Scalar other) -> Tensor\n",
            ),
            new: "- func: blend.Tensor(Tensor self, Tensor other) -> Tensor\n",
        }),
        ..rule(Id::OverloadRemoved, Level::Breaking)
    },
    ChangeRule {
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("..xx.x.x"),
        what: "Only the overload name changed.",
        why: "Python and C++ callers do not use it, so reviewers overlook it. But stored models, \
              kernel registrations and `torch.ops` refer to it.",
        instead: Some("Keep the old overload name, even if it is inconsistent."),
        example: Some(Example {
            old: "merge.tensor(Tensor self, Tensor other) -> Tensor",
            new: "merge.Tensor(Tensor self, Tensor other) -> Tensor",
        }),
        ..rule(Id::OverloadRenamed, Level::Breaking)
    },
    ChangeRule {
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("..xx.x.x"),
        what: "The default overload gained a name.",
        why: "The operator without overload name (`.default` in Python) no longer exists, with the \
              same consequences as renaming an overload.",
        instead: Some("Keep the default overload; name only new overloads."),
        example: Some(Example {
            old: "merge(Tensor self, Tensor other) -> Tensor",
            new: "merge.Tensor(Tensor self, Tensor other) -> Tensor",
        }),
        ..rule(Id::OverloadNameAdded, Level::Breaking)
    },
    ChangeRule {
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("..xx.x.x"),
        what: "A named overload became the default overload.",
        why: "Code that refers to it by name fails. It also occupies the default overload, of \
              which there can be only one.",
        instead: Some("Keep the overload name."),
        example: Some(Example {
            old: "merge.Tensor(Tensor self, Tensor other) -> Tensor",
            new: "merge(Tensor self, Tensor other) -> Tensor",
        }),
        ..rule(Id::OverloadNameRemoved, Level::Breaking)
    },
    ChangeRule {
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("xxxxxxxx"),
        what: "An operator with the same signature has another base name, and the old name no \
               longer exists.",
        why: "For callers this is a removal; the replacement helps only those who know about it. \
              Opatlas compares signatures to find it, so this is a guess with a confidence.",
        instead: Some("Add the new name, keep the old one and let it call the new one."),
        example: Some(Example {
            old: "merge(Tensor self) -> Tensor",
            new: "merge_all(Tensor self) -> Tensor",
        }),
        source: "test/forward_backward_compatibility/check_forward_backward_compatibility.py",
        ..rule(Id::OperatorRenamed, Level::Breaking)
    },
    ChangeRule {
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("xxxxxxxx"),
        what: "The name gained a leading underscore.",
        why: "Public callers lose the operator. An underscore is right for internal operators, but \
              cannot be added to a released one.",
        instead: Some("Keep the public operator, and let it call the private one."),
        example: Some(Example {
            old: "merge(Tensor self) -> Tensor",
            new: "_merge(Tensor self) -> Tensor",
        }),
        source: "PyTorch wiki, backward compatibility policy",
        ..rule(Id::OperatorBecamePrivate, Level::Breaking)
    },
    ChangeRule {
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("xxxxxxxx"),
        what: "The name lost its leading underscore.",
        why: "The private name is not a public API, but stored models and backends may use it.",
        instead: Some(
            "Keep the private operator for a few releases, and let it call the public one.",
        ),
        example: Some(Example {
            old: "_merge(Tensor self) -> Tensor",
            new: "merge(Tensor self) -> Tensor",
        }),
        source: "PyTorch wiki, backward compatibility policy",
        ..rule(Id::OperatorBecamePublic, Level::Breaking)
    },
    ChangeRule {
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("xxxxxxxx"),
        what: "The name gained a trailing underscore, and `self` is now mutable.",
        why: "This is a different operator with a similar name: it overwrites its input instead of \
              returning a new result.",
        instead: Some(
            "Add the in-place operator as a separate entry, and keep the functional one.",
        ),
        example: Some(Example {
            old: "merge(Tensor self) -> Tensor",
            new: "merge_(Tensor(a!) self) -> Tensor(a!)",
        }),
        ..rule(Id::OperatorBecameInplace, Level::Breaking)
    },
    ChangeRule {
        backward: Official::Incompatible,
        forward: Official::Incompatible,
        impacts: Impacts::row("xxxxxxxx"),
        what: "The name lost its trailing underscore, and `self` is no longer mutable.",
        why: "Callers that rely on the mutation of their input no longer see it.",
        instead: Some(
            "Add the functional operator as a separate entry, and keep the in-place one.",
        ),
        example: Some(Example {
            old: "merge_(Tensor(a!) self) -> Tensor(a!)",
            new: "merge(Tensor self) -> Tensor",
        }),
        ..rule(Id::OperatorBecameFunctional, Level::Breaking)
    },
    ChangeRule {
        impacts: Impacts::row("......rx"),
        what: "A functional, in-place, out or mutable variant was removed from its group.",
        why: "Structured kernels, functionalization and `out=` need the whole group: without this \
              variant they cannot convert the operator.",
        instead: Some("Keep the variant, or let `autogen` generate it."),
        example: Some(Example {
            old: concat!(
                "- func: glow(Tensor self) -> Tensor\n",
                "- func: glow.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)\n",
            ),
            new: "- func: glow(Tensor self) -> Tensor\n",
        }),
        source: "torchgen/native_function_generation.py",
        ..rule(Id::VariantGroupIncomplete, Level::Dangerous)
    },
    ChangeRule {
        impacts: Impacts::row("......rx"),
        what: "The schema of a functional, in-place, out or mutable variant changed, but that of the \
               other variants in its group did not.",
        why: "PyTorch groups variants by their signatures. A variant that is out of step shares no \
              structured kernel and no formula with the others, and functionalization cannot replace \
              it.",
        instead: Some("Make the same change in all variants."),
        example: Some(Example {
            old: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "- func: blend_(Tensor(a!) self, Tensor other) -> Tensor(a!)\n",
            ),
            new: concat!(
                "- func: blend(Tensor self, Tensor other, *, int count=1) -> Tensor\n",
                "- func: blend_(Tensor(a!) self, Tensor other) -> Tensor(a!)\n",
            ),
        }),
        source: "torchgen/gen.py",
        ..rule(Id::VariantsOutOfStep, Level::Dangerous)
    },
    ChangeRule {
        backward: Official::Compatible,
        forward: Official::Compatible,
        what: "Both schemas print the same.",
        why: "There is nothing to report. The rule exists so that a comparison of two texts always \
              has a result.",
        example: Some(Example {
            old: "blend(Tensor self, Tensor other) -> Tensor",
            new: "blend(Tensor self, Tensor other) -> Tensor",
        }),
        source: "aten/src/ATen/core/function_schema.cpp",
        ..rule(Id::NoChange, Level::None)
    },
    ChangeRule {
        backward: Official::Compatible,
        forward: Official::Compatible,
        what: "The text differs, but the parsed schema is the same.",
        why: "Whitespace, the order of alias sets and the like have no meaning. This change is \
              listed so that every changed line is explained.",
        example: Some(Example {
            old: "ws(Tensor self, int dim=0) -> Tensor",
            new: "ws( Tensor self,int dim = 0 )->Tensor",
        }),
        source: "torch/csrc/jit/frontend/function_schema_parser.cpp",
        ..rule(Id::SignatureRespelled, Level::None)
    },
    ChangeRule {
        level: None,
        backward: Official::Varies,
        forward: Official::Varies,
        what: "One operator has several changes.",
        why: "Each change has its own rule, and the worst of them determines the verdict on the \
              operator. PyTorch's check gives one verdict for all.",
        example: Some(Example {
            old: "op(Tensor self, int dim) -> Tensor",
            new: "op(Tensor self, int? dim=None, bool keepdim=False) -> Tensor",
        }),
        source: "aten/src/ATen/core/function_schema.cpp",
        ..rule(Id::Compound, Level::None)
    },
];
