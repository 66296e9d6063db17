//! Search over all revisions.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::history::LineName;
use crate::place::Place;
use crate::problem::{Kind, Problem};
use opatlas_service::history::{Range, Timeline};
use opatlas_verdict::ways::SoughtWay;

/// The maximum length of a search text: each of its words is compared with every operator.
const MAX_WORDS: usize = 500;

/// Rejects a search text that is too long with [`Kind::InvalidParameter`].
pub fn expect_few_words(words: &str) -> Result<(), Problem> {
    if words.chars().count() <= MAX_WORDS {
        Ok(())
    } else {
        let detail = format!("`q` may have at most {MAX_WORDS} characters");
        Err(Problem::new(Kind::InvalidParameter, detail).about("q"))
    }
}

/// What to search for.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct SearchQuery {
    /// Part of a name, an argument, a type, or the name of a kernel.
    #[param(example = "add_mps", max_length = 500)]
    pub q: String,
    /// The maximum number of operators.
    #[param(minimum = 1, maximum = 500, default = 100)]
    pub limit: Option<usize>,
    /// `next_cursor` of the previous page.
    pub cursor: Option<String>,
    /// The kind of timeline.
    #[param(inline)]
    pub line: Option<LineName>,
    /// Only operators that the last revision does not have.
    #[param(default = false)]
    pub removed: Option<bool>,
}

/// The result of a search.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct SearchView {
    /// The operators. Those whose names match come first, and among them those of the last revision.
    /// If no operator contains all words and one of them names a way, those that contain the rest.
    pub items: Vec<FoundView>,
    /// The cursor of the next page; null at the end.
    pub next_cursor: Option<String>,
    /// The way to run operators that the words name; null if they name none.
    pub way: Option<SoughtWayView>,
}

/// A way in the words.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct SoughtWayView {
    /// The way.
    #[schema(example = "inductor")]
    pub way: Cow<'static, str>,
    /// The title, for display.
    #[schema(example = "Inductor")]
    pub title: Cow<'static, str>,
    /// True if the words ask for operators that nothing of their own serves.
    pub missing: bool,
    /// The tag that they ask for: `core`.
    #[schema(example = "core")]
    pub tag: Option<Cow<'static, str>>,
    /// The other words, which name operators.
    #[schema(example = "grid_sampler")]
    pub rest: String,
}

impl SoughtWayView {
    /// On the wire.
    #[must_use]
    pub fn of(sought: SoughtWay) -> Self {
        Self {
            way: sought.way.as_str().into(),
            title: sought.way.title().into(),
            missing: sought.is_missing,
            tag: sought.is_core.then_some("core".into()),
            rest: sought.rest,
        }
    }
}

/// An operator of some revision.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct FoundView {
    /// The operator.
    #[schema(example = "add.Tensor")]
    pub operator: String,
    /// Whether it matches in the last revision.
    pub current: bool,
    /// The ranges in which it exists.
    pub present: Vec<Stretch>,
    /// The revisions whose changes contain the words.
    pub changed: Vec<Place>,
}

/// A range of a timeline.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct Stretch {
    /// The first revision.
    pub from: Place,
    /// The last revision, included.
    pub to: Place,
}

impl Stretch {
    /// The range of a timeline that was searched.
    pub fn of(timeline: &Timeline, range: &Range) -> Self {
        Self {
            from: Place::at(timeline, *range.start()),
            to: Place::at(timeline, *range.end()),
        }
    }
}
