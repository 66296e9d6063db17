//! Whether a model runs on backends, where it fails first, and what would make it run
//! (`docs/preflight.md`).
//!
//! [`preflight`] judges every operator of a [`Model`] on every [`Backend`] with the verdicts of
//! `opatlas_verdict`. An operator that the revision does not declare is unknown, never a yes or a no.

mod backend;
mod judge;
mod kernels;
mod named;
mod upgrade;

use opatlas_model::Model;
use opatlas_source::suggest::Budget;
use opatlas_source::{Stop, Stopped};
pub use opatlas_verdict::Outcome;
use opatlas_verdict::training::Detail;
use opatlas_verdict::{Answer, Because, Verdict};

use super::snapshot::Snapshot;
pub use backend::{Backend, DEFAULT_KEYS};
pub use judge::Purpose;
pub use kernels::Kernel;
pub use named::{Named, resolve};
pub use upgrade::Upgrade;

/// The answer for a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preflight {
    /// What the model is.
    pub kind: &'static str,
    /// Its operators, in the order of their first execution.
    pub operators: Vec<Judged>,
    /// The backends, as requested.
    pub backends: Vec<BackendVerdict>,
    /// What the answer depends on.
    pub notes: Vec<String>,
    /// Calls that could not be read. The model runs nowhere for certain if there are any.
    pub unread: Vec<String>,
}

impl Preflight {
    /// Whether the model runs on every backend.
    #[must_use]
    pub fn runs(&self) -> bool {
        let runs = |backend: &BackendVerdict| {
            matches!(backend.outcome, Outcome::Runs | Outcome::FallsBack { .. })
        };
        self.backends.iter().all(runs)
    }
}

/// An operator of the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    /// The operator; its base name where several overloads fit the call.
    pub operator: String,
    /// The overloads that fit, if there are several.
    pub overloads: Vec<String>,
    /// How often the model calls it.
    pub count: u64,
    /// Where its first call is in the user's source.
    pub place: Option<String>,
    /// All of its calls are in branches that may not run.
    pub is_conditional: bool,
    /// Similar names, if the revision does not declare it.
    pub suggestions: Vec<String>,
    /// The answer on each backend, in their order.
    pub cells: Vec<Cell>,
}

/// An operator on a backend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    /// Whether calls work.
    pub works: Answer,
    /// The verdict on the call without gradients; `None` if the revision does not declare it.
    pub verdict: Option<Verdict>,
    /// Why it does not work, or nobody can tell.
    pub because: Option<Why>,
    /// The operators without a kernel that it needs, the one that a call reaches first at the front.
    pub needs: Vec<String>,
    /// Most calls fail, as far as recorded cases tell. True of all that always fail.
    pub usually_fails: bool,
}

/// Why an operator does not work, or nobody can tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// The revision does not declare it.
    Undeclared,
    /// Several overloads fit the call, and their answers differ.
    Ambiguous,
    /// No kernel serves it.
    NoKernel,
    /// It needs operators without a kernel.
    Needs,
    /// The reason of the verdict.
    Because(Because),
    /// It works, but gradients do not.
    Gradient(Detail),
    /// It works, but nobody can tell whether gradients do.
    GradientUnknown,
}

/// The verdict on a backend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackendVerdict {
    /// The name that was asked for: a runtime key, or a file.
    pub name: String,
    /// The runtime key.
    pub key: &'static str,
    /// The answer.
    pub outcome: Outcome,
    /// The first call that fails, always or in most of the cases that were recorded.
    pub first: Option<FirstFailure>,
    /// A call before it that fails in few cases, or in a branch.
    pub may_fail: Option<FirstFailure>,
    /// Why nobody can tell, if that is the outcome: the first operator.
    pub unknown: Option<usize>,
    /// How many different operators have each answer.
    pub counts: Counts,
    /// The kernels that make the model run, those that most calls need first.
    pub kernels: Vec<Kernel>,
    /// What other releases do for the model, if it does not run without gradients.
    pub upgrade: Option<Upgrade>,
}

/// A call that fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstFailure {
    /// The place of the operator in [`Preflight::operators`].
    pub operator: usize,
    /// The operator without a kernel that the call reaches first.
    pub missing: Option<String>,
    /// Every call fails.
    pub is_certain: bool,
}

/// Numbers of operators by answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Operators that work.
    pub yes: usize,
    /// Operators that work in some cases.
    pub partly: usize,
    /// Operators that fail.
    pub no: usize,
    /// Operators for which nobody can tell.
    pub unknown: usize,
}

impl Counts {
    fn add(&mut self, works: Answer) {
        *match works {
            Answer::Yes => &mut self.yes,
            Answer::Partly => &mut self.partly,
            Answer::No => &mut self.no,
            Answer::Unknown => &mut self.unknown,
        } += 1;
    }
}

/// Judges a model on backends. `snapshot` is the revision without files of backends, for the names
/// of operators. Fails if it is stopped.
pub fn preflight(
    snapshot: &Snapshot,
    model: Model,
    backends: &[Backend],
    purpose: Purpose,
    stop: &Stop,
) -> Result<Preflight, Stopped> {
    let (calls, mut notes) = named::of_backends(snapshot, model.operators);
    notes.splice(0..0, model.notes);
    let budget = Budget::default();
    let mut operators: Vec<Judged> = Vec::with_capacity(calls.len());
    for call in &calls {
        stop.check()?;
        operators.push(named::judged(snapshot, call, &budget));
    }
    let mut verdicts = Vec::with_capacity(backends.len());
    for backend in backends {
        let cells = judge::cells(backend, &calls, purpose, stop)?;
        for (operator, cell) in operators.iter_mut().zip(cells) {
            operator.cells.push(cell);
        }
        let at = verdicts.len();
        let has_unread = !model.unread.is_empty();
        let mut verdict = judge::verdict(backend, &operators, at, has_unread);
        let fails = matches!(verdict.outcome, Outcome::Fails | Outcome::MayFail);
        if fails && !has_unread && purpose == Purpose::Inference {
            verdict.upgrade = upgrade::of(backend, &operators, at);
        }
        verdicts.push(verdict);
    }
    Ok(Preflight {
        kind: model.kind,
        operators,
        backends: verdicts,
        notes,
        unread: model.unread,
    })
}
