//! Answers of the search.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::service::history::{Range, Timeline};
use crate::wire::history::LineName;
use crate::wire::place::Place;

/// What to search for.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct SearchQuery {
    /// Part of a name, an argument, a type, or the name of a kernel.
    #[param(example = "add_mps")]
    pub q: String,
    /// How many operators are given.
    #[param(minimum = 1, maximum = 500, default = 100)]
    pub limit: Option<usize>,
    /// What the timeline is made of.
    #[param(inline)]
    pub line: Option<LineName>,
}

/// What a search found.
#[derive(Debug, Serialize, ToSchema)]
pub struct SearchView {
    /// Operators, those of the last revision first.
    pub items: Vec<FoundView>,
}

/// An operator that some revision has.
#[derive(Debug, Serialize, ToSchema)]
pub struct FoundView {
    /// The operator.
    #[schema(example = "add.Tensor")]
    pub operator: String,
    /// Whether it fits in the last revision.
    pub current: bool,
    /// The stretches in which it is there.
    pub present: Vec<Stretch>,
    /// Where what changed holds the words.
    pub changed: Vec<Place>,
}

/// A stretch of a timeline.
#[derive(Debug, Serialize, ToSchema)]
pub struct Stretch {
    /// Where it begins.
    pub from: Place,
    /// Where it ends, included.
    pub to: Place,
}

impl Stretch {
    pub(crate) fn of(timeline: &Timeline, range: &Range) -> Self {
        Self {
            from: Place::at(timeline, *range.start()),
            to: Place::at(timeline, *range.end()),
        }
    }
}
