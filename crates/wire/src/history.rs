//! The history of an operator.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::place::Place;
use opatlas_service::history::{HistoryEvent, KeyRange, Line, OperatorHistory, Timeline};
use opatlas_verdict::ways::FateChange;
use opatlas_verdict::{Answer, Because};

/// An operator of a project.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct LifePath {
    /// The project.
    #[param(example = "pytorch")]
    pub project: String,
    /// `base_name[.overload]`; a namespace other than `aten` precedes it, `ns::name`.
    #[param(example = "add.Tensor")]
    pub operator: String,
}

/// The kind of timeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum LineName {
    /// Labels that are versions, in version order.
    Releases,
    /// Commits, in topological order.
    Commits,
    /// Revisions, in the order of ingestion.
    Ingests,
}

impl From<LineName> for Line {
    fn from(name: LineName) -> Self {
        match name {
            LineName::Releases => Self::Releases,
            LineName::Commits => Self::Commits,
            LineName::Ingests => Self::Ingests,
        }
    }
}

/// The part of a history to return.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct HistoryQuery {
    /// Only events about this runtime key, and events without a key.
    #[param(example = "MPS")]
    pub key: Option<String>,
    /// The first revision (a label, a commit or `sha256:HEX`); by default the first one.
    #[param(example = "2.0.0")]
    pub from: Option<String>,
    /// The last revision; by default the latest one.
    #[param(example = "latest")]
    pub to: Option<String>,
    /// The kind of timeline; by default releases if there are any, else commits, else ingests.
    #[param(inline)]
    pub line: Option<LineName>,
}

/// The history of an operator.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct History {
    /// The project.
    #[schema(example = "pytorch")]
    pub project: String,
    /// The operator.
    #[schema(example = "can_cast")]
    pub operator: String,
    /// The kind of timeline: `releases`, `commits` or `ingests`.
    #[schema(example = "releases")]
    pub line: String,
    /// The first revision.
    pub from: Place,
    /// Whether that is the first revision of the timeline.
    pub from_start: bool,
    /// The last revision.
    pub to: Place,
    /// The events in order; within a revision the worst first.
    pub events: Vec<Event>,
    /// The ranges in which the operator exists (with `key` null), and in which the same kernel
    /// served it at a key: at the requested key, else at each backend with dense tensors.
    pub ranges: Vec<RangeView>,
    /// The changes of its fates on ways to run it, by release, as PyTorch's registries were recorded:
    /// those after the release of `from`, up to that of `to`. Empty if a key is requested.
    #[serde(default)]
    pub ways: Vec<FateChangeView>,
}

/// A change of fate.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct FateChangeView {
    /// The first release with the new fate.
    #[schema(example = "2.12")]
    pub release: String,
    /// The way.
    #[schema(example = "decomposition")]
    pub way: String,
    /// The title, for display.
    #[schema(example = "Decomposition")]
    pub title: String,
    /// `gained`, `lost` or `changed`.
    #[schema(example = "lost")]
    pub turn: String,
    /// The fate before.
    #[schema(example = "by-default")]
    pub before: String,
    /// The fate since.
    #[schema(example = "kept")]
    pub after: String,
    /// Do calls work since? `yes`, `partly`, `no` or `unknown`; null if there is nothing to
    /// differentiate.
    #[schema(example = "yes")]
    pub works: Option<String>,
    /// True if nothing of the operator's own serves it since, so that calls fail or fall back.
    pub missing: bool,
    /// A sentence about the change.
    #[schema(example = "lost its decomposition: `by-default` became `kept`")]
    pub message: String,
}

impl FateChangeView {
    fn of(change: FateChange) -> Self {
        let works = change.after.answer(change.way).map(Answer::as_str);
        Self {
            release: change.release.as_str().to_owned(),
            way: change.way.as_str().to_owned(),
            title: change.way.title().to_owned(),
            turn: change.turn().as_str().to_owned(),
            before: change.before.as_str().to_owned(),
            after: change.after.as_str().to_owned(),
            works: works.map(str::to_owned),
            missing: change.after.is_missing(),
            message: opatlas_report::ways::change(change),
        }
    }
}

/// An event of an operator.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct Event {
    /// The first revision with the change.
    #[serde(flatten)]
    pub place: Place,
    /// `introduced`, `removed`, `schema`, `kernel`, `tag`, or `entry` for how it is bound and what
    /// happens around a call.
    #[schema(example = "schema")]
    pub kind: String,
    /// The change rule.
    #[schema(example = "argument-renamed")]
    pub rule: String,
    /// The level of the change, before any profile.
    #[schema(example = "breaking")]
    pub level: String,
    /// The dispatch key, if there is one.
    #[schema(example = "MPS")]
    pub key: Option<String>,
    /// All affected dispatch keys.
    pub keys: Vec<String>,
    /// The affected argument, tags or other names.
    pub names: Vec<String>,
    /// The operator that caused the change, if this one only follows it, as generated operators do.
    pub follows: Option<String>,
    /// The old text.
    pub old: Option<String>,
    /// The new text.
    pub new: Option<String>,
    /// A sentence about the change.
    pub message: String,
    /// The previous revision, without the change.
    pub since: Option<Place>,
}

/// A range of the timeline.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct RangeView {
    /// The runtime key; null for the operator's presence.
    pub key: Option<String>,
    /// The first revision.
    pub from: Place,
    /// The last revision, included.
    pub to: Place,
    /// Whether a call works, or, for keys that do not belong to a backend, whether it reaches a kernel;
    /// always true for presence.
    pub supported: bool,
    /// The reason of the entry.
    #[schema(example = "default backend kernel")]
    pub reason: Option<String>,
    /// The registered key that serves it.
    pub source_key: Option<String>,
    /// The kernel.
    pub kernel: Option<String>,
    /// Whether a call works; null for keys that do not belong to a backend.
    #[schema(example = "decomposes")]
    pub verdict: Option<String>,
    /// `yes`, `partly`, `no` or `unknown`; null for keys that do not belong to a backend.
    #[serde(default)]
    #[schema(example = "yes")]
    pub works: Option<String>,
    /// Why that is unknown.
    #[serde(default)]
    #[schema(example = "what it calls was not measured")]
    pub because: Option<String>,
    /// The means to settle it.
    #[serde(default)]
    #[schema(example = "an observation of a process of this revision")]
    pub settled_by: Option<String>,
}

/// A history on the wire.
#[must_use]
pub fn view(history: &OperatorHistory) -> History {
    let timeline = &history.timeline;
    let presence = history.present.iter().map(|range| RangeView {
        key: None,
        from: Place::at(timeline, *range.start()),
        to: Place::at(timeline, *range.end()),
        supported: true,
        reason: None,
        source_key: None,
        kernel: None,
        verdict: None,
        works: None,
        because: None,
        settled_by: None,
    });
    let served = history.ranges.iter().map(|range| served(timeline, range));
    History {
        project: timeline.project.to_string(),
        operator: history.operator.clone(),
        line: timeline.line.as_str().to_owned(),
        from: Place::at(timeline, *history.asked.start()),
        from_start: *history.asked.start() == 0,
        to: Place::at(timeline, *history.asked.end()),
        events: history.events.iter().map(|e| event(timeline, e)).collect(),
        ranges: presence.chain(served).collect(),
        ways: history
            .ways
            .iter()
            .copied()
            .map(FateChangeView::of)
            .collect(),
    }
}

pub(crate) fn event(timeline: &Timeline, event: &HistoryEvent) -> Event {
    Event {
        place: Place::at(timeline, event.place),
        kind: event.kind.as_str().to_owned(),
        rule: event.rule.clone(),
        level: event.level.as_str().to_owned(),
        key: match event.keys.as_slice() {
            [one] => Some(one.clone()),
            _ => None,
        },
        keys: event.keys.clone(),
        names: event.names.clone(),
        follows: event.follows.clone(),
        old: event.old.clone(),
        new: event.new.clone(),
        message: event.message.clone(),
        since: Place::before(timeline, event.place),
    }
}

/// A range with one entry at a key, on the wire.
#[must_use]
pub fn served(timeline: &Timeline, range: &KeyRange) -> RangeView {
    RangeView {
        key: Some(range.key.clone()),
        from: Place::at(timeline, *range.range.start()),
        to: Place::at(timeline, *range.range.end()),
        supported: range.is_supported(),
        reason: Some(range.reason.as_str().to_owned()),
        source_key: range.source_key.clone(),
        kernel: range.kernel.clone(),
        verdict: range.verdict.map(|verdict| verdict.as_str().to_owned()),
        works: range
            .verdict
            .map(|verdict| Answer::from(verdict).as_str().to_owned()),
        because: range.because.map(|because| because.as_str().to_owned()),
        settled_by: range
            .because
            .and_then(Because::settled_by)
            .map(str::to_owned),
    }
}
