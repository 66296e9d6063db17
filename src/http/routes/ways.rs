//! The ways to run operators: compile, export, batch, autocast, shard, package.

use axum::extract::State;
use axum::response::Response;

use crate::http::Api;
use crate::http::extract::{Path, Query};
use crate::http::negotiate::{Accept, JSON, Media, SHEET};
use crate::http::page;
use crate::http::page::{Cursors, Window};
use crate::http::respond;
use crate::http::respond::{Effort, Making, ViewRequest};
use crate::http::stream::lines;
use opatlas_service::ViewId;
use opatlas_wire::json::json;
use opatlas_wire::paths::{OperatorPath, ReleaseQuery, RevisionPath};
use opatlas_wire::problem::{Document, PROBLEM_JSON, Problem};
use opatlas_wire::ways::{
    OperatorFate, OperatorWays, WayList, WayPage, WayPath, WayQuery, csv, of_operator, operators,
    parse_fate, parse_way,
};

/// Ways
///
/// The ways to run operators besides a plain call (compile, export, batch, autocast, shard,
/// package), each with the number of operators by fate.
#[utoipa::path(
    get,
    path = "/v1/projects/{project}/revisions/{revision}/ways",
    tag = "dispatch",
    operation_id = "list_ways",
    params(RevisionPath, ReleaseQuery),
    responses(
        (status = 200, description = "The ways", body = WayList),
        (status = 404, description = "No such project or revision", body = Document, content_type = PROBLEM_JSON),
        (status = 409, description = "Another release, or an ambiguous digest", body = Document, content_type = PROBLEM_JSON),
        (status = 422, description = "No such release", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn list(
    State(api): State<Api>,
    Path(path): Path<RevisionPath>,
    Query(query): Query<ReleaseQuery>,
    accept: Accept,
) -> Result<Response, Problem> {
    let media = accept.media(JSON)?;
    let release = query.release.as_deref();
    let revision = api
        .service
        .resolve(&path.project, &path.revision, release)
        .await?;
    let request = ViewRequest {
        revision: &revision,
        view: "ways",
        parameters: (),
        media,
        making: Making::Parsed,
        effort: Effort::Much,
    };
    respond::view(&api, &accept, request, |snapshot, _| {
        Ok(json(&opatlas_wire::ways::list(snapshot.view())))
    })
    .await
}

/// A way
///
/// What becomes of each operator on a way, and why. With `Accept: text/csv` or
/// `application/x-ndjson`, one per line, and all of them unless there is a `limit`.
#[utoipa::path(
    get,
    path = "/v1/projects/{project}/revisions/{revision}/ways/{way}",
    tag = "dispatch",
    operation_id = "get_way",
    params(WayPath, WayQuery),
    responses(
        (status = 200, description = "A page of operators; or all of them, one per line", content(
            (WayPage = "application/json"),
            (OperatorFate = "application/x-ndjson"),
            (String = "text/csv"),
        )),
        (status = 404, description = "No such project, revision or way", body = Document, content_type = PROBLEM_JSON),
        (status = 409, description = "Another release, or an ambiguous digest", body = Document, content_type = PROBLEM_JSON),
        (status = 422, description = "No such release", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn one(
    State(api): State<Api>,
    Path(path): Path<WayPath>,
    Query(query): Query<WayQuery>,
    accept: Accept,
) -> Result<Response, Problem> {
    let media = accept.media(SHEET)?;
    page::limit(query.limit)?;
    let release = query.release.as_deref();
    let revision = api
        .service
        .resolve(&path.project, &path.revision, release)
        .await?;
    let way = parse_way(&path.way).map_err(Problem::in_path)?;
    let only = query.fate.as_deref().map(parse_fate).transpose()?;
    let cursors = Cursors::of(ViewId::new(&revision, "way", &(way, only), ""));
    let asked = (query.limit, query.cursor.as_deref());
    let window = Window::of(media, cursors, asked)?;
    let request = ViewRequest {
        revision: &revision,
        view: "way",
        parameters: (way, only, window.place()),
        media,
        making: Making::Parsed,
        effort: Effort::Much,
    };
    respond::page(&api, &accept, request, move |snapshot, _| {
        // One more says whether there is another page.
        let part = window.from..window.positions().end.saturating_add(1);
        let mut items = operators(snapshot.view(), way, only, part);
        let next_cursor = window.next(window.from + items.len());
        items.truncate(window.limit.unwrap_or(usize::MAX));
        let text = match media {
            Media::Csv => csv(&items).into_bytes(),
            Media::NdJson => lines(&items),
            _ => json(&WayPage {
                way: way.as_str(),
                items,
                next_cursor: next_cursor.clone(),
            }),
        };
        Ok((text, next_cursor))
    })
    .await
}

/// The ways of an operator
///
/// What becomes of one operator on each way that applies to it, and the dtypes of the Python
/// functions that call it.
#[utoipa::path(
    get,
    path = "/v1/projects/{project}/revisions/{revision}/operators/{operator}/ways",
    tag = "dispatch",
    operation_id = "get_operator_ways",
    params(OperatorPath, ReleaseQuery),
    responses(
        (status = 200, description = "The ways", body = OperatorWays),
        (status = 404, description = "No such project, revision or operator", body = Document, content_type = PROBLEM_JSON),
        (status = 409, description = "Another release, or an ambiguous digest", body = Document, content_type = PROBLEM_JSON),
        (status = 422, description = "No such release", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn of_one(
    State(api): State<Api>,
    Path(path): Path<OperatorPath>,
    Query(query): Query<ReleaseQuery>,
    accept: Accept,
) -> Result<Response, Problem> {
    let media = accept.media(JSON)?;
    let release = query.release.as_deref();
    let revision = api
        .service
        .resolve(&path.project, &path.revision, release)
        .await?;
    let request = ViewRequest {
        revision: &revision,
        view: "operator ways",
        parameters: path.operator.clone(),
        media,
        making: Making::Parsed,
        effort: Effort::Little,
    };
    let title = revision.title();
    respond::view(&api, &accept, request, move |snapshot, _| {
        let id = snapshot.find_in(|| title, &path.operator)?;
        Ok(json(&of_operator(snapshot.view(), id)))
    })
    .await
}
