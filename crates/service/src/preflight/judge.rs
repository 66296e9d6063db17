//! The answers for the operators of a model on one backend, and the verdict on the model.

use opatlas_model::Call;
use opatlas_operators::operator::OperatorId;
use opatlas_source::{Stop, Stopped};
use opatlas_verdict::training::Training;
use opatlas_verdict::{Answer, Support, Verdict, View, Walk, Works};

use super::kernels;
use super::named::{Named, resolve};
use super::{Backend, BackendVerdict, Cell, Counts, FirstFailure, Judged, Outcome, Why};

/// What the model is run for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Without gradients.
    Inference,
    /// With gradients.
    Training,
}

/// The answers for all calls.
pub(super) fn cells(
    backend: &Backend,
    calls: &[Call],
    purpose: Purpose,
    stop: &Stop,
) -> Result<Vec<Cell>, Stopped> {
    let snapshot = &backend.snapshot;
    snapshot.tabulate(stop)?;
    let judge = Judge {
        view: snapshot.view(),
        backend,
        purpose,
    };
    let mut walk = Walk::default();
    let mut cells = Vec::with_capacity(calls.len());
    for call in calls {
        stop.check()?;
        let named = resolve(&snapshot.catalogue, &call.operator);
        cells.push(judge.named(&named, &mut walk));
    }
    Ok(cells)
}

struct Judge<'s> {
    view: View<'s>,
    backend: &'s Backend,
    purpose: Purpose,
}

impl Judge<'_> {
    fn named(&self, named: &Named, walk: &mut Walk) -> Cell {
        let mut cells = named.ids().iter().map(|&id| self.one(id, walk));
        let Some(first) = cells.next() else {
            return Cell::unknown(Why::Undeclared);
        };
        match cells.all(|cell| cell.works == first.works) {
            true => first,
            false => Cell::unknown(Why::Ambiguous),
        }
    }

    fn one(&self, id: OperatorId, walk: &mut Walk) -> Cell {
        let support = self.view.support_with(id, self.backend.slot, walk);
        let cell = self.inference(id, &support);
        match self.purpose {
            Purpose::Training if cell.works != Answer::No => self.training(id, cell),
            _ => cell,
        }
    }

    fn inference(&self, id: OperatorId, support: &Support) -> Cell {
        let mut needs: Vec<String> = self.view.needed(support).map(str::to_owned).collect();
        let first = self.view.first_needed(id, self.backend.slot, support);
        let place = support.needs.iter().position(|need| Some(*need) == first);
        if let Some(reached) = place.and_then(|place| needs.get_mut(..=place)) {
            reached.rotate_right(1);
        }
        let usually_fails = support.verdict.fails() || support.verdict.lacks() && first.is_some();
        let because = match (support.because, &*support.needs) {
            (Some(because), _) => Some(Why::Because(because)),
            (None, [own]) if *own == id => Some(Why::NoKernel),
            (None, _) if !needs.is_empty() => Some(Why::Needs),
            (None, _) => None,
        };
        Cell {
            works: Answer::from(support.verdict),
            verdict: Some(support.verdict),
            because,
            needs,
            usually_fails,
        }
    }

    /// The answer with gradients, of an operator whose call may work.
    fn training(&self, id: OperatorId, cell: Cell) -> Cell {
        let Some(training) = self.view.trains(id, self.backend.slot) else {
            return cell;
        };
        let works = of_training(&training, cell.works);
        if works == cell.works {
            return cell;
        }
        let because = match training.detail {
            Some(detail) => Why::Gradient(detail),
            None => Why::GradientUnknown,
        };
        let name = |id: &OperatorId| {
            let operator = self.view.inputs.catalogue.operator(*id);
            operator.qualified_name().to_owned()
        };
        let mut needs = cell.needs;
        for need in training.needs.iter().map(name) {
            if !needs.contains(&need) {
                needs.push(need);
            }
        }
        Cell {
            works,
            because: Some(because),
            needs,
            usually_fails: cell.usually_fails || works == Answer::No,
            ..cell
        }
    }
}

/// The answer with gradients; the call itself has this one.
fn of_training(training: &Training, call: Answer) -> Answer {
    match training.works {
        Works::No => Answer::No,
        Works::Unknown => Answer::Unknown,
        Works::Partly if call == Answer::Yes => Answer::Partly,
        Works::Yes | Works::NotDifferentiable | Works::Partly => call,
    }
}

impl Cell {
    fn unknown(why: Why) -> Self {
        Self {
            works: Answer::Unknown,
            verdict: None,
            because: Some(why),
            needs: Vec::new(),
            usually_fails: false,
        }
    }

    /// Whether calls that run fail, at least in some cases.
    pub(super) fn lacks(&self) -> bool {
        matches!(self.works, Answer::No | Answer::Partly)
    }
}

/// The verdict on a backend, whose answers are at this place among the cells.
pub(super) fn verdict(
    backend: &Backend,
    operators: &[Judged],
    at: usize,
    has_unread: bool,
) -> BackendVerdict {
    let cells = || {
        let all = operators.iter().enumerate();
        all.filter_map(|(index, operator)| Some((index, operator, operator.cells.get(at)?)))
    };
    let mut counts = Counts::default();
    cells().for_each(|(_, _, cell)| counts.add(cell.works));
    let is_certain =
        |operator: &Judged, cell: &Cell| cell.works == Answer::No && !operator.is_conditional;
    let failure = |(index, operator, cell): (usize, &Judged, &Cell)| FirstFailure {
        operator: index,
        missing: cell.needs.first().cloned(),
        is_certain: is_certain(operator, cell),
    };
    let fails = cells().any(|(_, operator, cell)| is_certain(operator, cell));
    let first = cells().find(|(_, operator, cell)| cell.usually_fails && !operator.is_conditional);
    let end = first.map_or(operators.len(), |(index, ..)| index);
    let may_fail = cells().take(end).find(|(_, _, cell)| cell.lacks());
    let unknown = cells().find(|(_, _, cell)| cell.works == Answer::Unknown);
    let falls_back: u64 = cells()
        .filter(|(_, _, cell)| cell.verdict.is_some_and(Verdict::falls_back))
        .map(|(_, operator, _)| operator.count)
        .fold(0, u64::saturating_add);
    let outcome = if fails {
        Outcome::Fails
    } else if first.is_some() || may_fail.is_some() {
        Outcome::MayFail
    } else if unknown.is_some() || has_unread {
        Outcome::Unknown
    } else if falls_back > 0 {
        Outcome::FallsBack { calls: falls_back }
    } else {
        Outcome::Runs
    };
    BackendVerdict {
        name: backend.name.clone(),
        key: backend.key,
        outcome,
        first: first.map(failure),
        may_fail: may_fail.map(failure),
        unknown: unknown.map(|(index, ..)| index),
        counts,
        kernels: kernels::of(operators, at),
        upgrade: None,
    }
}
