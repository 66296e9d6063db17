//! Search over all revisions.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::service::history::{Found, Range, Timeline};

use super::Api;
use super::extract::{Path, Query};
use super::history::LineName;
use super::negotiate::{JSON, Wishes};
use super::paths::ProjectPath;
use super::place::Place;
use super::problem::{Document, Kind, PROBLEM_JSON, Problem};
use super::respond;

/// How many operators a search gives at most.
const MAX_FOUND: usize = 500;

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
    fn of(timeline: &Timeline, range: &Range) -> Self {
        Self {
            from: Place::at(timeline, *range.start()),
            to: Place::at(timeline, *range.end()),
        }
    }
}

/// Search all revisions
///
/// Operators that hold the words in any revision: in their name, their schema (arguments and types),
/// or the name of a kernel.
#[utoipa::path(
    get,
    path = "/v1/projects/{project}/search",
    tag = "history",
    operation_id = "search_history",
    params(ProjectPath, SearchQuery),
    responses(
        (status = 200, description = "What was found", body = SearchView),
        (status = 404, description = "No such project", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn search(
    State(api): State<Api>,
    Path(path): Path<ProjectPath>,
    Query(query): Query<SearchQuery>,
    wishes: Wishes,
) -> Result<Response, Problem> {
    wishes.media(JSON)?;
    if query.q.trim().is_empty() {
        let problem = Problem::new(Kind::InvalidParameter, "`q` says nothing to search for");
        return Err(problem.about("q"));
    }
    let limit = query.limit.unwrap_or(100);
    if !(1..=MAX_FOUND).contains(&limit) {
        let text = format!("`limit` must be 1 to {MAX_FOUND}");
        return Err(Problem::new(Kind::InvalidParameter, text).about("limit"));
    }
    let service = &api.service;
    let timeline = service.timeline(&path.project, query.line.map(Into::into));
    let timeline = timeline.await?;
    let found = service.search_history(&timeline, &query.q, limit).await?;
    let view = |found: &Found| FoundView {
        operator: found.operator.clone(),
        current: found.is_current,
        present: found
            .present
            .iter()
            .map(|r| Stretch::of(&timeline, r))
            .collect(),
        changed: found
            .places
            .iter()
            .map(|&p| Place::at(&timeline, p))
            .collect(),
    };
    let found = SearchView {
        items: found.iter().map(view).collect(),
    };
    respond::value(&api, &wishes, StatusCode::OK, &found).await
}
