//! Training and vmap, which verdicts decide.

use std::borrow::Cow;

use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::Release;
use opatlas_pytorch::keys::Key;
use opatlas_pytorch::ways::{Registry, facts};

use super::{Fate, Found};
use crate::training::Works;
use crate::{Because, Verdict, View};

/// Backends of PyTorch's own tree, the best known first.
const BACKENDS: [&str; 4] = ["CPU", "CUDA", "MPS", "XPU"];

/// Whether gradients work on the first backend of PyTorch's own where the call does.
pub(super) fn training(view: View<'_>, id: OperatorId) -> Found {
    let works_on = |name: &&&str| match view.keys().lookup(name) {
        Some(Key::Runtime(slot)) => view.verdict(id, slot).works(),
        _ => false,
    };
    let name = BACKENDS.iter().find(works_on).copied();
    let trained = name.and_then(|name| match view.keys().lookup(name) {
        Some(Key::Runtime(slot)) => Some((name, view.trains(id, slot)?)),
        _ => None,
    });
    let Some((name, training)) = trained else {
        let because = format!("it is not known to work on {}", BACKENDS.join(", "));
        return (Fate::Unknown, because.into());
    };
    let fate = match training.works {
        Works::Yes => Fate::Yes,
        Works::Partly => Fate::Partly,
        Works::No => Fate::No,
        Works::NotDifferentiable => Fate::NotDifferentiable,
        Works::Unknown => Fate::Unknown,
    };
    let arguments = training.not_implemented.join(", ");
    let because: Cow<'static, str> = match arguments.is_empty() {
        true => format!("{} on {name}", training.through.as_str()).into(),
        false => format!("its formula on {name} only raises for {arguments}").into(),
    };
    (fate, because)
}

/// What happens under `torch.vmap`.
pub(super) fn vmap(view: View<'_>, id: OperatorId) -> Found {
    let Some(Key::Runtime(slot)) = view.keys().lookup("FuncTorchBatched") else {
        return (Fate::Unknown, "the release has no functorch".into());
    };
    let support = view.support(id, slot);
    let reason = |otherwise: &'static str| support.because.map_or(otherwise, Because::as_str);
    let (fate, because) = match support.verdict {
        Verdict::Runs => (Fate::Rule, "it has a batching rule"),
        Verdict::Decomposes => (Fate::Decomposes, "the operators that it calls are batched"),
        Verdict::FallsBack => (
            Fate::FallsBack,
            "no batching rule: vmap loops over the batch",
        ),
        Verdict::Fails => (Fate::Raises, reason("an operator that it calls raises")),
        Verdict::Partly => (Fate::Partly, reason("an operator that it may call raises")),
        Verdict::Unknown => (Fate::Unknown, reason("what it calls was not measured")),
    };
    (fate, because.into())
}

/// The recorded release that has the operator.
pub(super) fn recorded(view: View<'_>, id: OperatorId) -> Option<Release> {
    let facts = facts(view.keys().release())?;
    let name = view.inputs.catalogue.operator(id).name_text();
    let is_known = facts.operator(name).is_in(Registry::Operators);
    is_known.then(|| facts.release())
}
