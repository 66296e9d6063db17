//! The operators of a revision whose registrations are those of a former one. Of thousands of operators
//! a commit changes a few; what the others register is taken over.

use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::group::Group;
use opatlas_operators::operator::{Operator, OperatorId};

use crate::registrations::Inputs;

/// The operators whose registrations follow from what two revisions share.
#[derive(Debug)]
pub(crate) struct Kept {
    /// Of each operator the same one of the former revision.
    former: Vec<Option<OperatorId>>,
}

impl Kept {
    /// Compares the operators of two revisions; `None` where other rules or files than those of
    /// operators and formulas have a say.
    pub(crate) fn of(former: Inputs<'_>, inputs: Inputs<'_>) -> Option<Self> {
        let is_alike = former.catalogue.release == inputs.catalogue.release
            && former.provenance == inputs.provenance
            && former.matches.knowledge == inputs.matches.knowledge;
        let is_simple = |inputs: Inputs<'_>| {
            inputs.backends.is_empty()
                && inputs.observed.is_empty()
                && inputs.catalogue.sources.is_empty()
        };
        if !is_alike || !is_simple(former) || !is_simple(inputs) {
            return None;
        }
        let shared = shared(former.catalogue, inputs.catalogue);
        let is_kept = |(id, operator): (OperatorId, &Operator)| {
            let before = shared[id.index()]?;
            let is_same = !may_be_of_view_group(operator)
                && is_same_group(
                    former.catalogue.groups.of(before),
                    inputs.catalogue.groups.of(id),
                    &shared,
                )
                && has_same_formulas((former, before), (inputs, id));
            is_same.then_some(before)
        };
        Some(Self {
            former: inputs.catalogue.iter().map(is_kept).collect(),
        })
    }

    /// The operator of the former revision with the same registrations.
    pub(crate) fn former(&self, id: OperatorId) -> Option<OperatorId> {
        self.former.get(id.index()).copied().flatten()
    }
}

/// Of each operator the one that shares its reading with it. Most stand in the same order. Operators of
/// one name, which the rules refuse, share their kernels, so what those are does not follow from one alone.
fn shared(former: &Catalogue, catalogue: &Catalogue) -> Vec<Option<OperatorId>> {
    let mut next = 0;
    let find = |(id, operator): (OperatorId, &Operator)| {
        let is_shared = |at: usize| {
            let known = former.operators.get(at);
            known.is_some_and(|known| {
                known.is_shared_with(operator) && known.is_view == operator.is_view
            })
        };
        let at = match is_shared(next) {
            true => next,
            false => {
                let found = former.find(operator.name_text())?.index();
                next = found + 1;
                is_shared(found).then_some(found)?
            }
        };
        next = at + 1;
        let before = OperatorId::of_index(at);
        let is_alone = !former.shares_name(before) && !catalogue.shares_name(id);
        is_alone.then_some(before)
    };
    catalogue.iter().map(find).collect()
}

/// Whether both groups have the same members.
fn is_same_group(former: &Group, group: &Group, shared: &[Option<OperatorId>]) -> bool {
    let is_same = |before: Option<OperatorId>, now: Option<OperatorId>| match now {
        Some(now) => before.is_some() && shared[now.index()] == before,
        None => before.is_none(),
    };
    is_same(former.functional, group.functional)
        && is_same(former.inplace, group.inplace)
        && is_same(former.out, group.out)
        && is_same(former.mutable, group.mutable)
        && is_same(former.scratch, group.scratch)
        && former.duplicates.is_empty()
        && group.duplicates.is_empty()
}

/// What belongs to a view depends on operators that do not share its group.
fn may_be_of_view_group(operator: &Operator) -> bool {
    operator.is_view || operator.is_named_after_view()
}

/// Whether the same keys have formulas that registrations follow from.
fn has_same_formulas(
    (former, before): (Inputs<'_>, OperatorId),
    (inputs, now): (Inputs<'_>, OperatorId),
) -> bool {
    match (former.matches.of(before), inputs.matches.of(now)) {
        (None, None) => true,
        (Some((before, _)), Some((now, _))) => {
            let keys = before.keys.iter().zip(&now.keys);
            before.keys.len() == now.keys.len()
                && keys.into_iter().all(|(before, now)| {
                    before.key == now.key && before.is_differentiable == now.is_differentiable
                })
        }
        _ => false,
    }
}
