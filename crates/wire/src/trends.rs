//! Counts over the revisions of a project.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::history::LineName;
use crate::place::Place;
use crate::ways::WayName;
use opatlas_service::history::{Facts, FateCounts, KeyFacts, Timeline};
use opatlas_verdict::ways::{Fate, Way};

/// The most points of an answer.
pub const MAX_POINTS: usize = 2000;

/// The part of the timeline to return.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct TrendQuery {
    /// The first revision; by default the first one.
    #[param(example = "2.0.0")]
    pub from: Option<String>,
    /// The last revision; by default the latest one.
    #[param(example = "latest")]
    pub to: Option<String>,
    /// The maximum number of points; if there are more revisions, evenly spaced ones, including the
    /// first and the last.
    #[param(minimum = 2, maximum = 2000, default = 200)]
    pub points: Option<usize>,
    /// Whether to include the coverage of each backend; without it an answer is much smaller.
    #[param(default = true)]
    pub coverage: Option<bool>,
    /// A way to run operators: also count them by their fate on it. At most 64 points.
    #[param(example = "vmap")]
    pub way: Option<String>,
    /// The kind of timeline.
    #[param(inline)]
    pub line: Option<LineName>,
}

/// Counts over a timeline.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct Trends {
    /// The project.
    #[schema(example = "pytorch")]
    pub project: String,
    /// The kind of timeline.
    #[schema(example = "releases")]
    pub line: Cow<'static, str>,
    /// The number of revisions in the range.
    pub revisions: usize,
    /// The ways that `way` may name.
    pub ways: Vec<WayName>,
    /// The points, in order.
    pub points: Vec<Point>,
}

/// Counts of a revision. All except `generated` count declared operators.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct Point {
    /// The revision.
    #[serde(flatten)]
    pub place: Place,
    /// Declared operators.
    pub operators: u32,
    /// Generated operators.
    pub generated: u32,
    /// Operators with a kernel on `CompositeImplicitAutograd`.
    pub composite_implicit: u32,
    /// Operators with a kernel on `CompositeExplicitAutograd` or its NonFunctional form.
    pub composite_explicit: u32,
    /// Operators that are `structured: True`.
    pub structured: u32,
    /// Operators with the tag `core`.
    pub core: u32,
    /// The backends with dense tensors, in table order; empty if not requested.
    pub coverage: Vec<KeyPoint>,
    /// Declared operators by their fate on the requested way; null without one.
    pub way: Option<WayPoint>,
    /// The changes since the previous revision on the timeline, even if that is not one of the
    /// points; null for the first.
    pub step: Option<StepView>,
}

/// The changes since the previous revision: counts by level, before any profile.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct StepView {
    /// The previous revision.
    pub since: Place,
    /// Breaking changes.
    pub breaking: u32,
    /// Forward-breaking changes: new code fails on the old side.
    pub forward_breaking: u32,
    /// Dangerous changes.
    pub dangerous: u32,
    /// Safe and informational changes.
    pub other: u32,
}

/// The coverage of a backend.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct KeyPoint {
    /// The runtime key.
    #[schema(example = "MPS")]
    pub key: String,
    /// Operators with a kernel registered on the key.
    pub kernels: u32,
    /// Operators that work: those that run, decompose or fall back.
    pub served: u32,
    /// Operators that work in some cases only.
    pub partly: u32,
    /// Operators whose calls fail.
    pub fails: u32,
    /// Operators for which this is unknown. `served`, `partly`, `fails` and `unknown` add up to
    /// `applicable`.
    pub unknown: u32,
    /// Operators that the backend is expected to have.
    pub applicable: u32,
    /// Operators that fail because only other backends have them.
    pub other_backends: u32,
    /// The share of applicable operators that work, in percent.
    #[schema(example = 63)]
    pub percent: u32,
    /// Whether anything is claimed about the key: its kernels are part of PyTorch, or a file or an
    /// observation describes them.
    pub claimed: bool,
}

/// Declared operators by their fate on a way.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct WayPoint {
    /// The way.
    #[schema(example = "vmap")]
    pub way: Cow<'static, str>,
    /// The title, for display.
    #[schema(example = "vmap")]
    pub title: Cow<'static, str>,
    /// Operators to which it applies.
    pub operators: u32,
    /// Operators that nothing of their own serves on it.
    pub missing: u32,
    /// Operators whose fate is unknown.
    pub unknown: u32,
    /// Operators by fate.
    #[schema(example = json!({"rule": 900, "falls back": 200}))]
    pub fates: BTreeMap<Cow<'static, str>, u32>,
}

impl WayPoint {
    /// The counts of a revision.
    #[must_use]
    pub fn of(way: Way, counts: &FateCounts) -> Self {
        let missing = counts.iter().filter(|(fate, _)| fate.is_missing());
        Self {
            way: way.as_str().into(),
            title: way.title().into(),
            operators: counts.values().sum(),
            missing: missing.map(|(_, count)| count).sum(),
            unknown: counts.get(&Fate::Unknown).copied().unwrap_or(0),
            fates: counts
                .iter()
                .map(|(fate, &count)| (fate.as_str().into(), count))
                .collect(),
        }
    }
}

/// The facts about one revision of a timeline.
pub fn point(timeline: &Timeline, place: usize, facts: &Facts, has_coverage: bool) -> Point {
    let before = Place::before(timeline, place);
    let keys: &[KeyFacts] = if has_coverage { &facts.keys } else { &[] };
    Point {
        place: Place::at(timeline, place),
        operators: facts.operators,
        generated: facts.generated,
        composite_implicit: facts.composite_implicit,
        composite_explicit: facts.composite_explicit,
        structured: facts.structured,
        core: facts.core,
        coverage: keys
            .iter()
            .map(|key| KeyPoint {
                key: key.0.clone(),
                kernels: key.1,
                served: key.2,
                partly: key.5,
                fails: key.6,
                unknown: facts
                    .operators
                    .saturating_sub(key.2 + key.5 + key.6 + key.7),
                applicable: facts.operators.saturating_sub(key.7),
                other_backends: key.7,
                percent: key.3,
                claimed: key.4,
            })
            .collect(),
        way: None,
        step: before.zip(facts.step).map(|(since, step)| StepView {
            since,
            breaking: step.breaking,
            forward_breaking: step.forward_breaking,
            dangerous: step.dangerous,
            other: step.other,
        }),
    }
}
