//! Whether gradients still work where they worked before.

use crate::rules::ChangeRuleId;
use rustc_hash::FxHashSet;

use super::support::Tables;
use crate::change::{Change, Note, Subject};
use crate::rules::Level;
use opatlas_dispatch::View;
use opatlas_dispatch::training::{Through, Works, autograd_key};
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::keys::Key;
use opatlas_schema::function::SchemaKind;

/// Whether the formulas of an operator may lead to another answer although its table is the same.
pub(super) fn may_differ(base: View<'_>, head: View<'_>, old: OperatorId, new: OperatorId) -> bool {
    let has_formula = |view: View<'_>, id| {
        let formulas = view.inputs.matches.of(id);
        formulas.is_some_and(|(formulas, _)| formulas.is_differentiable())
    };
    head.inputs.derivatives.is_some() && has_formula(base, old) && !has_formula(head, new)
}

/// Adds the backends on which an operator could be trained and cannot any more, although it still
/// runs there.
pub(super) fn compare(
    tables: &Tables<'_>,
    operator: &str,
    (old, new): (OperatorId, OperatorId),
    changes: &mut Vec<Change>,
) {
    let (base, head) = tables.views();
    let mut lost: Vec<Box<str>> = Vec::new();
    // Backends whose keys and autograd keys are served by the same rules have the same answer.
    let mut known: FxHashSet<_> = FxHashSet::default();
    let mut lost_alike: FxHashSet<_> = FxHashSet::default();
    let mut was_composite = false;
    for (slot, there) in tables.dense() {
        let rules = |view: View<'_>, id, slot| {
            let table = &view.tables.pattern(id)?.table;
            let autograd = table.rule(autograd_key(view.keys(), slot)?);
            // A kernel of its own is its own; anything else is shared.
            Some((
                table.rule(slot),
                autograd,
                autograd == opatlas_dispatch::Rule::Direct,
            ))
        };
        let (Some(before), Some(after)) = (rules(base, old, slot), rules(head, new, there)) else {
            continue;
        };
        let is_own = before.2 || after.2;
        let alike = (before, after);
        let name = base.keys().name(Key::Runtime(slot));
        if !is_own && !known.insert(alike) {
            if lost_alike.contains(&alike) {
                lost.push(name.into());
            }
            continue;
        }
        let (Some(was), Some(is)) = (base.training(old, slot), head.training(new, there)) else {
            continue;
        };
        let lost_it = was.training_works() == Works::Yes
            && is.inference_works == Works::Yes
            && match is.through {
                Through::Error | Through::NotDifferentiable => true,
                // No formula is assumed where there is no file of them, and the composite that
                // was differentiated by its parts is gone.
                Through::Unknown => {
                    was.through == Through::Composite && lost_default(changes, operator)
                }
                _ => false,
            };
        if lost_it {
            was_composite |= was.through == Through::Composite;
            lost_alike.insert(alike);
            lost.push(name.into());
        }
    }
    if !lost.is_empty() {
        let parts_too = was_composite && !siblings_train(base, old);
        let change = Change::new(
            ChangeRuleId::AutogradSupportLost,
            operator,
            Subject::Keys(lost),
        );
        let mut change = tables.placed(change, (old, new), "differentiable", "not differentiable");
        if parts_too {
            change.level = Level::Dangerous;
            change = change.note(Note::SiblingsDoNotTrain);
        }
        if head.inputs.derivatives.is_none() {
            change = change.note(Note::NoDerivatives);
        }
        changes.push(change);
    }
}

/// Whether, of the operators of the same stem that have kernels of their own, some can be trained
/// on. A composite is made of them most of the time, so where none can it could not be either.
fn siblings_train(base: View<'_>, id: OperatorId) -> bool {
    let own = base.inputs.catalogue.operator(id);
    let Some(cpu) = base.keys().slot("CPU") else {
        return true;
    };
    let mut answers = base
        .inputs
        .catalogue
        .iter()
        .filter(|(other, operator)| {
            *other != id
                && operator.name().stem() == own.name().stem()
                && operator.kind != SchemaKind::Out
        })
        .filter_map(|(other, _)| base.training(other, cpu))
        .filter(|answer| answer.through != Through::Composite)
        .peekable();
    answers.peek().is_none() || answers.any(|answer| answer.training_works() != Works::No)
}

fn lost_default(changes: &[Change], operator: &str) -> bool {
    changes.iter().any(|change| {
        change.rule.id == ChangeRuleId::DefaultCompositeLost && *change.operator == *operator
    })
}
