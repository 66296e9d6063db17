//! Entries of dispatch tables on the wire, their explanations, and training on a backend.

use std::borrow::Cow;

use opatlas_dispatch::{Build, Edit, ExplainedEntry, Outcome, Reason};
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::key_set::KeySet;
use opatlas_pytorch::keys::Keys;
use opatlas_report::table::{cause_sentence, training_sentence};
use opatlas_verdict::training::Detail;
use opatlas_verdict::{Answer, TrainingAnswer, View};
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Serialize, Serializer};
use utoipa::ToSchema;

use crate::finding::{Span, place};
use crate::operator::{Registration, registration};
use crate::verdict::{BelongsTo, Support};
use opatlas_service::Snapshot;

/// The entry of an operator's dispatch table for a runtime key.
#[derive(Debug, Serialize, ToSchema)]
pub struct Entry<'a> {
    /// The runtime key.
    #[schema(example = "SparseCPU")]
    pub key: &'static str,
    /// Its functionality.
    #[schema(example = "Sparse")]
    pub functionality: &'static str,
    /// Its backend, if the functionality exists once per backend.
    #[schema(example = "CPU")]
    pub backend: Option<&'static str>,
    /// The kernel's C++ name; null without a kernel, or if only its file is known.
    pub kernel: Option<Cow<'a, str>>,
    /// The registered key that serves this one; null for `missing`, `backend fallback` and
    /// `ambiguous autogradother`.
    pub source_key: Option<Cow<'a, str>>,
    /// Why, in the runtime's words: `kernel`, `default backend kernel`, `nested kernel`, `math
    /// kernel`, `ambiguous autogradother`, `autograd kernel`, `batched kernel`, `backend fallback`,
    /// `missing`.
    #[schema(example = "kernel")]
    pub reason: &'static str,
    /// The origin of the registration; null without one, and for a hypothetical kernel.
    #[schema(example = "declared")]
    pub origin: Option<&'static str>,
    /// Whether the kernel is a fallthrough.
    pub fallthrough: bool,
    /// Whether the files alone determine the entry.
    pub derivable: bool,
    /// Why they do not.
    pub cause: Option<String>,
    /// The file of the bundle, or the source file in PyTorch.
    pub file: Option<&'a str>,
    /// The position in a file of the bundle.
    pub span: Option<Span>,
    /// Whether a call works there.
    pub support: Support,
    /// The explanation, if requested.
    pub explanation: Option<Explanation<'a>>,
}

/// The explanation of an entry.
#[derive(Debug, Serialize, ToSchema)]
pub struct Explanation<'a> {
    /// The rules in the order tried; the last one decides.
    pub steps: Vec<Step>,
    /// Registered keys that reach this one but lose to an earlier rule.
    pub shadowed: Vec<&'static str>,
    /// The registrations that reach the key; the deciding one comes first.
    pub registrations: Vec<Registration<'a>>,
    /// Changes that would change the result, most direct first.
    pub remedies: Vec<Remedy>,
}

/// A rule that was tried.
#[derive(Debug, Serialize, ToSchema)]
pub struct Step {
    /// Its number in the order of the dispatcher, from 1.
    pub number: u8,
    /// The alias key it looks up; null for the key itself, its fallback, and the rule for missing
    /// kernels.
    #[schema(example = "CompositeExplicitAutograd")]
    pub alias: Option<&'static str>,
    /// The reason it results in.
    #[schema(example = "default backend kernel")]
    pub reason: &'static str,
    /// The outcome: `decides`, `not registered`, `out of reach` (registered, but never serves the
    /// key), `irrelevant` (neither), `switched off by explicit`, `switched off by backends`, `not
    /// ambiguous`.
    #[schema(example = "not registered")]
    pub outcome: &'static str,
    /// The backends whose kernels disable it.
    pub backends: Vec<&'static str>,
}

/// One change of the registrations that changes the result.
#[derive(Debug, Serialize, ToSchema)]
pub struct Remedy {
    /// `register` a kernel, or `remove` the registration.
    #[schema(example = "register")]
    pub edit: &'static str,
    /// Any one of these keys.
    pub keys: Vec<&'static str>,
    /// The resulting reason of the entry.
    #[schema(example = "kernel")]
    pub becomes: &'static str,
}

/// Whether an operator and its gradient work on a backend.
#[derive(Debug, Serialize, ToSchema)]
pub struct Training {
    /// The backend's key.
    #[schema(example = "CPU")]
    pub key: &'static str,
    /// Whether a call works, at least in some cases: `yes`, `no`, `unknown`.
    #[schema(example = "yes")]
    pub inference: &'static str,
    /// Whether its gradient can be computed: `yes`, `partly`, `no`, `not differentiable`, `unknown`
    /// (the call is unknown, or there is no `derivatives.yaml`).
    #[schema(example = "yes")]
    pub training: &'static str,
    /// How: `own formula`, `composite`, `autograd kernel`, `not differentiable`, `error`,
    /// `unknown`.
    #[schema(example = "own formula")]
    pub through: &'static str,
    /// More on why not: `no kernel`, `no formula`, `not implemented`, `calls untrained`,
    /// `backward fails`, `out variant`, `no autograd`, `ambiguous`, `no gradient`.
    pub detail: Option<&'static str>,
    /// The arguments whose gradient is not implemented.
    #[schema(example = json!(["self"]))]
    pub not_implemented: Vec<String>,
    /// The operators without a working entry that the backward calls.
    #[schema(example = json!(["threshold_backward.grad_input"]))]
    pub needs: Vec<String>,
    /// The autograd key of the backend.
    #[schema(example = "AutogradCPU")]
    pub autograd_key: &'static str,
    /// The summary in one sentence.
    pub sentence: String,
}

/// The registrations to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// All known registrations: from the files, hand-written and observed.
    #[default]
    Everything,
    /// Only registrations that follow from the files.
    Files,
}

/// A build profile.
#[derive(Debug, Serialize, ToSchema)]
pub struct BuildView {
    /// Its name, if it has one.
    #[schema(example = "linux-cuda")]
    pub name: Option<&'static str>,
    /// The backends that it has no kernels for.
    pub left_out: Vec<&'static str>,
}

/// Counts by reason, in the order in which the dispatcher tries them.
#[derive(Debug, Clone, Copy)]
pub struct ReasonCounts<N>(pub [N; Reason::ALL.len()]);

/// Places by registration. All keys that an alias serves share one.
#[derive(Debug, Default)]
pub(crate) struct Places<'a>(Vec<(&'a str, opatlas_source::Span, Span)>);

impl<'a> Places<'a> {
    fn find(&mut self, snapshot: &Snapshot, file: &'a str, span: opatlas_source::Span) -> Span {
        let known = self
            .0
            .iter()
            .find(|known| (known.0, known.1) == (file, span));
        if let Some((.., place)) = known {
            return *place;
        }
        let place = place(snapshot, file, span);
        self.0.push((file, span, place));
        place
    }
}

/// An entry of a snapshot's table on the wire.
#[must_use]
pub fn entry<'a>(
    snapshot: &Snapshot,
    view: View<'_>,
    id: OperatorId,
    entry: opatlas_dispatch::Entry<'a>,
) -> Entry<'a> {
    entry_among(snapshot, view, id, (entry, &mut Places::default()))
}

pub(crate) fn entry_among<'a>(
    snapshot: &Snapshot,
    view: View<'_>,
    id: OperatorId,
    (entry, places): (opatlas_dispatch::Entry<'a>, &mut Places<'a>),
) -> Entry<'a> {
    let keys = view.keys();
    let support = view.support_of(id, &entry);
    let known_from = view.known_from(id, &entry, support.verdict);
    let fails = Answer::from(support.verdict) == Answer::No;
    let belongs_to = fails.then(|| BelongsTo::of(view.applicability(id, entry.slot)));
    Entry {
        support: Support {
            belongs_to: belongs_to.flatten(),
            ..Support::of(view, &support, known_from)
        },
        key: entry.key,
        functionality: entry.functionality,
        backend: entry.backend,
        source_key: entry.source_name(keys).map(Cow::Borrowed),
        reason: entry.reason.as_str(),
        origin: entry.origin.map(opatlas_dispatch::Origin::as_str),
        fallthrough: entry.fallthrough,
        derivable: entry.derivable,
        cause: entry.cause.map(cause_sentence),
        span: entry
            .file
            .zip(entry.span)
            .map(|(file, span)| places.find(snapshot, file, span)),
        kernel: entry.kernel,
        file: entry.file,
        explanation: None,
    }
}

/// An entry with its explanation.
#[must_use]
pub fn explained<'a>(
    snapshot: &Snapshot,
    view: View<'_>,
    id: OperatorId,
    told: ExplainedEntry<'a>,
) -> Entry<'a> {
    let keys = view.keys();
    let explanation = &told.explanation;
    let names = |of: &[opatlas_pytorch::Key]| of.iter().map(|&key| keys.name(key)).collect();
    let remedies = explanation.remedies.iter().map(|remedy| Remedy {
        edit: match remedy.edit {
            Edit::Register => "register",
            Edit::Remove => "remove",
        },
        keys: names(&remedy.keys),
        becomes: remedy.becomes.reason().as_str(),
    });
    let steps = explanation.steps.iter();
    let explanation = Explanation {
        steps: steps.map(|step| one_step(keys, *step)).collect(),
        shadowed: names(&explanation.shadowed),
        remedies: remedies.collect(),
        registrations: told
            .registrations
            .into_iter()
            .map(|made| registration(snapshot, keys, made))
            .collect(),
    };
    Entry {
        explanation: Some(explanation),
        ..entry(snapshot, view, id, told.entry)
    }
}

pub(crate) fn one_step(keys: &'static Keys, step: opatlas_dispatch::Step) -> Step {
    let backends = match step.outcome {
        Outcome::SwitchedOffByBackends(backends) => backends,
        _ => KeySet::EMPTY,
    };
    let backends = backends
        .iter()
        .map(|slot| keys.name(opatlas_pytorch::Key::Runtime(slot)));
    Step {
        number: step.rule.number(),
        alias: step.rule.alias().map(opatlas_pytorch::Alias::name),
        reason: step.rule.reason().as_str(),
        outcome: match step.outcome {
            Outcome::Decides => "decides",
            Outcome::NotRegistered => "not registered",
            Outcome::OutOfReach => "out of reach",
            Outcome::Irrelevant => "irrelevant",
            Outcome::SwitchedOffByExplicit => "switched off by explicit",
            Outcome::SwitchedOffByBackends(_) => "switched off by backends",
            Outcome::NotAmbiguous => "not ambiguous",
        },
        backends: backends.collect(),
    }
}

/// Training on a backend, on the wire.
#[must_use]
pub fn training(view: View<'_>, id: OperatorId, answer: &TrainingAnswer<'_>) -> Training {
    let training = &answer.training;
    Training {
        key: answer.inference.key,
        inference: match Answer::from(training.inference) {
            Answer::Partly => Answer::Yes.as_str(),
            answer => answer.as_str(),
        },
        training: training.works.as_str(),
        through: training.through.as_str(),
        detail: training.detail.map(|detail| match detail {
            Detail::NoKernel => "no kernel",
            Detail::NoFormula => "no formula",
            Detail::NotImplemented => "not implemented",
            Detail::CallsUntrained => "calls untrained",
            Detail::BackwardFails => "backward fails",
            Detail::OutVariant => "out variant",
            Detail::NoAutograd => "no autograd",
            Detail::Ambiguous => "ambiguous",
            Detail::NoGradient => "no gradient",
        }),
        not_implemented: training
            .not_implemented
            .iter()
            .map(|name| (**name).to_owned())
            .collect(),
        needs: training
            .needs
            .iter()
            .map(|&id| view.inputs.catalogue.operator(id))
            .map(|operator| operator.qualified_name().to_owned())
            .collect(),
        autograd_key: answer.autograd.key,
        sentence: training_sentence(view, id, answer),
    }
}

impl From<Source> for opatlas_dispatch::Source {
    fn from(source: Source) -> Self {
        match source {
            Source::Everything => Self::Everything,
            Source::Files => Self::Files,
        }
    }
}

impl From<opatlas_dispatch::Source> for Source {
    fn from(source: opatlas_dispatch::Source) -> Self {
        match source {
            opatlas_dispatch::Source::Everything => Self::Everything,
            opatlas_dispatch::Source::Files => Self::Files,
        }
    }
}

impl From<&Build> for BuildView {
    fn from(build: &Build) -> Self {
        Self {
            name: build.name(),
            left_out: build.left_out().to_vec(),
        }
    }
}

impl<N: Serialize> Serialize for ReasonCounts<N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (reason, count) in Reason::ALL.iter().zip(&self.0) {
            map.serialize_entry(reason.as_str(), count)?;
        }
        map.end()
    }
}

/// Parses a reason. Fails with [`Kind::InvalidParameter`](crate::problem::Kind::InvalidParameter).
pub fn reason(text: &str) -> Result<Reason, crate::problem::Problem> {
    let known = Reason::ALL.map(Reason::as_str);
    Reason::parse(text).ok_or_else(|| crate::problem::Problem::not_listed("reason", text, &known))
}
