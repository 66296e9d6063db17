//! What there is to know of a new operator before it is merged: where it runs, whether it trains,
//! its forms, and the C++ that its kernels are declared as.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::causes::stem;
use crate::rules::ChangeRuleId;
use crate::{Change, Comparison};
use opatlas_dispatch::training::Through;
use opatlas_dispatch::{Verdict, View};
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::faces::{Bound, FaceMaker};
use opatlas_operators::generate::left_alone;
use opatlas_operators::operator::{Operator, OperatorId};
use opatlas_pytorch::key_set::Slot;
use opatlas_pytorch::keys::Key;
use opatlas_schema::function::SchemaKind;

/// As many new operators have a card; a release adds far fewer.
pub const MOST_CARDS: usize = 1_000;

/// As many forms of an operator are asked for their tags.
const MOST_KIN: usize = 64;

/// A new operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Card {
    /// The operator, as changes name it.
    pub operator: Box<str>,
    /// The dense backends of PyTorch on which a call works.
    pub runs: Vec<&'static str>,
    /// The dense backends of PyTorch on which a call fails, always or in some cases.
    pub fails: Vec<&'static str>,
    /// Through what training works on the first backend that runs it, or why it does not; `None`
    /// where none runs it.
    pub trains: Option<Through>,
    /// Its out form.
    pub out: OutForm,
    /// Whether it is a function of `torch`.
    pub is_function: bool,
    /// Whether it is a method of `Tensor`.
    pub is_method: bool,
    /// Tags that most operators of the same stem in the base have and it lacks.
    pub missing_tags: Vec<Box<str>>,
    /// The declarations of its kernels in C++, each with its keys.
    pub kernels: Vec<(Vec<Box<str>>, String)>,
}

/// The out form of an operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OutForm {
    /// It needs none: it is an out form, returns no tensor, or is a view.
    NotNeeded,
    /// The file declares this one.
    Declared(Box<str>),
    /// PyTorch generates this one.
    Generated(Box<str>),
    /// There is none; `autogen` would add this one.
    Missing(Box<str>),
}

/// The cards of the operators that a comparison adds, in the order of its changes; at most
/// [`MOST_CARDS`].
#[must_use]
pub fn cards(comparison: &Comparison, base: &Catalogue, head: View<'_>) -> Vec<Card> {
    let is_added = |change: &&Arc<Change>| {
        matches!(
            change.rule.id,
            ChangeRuleId::OperatorAdded | ChangeRuleId::OverloadAdded
        )
    };
    let added = comparison.changes.iter().filter(is_added);
    let catalogue = head.inputs.catalogue;
    let faces = FaceMaker::new(catalogue);
    let slots = backends(head);
    let stems = added.clone().map(|change| stem(&change.operator));
    let mut kin: FxHashMap<&str, Vec<&Operator>> = stems.map(|stem| (stem, Vec::new())).collect();
    // Without new operators nobody asks.
    let known = if kin.is_empty() {
        &[]
    } else {
        &*base.operators
    };
    for operator in known.iter().filter(|operator| !operator.is_generated()) {
        if let Some(kin) = kin.get_mut(stem(operator.name_text())) {
            kin.push(operator);
        }
    }
    let found = added.take(MOST_CARDS).filter_map(|change| {
        let id = catalogue.find_qualified(&change.operator)?;
        Some((&*change.operator, id))
    });
    let (names, ids): (Vec<&str>, Vec<OperatorId>) = found.unzip();
    let new = names.into_iter().zip(ids);
    new.map(|new| card(new, faces.bound(new.1), (&kin, head), &slots, &faces))
        .collect()
}

/// The dense keys of backends that PyTorch's own verdicts cover, and Meta.
fn backends(head: View<'_>) -> Vec<Slot> {
    let keys = head.keys();
    let dense = keys
        .slots()
        .filter(|&slot| keys.functionality(slot) == "Dense" && head.claims(slot));
    dense.collect()
}

fn card(
    (name, id): (&str, OperatorId),
    bound: Bound,
    (kin, head): (&FxHashMap<&str, Vec<&Operator>>, View<'_>),
    slots: &[Slot],
    faces: &FaceMaker<'_>,
) -> Card {
    let operator = head.inputs.catalogue.operator(id);
    let (mut runs, mut fails) = (Vec::new(), Vec::new());
    let mut trains = None;
    for &slot in slots {
        let key = head.keys().name(Key::Runtime(slot));
        match head.verdict(id, slot) {
            verdict if verdict.works() => {
                if trains.is_none() && key != "Meta" {
                    trains = head.trains(id, slot).map(|answer| answer.through);
                }
                runs.push(key);
            }
            Verdict::Unknown => {}
            _ => fails.push(key),
        }
    }
    let kernels = faces.kernels(id).into_iter().flat_map(|face| {
        let declarations = face.declarations.into_iter();
        declarations.map(move |declaration| (face.key.clone(), declaration))
    });
    Card {
        operator: name.into(),
        runs,
        fails,
        trains,
        out: out_form(head.inputs.catalogue, id),
        is_function: bound.torch,
        is_method: bound.tensor,
        missing_tags: missing_tags(kin, operator),
        kernels: joined(kernels),
    }
}

/// The out form of the group of an operator.
fn out_form(catalogue: &Catalogue, id: OperatorId) -> OutForm {
    let operator = catalogue.operator(id);
    let group = catalogue.groups.of(id);
    // Nothing is generated for the operators of vendors and libraries.
    let needs_none = operator.kind == SchemaKind::Out || operator.vendor().is_some();
    if needs_none || group.functional.is_none() {
        return OutForm::NotNeeded;
    }
    if let Some(out) = group.out {
        let out = catalogue.operator(out);
        let name = out.qualified_name().into();
        return match out.is_generated() {
            true => OutForm::Generated(name),
            false => OutForm::Declared(name),
        };
    }
    let has_tensor = operator
        .schema()
        .returns
        .iter()
        .any(|one| one.ty.is_tensor_like());
    if !has_tensor || left_alone(&catalogue.operators, group, catalogue.release).is_some() {
        return OutForm::NotNeeded;
    }
    let name = operator.name();
    let overload = match name.overload() {
        "" => "out".to_owned(),
        overload => format!("{overload}_out"),
    };
    OutForm::Missing(format!("{}.{overload}", name.base()).into())
}

/// The tags that all operators of the same stem in the base have and the operator has not; at
/// least two must speak for it.
fn missing_tags(kin: &FxHashMap<&str, Vec<&Operator>>, operator: &Operator) -> Vec<Box<str>> {
    let kin = kin.get(stem(operator.name_text()));
    let kin = kin.into_iter().flatten().copied();
    let kin = kin
        .filter(|other| other.kind == operator.kind)
        .take(MOST_KIN);
    let kin: Vec<&Operator> = kin.collect();
    let [first, rest @ ..] = &*kin else {
        return Vec::new();
    };
    if rest.is_empty() {
        return Vec::new();
    }
    let own: FxHashSet<&str> = operator.tags.iter().map(|tag| &**tag).collect();
    let shared = first.tags.iter().filter(|tag| {
        let is_shared = rest
            .iter()
            .all(|other| other.tags.iter().any(|known| known == *tag));
        is_shared && !own.contains(&***tag) && ***tag != *"core"
    });
    shared.cloned().collect()
}

/// Declarations with the same text, once with all keys.
fn joined(kernels: impl Iterator<Item = (Box<str>, String)>) -> Vec<(Vec<Box<str>>, String)> {
    let mut joined: Vec<(Vec<Box<str>>, String)> = Vec::new();
    for (key, declaration) in kernels {
        match joined.iter_mut().find(|(_, known)| *known == declaration) {
            Some((keys, _)) => keys.push(key),
            None => joined.push((vec![key], declaration)),
        }
    }
    joined
}
