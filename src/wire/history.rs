//! The history of an operator.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::service::history::{HistoryEvent, KeyRange, OperatorHistory, Timeline};
use crate::wire::place::Place;

/// An operator of a project.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct LifePath {
    /// The project.
    #[param(example = "pytorch")]
    pub project: String,
    /// `base_name[.overload]`; another namespace than `aten` stands before it, `ns::name`.
    #[param(example = "add.Tensor")]
    pub operator: String,
}

/// What a timeline is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum LineName {
    /// Labels that are versions, in the order of versions.
    Releases,
    /// Commits, in the order of their topology.
    Commits,
    /// Revisions, as they were ingested.
    Ingests,
}

/// Which part of a history.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct HistoryQuery {
    /// Only what is about this runtime key, and what is not about keys.
    #[param(example = "MPS")]
    pub key: Option<String>,
    /// Where to begin: a label, a commit, `sha256:HEX`; by default with the first revision.
    #[param(example = "2.0.0")]
    pub from: Option<String>,
    /// Where to end; by default with the last revision.
    #[param(example = "latest")]
    pub to: Option<String>,
    /// What the timeline is made of; by default releases where there are any, else commits, else
    /// revisions as they were ingested.
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
    /// What the timeline is made of: `releases`, `commits` or `ingests`.
    #[schema(example = "releases")]
    pub line: String,
    /// Where it begins.
    pub from: Place,
    /// Whether that is the first revision of the timeline.
    pub from_start: bool,
    /// Where it ends.
    pub to: Place,
    /// What happened, in order; within a revision the worst first.
    pub events: Vec<Event>,
    /// The stretches in which the operator is there (with `key` null), and in which one thing
    /// served it at a key: at the key asked for, else at each backend with dense tensors.
    pub ranges: Vec<RangeView>,
}

/// What happened to an operator.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct Event {
    /// Where it shows first.
    #[serde(flatten)]
    pub place: Place,
    /// `introduced`, `removed`, `schema`, `kernel`, `tag`, or `entry` for how it is bound and what
    /// happens around a call.
    #[schema(example = "schema")]
    pub kind: String,
    /// The change rule.
    #[schema(example = "argument-renamed")]
    pub rule: String,
    /// How bad the change is, before any profile.
    #[schema(example = "breaking")]
    pub level: String,
    /// The dispatch key, where it is about one.
    #[schema(example = "MPS")]
    pub key: Option<String>,
    /// All dispatch keys that it is about.
    pub keys: Vec<String>,
    /// The argument, tags or other names that it is about.
    pub names: Vec<String>,
    /// The operator that it is told of, where this one only follows, as generated ones do.
    pub follows: Option<String>,
    /// What stood there before.
    pub old: Option<String>,
    /// What stands there now.
    pub new: Option<String>,
    /// What changed, in a sentence.
    pub message: String,
    /// The revision before, which had not changed yet.
    pub since: Option<Place>,
}

/// A stretch of the timeline.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct RangeView {
    /// The runtime key; null for the operator's presence.
    pub key: Option<String>,
    /// Where it begins.
    pub from: Place,
    /// Where it ends, included.
    pub to: Place,
    /// Whether a call gets to a kernel; for presence always true.
    pub supported: bool,
    /// Why it serves.
    #[schema(example = "default backend kernel")]
    pub reason: Option<String>,
    /// The registered key that serves.
    pub source_key: Option<String>,
    /// The kernel.
    pub kernel: Option<String>,
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

/// What served a key, on the wire.
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
    }
}
