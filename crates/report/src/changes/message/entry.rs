//! Sentences about fields of an entry, kernels, tags, and what they come to on each backend.

use std::collections::BTreeSet;

use super::{from_to, names, text, tick, ticks};
use crate::changes::lists::keys;
use opatlas_diff::rules::ChangeRuleId;
use opatlas_diff::{Change, Note};

pub(super) fn message(change: &Change) -> Option<String> {
    let own = names(change);
    Some(match change.rule.id {
        ChangeRuleId::VariantMethodRemoved => "it is no method of `Tensor` any more".to_owned(),
        ChangeRuleId::VariantFunctionRemoved => "it is no function any more".to_owned(),
        ChangeRuleId::VariantMethodAdded => "it is also a method of `Tensor` now".to_owned(),
        ChangeRuleId::VariantFunctionAdded => "it is also a function now".to_owned(),
        ChangeRuleId::PythonModuleChanged => {
            format!("its Python module changed {}", from_to(change, "`torch`"))
        }
        ChangeRuleId::CppNoDefaultArgsAdded => {
            format!("C++ callers must pass {} now", ticks(&own))
        }
        ChangeRuleId::CppNoDefaultArgsRemoved => {
            format!("C++ callers may leave out {} now", ticks(&own))
        }
        ChangeRuleId::ManualCppBindingAdded => {
            "its C++ functions are no longer generated".to_owned()
        }
        ChangeRuleId::ManualCppBindingRemoved => "its C++ functions are generated again".to_owned(),
        ChangeRuleId::CategoryOverrideChanged => {
            format!("`category_override` changed {}", from_to(change, "none"))
        }
        ChangeRuleId::ConstRefChanged => format!(
            "kernels take the tensors that they write to as {} now",
            match text(change.new.as_ref()) {
                "True" => "`const Tensor&`",
                _ => "`Tensor&`",
            }
        ),
        ChangeRuleId::StructuredChanged => match text(change.new.as_ref()) {
            "True" => "it became structured".to_owned(),
            _ => "it is no longer structured".to_owned(),
        },
        ChangeRuleId::StructuredDelegateChanged => {
            format!("`structured_delegate` changed {}", from_to(change, "none"))
        }
        ChangeRuleId::StructuredInheritsChanged => {
            format!("`structured_inherits` changed {}", from_to(change, "none"))
        }
        ChangeRuleId::PrecomputedChanged => {
            format!("what is precomputed changed {}", from_to(change, "nothing"))
        }
        ChangeRuleId::UfuncInnerLoopChanged => {
            format!("`ufunc_inner_loop` changed {}", from_to(change, "none"))
        }
        ChangeRuleId::ManualKernelRegistrationChanged => match text(change.new.as_ref()) {
            "True" => "its kernels are no longer registered by generated code".to_owned(),
            _ => "its kernels are registered by generated code now".to_owned(),
        },
        ChangeRuleId::DeviceCheckRemoved => {
            "it is no longer checked that all tensors are on one device".to_owned()
        }
        ChangeRuleId::DeviceCheckAdded => {
            "it is checked now that all tensors are on one device".to_owned()
        }
        ChangeRuleId::DeviceGuardChanged => match text(change.new.as_ref()) {
            "True" => "the device of its tensors is made the current one before a call".to_owned(),
            _ => "the device of its tensors is no longer made the current one".to_owned(),
        },
        id if id.as_str().starts_with("tag-") => tags(change)?,
        _ => return kernels(change, &own),
    })
}

fn tags(change: &Change) -> Option<String> {
    let own = names(change);
    let all = ticks(&own);
    Some(match change.rule.id {
        ChangeRuleId::TagCoreAdded => "it got the tag `core` and is frozen from now on".to_owned(),
        ChangeRuleId::TagCoreRemoved => {
            "it lost the tag `core`, which protected it from changes".to_owned()
        }
        ChangeRuleId::TagUnknown if own.len() == 1 => format!("the tag {all} is declared nowhere"),
        ChangeRuleId::TagUnknown => format!("the tags {all} are declared nowhere"),
        ChangeRuleId::TagAliasBehaviourChanged
        | ChangeRuleId::TagDeterminismChanged
        | ChangeRuleId::TagShapeChanged
        | ChangeRuleId::TagLayoutChanged
        | ChangeRuleId::TagClassificationChanged => {
            let head: BTreeSet<&str> = text(change.new.as_ref()).split(", ").collect();
            let (came, went): (Vec<&str>, Vec<&str>) =
                own.iter().partition(|tag| head.contains(*tag));
            let mut parts = Vec::new();
            for (verb, tags) in [("gained", came), ("lost", went)] {
                if !tags.is_empty() {
                    let noun = if tags.len() == 1 { "tag" } else { "tags" };
                    parts.push(format!("{verb} the {noun} {}", ticks(&tags)));
                }
            }
            format!("it {}", parts.join(" and "))
        }
        _ => return None,
    })
}

fn kernels(change: &Change, own: &[&str]) -> Option<String> {
    let (old, new) = (text(change.old.as_ref()), text(change.new.as_ref()));
    let kernels = if own.len() == 1 { "kernel" } else { "kernels" };
    let lines = |text: &str| ticks(&text.split("; ").collect::<Vec<_>>());
    Some(match change.rule.id {
        ChangeRuleId::DispatchKernelRemoved => format!("it lost the {kernels} {}", lines(old)),
        ChangeRuleId::DispatchKernelAdded => format!("it gained the {kernels} {}", lines(new)),
        ChangeRuleId::DispatchKernelRenamed => {
            format!(
                "its {kernels} changed from {} to {}",
                lines(old),
                lines(new)
            )
        }
        ChangeRuleId::DispatchCompositeAdded => format!(
            "{} serves all backends without a kernel of their own now",
            lines(new)
        ),
        ChangeRuleId::DefaultCompositeLost => {
            "it had no `dispatch` and ran everywhere as a composite; now it has one, without \
             `CompositeImplicitAutograd`"
                .to_owned()
        }
        ChangeRuleId::CompositeImplicitToExplicit => format!(
            "its composite moved below autograd, {}, so that it needs a formula of its own",
            from_to(change, "a structured kernel")
        ),
        ChangeRuleId::CompositeExplicitToImplicit => format!(
            "its composite moved above autograd, {}, so that autograd and export see its parts",
            from_to(change, "a structured kernel")
        ),
        ChangeRuleId::CompositeExplicitNonfunctionalChanged => {
            format!(
                "its composite changed {}",
                from_to(change, "a structured one")
            )
        }
        ChangeRuleId::BackendSupportLost => format!("it no longer runs on {}", keys(own)),
        ChangeRuleId::BackendSupportGained => format!("it runs on {} now", keys(own)),
        ChangeRuleId::BackendSupportKindChanged => {
            format!("another kind of kernel runs it on {}", keys(own))
        }
        ChangeRuleId::AutogradSupportLost if change.notes.contains(&Note::Ambiguous) => format!(
            "calls on {} fail, since a composite and a backend's kernel contradict each other",
            keys(own)
        ),
        ChangeRuleId::AutogradSupportLost if change.notes.contains(&Note::NoDerivatives) => {
            format!(
                "it can no longer be differentiated on {} (there is no derivatives.yaml to look for a \
             formula in)",
                keys(own)
            )
        }
        ChangeRuleId::AutogradSupportLost => {
            format!("it can no longer be differentiated on {}", keys(own))
        }
        ChangeRuleId::OverloadShadowing => format!(
            "the new overload takes calls that were {}'s",
            own.first().map_or_else(String::new, |name| tick(name))
        ),
        _ => return None,
    })
}
