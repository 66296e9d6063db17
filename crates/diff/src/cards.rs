//! Facts about new operators for their review: where they run, whether they train, their forms, and the
//! C++ declarations of their kernels. The variants of a new operator share one card.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::causes::stem;
use crate::rules::ChangeRuleId;
use crate::{Change, Comparison};
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::faces::FaceMaker;
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

/// A new operator with its new variants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Card {
    /// The operator's name, as in changes. If several operators of a group are new, this is the
    /// functional one, else the in-place one. The facts are about this operator.
    pub operator: Box<str>,
    /// The other new operators of its group, in torchgen's order.
    pub variants: Vec<Variant>,
    /// The dense backends of PyTorch on which a call works.
    pub runs: Vec<&'static str>,
    /// The dense backends of PyTorch on which a call fails, at least in some cases.
    pub fails: Vec<&'static str>,
    /// PyTorch's dense backends whose support is unknown.
    pub unknown: Vec<&'static str>,
    /// Why it is unknown.
    pub because: Option<Because>,
    /// Training on the first backend that runs it, or on the first unknown one; `None` if
    /// calls fail everywhere, and for out variants.
    pub training: Option<Training>,
    /// `true` for an out variant. PyTorch does not support autograd for calls with `out=`.
    pub is_out: bool,
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
    /// The declarations of the kernels in C++ of the operator and its variants, each with its keys.
    /// Export macros are left out.
    pub kernels: Vec<(Vec<Box<str>>, String)>,
}

/// A new operator on the card of another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variant {
    /// Its name, as in changes.
    pub operator: Box<str>,
    /// The backends on which a call fails although one of the card's operator works.
    pub fails: Vec<&'static str>,
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

/// The cards of the operators that a comparison adds, in the order of its changes. At most
/// [`MOST_CARDS`] operators are covered.
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
    let maker = Maker {
        kin,
        head,
        slots,
        faces,
    };
    let ids = added
        .take(MOST_CARDS)
        .filter_map(|change| catalogue.find_qualified(&change.operator));
    by_group(catalogue, ids)
        .iter()
        .map(|group| maker.card(group))
        .collect()
}

/// Operators by group, in the order of the first of each group. Within a group, functional and in-place
/// operators come before out variants.
fn by_group(catalogue: &Catalogue, ids: impl Iterator<Item = OperatorId>) -> Vec<Vec<OperatorId>> {
    let mut places: FxHashMap<OperatorId, usize> = FxHashMap::default();
    let mut groups: Vec<Vec<OperatorId>> = Vec::new();
    for id in ids {
        let key = catalogue.groups.of(id).members().min().unwrap_or(id);
        let place = *places.entry(key).or_insert(groups.len());
        if place == groups.len() {
            groups.push(Vec::new());
        }
        groups[place].push(id);
    }
    for group in &mut groups {
        group.sort_by_key(|&id| match catalogue.operator(id).kind {
            SchemaKind::Functional => 0,
            SchemaKind::Inplace | SchemaKind::Mutable | SchemaKind::Scratch => 1,
            SchemaKind::Out => 2,
        });
    }
    groups
}

fn backends(head: View<'_>) -> Vec<Slot> {
    let keys = head.keys();
    let dense = keys
        .slots()
        .filter(|&slot| keys.functionality(slot) == "Dense" && head.claims(slot));
    dense.collect()
}

struct Maker<'a> {
    /// The operators of the base by stem.
    kin: FxHashMap<&'a str, Vec<&'a Operator>>,
    head: View<'a>,
    /// PyTorch's dense backends.
    slots: Vec<Slot>,
    faces: FaceMaker<'a>,
}

/// Where calls of an operator work.
#[derive(Default)]
struct Runs {
    runs: Vec<&'static str>,
    fails: Vec<&'static str>,
    unknown: Vec<&'static str>,
    because: Option<Because>,
}

impl Maker<'_> {
    fn card(&self, group: &[OperatorId]) -> Card {
        let (id, catalogue) = (group[0], self.head.inputs.catalogue);
        let operator = catalogue.operator(id);
        let is_out = operator.kind == SchemaKind::Out;
        let Runs {
            runs,
            fails,
            unknown,
            because,
        } = self.runs(id);
        let variants = group[1..].iter().map(|&variant| Variant {
            operator: catalogue.operator(variant).qualified_name().into(),
            fails: {
                let mut fails = self.runs(variant).fails;
                fails.retain(|key| runs.contains(key));
                fails
            },
        });
        let kernels = group.iter().flat_map(|&id| self.faces.kernels(id));
        let kernels = kernels.flat_map(|face| {
            let declarations = face.declarations.into_iter();
            declarations.map(move |declaration| (face.key.clone(), without_macros(&declaration)))
        });
        let bound = self.faces.bound(id);
        Card {
            operator: operator.qualified_name().into(),
            variants: variants.collect(),
            training: self.training(id).filter(|_| !is_out),
            is_out,
            out: out_form(catalogue, id),
            is_function: bound.torch,
            is_method: bound.tensor,
            missing_tags: missing_tags(&self.kin, operator),
            lacks: self.head.lacks(id),
            kernels: joined(kernels),
            runs,
            fails,
            unknown,
            because,
        }
    }

    fn runs(&self, id: OperatorId) -> Runs {
        let mut found = Runs::default();
        for &slot in &self.slots {
            let key = self.head.keys().name(Key::Runtime(slot));
            let keys = match Answer::from(self.head.verdict(id, slot)) {
                Answer::Yes => &mut found.runs,
                Answer::Partly | Answer::No => &mut found.fails,
                Answer::Unknown => {
                    let because = self.head.support(id, slot).because;
                    found.because = found.because.or(because);
                    &mut found.unknown
                }
            };
            keys.push(key);
        }
        found
    }

    fn training(&self, id: OperatorId) -> Option<Training> {
        let works = |slot: &Slot| !self.head.verdict(id, *slot).fails();
        let is_real = |slot: &Slot| self.head.keys().name(Key::Runtime(*slot)) != "Meta";
        let slots = self.slots.iter().copied();
        let slots = slots.filter(|slot| is_real(slot) && works(slot));
        let trainings = slots.filter_map(|slot| self.head.trains(id, slot));
        // This returns the first one of equals, so backends that run it come first, in table order.
        trainings.min_by_key(|training| Answer::from(training.inference) != Answer::Yes)
    }
}

/// A declaration without export macros, which differ between libraries.
fn without_macros(declaration: &str) -> String {
    let words = declaration.split(' ');
    let is_macro = |word: &&str| word.starts_with("TORCH_") && word.ends_with("_API");
    let words: Vec<&str> = words.filter(|word| !is_macro(word)).collect();
    words.join(" ")
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
