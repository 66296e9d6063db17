//! Causes and new operators on the wire.

use opatlas_diff::Fingerprint;
use opatlas_diff::cards::{Card, OutForm};
use opatlas_diff::causes::Cause;
use opatlas_diff::policy::Judgement;
use opatlas_report::changes::cause_title;
use opatlas_verdict::Because;
use opatlas_verdict::training::{Detail, Training, Works};
use serde::{Serialize, Serializer};
use utoipa::ToSchema;

/// An edit of one or several operators, and its consequences. Changes are identified by their
/// fingerprints.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Cause)]
pub struct CauseView {
    /// The edit, in words.
    #[schema(example = "`logit`: argument `eps` renamed to `epsilon`")]
    pub title: String,
    /// The worst level of its changes under the profile; excused changes do not count.
    #[schema(example = "breaking")]
    pub level: &'static str,
    /// The edited operators.
    pub operators: Vec<String>,
    /// The edits.
    #[schema(value_type = Vec<String>)]
    #[serde(serialize_with = "digits")]
    pub changes: Vec<Fingerprint>,
    /// The consequences.
    #[schema(value_type = Vec<String>)]
    #[serde(serialize_with = "digits")]
    pub consequences: Vec<Fingerprint>,
}

fn digits<S: Serializer>(prints: &[Fingerprint], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(prints.iter().map(ToString::to_string))
}

fn trains(training: &Training) -> &'static str {
    match (training.works, training.detail) {
        (Works::Unknown, _) => "unknown",
        (Works::No | Works::Partly, Some(Detail::NotImplemented)) => "not implemented",
        _ => training.through.as_str(),
    }
}

/// A summary of a new operator with its new variants: the members of a group share one. The facts are
/// about `operator`.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = NewOperator)]
pub struct CardView<'a> {
    /// The functional operator if it is new, else the in-place one, else the out variant.
    pub operator: &'a str,
    /// The other new operators of its group.
    pub variants: Vec<CardVariant<'a>>,
    /// PyTorch's dense backends on which a call works.
    #[schema(example = json!(["CPU", "CUDA"]))]
    pub runs: &'a [&'static str],
    /// PyTorch's dense backends on which a call fails, always or in some cases.
    pub fails: &'a [&'static str],
    /// PyTorch's dense backends on which this is unknown.
    pub unknown: &'a [&'static str],
    /// Why it is unknown.
    pub because: Option<&'static str>,
    /// The means to settle it.
    pub settled_by: Option<&'static str>,
    /// Whether it trains on the first backend that runs it: `yes`, `partly`, `no`, `not
    /// differentiable`, `unknown`; `not applicable` for out variants, because PyTorch does not support
    /// autograd for calls with `out=`.
    #[schema(example = "yes")]
    pub training: &'static str,
    /// Through what training works, or why it does not; null if calls fail everywhere, and for out
    /// variants.
    #[schema(example = "own formula")]
    pub trains: Option<&'static str>,
    /// Its out form: `declared`, `generated`, `missing` or `not-needed`.
    #[schema(example = "missing")]
    pub out_form: &'static str,
    /// The out form, or the one that `autogen` would add.
    pub out: Option<&'a str>,
    /// Whether it is a function of `torch`.
    pub function: bool,
    /// Whether it is a method of `Tensor`.
    pub method: bool,
    /// Tags that it lacks although all its other forms in the base have them.
    #[schema(value_type = Vec<String>)]
    pub missing_tags: &'a [Box<str>],
    /// Missing pieces on the ways to run it, with their effects.
    #[schema(example = json!(["no batching rule: vmap loops"]))]
    pub lacks: &'a [&'static str],
    /// The declarations of the kernels in C++ of the operator and its variants, without export macros.
    pub kernels: Vec<CardKernel<'a>>,
}

/// A new variant of a new operator.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = NewVariant)]
pub struct CardVariant<'a> {
    /// The operator.
    pub operator: &'a str,
    /// The backends on which a call fails although one of the card's operator works.
    pub fails: &'a [&'static str],
}

/// A declaration in C++.
#[derive(Debug, Serialize, ToSchema)]
pub struct CardKernel<'a> {
    /// The dispatch keys.
    #[schema(value_type = Vec<String>)]
    pub keys: &'a [Box<str>],
    /// The declaration.
    pub declaration: &'a str,
}

impl<'a> CardView<'a> {
    /// A card of the core.
    #[must_use]
    pub fn of(card: &'a Card) -> Self {
        let (out_form, out) = match &card.out {
            OutForm::NotNeeded => ("not-needed", None),
            OutForm::Declared(name) => ("declared", Some(&**name)),
            OutForm::Generated(name) => ("generated", Some(&**name)),
            OutForm::Missing(name) => ("missing", Some(&**name)),
        };
        let kernels = card
            .kernels
            .iter()
            .map(|(keys, declaration)| CardKernel { keys, declaration });
        let variants = card.variants.iter().map(|variant| CardVariant {
            operator: &variant.operator,
            fails: &variant.fails,
        });
        Self {
            operator: &card.operator,
            variants: variants.collect(),
            runs: &card.runs,
            fails: &card.fails,
            unknown: &card.unknown,
            because: card.because.map(Because::as_str),
            settled_by: card.because.and_then(Because::settled_by),
            trains: card.training.as_ref().map(trains),
            training: match &card.training {
                _ if card.is_out => "not applicable",
                Some(training) => training.works.as_str(),
                None => Works::No.as_str(),
            },
            out_form,
            out,
            function: card.is_function,
            method: card.is_method,
            missing_tags: &card.missing_tags,
            lacks: &card.lacks,
            kernels: kernels.collect(),
        }
    }
}

/// Causes under the judgement of their comparison.
#[must_use]
pub fn causes(causes: &[&Cause], judgement: &Judgement) -> Vec<CauseView> {
    let changes = &judgement.changes;
    let print = |i: &usize| changes[*i].change.fingerprint();
    let view = |cause: &&Cause| {
        let own = cause.changes().map(|i| &changes[i]);
        let counted = own.filter(|judged| judged.is_counted());
        let level = counted.map(|judged| judged.level).max();
        let edited = cause.edited.iter();
        CauseView {
            title: cause_title(changes, cause).to_string(),
            level: level.unwrap_or(opatlas_diff::rules::Level::None).as_str(),
            operators: edited.clone().map(|one| one.operator.to_string()).collect(),
            changes: edited.flat_map(|one| &one.edits).map(print).collect(),
            consequences: cause.consequences.iter().map(print).collect(),
        }
    };
    causes.iter().map(view).collect()
}
