//! The history of an operator.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;

use crate::http::Api;
use crate::http::extract::{Path, Query};
use crate::http::negotiate::{Accept, JSON};
use crate::http::respond;
use opatlas_wire::history::{History, HistoryQuery, LifePath, view};
use opatlas_wire::problem::{Document, PROBLEM_JSON, Problem};

/// An operator's history
///
/// When the operator was added and removed, how its schema changed and at which level, which kernels
/// and tags it gained and lost, and its entry at each key, over the project's timeline: releases by
/// version, commits by topology.
#[utoipa::path(
    get,
    path = "/v1/projects/{project}/operators/{operator}/history",
    tag = "history",
    operation_id = "get_operator_history",
    params(LifePath, HistoryQuery),
    responses(
        (status = 200, description = "The history", body = History),
        (status = 404, description = "No such project, operator or revision", body = Document, content_type = PROBLEM_JSON),
        (status = 422, description = "No such key", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn operator(
    State(api): State<Api>,
    Path(path): Path<LifePath>,
    Query(query): Query<HistoryQuery>,
    accept: Accept,
) -> Result<Response, Problem> {
    accept.media(JSON)?;
    let service = &api.service;
    // Before anything is read, so that all of it holds for the mark.
    let mark = service.mark().await;
    let line = query.line.map(Into::into);
    let timeline = service.timeline(&path.project, line).await?;
    let asked = timeline.range(query.from.as_deref(), query.to.as_deref())?;
    let history = service
        .history(&timeline, &path.operator, asked, query.key.as_deref())
        .await?;
    let mut response = respond::value(&api, &accept, StatusCode::OK, &view(&history)).await?;
    respond::keep(&mut response, mark);
    Ok(response)
}
