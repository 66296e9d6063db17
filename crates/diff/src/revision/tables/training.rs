//! Whether gradients still work where they worked before.

use std::cell::OnceCell;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::source_place;
use crate::change::{Change, Fragment, Note, Subject};
use crate::rules::{ChangeRuleId, Level};
use opatlas_operators::entry::KeyName;
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::key_set::Slot;
use opatlas_pytorch::keys::Key;
use opatlas_schema::function::{Argument, SchemaKind};
use opatlas_verdict::View;
use opatlas_verdict::training::{Detail, Through, Training, Works};

pub(super) struct TrainingComparison<'a> {
    base: View<'a>,
    head: View<'a>,
    backends: Vec<(Slot, Slot)>,
    /// Operators that lost the composite of entries without kernels.
    lost_defaults: FxHashSet<&'a str>,
    /// Training on the base's CPU by operator stem; only few comparisons need it.
    stems: OnceCell<FxHashMap<&'a str, StemTraining>>,
    formulas: OnceCell<FxHashSet<&'a str>>,
}

impl<'a> TrainingComparison<'a> {
    pub(super) fn new(
        base: View<'a>,
        head: View<'a>,
        backends: Vec<(Slot, Slot)>,
        of_entries: &'a [Change],
    ) -> Self {
        let lost = of_entries.iter();
        let lost = lost.filter(|change| change.rule.id == ChangeRuleId::DefaultCompositeLost);
        Self {
            base,
            head,
            backends,
            lost_defaults: lost.map(|change| &*change.operator).collect(),
            stems: OnceCell::new(),
            formulas: OnceCell::new(),
        }
    }

    /// Whether an operator may have lost training even though its table did not change: it lost its
    /// formula.
    pub(super) fn may_differ(&self, (old, new): (OperatorId, OperatorId)) -> bool {
        let has_formula = |view: View<'_>, id| {
            let formulas = view.inputs.matches.of(id);
            formulas.is_some_and(|(formulas, _)| formulas.is_differentiable())
        };
        self.head.inputs.derivatives.is_some()
            && has_formula(self.base, old)
            && !has_formula(self.head, new)
    }

    /// What an operator lost: one change for each reason.
    pub(super) fn losses(&self, (old, new): (OperatorId, OperatorId)) -> Vec<Change> {
        let catalogue = self.base.inputs.catalogue;
        let name = catalogue.operator(old).shared_name();
        let (mut lost, mut was_composite) = (Vec::<(Vec<Note>, Vec<KeyName>)>::new(), false);
        for &(slot, there) in &self.backends {
            let Some((through, reason)) = self.lost_training((old, slot), (new, there), &name)
            else {
                continue;
            };
            was_composite |= through == Through::Composite;
            let key = KeyName::Known(self.base.keys().name(Key::Runtime(slot)));
            match lost.iter_mut().find(|(known, _)| *known == reason) {
                Some((_, keys)) => keys.push(key),
                None => lost.push((reason, vec![key])),
            }
        }
        let changes = lost.into_iter().map(|(reason, keys)| {
            let side = |text: &str, view, id| Fragment::of_field(text, source_place(view, id));
            let subject = Subject::Keys(keys.into());
            let change = Change::new(
                ChangeRuleId::AutogradSupportLost,
                Arc::clone(&name),
                subject,
            );
            let change = change
                .old(side("differentiable", self.base, old))
                .new_side(side(differentiable(&reason), self.head, new));
            self.with_reason((old, new), change, reason, was_composite)
        });
        changes.collect()
    }

    fn with_reason(
        &self,
        (old, new): (OperatorId, OperatorId),
        mut change: Change,
        reason: Vec<Note>,
        was_composite: bool,
    ) -> Change {
        let is_on_purpose = matches!(&reason[..], [Note::GradientStops(_)]);
        change.notes = reason;
        if was_composite {
            change = change.note(Note::WasComposite);
            if is_on_purpose {
                change = change.at_risk(Level::Dangerous);
            } else if !self.siblings_train(old) {
                change = change
                    .at_risk(Level::Dangerous)
                    .note(Note::SiblingsDoNotTrain);
            }
        }
        if self.head.inputs.derivatives.is_none() {
            change = change.note(Note::NoDerivatives);
        } else if let Some(note) = self.formula_loss(old, new) {
            change = change.note(note);
        }
        change
    }

    /// How the operator trained, and why it no longer does; `None` if it lost nothing.
    fn lost_training(
        &self,
        (old, slot): (OperatorId, Slot),
        (new, there): (OperatorId, Slot),
        operator: &str,
    ) -> Option<(Through, Vec<Note>)> {
        if !self.base.claims(slot) || !self.head.claims(there) {
            return None;
        }
        let was = self.base.trains(old, slot)?;
        let is = self.head.trains(new, there)?;
        let was_composite = was.through == Through::Composite;
        // Without a derivatives file no formula is assumed, and the composite with differentiable
        // parts was removed.
        let lost_its_parts = is.through == Through::Unknown
            && !is.inference.fails()
            && was_composite
            && self.lost_defaults.contains(operator);
        if !was.may_work() || !has_results(self.base, old) {
            return None;
        }
        let has_entry = self.head.inputs.matches.of(new).is_some();
        if is.lacks_gradient() || lost_its_parts {
            return Some((was.through, reason(&is, has_entry)));
        }
        let inputs = inputs(&is);
        let is_partial = was_composite && is.through == Through::OwnFormula && !inputs.is_empty();
        is_partial.then_some((was.through, inputs))
    }

    /// What became of the formula that an operator had in the base; `None` if it had none, or still
    /// has one that yields no gradient.
    fn formula_loss(&self, old: OperatorId, new: OperatorId) -> Option<Note> {
        let (formulas, _) = self.base.inputs.matches.of(old)?;
        if self.head.inputs.matches.of(new).is_some() {
            return None;
        }
        let target = self.base.inputs.catalogue.operator(formulas.operator);
        let file = self.head.inputs.derivatives?;
        let names = self.formulas.get_or_init(|| {
            let schemas = file.entries.iter().map(|entry| file.value(entry.name));
            schemas
                .filter_map(|schema| schema.split('(').next())
                .collect()
        });
        Some(if names.contains(target.name_text()) {
            Note::FormulaUnmatched
        } else {
            Note::FormulaRemoved
        })
    }

    /// Whether some other operators of the same stem train, or none has kernels of its own. A
    /// composite is mostly made of them, so if none trains, it did not train either.
    fn siblings_train(&self, id: OperatorId) -> bool {
        let Some(cpu) = self.base.keys().slot("CPU") else {
            return true;
        };
        let catalogue = self.base.inputs.catalogue;
        let stems = self.stems.get_or_init(|| {
            let mut stems: FxHashMap<&str, StemTraining> = FxHashMap::default();
            for (id, operator) in catalogue.iter() {
                stems
                    .entry(operator.name().stem())
                    .or_default()
                    .add(self.base, id, cpu);
            }
            stems
        });
        let all = stems.get(catalogue.operator(id).name().stem());
        let all = all.copied().unwrap_or_default();
        let mut own = StemTraining::default();
        own.add(self.base, id, cpu);
        all.with_kernels == own.with_kernels || all.training > own.training
    }
}

/// Whether an operator returns tensors or writes to some, so that a gradient can pass through it.
fn has_results(view: View<'_>, id: OperatorId) -> bool {
    let schema = view.inputs.catalogue.operator(id).schema();
    schema.returns.iter().any(|one| one.ty.is_tensor_like())
        || schema.arguments.all().iter().any(Argument::is_write)
}

fn differentiable(reason: &[Note]) -> &'static str {
    let is_partial = |note: &Note| match note {
        Note::GradientRefused(_) => true,
        Note::GradientStops(names) => !names.is_empty(),
        _ => false,
    };
    match reason.iter().any(is_partial) {
        true => "partly differentiable",
        false => "not differentiable",
    }
}

/// Why an operator does not train, as far as `derivatives.yaml` decides it.
fn reason(training: &Training, has_entry: bool) -> Vec<Note> {
    match (training.works, training.detail) {
        (Works::NotDifferentiable, _) if has_entry => vec![Note::GradientStops(Vec::new())],
        (_, Some(Detail::NotImplemented)) => inputs(training),
        (_, Some(Detail::NoFormula)) if has_entry => vec![Note::NoFormulas],
        (_, Some(Detail::NoFormula)) => vec![Note::NoEntry],
        _ => Vec::new(),
    }
}

/// The inputs that have no gradient, and what happens to them.
fn inputs(training: &Training) -> Vec<Note> {
    let of = |inputs: &[Box<str>], note: fn(Vec<Arc<str>>) -> Note| {
        let names = inputs.iter().map(|name| Arc::from(&**name));
        (!inputs.is_empty()).then(|| note(names.collect()))
    };
    let notes = [
        of(&training.not_implemented, Note::GradientRaises),
        of(&training.refused, Note::GradientRefused),
        of(&training.excluded, Note::GradientStops),
    ];
    notes.into_iter().flatten().collect()
}

#[derive(Debug, Clone, Copy, Default)]
struct StemTraining {
    with_kernels: usize,
    /// Those that train or may do so.
    training: usize,
}

impl StemTraining {
    fn add(&mut self, base: View<'_>, id: OperatorId, cpu: Slot) {
        let is_out = base.inputs.catalogue.operator(id).kind == SchemaKind::Out;
        let answer = base.trains(id, cpu);
        let own = answer.filter(|answer| !is_out && answer.through != Through::Composite);
        if let Some(own) = own {
            self.with_kernels += 1;
            self.training += usize::from(own.may_work() || own.works == Works::Unknown);
        }
    }
}
