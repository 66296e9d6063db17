//! Whether a model runs on backends.

use std::collections::BTreeMap;

use opatlas_model::Model;
use opatlas_report::preflight::{BackendRow, FailureRow, ModelReport, OperatorRow, sentence};
use opatlas_service::Snapshot;
use opatlas_service::preflight::{
    self, Backend, BackendVerdict, Cell, FirstFailure, Judged, Kernel, Outcome, Preflight, Purpose,
    Upgrade, Why,
};
use opatlas_source::{Stop, Stopped};
use opatlas_verdict::Answer;
use opatlas_verdict::training::Detail;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::comparison::SideView;
use crate::problem::{Kind, Problem};

/// The most backends of one request.
pub const MOST_BACKENDS: usize = 8;

/// The names of missing operators, and of operators that need a kernel, which an answer has.
const NAMED: usize = 16;

/// The backends to judge a model on, and the revision.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct PreflightQuery {
    /// Runtime keys and projects whose last revision has the file or sources of a backend, separated by
    /// commas: at most 8, together with the files in the body. By default `CPU,CUDA,MPS`.
    #[param(example = "MPS,CUDA")]
    pub backend: Option<String>,
    /// The project of the revision; by default `pytorch`.
    #[param(example = "pytorch")]
    pub project: Option<String>,
    /// The revision: `LABEL`, `sha256:HEX` or `latest`; by default the last label of `release`, or
    /// `latest`.
    #[param(example = "latest")]
    pub revision: Option<String>,
    /// The release of PyTorch: without a revision the stored one, otherwise the one whose rules apply.
    #[param(example = "2.15")]
    pub release: Option<String>,
    /// Also ask for gradients.
    pub training: Option<bool>,
}

/// The answer for a model.
#[derive(Debug, Serialize, ToSchema)]
pub struct PreflightAnswer {
    /// The revision.
    pub revision: SideView,
    /// What the model is: `exported program`, `TorchScript archive`, `TorchScript graph`, `FX graph` or
    /// `operator list`.
    #[schema(example = "exported program")]
    pub kind: &'static str,
    /// Whether gradients were asked for, too.
    pub training: bool,
    /// Whether the model runs on every backend.
    pub runs: bool,
    /// The operators, in the order of their first execution.
    pub operators: Vec<ModelOperator>,
    /// The answer on each backend.
    pub backends: BTreeMap<String, ModelBackend>,
    /// The kernels that make the model run: of each backend those that most calls need first.
    pub leverage: Vec<ModelKernel>,
    /// What the answer depends on.
    pub notes: Vec<String>,
    /// Calls that could not be read. With any of them, the model runs nowhere for certain.
    pub unread: Vec<String>,
    #[serde(skip)]
    order: Vec<String>,
}

/// An operator of the model.
#[derive(Debug, Serialize, ToSchema)]
pub struct ModelOperator {
    /// The operator.
    #[schema(example = "grid_sampler_3d")]
    pub operator: String,
    /// The overloads that fit the call, if there are several.
    pub overloads: Vec<String>,
    /// How often the model calls it.
    pub count: u64,
    /// The worst answer of all backends: `no`, `unknown`, `partly` or `yes`.
    #[schema(example = "no")]
    pub works: &'static str,
    /// Why, on the first backend with this answer.
    pub because: Option<String>,
    /// Where its first call is in the user's source.
    #[serde(rename = "where")]
    #[schema(example = "net.py:12 in forward: y = F.grid_sample(x, grid)")]
    pub place: Option<String>,
    /// True if all of its calls are in branches that may not run.
    pub conditional: bool,
    /// Similar names, if the revision does not declare it.
    pub suggestions: Vec<String>,
    /// The answer on each backend.
    pub on: BTreeMap<String, OperatorOnBackend>,
}

/// An operator of the model on a backend.
#[derive(Debug, Serialize, ToSchema)]
pub struct OperatorOnBackend {
    /// `yes`, `partly`, `no` or `unknown`.
    #[schema(example = "no")]
    pub works: &'static str,
    /// The verdict on the call without gradients; null if the revision does not declare the operator.
    #[schema(example = "fails")]
    pub verdict: Option<&'static str>,
    /// Why, unless it works.
    pub because: Option<String>,
    /// The operators without a kernel that it needs, the one that a call reaches first at the front; at
    /// most 16.
    pub needs: Vec<String>,
}

/// The answer on a backend.
#[derive(Debug, Serialize, ToSchema)]
pub struct ModelBackend {
    /// The runtime key.
    #[schema(example = "MPS")]
    pub key: &'static str,
    /// `runs`, `falls-back`, `fails`, `may-fail` or `unknown`.
    #[schema(example = "fails")]
    pub verdict: &'static str,
    /// The answer in a sentence.
    pub summary: String,
    /// The calls that fall back to the CPU.
    pub falls_back: u64,
    /// The first call that fails, always or in most of the cases that were recorded.
    pub first: Option<ModelFailure>,
    /// A call before it that fails in few cases, or in a branch.
    pub may_fail: Option<ModelFailure>,
    /// The first operator that is unknown.
    pub unknown: Option<ModelFailure>,
    /// How many different operators have each answer.
    pub counts: ModelCounts,
    /// The release from which all operators work, through the newest known one. Null if the model runs, if
    /// no release helps, or if nobody can tell.
    #[schema(example = "2.14.0")]
    pub works_from: Option<&'static str>,
    /// An operator that fails in the newest known release, too.
    pub never_works: Option<String>,
}

/// A call that fails, or is unknown.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ModelFailure {
    /// The operator.
    #[schema(example = "grid_sampler_3d")]
    pub operator: String,
    /// The operator without a kernel that the call reaches first.
    #[schema(example = "grid_sampler_3d")]
    pub missing: Option<String>,
    /// Whether every call fails.
    pub certain: bool,
    /// Another reason.
    pub because: Option<String>,
    /// Where the call is in the user's source.
    #[serde(rename = "where")]
    pub place: Option<String>,
}

/// Numbers of operators by answer.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
pub struct ModelCounts {
    /// Operators that work.
    pub yes: usize,
    /// Operators that work in some cases.
    pub partly: usize,
    /// Operators that fail.
    pub no: usize,
    /// Operators for which nobody can tell.
    pub unknown: usize,
}

/// A kernel to write.
#[derive(Debug, Serialize, ToSchema)]
pub struct ModelKernel {
    /// The backend.
    #[schema(example = "MPS")]
    pub backend: String,
    /// The operator that lacks the kernel.
    #[schema(example = "grid_sampler_3d")]
    pub operator: String,
    /// The calls that need it.
    pub calls: u64,
    /// The operators of the model that need it; at most 16.
    pub needed_by: Vec<String>,
}

/// The problem of bytes that are not a model.
#[must_use]
pub fn refusal(refusal: &opatlas_model::Refusal) -> Problem {
    let kind = match refusal {
        opatlas_model::Refusal::TooLarge { .. } | opatlas_model::Refusal::Operators { .. } => {
            Kind::TooLarge
        }
        _ => Kind::MalformedBody,
    };
    Problem::new(kind, refusal.to_string())
}

/// The backends of a list in a query or an option.
pub fn backends(text: &str) -> Vec<&str> {
    let names = text.split(',').map(str::trim);
    names.filter(|name| !name.is_empty()).collect()
}

/// Rejects too many backends, and two of one name.
pub fn expect_backends(backends: &[Backend]) -> Result<(), Problem> {
    let invalid = |text: String| Problem::new(Kind::InvalidParameter, text).about("backend");
    if backends.len() > MOST_BACKENDS {
        return Err(invalid(format!(
            "a model is judged on at most {MOST_BACKENDS} backends at once"
        )));
    }
    for (index, backend) in backends.iter().enumerate() {
        let before = backends.iter().take(index);
        if before.clone().any(|other| other.name == backend.name) {
            return Err(invalid(format!("`{}` is named twice", backend.name)));
        }
    }
    Ok(())
}

/// Judges a model. Fails if it is stopped.
pub fn view(
    (revision, snapshot): (SideView, &Snapshot),
    model: Model,
    backends: &[Backend],
    purpose: Purpose,
    stop: &Stop,
) -> Result<PreflightAnswer, Stopped> {
    let judged = preflight::preflight(snapshot, model, backends, purpose, stop)?;
    let answers = judged.backends.iter().enumerate();
    let answers: BTreeMap<_, _> = answers
        .map(|(at, verdict)| {
            (
                verdict.name.clone(),
                backend(&judged, at, verdict, &revision),
            )
        })
        .collect();
    let leverage = judged.backends.iter().flat_map(|backend| {
        let kernels = backend.kernels.iter();
        kernels.map(|one| kernel(&backend.name, one))
    });
    let operators = judged.operators.iter();
    Ok(PreflightAnswer {
        kind: judged.kind,
        training: purpose == Purpose::Training,
        runs: judged.runs(),
        leverage: leverage.collect(),
        operators: operators
            .map(|operator| self::operator(&judged, operator, &revision))
            .collect(),
        backends: answers,
        order: judged.backends.iter().map(|it| it.name.clone()).collect(),
        notes: judged.notes,
        unread: judged.unread,
        revision,
    })
}

fn kernel(backend: &str, kernel: &Kernel) -> ModelKernel {
    ModelKernel {
        backend: backend.to_owned(),
        operator: kernel.operator.clone(),
        calls: kernel.calls,
        needed_by: kernel.needed_by.iter().take(NAMED).cloned().collect(),
    }
}

fn operator(judged: &Preflight, operator: &Judged, revision: &SideView) -> ModelOperator {
    let names = judged.backends.iter().map(|backend| &backend.name);
    let on = names.zip(&operator.cells).map(|(name, cell)| {
        let answer = OperatorOnBackend {
            works: cell.works.as_str(),
            verdict: cell.verdict.map(opatlas_verdict::Verdict::as_str),
            because: because(operator, cell, revision),
            needs: cell.needs.iter().take(NAMED).cloned().collect(),
        };
        (name.clone(), answer)
    });
    let rank = |cell: &&Cell| match cell.works {
        Answer::No => 0,
        Answer::Unknown => 1,
        Answer::Partly => 2,
        Answer::Yes => 3,
    };
    let worst = operator.cells.iter().min_by_key(rank);
    ModelOperator {
        operator: operator.operator.clone(),
        overloads: operator.overloads.clone(),
        count: operator.count,
        works: worst.map_or(Answer::Unknown, |cell| cell.works).as_str(),
        because: worst.and_then(|cell| because(operator, cell, revision)),
        place: operator.place.clone(),
        conditional: operator.is_conditional,
        suggestions: operator.suggestions.clone(),
        on: on.collect(),
    }
}

/// Why an operator does not work, in words.
fn because(operator: &Judged, cell: &Cell, revision: &SideView) -> Option<String> {
    let why = cell.because?;
    let needs = || {
        let shown: Vec<&str> = cell.needs.iter().take(3).map(|name| &**name).collect();
        let more = cell.needs.len() - shown.len();
        match more {
            0 => shown.join(", "),
            more => format!("{} and {more} more", shown.join(", ")),
        }
    };
    Some(match why {
        Why::Undeclared => {
            let near = match &*operator.suggestions {
                [] => String::new(),
                names => format!("; did you mean {}?", names.join(" or ")),
            };
            format!("not declared in {}{near}", revision.title)
        }
        Why::Ambiguous => format!(
            "the call does not say which overload: {}",
            operator.overloads.join(", ")
        ),
        Why::NoKernel => "no kernel".to_owned(),
        Why::Needs if cell.works == Answer::Partly => format!("in some cases needs {}", needs()),
        Why::Needs => format!("needs {}", needs()),
        Why::Because(because) => because.as_str().to_owned(),
        Why::Gradient(detail) => gradient(detail, needs).to_string(),
        Why::GradientUnknown => "it is unknown whether it has a gradient".to_owned(),
    })
}

fn gradient(detail: Detail, needs: impl Fn() -> String) -> String {
    match detail {
        Detail::NoKernel => "no kernel".to_owned(),
        Detail::NoFormula => "derivatives.yaml has no formula for it".to_owned(),
        Detail::NotImplemented => "its derivative is not implemented".to_owned(),
        Detail::CallsUntrained => "it calls an operator without a gradient".to_owned(),
        Detail::BackwardFails => format!("its backward needs {}", needs()),
        Detail::OutVariant => "`out=` variants record no gradient".to_owned(),
        Detail::NoAutograd => "no autograd kernel is registered".to_owned(),
        Detail::Ambiguous => "the kernels for AutogradOther are ambiguous".to_owned(),
        Detail::NoGradient => "it has no gradient".to_owned(),
    }
}

fn backend(
    judged: &Preflight,
    at: usize,
    verdict: &BackendVerdict,
    revision: &SideView,
) -> ModelBackend {
    let failure = |index: usize, missing: Option<String>, certain: bool| {
        let operator = judged.operators.get(index)?;
        let cell = operator.cells.get(at)?;
        let is_kernel = matches!(cell.because, Some(Why::NoKernel | Why::Needs));
        Some(ModelFailure {
            operator: operator.operator.clone(),
            because: because(operator, cell, revision).filter(|_| !is_kernel),
            missing,
            certain,
            place: operator.place.clone(),
        })
    };
    let of_failure = |it: &FirstFailure| failure(it.operator, it.missing.clone(), it.is_certain);
    let preflight::Counts {
        yes,
        partly,
        no,
        unknown,
    } = verdict.counts;
    let mut answer = ModelBackend {
        key: verdict.key,
        verdict: verdict.outcome.as_str(),
        summary: String::new(),
        falls_back: match verdict.outcome {
            Outcome::FallsBack { calls } => calls,
            _ => 0,
        },
        first: verdict.first.as_ref().and_then(of_failure),
        may_fail: verdict.may_fail.as_ref().and_then(of_failure),
        unknown: verdict
            .unknown
            .and_then(|index| failure(index, None, false)),
        counts: ModelCounts {
            yes,
            partly,
            no,
            unknown,
        },
        works_from: match verdict.upgrade {
            Some(Upgrade::From(release)) => Some(release),
            _ => None,
        },
        never_works: match &verdict.upgrade {
            Some(Upgrade::Never(operator)) => Some(operator.clone()),
            _ => None,
        },
    };
    answer.summary = sentence(&row(&verdict.name, &answer));
    answer
}

fn row<'a>(name: &'a str, answer: &'a ModelBackend) -> BackendRow<'a> {
    let failure = |it: &'a ModelFailure| FailureRow {
        operator: &it.operator,
        missing: it.missing.as_deref(),
        is_certain: it.certain,
        because: it.because.as_deref(),
        place: it.place.as_deref(),
    };
    let counts = answer.counts;
    BackendRow {
        name,
        verdict: answer.verdict,
        falls_back: answer.falls_back,
        first: answer.first.as_ref().map(failure),
        may_fail: answer.may_fail.as_ref().map(failure),
        unknown: answer.unknown.as_ref().map(failure),
        counts: [counts.yes, counts.partly, counts.no, counts.unknown],
        works_from: answer.works_from,
        never_works: answer.never_works.as_deref(),
        ..BackendRow::default()
    }
}

/// The answer for reports.
#[must_use]
pub fn report(answer: &PreflightAnswer) -> ModelReport<'_> {
    let calls = answer.operators.iter().map(|operator| operator.count);
    let backends = answer.order.iter().filter_map(|name| {
        let kernels = answer.leverage.iter().filter(|it| it.backend == *name);
        Some(BackendRow {
            kernels: kernels.map(|it| (&*it.operator, it.calls)).collect(),
            operators: rows(answer, name),
            ..row(name, answer.backends.get(name)?)
        })
    });
    ModelReport {
        kind: answer.kind,
        revision: &answer.revision.title,
        operators: answer.operators.len(),
        calls: calls.fold(0, u64::saturating_add),
        backends: backends.collect(),
        notes: &answer.notes,
        unread: &answer.unread,
    }
}

/// The operators that do not work on a backend, in their order.
fn rows<'a>(answer: &'a PreflightAnswer, backend: &str) -> Vec<OperatorRow<'a>> {
    let all = answer.operators.iter();
    let rows = all.filter_map(|operator| {
        let on = operator.on.get(backend)?;
        (on.works != Answer::Yes.as_str()).then(|| OperatorRow {
            operator: &operator.operator,
            count: operator.count,
            works: on.works,
            because: on.because.clone().unwrap_or_default(),
            place: operator.place.as_deref(),
        })
    });
    rows.collect()
}
