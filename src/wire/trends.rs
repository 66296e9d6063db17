//! Counts over the revisions of a project.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::service::history::{Facts, KeyFacts, Timeline};
use crate::wire::history::LineName;
use crate::wire::place::Place;

/// Which part of the timeline.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct TrendQuery {
    /// Where to begin; by default with the first revision.
    #[param(example = "2.0.0")]
    pub from: Option<String>,
    /// Where to end; by default with the last revision.
    #[param(example = "latest")]
    pub to: Option<String>,
    /// How many points at most; where there are more revisions, evenly chosen ones, the first and
    /// the last among them.
    #[param(minimum = 2, maximum = 2000, default = 200)]
    pub points: Option<usize>,
    /// Whether the coverage of each backend is told; without it an answer is much smaller.
    #[param(default = true)]
    pub coverage: Option<bool>,
    /// What the timeline is made of.
    #[param(inline)]
    pub line: Option<LineName>,
}

/// Counts over a timeline.
#[derive(Debug, Serialize, ToSchema)]
pub struct Trends {
    /// The project.
    #[schema(example = "pytorch")]
    pub project: String,
    /// What the timeline is made of.
    #[schema(example = "releases")]
    pub line: &'static str,
    /// How many revisions the stretch has.
    pub revisions: usize,
    /// The points, in order.
    pub points: Vec<Point>,
}

/// Counts of a revision. All but `generated` are of operators that entries declare.
#[derive(Debug, Serialize, ToSchema)]
pub struct Point {
    /// The revision.
    #[serde(flatten)]
    pub place: Place,
    /// Operators that entries declare.
    pub operators: u32,
    /// Operators that `autogen` adds.
    pub generated: u32,
    /// Operators with a kernel on `CompositeImplicitAutograd`.
    pub composite_implicit: u32,
    /// Operators with a kernel on `CompositeExplicitAutograd` or its NonFunctional sibling.
    pub composite_explicit: u32,
    /// Operators that are `structured: True`.
    pub structured: u32,
    /// Operators with the tag `core`.
    pub core: u32,
    /// The backends with dense tensors, in table order; none where they were not asked for.
    pub coverage: Vec<KeyPoint>,
    /// What changed since the revision before it on the timeline, whether or not that one is among
    /// the points; null for the first.
    pub step: Option<StepView>,
}

/// What changed since the revision before: how many changes of which level, before any profile.
#[derive(Debug, Serialize, ToSchema)]
pub struct StepView {
    /// The revision before.
    pub since: Place,
    /// What breaks.
    pub breaking: u32,
    /// What only breaks what is new on what is old.
    pub forward_breaking: u32,
    /// What somebody must act upon.
    pub dangerous: u32,
    /// What harms nobody, or is only good to know.
    pub other: u32,
}

/// The coverage of a backend.
#[derive(Debug, Serialize, ToSchema)]
pub struct KeyPoint {
    /// The runtime key.
    #[schema(example = "MPS")]
    pub key: String,
    /// Operators with a kernel of the key itself.
    pub kernels: u32,
    /// Operators whose calls get to a kernel, whatever it is.
    pub served: u32,
    /// The latter's share of all declared operators, rounded down.
    #[schema(example = 63)]
    pub percent: u32,
}

pub(crate) fn point(timeline: &Timeline, place: usize, facts: &Facts, has_coverage: bool) -> Point {
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
                percent: key.percent(facts.operators),
            })
            .collect(),
        step: before.zip(facts.step).map(|(since, step)| StepView {
            since,
            breaking: step.breaking,
            forward_breaking: step.forward_breaking,
            dangerous: step.dangerous,
            other: step.other,
        }),
    }
}
