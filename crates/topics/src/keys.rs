//! Dispatch keys and their aliases.

use std::borrow::Cow;

use opatlas_pytorch::keys::{Key, Keys};
use opatlas_pytorch::release::Release;

use super::backends::backend;
use super::functionalities::functionality;
use super::{Example, Kind, Text, Topic, span_of};

const fn alias(id: &'static str, summary: &'static str) -> Text {
    Text::new(id, Kind::AliasKey, summary)
}

pub(super) const ALIASES: &[Text] = &[
    Text {
        body: &[
            "The kernel consists of calls to operators that run on every backend and have formulas or \
             are composite themselves. So it needs neither kernels for backends nor an entry in \
             derivatives.yaml: autograd differentiates the calls.",
            "An entry without `dispatch` registers its function under this key. The function is named \
             after the operator, with `_out` behind the name for an out variant. As soon as an entry \
             has a `dispatch` section, the key must be written out, or the composite is lost.",
            "A kernel on a backend's own key wins there for inference. For autograd the composite then \
             no longer serves that backend, so the backend's kernel needs a formula.",
        ],
        names: &["Math"],
        examples: &[
            Example::accepted("- func: lerp3(Tensor self, Tensor a, Tensor b) -> Tensor\n"),
            Example::accepted(
                "- func: lerp3(Tensor self, Tensor a, Tensor b) -> Tensor\n  dispatch:\n    CPU: lerp3_cpu\n    \
                 CompositeImplicitAutograd: lerp3\n",
            ),
        ],
        see: &[
            "dispatch-keyword",
            "composite-functions",
            "CompositeExplicitAutograd",
        ],
        ..alias(
            "CompositeImplicitAutograd",
            "One kernel for all backends, which autograd differentiates through its calls.",
        )
    },
    Text {
        body: &[
            "The kernel works for every backend but autograd does not look into it: training needs a \
             formula in derivatives.yaml. Without one the backward pass raises an error.",
            "Typical uses are operators that allocate and then call their out variant, and composites \
             whose own gradient is faster or numerically better than the one of their calls.",
            "A kernel that uses DispatchStub does not belong here. DispatchStub only has the backends \
             that are registered for it, so list these keys instead.",
        ],
        names: &["DefaultBackend"],
        examples: &[Example::accepted(
            "- func: lerp3(Tensor self, Tensor a, Tensor b) -> Tensor\n  dispatch:\n    \
             CompositeExplicitAutograd: lerp3\n  autogen: lerp3.out\n",
        )],
        see: &[
            "dispatch-keyword",
            "CompositeExplicitAutogradNonFunctional",
            "derivatives",
        ],
        ..alias(
            "CompositeExplicitAutograd",
            "One kernel for all backends, for inference; training needs a formula.",
        )
    },
    Text {
        body: &[
            "Like CompositeExplicitAutograd, for an operator that does not alias its arguments but whose \
             kernel calls a view or another aliasing operator. Generated functional kernels of \
             structured operators are registered here too.",
            "Backends with a functional representation, such as XLA and Lazy, do not want to decompose a \
             functional operator into views. So this key does not reach them: they implement the \
             operator themselves.",
        ],
        examples: &[Example::accepted(
            "- func: pick_backward(Tensor grad, int[] sizes, int at) -> Tensor\n  dispatch:\n    \
             CompositeExplicitAutogradNonFunctional: pick_backward\n  autogen: pick_backward.out\n",
        )],
        see: &[
            "dispatch-keyword",
            "CompositeExplicitAutograd",
            "Lazy",
            "XLA",
        ],
        ..alias(
            "CompositeExplicitAutogradNonFunctional",
            "A default kernel that calls aliasing operators, for an operator that does not alias.",
        )
    },
    Text {
        body: &[
            "A composite that only serves nested tensors. It may stand beside CompositeImplicitAutograd \
             or CompositeExplicitAutograd, which is the one exception to the rule that an entry has \
             one composite kernel.",
        ],
        examples: &[Example::accepted(
            "- func: lerp3(Tensor self, Tensor a, Tensor b) -> Tensor\n  dispatch:\n    \
             CompositeImplicitAutograd: lerp3\n    CompositeImplicitAutogradNestedTensor: lerp3_nested\n",
        )],
        see: &["CompositeImplicitAutograd"],
        ..alias(
            "CompositeImplicitAutogradNestedTensor",
            "A composite kernel for nested tensors, which autograd differentiates through its calls.",
        )
    },
    Text {
        body: &[
            "The kernels that are generated from derivatives.yaml are registered here. They record the \
             operation for the backward pass and call the kernel of the backend below.",
            "A kernel on the autograd key of one backend, such as AutogradXLA, wins there.",
        ],
        differs: Some(
            "The README mentions `Autograd` and keys such as `AutogradCPU` for kernels of your own. torchgen \
             refuses both in `dispatch`: write a formula, or register the kernel in C++.",
        ),
        see: &["derivatives", "dispatch"],
        ..alias(
            "Autograd",
            "All autograd keys: AutogradCPU, AutogradCUDA, AutogradOther and so on.",
        )
    },
    Text {
        body: &["Used by code that registers vmap rules in C++. It cannot be used in `dispatch`."],
        see: &["FuncTorchBatched"],
        ..alias(
            "FuncTorchBatchedDecomposition",
            "The keys of vmap that decompose an operator.",
        )
    },
];

/// The dense backends that an alias key reaches in the newest release.
pub(super) fn reach(text: &Text) -> Option<Cow<'static, str>> {
    let keys = Keys::of(Release::LATEST);
    let Some(Key::Alias(alias)) = keys.lookup(text.id).filter(|_| text.kind == Kind::AliasKey)
    else {
        return None;
    };
    let reached = keys.reach(alias);
    let dense = keys
        .slots()
        .filter(|&slot| keys.functionality(slot) == "Dense");
    let (in_reach, beyond): (Vec<_>, Vec<_>) = dense.partition(|&slot| reached.contains(slot));
    let all = keys.count() - 1;
    let names = |slots: &[_]| {
        let names = slots.iter().map(|&slot| keys.name(Key::Runtime(slot)));
        names.collect::<Vec<_>>().join(", ")
    };
    let backends = match (in_reach.is_empty(), beyond.is_empty()) {
        (true, _) => "No key of a dense backend is among them.".to_owned(),
        (false, true) => "All dense backends are among them.".to_owned(),
        (false, false) => format!(
            "All dense backends are among them, except {}.",
            names(&beyond)
        ),
    };
    let count = reached.iter().count();
    Some(
        format!(
            "In PyTorch {} a kernel under this key reaches {count} of {all} runtime keys. {backends}",
            Release::LATEST
        )
        .into(),
    )
}

/// The runtime keys of all releases, in the order of the newest release that has each.
fn names() -> Vec<&'static str> {
    let mut names: Vec<&'static str> = Vec::new();
    for release in Release::all().rev() {
        let keys = Keys::of(release);
        let more = keys.slots().map(|slot| keys.name(Key::Runtime(slot)));
        names.extend(
            more.filter(|name| !names.contains(name))
                .collect::<Vec<_>>(),
        );
    }
    names
}

pub(super) fn all() -> impl Iterator<Item = Topic> {
    names().into_iter().filter_map(find)
}

pub(super) fn find(name: &str) -> Option<Topic> {
    let has = |release| matches!(Keys::of(release).lookup(name), Some(Key::Runtime(_)));
    let (since, until) = span_of(has)?;
    let keys = Keys::of(until.unwrap_or(Release::LATEST));
    let slot = keys.slot(name)?;
    let id = keys.name(Key::Runtime(slot));
    let (what, mut body) = functionality(keys.functionality(slot));
    let summary: Cow<'static, str> = match keys.backend(slot) {
        Some(component) => {
            let (title, about) = backend(component);
            body.extend(about.map(Cow::Borrowed));
            format!("{what} on {title}.").into()
        }
        None => what.into(),
    };
    body.push(place_in_files(id).into());
    Some(Topic {
        id: id.into(),
        kind: Kind::DispatchKey,
        summary,
        body,
        differs: None,
        examples: &[],
        see: related(keys, name),
        names: &[],
        since,
        until,
    })
}

fn place_in_files(name: &str) -> String {
    let allowed = |release: Release| release.data().dispatch_keys_allowed.contains(name);
    match span_of(allowed) {
        None => {
            "No release allows the key in `dispatch`; kernels are registered in C++.".to_owned()
        }
        Some((Release::V2_0, None)) => "Every release allows the key in `dispatch`.".to_owned(),
        Some((since, None)) => format!("`dispatch` may name the key since PyTorch {since}."),
        Some((since, Some(until))) => {
            format!("`dispatch` may name the key from PyTorch {since} to {until}.")
        }
    }
}

fn related(keys: &Keys, name: &str) -> Vec<Cow<'static, str>> {
    let mut see: Vec<Cow<'static, str>> = Vec::new();
    let Some(slot) = keys.slot(name) else {
        return see;
    };
    let autograd = keys.autograd_of(slot);
    see.extend(autograd.map(|key| keys.name(Key::Runtime(key)).into()));
    if let Some(component) = keys.backend(slot) {
        let others = keys
            .slots()
            .filter(|&other| other != slot && Some(other) != autograd);
        let others = others.filter(|&other| keys.backend(other) == Some(component));
        see.extend(others.map(|other| keys.name(Key::Runtime(other)).into()));
    }
    see.truncate(6);
    see
}
