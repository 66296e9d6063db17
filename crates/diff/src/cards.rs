//! Facts about a new operator for its review: where it runs, whether it trains, its forms, and the C++
//! declarations of its kernels.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::causes::stem;
use crate::rules::ChangeRuleId;
use crate::{Change, Comparison};
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::faces::{Bound, FaceMaker};
use opatlas_operators::generate::left_alone;
use opatlas_operators::operator::{Operator, OperatorId};
use opatlas_pytorch::key_set::Slot;
use opatlas_pytorch::keys::Key;
use opatlas_schema::function::SchemaKind;
use opatlas_verdict::training::Training;
use opatlas_verdict::{Answer, Because, View};

/// The most cards; a release adds far fewer operators.
pub const MOST_CARDS: usize = 1_000;

/// The most forms of an operator whose tags are compared.
const MOST_FORMS: usize = 64;

/// A new operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Card {
    /// The operator's name, as in changes.
    pub operator: Box<str>,
    /// The dense backends of PyTorch on which a call works.
    pub runs: Vec<&'static str>,
    /// The dense backends of PyTorch on which a call fails, at least in some cases.
    pub fails: Vec<&'static str>,
    /// PyTorch's dense backends whose support is unknown.
    pub unknown: Vec<&'static str>,
    /// Why it is unknown.
    pub because: Option<Because>,
    /// Training on the first backend that runs it, or on the first unknown one; `None` if
    /// calls fail everywhere.
    pub training: Option<Training>,
    /// Its out form.
    pub out: OutForm,
    /// Whether it is a function of `torch`.
    pub is_function: bool,
    /// Whether it is a method of `Tensor`.
    pub is_method: bool,
    /// Tags that it lacks, although all operators of its stem in the base have them.
    pub missing_tags: Vec<Box<str>>,
    /// Missing pieces on the ways to run it, with their effects.
    pub lacks: Vec<&'static str>,
    /// The declarations of its kernels in C++, each with its keys.
    pub kernels: Vec<(Vec<Box<str>>, String)>,
}

/// The out form of an operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OutForm {
    /// None is needed: it is an out form, returns no tensor, or is a view.
    NotNeeded,
    /// The file declares this one.
    Declared(Box<str>),
    /// PyTorch generates this one.
    Generated(Box<str>),
    /// It has none. `autogen` would add this one.
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
    for operator in base
        .operators
        .iter()
        .filter(|operator| !operator.is_generated())
    {
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
    let (mut runs, mut fails, mut unknown) = (Vec::new(), Vec::new(), Vec::new());
    let (mut because, mut training) = (None, Vec::new());
    for &slot in slots {
        let key = head.keys().name(Key::Runtime(slot));
        let verdict = head.verdict(id, slot);
        let keys = match Answer::from(verdict) {
            Answer::Yes => &mut runs,
            Answer::Partly | Answer::No => &mut fails,
            Answer::Unknown => {
                because = because.or(head.support(id, slot).because);
                &mut unknown
            }
        };
        keys.push(key);
        if !verdict.fails() && key != "Meta" {
            training.extend(head.trains(id, slot));
        }
    }
    // The sort is stable: backends that run it come first, in table order.
    training.sort_by_key(|training| Answer::from(training.inference) != Answer::Yes);
    let kernels = faces.kernels(id).into_iter().flat_map(|face| {
        let declarations = face.declarations.into_iter();
        declarations.map(move |declaration| (face.key.clone(), declaration))
    });
    Card {
        operator: name.into(),
        runs,
        fails,
        unknown,
        because,
        training: training.into_iter().next(),
        out: out_form(head.inputs.catalogue, id),
        is_function: bound.torch,
        is_method: bound.tensor,
        missing_tags: missing_tags(kin, operator),
        lacks: head.lacks(id),
        kernels: joined(kernels),
    }
}

fn out_form(catalogue: &Catalogue, id: OperatorId) -> OutForm {
    let operator = catalogue.operator(id);
    let group = catalogue.groups.of(id);
    // Nothing is generated for operators of vendors and libraries.
    let needs_none = operator.kind == SchemaKind::Out || operator.vendor().is_some();
    if needs_none || group.functional.is_none() {
        return OutForm::NotNeeded;
    }
    if let Some(out) = group.out {
        let out = catalogue.operator(out);
        let name = out.qualified_name().into();
        return if out.is_generated() {
            OutForm::Generated(name)
        } else {
            OutForm::Declared(name)
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

/// The tags that the operator lacks, although all operators of its stem in the base have them. Fewer
/// than two operators are not enough evidence.
fn missing_tags(kin: &FxHashMap<&str, Vec<&Operator>>, operator: &Operator) -> Vec<Box<str>> {
    let forms = kin.get(stem(operator.name_text())).into_iter().flatten();
    let forms: Vec<&Operator> = forms
        .copied()
        .filter(|other| other.kind == operator.kind)
        .take(MOST_FORMS)
        .collect();
    let [first, rest @ ..] = &*forms else {
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

/// Merges equal declarations; each has all of its keys.
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
