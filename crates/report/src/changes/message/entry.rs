//! Sentences about fields of an entry, kernels, tags, and what they come to on each backend.

use super::{from_to, names, text, tick, ticks};
use crate::changes::lists::keys;
use opatlas_diff::{Change, Note};

pub(super) fn message(change: &Change) -> Option<String> {
    let own = names(change);
    Some(match change.rule.id {
        "variant-method-removed" => "it is no method of `Tensor` any more".to_owned(),
        "variant-function-removed" => "it is no function any more".to_owned(),
        "variant-method-added" => "it is also a method of `Tensor` now".to_owned(),
        "variant-function-added" => "it is also a function now".to_owned(),
        "python-module-changed" => {
            format!("its Python module changed {}", from_to(change, "`torch`"))
        }
        "cpp-no-default-args-added" => {
            format!("C++ callers must pass {} now", ticks(&own))
        }
        "cpp-no-default-args-removed" => {
            format!("C++ callers may leave out {} now", ticks(&own))
        }
        "manual-cpp-binding-added" => "its C++ functions are no longer generated".to_owned(),
        "manual-cpp-binding-removed" => "its C++ functions are generated again".to_owned(),
        "category-override-changed" => {
            format!("`category_override` changed {}", from_to(change, "none"))
        }
        "const-ref-changed" => format!(
            "kernels take the tensors that they write to as {} now",
            match text(change.new.as_ref()) {
                "True" => "`const Tensor&`",
                _ => "`Tensor&`",
            }
        ),
        "structured-changed" => match text(change.new.as_ref()) {
            "True" => "it became structured".to_owned(),
            _ => "it is no longer structured".to_owned(),
        },
        "structured-delegate-changed" => {
            format!("`structured_delegate` changed {}", from_to(change, "none"))
        }
        "structured-inherits-changed" => {
            format!("`structured_inherits` changed {}", from_to(change, "none"))
        }
        "precomputed-changed" => {
            format!("what is precomputed changed {}", from_to(change, "nothing"))
        }
        "ufunc-inner-loop-changed" => {
            format!("`ufunc_inner_loop` changed {}", from_to(change, "none"))
        }
        "manual-kernel-registration-changed" => match text(change.new.as_ref()) {
            "True" => "its kernels are no longer registered by generated code".to_owned(),
            _ => "its kernels are registered by generated code now".to_owned(),
        },
        "device-check-removed" => {
            "it is no longer checked that all tensors are on one device".to_owned()
        }
        "device-check-added" => "it is checked now that all tensors are on one device".to_owned(),
        "device-guard-changed" => match text(change.new.as_ref()) {
            "True" => "the device of its tensors is made the current one before a call".to_owned(),
            _ => "the device of its tensors is no longer made the current one".to_owned(),
        },
        id if id.starts_with("tag-") => tags(change)?,
        _ => return kernels(change, &own),
    })
}

fn tags(change: &Change) -> Option<String> {
    let own = names(change);
    let all = ticks(&own);
    Some(match change.rule.id {
        "tag-core-added" => "it got the tag `core` and is frozen from now on".to_owned(),
        "tag-core-removed" => "it lost the tag `core`, which protected it from changes".to_owned(),
        "tag-unknown" if own.len() == 1 => format!("the tag {all} is declared nowhere"),
        "tag-unknown" => format!("the tags {all} are declared nowhere"),
        "tag-alias-behaviour-changed"
        | "tag-determinism-changed"
        | "tag-shape-changed"
        | "tag-layout-changed"
        | "tag-classification-changed" => {
            let has = |fragment: Option<&opatlas_diff::Fragment>, tag: &str| {
                text(fragment).split(", ").any(|known| known == tag)
            };
            let (came, went): (Vec<&str>, Vec<&str>) =
                own.iter().partition(|tag| has(change.new.as_ref(), tag));
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
        "dispatch-kernel-removed" => format!("it lost the {kernels} {}", lines(old)),
        "dispatch-kernel-added" => format!("it gained the {kernels} {}", lines(new)),
        "dispatch-kernel-renamed" => {
            format!(
                "its {kernels} changed from {} to {}",
                lines(old),
                lines(new)
            )
        }
        "dispatch-composite-added" => format!(
            "{} serves all backends without a kernel of their own now",
            lines(new)
        ),
        "default-composite-lost" => {
            "it had no `dispatch` and ran everywhere as a composite; now it has one, without \
             `CompositeImplicitAutograd`"
                .to_owned()
        }
        "composite-implicit-to-explicit" => format!(
            "its composite moved below autograd, {}, so that it needs a formula of its own",
            from_to(change, "a structured kernel")
        ),
        "composite-explicit-to-implicit" => format!(
            "its composite moved above autograd, {}, so that autograd and export see its parts",
            from_to(change, "a structured kernel")
        ),
        "composite-explicit-nonfunctional-changed" => {
            format!(
                "its composite changed {}",
                from_to(change, "a structured one")
            )
        }
        "backend-support-lost" => format!("it no longer runs on {}", keys(own)),
        "backend-support-gained" => format!("it runs on {} now", keys(own)),
        "backend-support-kind-changed" => {
            format!("another kind of kernel runs it on {}", keys(own))
        }
        "autograd-support-lost" if change.notes.contains(&Note::Ambiguous) => format!(
            "calls on {} fail, since a composite and a backend's kernel contradict each other",
            keys(own)
        ),
        "autograd-support-lost" if change.notes.contains(&Note::NoDerivatives) => format!(
            "it can no longer be differentiated on {} (there is no derivatives.yaml to look for a \
             formula in)",
            keys(own)
        ),
        "autograd-support-lost" => {
            format!("it can no longer be differentiated on {}", keys(own))
        }
        "overload-shadowing" => format!(
            "the new overload takes calls that were {}'s",
            own.first().map_or_else(String::new, |name| tick(name))
        ),
        _ => return None,
    })
}
