//! Whether another release of PyTorch runs a model on a backend that is part of PyTorch.

use opatlas_verdict::releases::{self, Place, known};

use super::{Backend, Judged};

/// What other releases do for a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Upgrade {
    /// All of its operators work from this release on.
    From(&'static str),
    /// This operator fails in the newest known release, too.
    Never(String),
}

/// What helps a model that does not run. `None` if nobody can tell for one of its operators.
pub(super) fn of(backend: &Backend, operators: &[Judged], at: usize) -> Option<Upgrade> {
    if backend.is_file {
        return None;
    }
    let mut from = 0;
    for operator in operators {
        if !operator.overloads.is_empty() {
            return None;
        }
        let upgrade = releases::upgrade(&operator.operator, Place::Key(backend.key));
        let Some(works_from) = upgrade.works_from else {
            let is_known = upgrade.fails_in == known().last().copied();
            let fails = operator.cells.get(at).is_some_and(super::Cell::lacks);
            return (is_known && fails).then(|| Upgrade::Never(operator.operator.clone()));
        };
        let place = known().iter().position(|release| *release == works_from)?;
        from = from.max(place);
    }
    known().get(from).copied().map(Upgrade::From)
}
