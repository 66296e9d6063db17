//! Search over all revisions.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;

use crate::http::Api;
use crate::http::extract::{Path, Query};
use crate::http::negotiate::{Accept, JSON};
use crate::http::page;
use crate::http::page::Cursors;
use crate::http::respond;
use opatlas_service::history::{HistoryMatch, Timeline, Which};
use opatlas_service::{Service, ViewId};
use opatlas_verdict::ways::{SoughtWay, sought};
use opatlas_wire::paths::ProjectPath;
use opatlas_wire::place::Place;
use opatlas_wire::problem::{Document, Kind, PROBLEM_JSON, Problem};
use opatlas_wire::search::{
    FoundView, SearchQuery, SearchView, SoughtWayView, Stretch, expect_few_words,
};

const MAX_FOUND: usize = 500;

/// Search all revisions
///
/// Operators that contain the words in any revision: in their name, their schema (arguments and
/// types), or the name of a kernel. Names may be written as in C++ and Python:
/// `torch.ops.aten.add.Tensor`, `F.relu`. If nothing matches, similar names are returned. Words may
/// name a way to run operators: `vmap grid_sampler`, `core without lowering`.
#[utoipa::path(
    get,
    path = "/v1/projects/{project}/search",
    tag = "history",
    operation_id = "search_history",
    params(ProjectPath, SearchQuery),
    responses(
        (status = 200, description = "The matches", body = SearchView),
        (status = 404, description = "No such project", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn search(
    State(api): State<Api>,
    Path(path): Path<ProjectPath>,
    Query(query): Query<SearchQuery>,
    accept: Accept,
) -> Result<Response, Problem> {
    accept.media(JSON)?;
    if query.q.trim().is_empty() {
        let problem = Problem::new(Kind::InvalidParameter, "`q` contains nothing to search for");
        return Err(problem.about("q"));
    }
    expect_few_words(&query.q)?;
    let limit = query.limit.unwrap_or(100);
    if !(1..=MAX_FOUND).contains(&limit) {
        let text = format!("`limit` must be between 1 and {MAX_FOUND}");
        return Err(Problem::new(Kind::InvalidParameter, text).about("limit"));
    }
    let which = match query.removed {
        Some(true) => Which::Removed,
        _ => Which::All,
    };
    let service = &api.service;
    // Before anything is read, so that all of it holds for the mark.
    let mark = service.mark().await;
    let timeline = service
        .timeline(&path.project, query.line.map(Into::into))
        .await?;
    let way = sought(&query.q);
    let newest = timeline.items.last().map(|item| item.digest);
    let cursors = Cursors::of(ViewId::of_program(
        "search",
        &(&path.project, &query.q, query.line, query.removed, newest),
    ));
    let start = match &query.cursor {
        Some(cursor) => Start::parse(&cursors.decode(cursor)?).ok_or_else(page::invalid)?,
        None => Start::default(),
    };
    let words = (&*query.q, way.as_ref());
    let (mut found, start) = find(service, &timeline, words, (start, limit), which).await?;
    let next_cursor = (found.len() > limit).then(|| cursors.encode(&start.after(limit)));
    found.truncate(limit);
    let view = |found: &HistoryMatch| FoundView {
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
        next_cursor,
        way: way.map(SoughtWayView::of),
    };
    let answer = respond::value(&api, &accept, StatusCode::OK, &found);
    let mut response = answer.await?;
    page::mark(&mut response, found.next_cursor);
    respond::keep(&mut response, mark);
    Ok(response)
}

/// Where a page of matches begins.
#[derive(Debug, Clone, Copy, Default)]
struct Start {
    at: usize,
    /// Whether nothing matches all words, so that the matches are those of a way and the words besides it.
    is_of_rest: bool,
}

impl Start {
    fn parse(place: &str) -> Option<Self> {
        let (mark, number) = place.split_at_checked(1)?;
        Some(Self {
            at: number.parse().ok()?,
            is_of_rest: match mark {
                "a" => false,
                "r" => true,
                _ => return None,
            },
        })
    }

    fn after(self, count: usize) -> String {
        let mark = if self.is_of_rest { 'r' } else { 'a' };
        format!("{mark}{}", self.at.saturating_add(count))
    }
}

/// One match more than `limit` says whether there is another page.
async fn find(
    service: &Service,
    timeline: &Arc<Timeline>,
    (words, way): (&str, Option<&SoughtWay>),
    (start, limit): (Start, usize),
    which: Which,
) -> Result<(Vec<HistoryMatch>, Start), Problem> {
    let part = start.at..start.at.saturating_add(limit).saturating_add(1);
    if !start.is_of_rest {
        let found = service
            .search_history(timeline, words, part.clone(), which)
            .await?;
        let says_more = way.is_some_and(|way| way.is_missing || !way.rest.is_empty());
        if !found.is_empty() || !says_more || start.at > 0 {
            return Ok((found, start));
        }
    }
    let Some(way) = way else {
        return Ok((Vec::new(), start));
    };
    let start = Start {
        is_of_rest: true,
        ..start
    };
    let found = match (way.is_missing, which) {
        (true, Which::All) => service.search_way(timeline, way, part).await?,
        // Those that are gone lack nothing in the last revision.
        (true, Which::Removed) => Vec::new(),
        (false, which) => {
            service
                .search_history(timeline, &way.rest, part, which)
                .await?
        }
    };
    Ok((found, start))
}
