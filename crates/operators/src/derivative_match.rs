//! Matches operators with entries of `derivatives.yaml` (`docs/spec/dispatch.md`, section 6.5,
//! torchgen `load_derivatives` and `match_differentiability_info`).
//!
//! An entry belongs to the *canonical function* of its schema. Variants with the same signature,
//! copies of views, and `_foreach_` operators share its formulas.

mod foreach;
mod formulas;
mod target;
mod views;

use std::borrow::Cow;

use indexmap::IndexMap;
use opatlas_pytorch::release::Release;
use opatlas_schema::function::{FunctionSchema, SchemaKind};
use opatlas_schema::signature::signature_without_defaults;
use opatlas_source::{Stop, Stopped};
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::derivatives::Derivatives;
use super::operator::{Operator, OperatorId};
use super::table::OperatorTable;
use formulas::FunctionNames;
use views::ViewCopies;

pub use formulas::{formula_keys, is_formula_key};
pub use target::{MOST_ARGUMENTS, Target, TargetFault, base_name};

/// The completeness of formulas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Knowledge {
    /// The bundle has `derivatives.yaml`.
    Complete,
    /// Only keys are known: recorded for 2.0, whose packages lack the file.
    KeysOnly,
    /// Nothing.
    Nothing,
}

/// The source of formulas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The entry with this index in [`Derivatives::entries`].
    Entry(u32),
    /// Recorded data of the release.
    Release,
}

/// The formulas of an operator for one dispatch key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyFormulas {
    /// `Default` for the alias `Autograd`, or an autograd key.
    pub key: Box<str>,
    /// Whether some input has a gradient.
    pub is_differentiable: bool,
    /// Whether the backward raises although no formula says so: the entry has no formula for any
    /// input, and does not exclude all inputs or all outputs.
    pub lacks_formulas: bool,
    /// The generated autograd function, such as `AddBackward0`; `None` for recorded formulas.
    pub function: Option<Box<str>>,
}

/// The formulas of an operator (torchgen's dictionaries of `DifferentiabilityInfo`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Differentiability {
    /// Their source.
    pub origin: Origin,
    /// Their operator: the canonical function, the copy of a view, or a `_foreach_` operator.
    pub operator: OperatorId,
    /// By dispatch key, in file order.
    pub keys: Vec<KeyFormulas>,
}

impl Differentiability {
    /// Whether some input has a gradient for some key.
    #[must_use]
    pub fn is_differentiable(&self) -> bool {
        self.keys.iter().any(|key| key.is_differentiable)
    }
}

/// Why an operator has formulas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// Its own entry.
    Own,
    /// The entry of its functional variant.
    Functional,
    /// The entry of the variant that it is generated from.
    Generated,
    /// The entry of the view that it copies.
    View(OperatorId),
    /// The entry of the operator that it applies to each tensor of a list.
    Foreach(OperatorId),
}

/// The formulas of each operator.
#[derive(Debug)]
pub struct DerivativeMatches {
    /// How much is known.
    pub knowledge: Knowledge,
    /// The operators of each entry.
    pub targets: Vec<Result<Target, TargetFault>>,
    differentiabilities: Vec<Differentiability>,
    of: Vec<Option<(u32, Basis)>>,
}

impl Default for DerivativeMatches {
    fn default() -> Self {
        Self {
            knowledge: Knowledge::Nothing,
            targets: Vec::new(),
            differentiabilities: Vec::new(),
            of: Vec::new(),
        }
    }
}

impl DerivativeMatches {
    /// Matches operators with a file or with recorded data.
    #[must_use]
    pub fn new(catalogue: &OperatorTable, file: Option<&Derivatives>) -> Self {
        Stop::unstopped(|stop| Self::new_until(catalogue, file, stop))
    }

    /// Like [`DerivativeMatches::new`], but cancellable.
    pub fn new_until(
        catalogue: &OperatorTable,
        file: Option<&Derivatives>,
        stop: &Stop,
    ) -> Result<Self, Stopped> {
        let recorded = catalogue.release.data().derivatives_with_dispatch;
        let copies = ViewCopies::new(catalogue);
        let mut matcher = Matcher::new(catalogue, &copies);
        let (knowledge, targets) = match file {
            Some(file) => (Knowledge::Complete, matcher.file(file, stop)?),
            None if recorded.is_empty() => return Ok(Self::default()),
            None => {
                matcher.recorded(recorded);
                (Knowledge::KeysOnly, Vec::new())
            }
        };
        matcher.view_copies();
        let of = matcher.operators(stop)?;
        Ok(Self {
            knowledge,
            targets,
            differentiabilities: matcher.found,
            of,
        })
    }

    /// The formulas of an operator, and why it has them. See [`Knowledge`] for `None`.
    #[must_use]
    pub fn of(&self, id: OperatorId) -> Option<(&Differentiability, Basis)> {
        let (index, basis) = (*self.of.get(id.index())?)?;
        Some((&self.differentiabilities[index as usize], basis))
    }
}

/// The last entry for a signature wins, in the position of the first.
type BySignature<'a> = IndexMap<Cow<'a, str>, u32, FxBuildHasher>;

struct Matcher<'a> {
    catalogue: &'a OperatorTable,
    release: Release,
    copies: &'a ViewCopies<'a>,
    found: Vec<Differentiability>,
    why: Vec<Basis>,
    by_schema: FxHashMap<&'a str, u32>,
    functional: BySignature<'a>,
    other: BySignature<'a>,
    functional_stems: ByStem<'a>,
    other_stems: ByStem<'a>,
}

type ByStem<'a> = FxHashMap<&'a str, Vec<u32>>;

impl<'a> Matcher<'a> {
    fn new(catalogue: &'a OperatorTable, copies: &'a ViewCopies<'a>) -> Self {
        Self {
            catalogue,
            release: catalogue.release,
            copies,
            found: Vec::new(),
            why: Vec::new(),
            by_schema: FxHashMap::default(),
            functional: BySignature::default(),
            other: BySignature::default(),
            functional_stems: ByStem::default(),
            other_stems: ByStem::default(),
        }
    }

    fn operator(&self, id: OperatorId) -> &'a Operator {
        self.catalogue.operator(id)
    }

    fn file(
        &mut self,
        file: &Derivatives,
        stop: &Stop,
    ) -> Result<Vec<Result<Target, TargetFault>>, Stopped> {
        let mut meant = target::Targets::new(self.catalogue, self.copies);
        let mut functions = FunctionNames::default();
        let mut targets = Vec::with_capacity(file.entries.len());
        for entry in &file.entries {
            stop.check()?;
            let name = file.value(entry.name);
            let target = meant.find(name);
            if let Ok(Target { canonical, .. }) = target {
                let schema = self.operator(canonical).schema();
                let base = target::base_name(name).unwrap_or("");
                let sets = entry.sets.iter();
                let sets = sets.filter(|set| is_formula_key(file.key(set), self.release));
                let keys = sets.map(|set| {
                    let mut formulas = formulas::on_key((file, entry), set, schema, base);
                    formulas.lacks_formulas &= !self.never_differentiates(schema);
                    formulas.function = formulas
                        .function
                        .take()
                        .map(|prefix| functions.next(prefix));
                    formulas
                });
                let keys = keys.collect();
                let origin = Origin::Entry(u32::try_from(targets.len()).unwrap_or(u32::MAX));
                self.add(origin, canonical, keys, Basis::Own);
            }
            targets.push(target);
        }
        Ok(targets)
    }

    /// Whether generated code ignores autograd for the operator (torchgen `DONT_REQUIRE_DERIVATIVE`).
    fn never_differentiates(&self, schema: &FunctionSchema) -> bool {
        let ignored = &self.release.data().codegen.dont_require_derivative;
        ignored.contains(schema.name.stem()) || ignored.contains(&schema.default_kernel())
    }

    fn recorded(&mut self, recorded: &[(&str, &[&str])]) {
        for (name, keys) in recorded {
            let Some(operator) = self.catalogue.find(name) else {
                continue;
            };
            let keys = keys.iter().map(|&key| KeyFormulas {
                key: key.into(),
                is_differentiable: true,
                lacks_formulas: false,
                function: None,
            });
            self.add(Origin::Release, operator, keys.collect(), Basis::Own);
        }
    }

    fn add(&mut self, origin: Origin, operator: OperatorId, keys: Vec<KeyFormulas>, basis: Basis) {
        let made = Differentiability {
            origin,
            operator,
            keys,
        };
        let next = u32::try_from(self.found.len()).unwrap_or(u32::MAX);
        let schema = self.operator(operator).canonical();
        let index = *self.by_schema.entry(schema).or_insert(next) as usize;
        if index < self.found.len() {
            self.found[index] = made;
            self.why[index] = basis;
        } else {
            self.found.push(made);
            self.why.push(basis);
        }
    }

    /// Copies of views have the formulas of the view; since 2.3 only without their own entry.
    fn view_copies(&mut self) {
        for index in 0..self.found.len() {
            let view = self.found[index].operator;
            let Some(copy) = self.copies.of_view(self.operator(view).name_text()) else {
                continue;
            };
            let own = self.by_schema.contains_key(self.operator(copy).canonical());
            let original = &self.found[index];
            if original.keys.is_empty() || own && self.release >= Release::V2_3 {
                continue;
            }
            let mut keys = original.keys.clone();
            for key in &mut keys {
                key.function = key.function.as_ref().map(|f| format!("{f}_copy").into());
            }
            let origin = original.origin;
            self.add(origin, copy, keys, Basis::View(view));
        }
    }

    fn operators(&mut self, stop: &Stop) -> Result<Vec<Option<(u32, Basis)>>, Stopped> {
        for index in 0..self.found.len() {
            stop.check()?;
            let operator = self.operator(self.found[index].operator);
            let signature = signature_of(operator);
            let index = u32::try_from(index).unwrap_or(u32::MAX);
            if operator.kind == SchemaKind::Functional {
                self.functional.insert(signature, index);
            } else {
                self.other.insert(signature, index);
            }
        }
        let by_stem = |matcher: &Self, indices: &BySignature<'a>| {
            let mut stems = ByStem::default();
            for &index in indices.values() {
                let operator = matcher.operator(matcher.found[index as usize].operator);
                stems.entry(operator.name().stem()).or_default().push(index);
            }
            stems
        };
        self.functional_stems = by_stem(self, &self.functional);
        self.other_stems = by_stem(self, &self.other);
        let mut matched = Vec::with_capacity(self.catalogue.operators.len());
        for operator in &self.catalogue.operators {
            stop.check()?;
            matched.push(self.find(operator));
        }
        let ids = self.catalogue.iter().map(|(id, _)| id);
        let of = ids
            .zip(matched)
            .map(|(id, found)| match found? {
                // An empty `dispatch:` counts as no entry.
                FormulaMatch::Known(index, _) if self.found[index as usize].keys.is_empty() => None,
                FormulaMatch::Known(index, basis) => Some((index, basis)),
                FormulaMatch::Made(keys, reference) => {
                    let reference = &self.found[reference as usize];
                    let (origin, basis) = (reference.origin, Basis::Foreach(reference.operator));
                    self.found.push(Differentiability {
                        origin,
                        operator: id,
                        keys,
                    });
                    let index = u32::try_from(self.found.len() - 1).unwrap_or(u32::MAX);
                    Some((index, basis))
                }
            })
            .collect();
        Ok(of)
    }

    fn find(&self, operator: &Operator) -> Option<FormulaMatch> {
        let generated = operator.has_tag("generated");
        if generated && operator.kind == SchemaKind::Out {
            return None;
        }
        if let Some(&index) = self.by_schema.get(operator.canonical()) {
            return Some(FormulaMatch::Known(index, self.why[index as usize]));
        }
        let is_foreach = foreach::is_foreach(operator);
        let signature = signature_of(operator);
        if (!is_foreach || self.release < Release::V2_1)
            && let Some(&index) = self.functional.get(&signature)
        {
            return Some(FormulaMatch::Known(index, Basis::Functional));
        }
        if generated && let Some(&index) = self.other.get(&signature) {
            return Some(FormulaMatch::Known(index, Basis::Generated));
        }
        is_foreach.then(|| self.foreach(operator)).flatten()
    }
}

enum FormulaMatch {
    Known(u32, Basis),
    /// New formulas, derived from those at this index.
    Made(Vec<KeyFormulas>, u32),
}

/// Variants match by their signatures without defaults.
fn signature_of(operator: &Operator) -> Cow<'_, str> {
    let signature = operator.signature();
    if signature.contains('=') {
        signature_without_defaults(operator.schema()).into()
    } else {
        signature.into()
    }
}
