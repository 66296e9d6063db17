//! Since when an operator works, by PyTorch's releases.

use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::key_set::Slot;
use opatlas_pytorch::keys::Key;
use opatlas_report::support::{Answered, since_words};
use opatlas_verdict::releases::{self, Place};
use opatlas_verdict::{Answer, Because, View};
use serde::Serialize;
use utoipa::ToSchema;

/// PyTorch's releases on one key: since when the answer of the table holds, and all answers.
#[derive(Debug, Serialize, ToSchema)]
pub struct KeyHistory {
    /// The runtime key.
    #[schema(example = "MPS")]
    pub key: &'static str,
    /// Since when calls have worked, or until when they did: `since 2.14.1`, `since 2.0.0 or earlier`,
    /// `worked until 2.12.1`, `in every release`. Null if nobody knows, or the table differs from what was
    /// released.
    #[schema(example = "since 2.14.1")]
    pub since: Option<String>,
    /// Releases in a row that say the same, oldest first.
    pub spans: Vec<ReleaseSpan>,
}

/// Releases in a row in which an operator has one verdict on a key.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReleaseSpan {
    /// The first release.
    #[schema(example = "2.0.0")]
    pub first: &'static str,
    /// The last release.
    #[schema(example = "2.14.0")]
    pub last: &'static str,
    /// The verdict.
    #[schema(example = "fails")]
    pub verdict: &'static str,
    /// `yes`, `partly`, `no` or `unknown`.
    #[schema(example = "no")]
    pub works: &'static str,
}

/// The history of an operator on a key; `None` if no known release has the operator.
pub(crate) fn key_history(view: View<'_>, id: OperatorId, slot: Slot) -> Option<KeyHistory> {
    let operator = view.inputs.catalogue.operator(id).qualified_name();
    let key = view.keys().name(Key::Runtime(slot));
    let spans = releases::spans(operator, Place::Key(key));
    let spans: Vec<ReleaseSpan> = spans.iter().map(ReleaseSpan::of).collect();
    let verdict = view.support(id, slot).verdict;
    let since = releases::since(operator, key, view.keys().release(), verdict);
    (!spans.is_empty()).then(|| KeyHistory {
        key,
        since: since.map(since_words),
        spans,
    })
}

impl ReleaseSpan {
    fn of(span: &releases::Span) -> Self {
        Self {
            first: span.first,
            last: span.last,
            verdict: span.word,
            works: span.works.as_str(),
        }
    }
}

/// Where an operator works and since when, on the backends of which something is known.
#[derive(Debug, Serialize, ToSchema)]
pub struct Card {
    /// The operator.
    #[schema(example = "grid_sampler_2d")]
    pub operator: String,
    /// The answer in one sentence.
    #[schema(example = "Works on CPU, CUDA and HIP (since 2.0.0 or earlier), MPS (since 2.14.1).")]
    pub summary: String,
    /// The backends, in the order of the dispatch table.
    pub backends: Vec<CardCell>,
}

/// A backend on a card.
#[derive(Debug, Serialize, ToSchema)]
pub struct CardCell {
    /// The runtime key.
    #[schema(example = "MPS")]
    pub key: &'static str,
    /// The verdict.
    #[schema(example = "runs")]
    pub verdict: &'static str,
    /// `yes`, `partly`, `no` or `unknown`.
    #[schema(example = "yes")]
    pub works: &'static str,
    /// Since when the answer holds; null if nobody knows.
    #[schema(example = "since 2.14.1")]
    pub since: Option<String>,
}

/// The card of an operator.
#[must_use]
pub fn card(view: View<'_>, id: OperatorId) -> Card {
    let answers = answers(view, id);
    let cells = answers.iter().map(|answer| CardCell {
        key: answer.key,
        verdict: answer.verdict.as_str(),
        works: Answer::from(answer.verdict).as_str(),
        since: answer.since.map(since_words),
    });
    let operator = view.inputs.catalogue.operator(id);
    Card {
        operator: operator.qualified_name().to_owned(),
        summary: opatlas_report::support::summary(&answers),
        backends: cells.collect(),
    }
}

/// Where an operator works and since when, in one sentence, on the dense backends of which something is
/// known.
#[must_use]
pub fn summary(view: View<'_>, id: OperatorId) -> String {
    opatlas_report::support::summary(&answers(view, id))
}

/// The answers on the dense backends of which something is known, in the order of the table.
#[must_use]
pub fn answers(view: View<'_>, id: OperatorId) -> Vec<Answered> {
    let keys = view.keys();
    let operator = view.inputs.catalogue.operator(id).qualified_name();
    let dense = keys
        .slots()
        .filter(|&slot| keys.functionality(slot) == "Dense");
    let answered = dense.filter_map(|slot| {
        view.training(id, slot)?;
        let support = view.support(id, slot);
        let key = keys.name(Key::Runtime(slot));
        (support.because != Some(Because::OutOfTree)).then(|| Answered {
            key,
            verdict: support.verdict,
            since: releases::since(operator, key, keys.release(), support.verdict),
        })
    });
    answered.collect()
}
