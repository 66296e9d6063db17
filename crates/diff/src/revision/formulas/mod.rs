//! Changes of formulas in `derivatives.yaml`, by input and output.
//!
//! Formulas are compared as C++ tokens, so whitespace and YAML quoting make no difference. A formula
//! that is equal as written, or after renamed arguments are replaced, did not change. If an operator
//! loses autograd support because of its formulas, [`super::tables`] reports that instead.

mod edits;
mod renames;
mod side;

use rustc_hash::FxHashSet;

use super::pairing::Pairing;
use crate::change::Change;
use crate::rules::ChangeRuleId;
use opatlas_operators::operator::OperatorId;
use opatlas_source::{Stop, Stopped};
use opatlas_verdict::View;
use opatlas_verdict::training::Through;

use edits::Edits;
use side::Side;

/// The changes of formulas, if both sides have the file. If an operator lost autograd in its tables,
/// that covers the formulas it had.
pub(super) fn compare(
    base: View<'_>,
    head: View<'_>,
    pairing: &Pairing<'_>,
    of_tables: &[Change],
    stop: &Stop,
) -> Result<Vec<Change>, Stopped> {
    let (mut changes, mut removed) = (Vec::new(), Vec::new());
    let files = base.inputs.derivatives.zip(head.inputs.derivatives);
    let Some((old_file, new_file)) = files else {
        return Ok(changes);
    };
    if old_file.text == new_file.text {
        return Ok(changes);
    }
    let renamed = pairing.renamed.iter().map(|pair| (pair.base, pair.head));
    for (old, new) in pairing.common.same.iter().copied().chain(renamed) {
        stop.check()?;
        let operator = base.inputs.catalogue.operator(old).shared_name();
        let mut edits = Edits::default();
        match (Side::new(base, old), Side::new(head, new)) {
            (Some(before), Some(after)) => edits.both(&before, &after),
            (None, Some(after)) => edits.added(&after),
            (Some(before), None) if is_differentiated(head, new) => {
                edits.removed(&before);
                edits.finish(&operator, &mut removed);
                continue;
            }
            _ => continue,
        }
        edits.finish(&operator, &mut changes);
    }
    let lost: FxHashSet<&str> = of_tables
        .iter()
        .filter(|change| change.rule.id == ChangeRuleId::AutogradSupportLost)
        .map(|change| &*change.operator)
        .collect();
    removed.retain(|change: &Change| !lost.contains(&*change.operator));
    changes.append(&mut removed);
    Ok(changes)
}

/// `true` if an operator is differentiated without a formula of its own.
fn is_differentiated(view: View<'_>, id: OperatorId) -> bool {
    if let Some((formulas, _)) = view.inputs.matches.of(id) {
        return formulas.is_differentiable();
    }
    let cpu = view.keys().slot("CPU");
    let answer = cpu.and_then(|cpu| view.training(id, cpu));
    answer.is_some_and(|answer| answer.training.through == Through::Composite)
}
