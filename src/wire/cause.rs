//! Causes and new operators on the wire.

use opatlas_diff::cards::{Card, OutForm};
use opatlas_diff::causes::Cause;
use opatlas_diff::policy::Judgement;
use opatlas_report::changes::cause_title;
use serde::Serialize;
use utoipa::ToSchema;

/// An edit, of one or several operators, and what follows from it. Changes are named by their
/// fingerprints.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Cause)]
pub struct CauseView {
    /// What was done.
    #[schema(example = "`logit`: argument `eps` renamed to `epsilon`")]
    pub title: String,
    /// The worst level of its changes under the profile; excused changes do not count.
    #[schema(example = "breaking")]
    pub level: &'static str,
    /// The edited operators.
    pub operators: Vec<String>,
    /// The edits.
    pub changes: Vec<String>,
    /// What follows from them.
    pub consequences: Vec<String>,
}

/// What there is to know of a new operator.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = NewOperator)]
pub struct CardView {
    /// The operator.
    pub operator: String,
    /// The dense backends of PyTorch on which a call works.
    #[schema(example = json!(["CPU", "CUDA"]))]
    pub runs: Vec<&'static str>,
    /// The dense backends of PyTorch on which a call fails, always or in some cases.
    pub fails: Vec<&'static str>,
    /// Through what training works, or why it does not; null where nothing runs it.
    #[schema(example = "own formula")]
    pub trains: Option<&'static str>,
    /// Its out form: `declared`, `generated`, `missing` or `not-needed`.
    #[schema(example = "missing")]
    pub out_form: &'static str,
    /// The out form, or the one that `autogen` would add.
    pub out: Option<String>,
    /// Whether it is a function of `torch`.
    pub function: bool,
    /// Whether it is a method of `Tensor`.
    pub method: bool,
    /// Tags that all its other forms in the base have and it lacks.
    pub missing_tags: Vec<String>,
    /// The declarations of its kernels in C++.
    pub kernels: Vec<CardKernel>,
}

/// A declaration in C++.
#[derive(Debug, Serialize, ToSchema)]
pub struct CardKernel {
    /// The dispatch keys.
    pub keys: Vec<String>,
    /// The declaration.
    pub declaration: String,
}

impl CardView {
    /// A card of the core.
    #[must_use]
    pub fn of(card: &Card) -> Self {
        let (out_form, out) = match &card.out {
            OutForm::NotNeeded => ("not-needed", None),
            OutForm::Declared(name) => ("declared", Some(name.to_string())),
            OutForm::Generated(name) => ("generated", Some(name.to_string())),
            OutForm::Missing(name) => ("missing", Some(name.to_string())),
        };
        let kernels = card.kernels.iter().map(|(keys, declaration)| CardKernel {
            keys: keys.iter().map(ToString::to_string).collect(),
            declaration: declaration.clone(),
        });
        Self {
            operator: card.operator.to_string(),
            runs: card.runs.clone(),
            fails: card.fails.clone(),
            trains: card.trains.map(opatlas_dispatch::training::Through::as_str),
            out_form,
            out,
            function: card.is_function,
            method: card.is_method,
            missing_tags: card.missing_tags.iter().map(ToString::to_string).collect(),
            kernels: kernels.collect(),
        }
    }
}

/// The causes of a comparison under its judgement.
#[must_use]
pub fn causes(causes: &[Cause], judgement: &Judgement) -> Vec<CauseView> {
    let changes = &judgement.changes;
    let print = |i: &usize| changes[*i].change.fingerprint().to_string();
    let view = |cause: &Cause| {
        let own = cause.changes().map(|i| &changes[i]);
        let counted = own.filter(|judged| judged.is_counted());
        let level = counted.map(|judged| judged.level).max();
        let edited = cause.edited.iter();
        CauseView {
            title: cause_title(changes, cause),
            level: level.unwrap_or(opatlas_diff::rules::Level::None).as_str(),
            operators: edited.clone().map(|one| one.operator.to_string()).collect(),
            changes: edited.flat_map(|one| &one.edits).map(print).collect(),
            consequences: cause.consequences.iter().map(print).collect(),
        }
    };
    causes.iter().map(view).collect()
}
