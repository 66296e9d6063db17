//! Sentences about fields of an entry, kernels and tags, and their effect on each backend.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;

use super::{formulas, from_to, names, push_ticks, text, tick, ticks};
use crate::changes::lists::{self, keys};
use opatlas_diff::rules::ChangeRuleId;
use opatlas_diff::{Change, Note, Subject};
use opatlas_operators::entry::KeyName;

pub(super) fn message(change: &Change) -> Option<String> {
    Some(match change.rule.id {
        ChangeRuleId::VariantMethodRemoved => "it is no longer a method of `Tensor`".to_owned(),
        ChangeRuleId::VariantFunctionRemoved => "it is no longer a function".to_owned(),
        ChangeRuleId::VariantMethodAdded => "it is now also a method of `Tensor`".to_owned(),
        ChangeRuleId::VariantFunctionAdded => "it is now also a function".to_owned(),
        ChangeRuleId::PythonModuleChanged => {
            format!("its Python module changed {}", from_to(change, "`torch`"))
        }
        ChangeRuleId::CppNoDefaultArgsAdded => {
            format!("C++ callers must now pass {}", ticks(&names(change)))
        }
        ChangeRuleId::CppNoDefaultArgsRemoved => {
            format!("C++ callers can now omit {}", ticks(&names(change)))
        }
        ChangeRuleId::ManualCppBindingAdded => {
            "its C++ functions are no longer generated".to_owned()
        }
        ChangeRuleId::ManualCppBindingRemoved => "its C++ functions are generated again".to_owned(),
        ChangeRuleId::CategoryOverrideChanged => {
            format!("`category_override` changed {}", from_to(change, "none"))
        }
        ChangeRuleId::DeprecatedSignatureRemoved => format!(
            "Python no longer accepts the deprecated {}",
            tick(text(change.old.as_ref()))
        ),
        ChangeRuleId::DeprecatedSignatureAdded => format!(
            "Python now accepts the deprecated {}",
            tick(text(change.new.as_ref()))
        ),
        ChangeRuleId::ConstRefChanged => format!(
            "kernels now take mutable tensors as {}",
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
            format!("`precomputed` changed {}", from_to(change, "nothing"))
        }
        ChangeRuleId::UfuncInnerLoopChanged => {
            format!("`ufunc_inner_loop` changed {}", from_to(change, "none"))
        }
        ChangeRuleId::ManualKernelRegistrationChanged => match text(change.new.as_ref()) {
            "True" => "generated code no longer registers its kernels".to_owned(),
            _ => "generated code now registers its kernels".to_owned(),
        },
        ChangeRuleId::DeviceCheckRemoved => {
            "PyTorch no longer checks that all tensors are on one device".to_owned()
        }
        ChangeRuleId::DeviceCheckAdded => {
            "PyTorch now checks that all tensors are on one device".to_owned()
        }
        ChangeRuleId::DeviceGuardChanged => match text(change.new.as_ref()) {
            "True" => {
                "PyTorch now makes the device of the tensors current before a call".to_owned()
            }
            _ => {
                "PyTorch no longer makes the device of the tensors current before a call".to_owned()
            }
        },
        ChangeRuleId::FormulaAdded
        | ChangeRuleId::FormulaChanged
        | ChangeRuleId::FormulaRemoved => formulas::message(change),
        id if id.as_str().starts_with("tag-") => tags(change)?,
        _ => return kernels(change),
    })
}

fn tags(change: &Change) -> Option<String> {
    let own = names(change);
    Some(match change.rule.id {
        ChangeRuleId::TagCoreAdded => "it gained the tag `core` and is now frozen".to_owned(),
        ChangeRuleId::TagCoreRemoved => {
            "it lost the tag `core`, which protected it from changes".to_owned()
        }
        ChangeRuleId::TagUnknown if own.len() == 1 => {
            format!("`tags.yaml` does not declare the tag {}", ticks(&own))
        }
        ChangeRuleId::TagUnknown => {
            format!("`tags.yaml` does not declare the tags {}", ticks(&own))
        }
        ChangeRuleId::TagAliasBehaviourChanged
        | ChangeRuleId::TagDeterminismChanged
        | ChangeRuleId::TagShapeChanged
        | ChangeRuleId::TagLayoutChanged
        | ChangeRuleId::TagClassificationChanged => {
            let head: BTreeSet<&str> = text(change.new.as_ref()).split(", ").collect();
            let (came, went): (Vec<&str>, Vec<&str>) =
                own.iter().partition(|tag| head.contains(*tag));
            let mut text = "it ".to_owned();
            for (verb, tags) in [("gained", came), ("lost", went)] {
                if tags.is_empty() {
                    continue;
                }
                let before = if text.len() > "it ".len() {
                    " and "
                } else {
                    ""
                };
                let noun = if tags.len() == 1 { "tag" } else { "tags" };
                let _ = write!(text, "{before}{verb} the {noun} ");
                push_ticks(&mut text, tags.len(), tags.iter().copied());
            }
            text
        }
        _ => return None,
    })
}

/// The lines of kernels that a change gives.
#[derive(Clone)]
struct KernelLines<'t>(Option<&'t str>);

impl<'t> Iterator for KernelLines<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        const BETWEEN: &str = "; ";
        let text = self.0.take()?;
        // A search for one character is several times as quick as one for two.
        let mut ends = text.match_indices(';').map(|(at, _)| at);
        let end = ends.find(|&at| text[at..].starts_with(BETWEEN));
        self.0 = end.map(|end| &text[end + BETWEEN.len()..]);
        Some(&text[..end.unwrap_or(text.len())])
    }
}

/// A sentence with the lines of kernels that a change gives behind each of these words.
fn with_lines<const LISTS: usize>(before: [(&[&str], &str); LISTS], after: &str) -> String {
    let letters = before.iter().map(|(words, lines)| {
        let words: usize = words.iter().map(|word| word.len()).sum();
        words + lines.len() + " and ````".len()
    });
    let mut text = String::with_capacity(letters.sum::<usize>() + after.len());
    for (words, lines) in before {
        words.iter().for_each(|word| text.push_str(word));
        let lines = KernelLines(Some(lines));
        push_ticks(&mut text, lines.clone().count(), lines);
    }
    text.push_str(after);
    text
}

fn kernels(change: &Change) -> Option<String> {
    let (old, new) = (text(change.old.as_ref()), text(change.new.as_ref()));
    let own: &[KeyName] = match &change.subject {
        Subject::Keys(keys) => keys,
        _ => &[],
    };
    let kernels = if own.len() == 1 { "kernel" } else { "kernels" };
    Some(match change.rule.id {
        ChangeRuleId::DispatchKernelRemoved => {
            with_lines([(&["it lost the ", kernels, " "], old)], "")
        }
        ChangeRuleId::DispatchKernelAdded => {
            with_lines([(&["it gained the ", kernels, " "], new)], "")
        }
        ChangeRuleId::DispatchKernelRenamed => with_lines(
            [
                (&["its ", kernels, " changed from "], old),
                (&[" to "], new),
            ],
            "",
        ),
        ChangeRuleId::DispatchCompositeAdded => with_lines(
            [(&[], new)],
            " now serves all backends without a kernel of their own",
        ),
        ChangeRuleId::DefaultCompositeLost => {
            "it was an implicit composite without `dispatch`; its new `dispatch` has no \
             `CompositeImplicitAutograd`"
                .to_owned()
        }
        ChangeRuleId::CompositeImplicitToExplicit => format!(
            "its composite kernel changed from implicit to explicit, {}, so it needs its own \
             formula",
            from_to(change, "a structured kernel")
        ),
        ChangeRuleId::CompositeExplicitToImplicit => format!(
            "its composite kernel changed from explicit to implicit, {}, so autograd and export \
             see the operators that it calls",
            from_to(change, "a structured kernel")
        ),
        ChangeRuleId::CompositeExplicitNonfunctionalChanged => {
            format!(
                "its composite kernel changed {}",
                from_to(change, "a structured one")
            )
        }
        ChangeRuleId::BackendSupportLost => on_keys("it no longer works on ", own, &change.also),
        ChangeRuleId::BackendSupportGained => on_keys("it now works on ", own, &change.also),
        ChangeRuleId::BackendSupportKindChanged => {
            on_keys("another kind of kernel runs it on ", own, &[])
        }
        ChangeRuleId::AutogradSupportLost if change.notes.contains(&Note::Ambiguous) => format!(
            "calls on {} fail, because a composite kernel and a backend's kernel are ambiguous",
            keys(own)
        ),
        ChangeRuleId::AutogradSupportLost if change.notes.contains(&Note::NoDerivatives) => {
            format!(
                "it can no longer train on {} (no derivatives.yaml to look up a formula)",
                keys(own)
            )
        }
        ChangeRuleId::AutogradSupportLost if change.notes.contains(&Note::FormulaUnmatched) => {
            format!(
                "its formula in `derivatives.yaml` no longer matches its schema, so it cannot \
                 train on {}",
                keys(own)
            )
        }
        ChangeRuleId::AutogradSupportLost if change.notes.contains(&Note::FormulaRemoved) => {
            format!(
                "`derivatives.yaml` no longer has its formula, so it can no longer train on {}",
                keys(own)
            )
        }
        ChangeRuleId::AutogradSupportLost => {
            format!("it can no longer train on {}", keys(own))
        }
        ChangeRuleId::OverloadShadowing => format!(
            "the new overload matches calls that used {} before",
            names(change)
                .first()
                .map_or_else(String::new, |name| tick(name))
        ),
        _ => return None,
    })
}

/// A sentence about keys, and about the operators that call it and follow it there.
fn on_keys(before: &str, keys: &[KeyName], followers: &[Arc<str>]) -> String {
    const NAMED: usize = 5;
    const THEM: &str = "; with it operators that call it: and more";
    const NUMBERS: usize = 20;
    let named = &followers[..followers.len().min(NAMED)];
    let letters = named.iter().map(|name| "`, `".len() + name.len());
    let room = before.len() + lists::letters(keys) + letters.sum::<usize>();
    let more = if named.is_empty() {
        0
    } else {
        THEM.len() + NUMBERS
    };
    let mut text = String::with_capacity(room + more);
    text.push_str(before);
    lists::push_keys(&mut text, keys);
    let _ = match followers.len() {
        0 => return text,
        1 => write!(text, "; with it the operator that calls it: "),
        all => write!(text, "; with it {all} operators that call it: "),
    };
    for (at, name) in named.iter().enumerate() {
        let before = if at > 0 { ", " } else { "" };
        for part in [before, "`", name, "`"] {
            text.push_str(part);
        }
    }
    if followers.len() > named.len() {
        let _ = write!(text, " and {} more", followers.len() - named.len());
    }
    text
}
