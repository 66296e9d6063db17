//! Sentences about fields of an entry, kernels and tags, and their effect on each backend.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{formulas, from_to, names, note, some, text, tick, ticks, training};
use crate::changes::lists::{self, keys};
use opatlas_diff::rules::ChangeRuleId;
use opatlas_diff::{Change, Note, Subject};
use opatlas_operators::entry::KeyName;
use opatlas_source::{Message, message};

pub(super) fn message(change: &Change) -> Option<Message> {
    Some(match change.rule.id {
        ChangeRuleId::VariantMethodRemoved => "it is no longer a method of `Tensor`".into(),
        ChangeRuleId::VariantFunctionRemoved => "it is no longer a function".into(),
        ChangeRuleId::VariantMethodAdded => "it is now also a method of `Tensor`".into(),
        ChangeRuleId::VariantFunctionAdded => "it is now also a function".into(),
        ChangeRuleId::PythonModuleChanged => {
            message!("its Python module changed {}", from_to(change, "`torch`"))
        }
        ChangeRuleId::CppNoDefaultArgsAdded => {
            message!("C++ callers must now pass {}", ticks(&names(change)))
        }
        ChangeRuleId::CppNoDefaultArgsRemoved => {
            message!("C++ callers can now omit {}", ticks(&names(change)))
        }
        ChangeRuleId::ManualCppBindingAdded => "its C++ functions are no longer generated".into(),
        ChangeRuleId::ManualCppBindingRemoved => "its C++ functions are generated again".into(),
        ChangeRuleId::CategoryOverrideChanged => {
            message!("`category_override` changed {}", from_to(change, "none"))
        }
        ChangeRuleId::DeprecatedSignatureRemoved => message!(
            "Python no longer accepts the deprecated {}",
            tick(text(change.old.as_ref()))
        ),
        ChangeRuleId::DeprecatedSignatureAdded => message!(
            "Python now accepts the deprecated {}",
            tick(text(change.new.as_ref()))
        ),
        ChangeRuleId::CppCallAmbiguous => message!(
            "in C++, {} becomes ambiguous beside the new {}",
            cpp_call(change),
            ticks(&names(change))
        ),
        ChangeRuleId::CppCallRebound => message!(
            "in C++, {} now calls the new {}",
            cpp_call(change),
            ticks(&names(change))
        ),
        ChangeRuleId::DirectFunctionRemoved | ChangeRuleId::InternalFunctionRemoved => {
            message!("the C++ headers lost {}", ticks(&names(change)))
        }
        ChangeRuleId::DirectFunctionAdded => {
            message!("the C++ headers gained {}", ticks(&names(change)))
        }
        ChangeRuleId::ConstRefChanged => message!(
            "kernels now take mutable tensors as {}",
            match text(change.new.as_ref()) {
                "True" => tick("const Tensor&"),
                _ => tick("Tensor&"),
            }
        ),
        ChangeRuleId::StructuredChanged => match text(change.new.as_ref()) {
            "True" => "it became structured".into(),
            _ => "it is no longer structured".into(),
        },
        ChangeRuleId::StructuredDelegateChanged => {
            message!("`structured_delegate` changed {}", from_to(change, "none"))
        }
        ChangeRuleId::StructuredInheritsChanged => {
            message!("`structured_inherits` changed {}", from_to(change, "none"))
        }
        ChangeRuleId::PrecomputedChanged => {
            message!("`precomputed` changed {}", from_to(change, "nothing"))
        }
        ChangeRuleId::UfuncInnerLoopChanged => {
            message!("`ufunc_inner_loop` changed {}", from_to(change, "none"))
        }
        ChangeRuleId::ManualKernelRegistrationChanged => match text(change.new.as_ref()) {
            "True" => "generated code no longer registers its kernels".into(),
            _ => "generated code now registers its kernels".into(),
        },
        ChangeRuleId::DeviceCheckRemoved => {
            "PyTorch no longer checks that all tensors are on one device".into()
        }
        ChangeRuleId::DeviceCheckAdded => {
            "PyTorch now checks that all tensors are on one device".into()
        }
        ChangeRuleId::DeviceGuardChanged => match text(change.new.as_ref()) {
            "True" => "PyTorch now makes the device of the tensors current before a call".into(),
            _ => "PyTorch no longer makes the device of the tensors current before a call".into(),
        },
        ChangeRuleId::FormulaAdded
        | ChangeRuleId::FormulaChanged
        | ChangeRuleId::FormulaRemoved => formulas::message(change),
        id if id.as_str().starts_with("tag-") => tags(change)?,
        _ => return kernels(change),
    })
}

const POINTWISE: &str = "pointwise";

fn cpp_call(change: &Change) -> Message {
    let call = note(change, |note| match note {
        Note::CppCall(call) => Some(tick(call)),
        _ => None,
    });
    call.unwrap_or_default()
}

fn tags(change: &Change) -> Option<Message> {
    let own = names(change);
    Some(match change.rule.id {
        ChangeRuleId::TagMemberAdded => {
            message!("`tags.yaml` declares the new tag {}", ticks(&own))
        }
        ChangeRuleId::TagMemberRemoved => message!(
            "`tags.yaml` no longer declares the tag, so this member and `at::Tag::{}` are gone",
            own.first().copied().unwrap_or_default()
        ),
        ChangeRuleId::TagCoreAdded => "it gained the tag `core` and is now frozen".into(),
        ChangeRuleId::TagCoreRemoved => {
            "it lost the tag `core`, which protected it from changes".into()
        }
        ChangeRuleId::TagUnknown if own.len() == 1 => {
            message!("`tags.yaml` does not declare the tag {}", ticks(&own))
        }
        ChangeRuleId::TagUnknown => {
            message!("`tags.yaml` does not declare the tags {}", ticks(&own))
        }
        ChangeRuleId::TagAliasBehaviourChanged
        | ChangeRuleId::TagDeterminismChanged
        | ChangeRuleId::TagShapeChanged
        | ChangeRuleId::TagLayoutChanged
        | ChangeRuleId::TagClassificationChanged => {
            let head: BTreeSet<&str> = text(change.new.as_ref()).split(", ").collect();
            let (added, removed): (Vec<&str>, Vec<&str>) =
                own.iter().partition(|tag| head.contains(*tag));
            let mut text = Message::from("it ");
            for (verb, tags) in [("gained", added), ("lost", removed)] {
                if tags.is_empty() {
                    continue;
                }
                let is_first = text.len() == "it ".len();
                let before = if is_first { "" } else { " and " };
                let noun = if tags.len() == 1 { "tag" } else { "tags" };
                text.push(&message!(
                    "{}{} the {} {}",
                    before,
                    verb,
                    noun,
                    ticks(&tags)
                ));
                if verb == "lost" && tags.contains(&POINTWISE) {
                    text.push_str(
                        ", by which Inductor, DTensor and jagged nested tensors recognize it",
                    );
                }
            }
            text
        }
        _ => return None,
    })
}

fn lines(text: &str) -> Message {
    ticks(&text.split("; ").collect::<Vec<_>>())
}

fn kernels(change: &Change) -> Option<Message> {
    let (old, new) = (text(change.old.as_ref()), text(change.new.as_ref()));
    let own: &[KeyName] = match &change.subject {
        Subject::Keys(keys) => keys,
        _ => &[],
    };
    let kernels = if own.len() == 1 { "kernel" } else { "kernels" };
    Some(match change.rule.id {
        ChangeRuleId::DispatchKernelRemoved => message!("it lost the {} {}", kernels, lines(old)),
        ChangeRuleId::DispatchKernelAdded => message!("it gained the {} {}", kernels, lines(new)),
        ChangeRuleId::DispatchKernelRenamed => {
            message!(
                "its {} changed from {} to {}",
                kernels,
                lines(old),
                lines(new)
            )
        }
        ChangeRuleId::DispatchCompositeAdded => {
            message!(
                "{} now serves all backends without a kernel of their own",
                lines(new)
            )
        }
        ChangeRuleId::DefaultCompositeLost => {
            "it was an implicit composite without `dispatch`; its new `dispatch` has no \
             `CompositeImplicitAutograd`"
                .into()
        }
        ChangeRuleId::CompositeImplicitToExplicit => message!(
            "its composite kernel changed from implicit to explicit{}",
            structured(new)
        ),
        ChangeRuleId::CompositeExplicitToImplicit => message!(
            "its composite kernel changed from explicit to implicit{}, so autograd and export see \
             the operators that it calls",
            structured(old)
        ),
        ChangeRuleId::CompositeExplicitNonfunctionalChanged => {
            message!(
                "its composite kernel changed {}",
                from_to(change, "a structured one")
            )
        }
        ChangeRuleId::BackendSupportLost if change.notes.contains(&Note::SupportUnknown) => {
            message!(
                "nothing serves it any more on {} (whether it worked there is unknown)",
                keys(own)
            )
        }
        ChangeRuleId::BackendSupportGained if change.notes.contains(&Note::SupportUnknown) => {
            message!(
                "a kernel now serves it on {} (whether it works there is unknown)",
                keys(own)
            )
        }
        ChangeRuleId::BackendSupportLost => {
            let lost = on_keys("it no longer works on ", own, &change.also);
            message!("{}{}", removed(change), lost)
        }
        ChangeRuleId::BackendSupportGained => on_keys("it now works on ", own, &change.also),
        ChangeRuleId::BackendSupportKindChanged => {
            on_keys("another kind of kernel runs it on ", own, &[])
        }
        ChangeRuleId::AutogradSupportLost => training::message(change, own),
        ChangeRuleId::OverloadShadowing => message!(
            "the new overload matches calls that used {} before",
            names(change)
                .first()
                .map_or_else(Message::default, |name| tick(name))
        ),
        _ => return None,
    })
}

/// The suffix if a structured kernel is one of the two.
fn structured(explicit: &str) -> &'static str {
    match explicit {
        "" => " (a structured kernel)",
        _ => "",
    }
}

/// The removed operators that it calls.
fn removed(change: &Change) -> Message {
    let needed = note(change, |note| match note {
        Note::NeedsRemoved(names) => Some(names),
        _ => None,
    });
    match needed.map_or(&[][..], Vec::as_slice) {
        [] => Message::default(),
        [only] => message!("needs {}, which was removed: ", tick(only)),
        several => message!("needs {}, which were removed: ", some(several)),
    }
}

/// A sentence about keys, and about the operators that work or fail with this one because they call
/// it.
fn on_keys(before: &'static str, keys: &[KeyName], followers: &[Arc<str>]) -> Message {
    let mut message = message!("{}{}", before, lists::keys(keys));
    match followers.len() {
        0 => return message,
        1 => message.push_str("; with it the operator that calls it: "),
        all => message.push(&message!("; with it {} operators that call it: ", all)),
    }
    message.push(&some(followers));
    message
}
