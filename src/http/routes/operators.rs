//! The operators of a revision.

use axum::extract::State;
use axum::response::Response;

use crate::http::Api;
use crate::http::extract::{Path, Query};
use crate::http::negotiate::{Accept, JSON, LIST};
use crate::http::page;
use crate::http::page::{Cursors, Window};
use crate::http::respond;
use crate::http::respond::{Effort, Making, ViewRequest};
use crate::http::stream;
use opatlas_service::ViewId;
use opatlas_service::search::find;
use opatlas_wire::json::json;
use opatlas_wire::operator::{Operator, operator};
use opatlas_wire::operators::{
    OperatorPage, Operators, OperatorsQuery, expect_values, operator_page,
};
use opatlas_wire::paths::{OperatorPath, ReleaseQuery, RevisionPath};
use opatlas_wire::problem::{Document, PROBLEM_JSON, Problem};

/// Operators
///
/// All operators of a revision that match the filters: declared operators in file order, then
/// generated operators. With `Accept: application/x-ndjson`, one per line, and all of them unless there
/// is a `limit`.
#[utoipa::path(
    get,
    path = "/v1/projects/{project}/revisions/{revision}/operators",
    tag = "operators",
    operation_id = "list_operators",
    params(RevisionPath, OperatorsQuery),
    responses(
        (status = 200, description = "A page of operators; or all of them, one per line", content(
            (Operators = "application/json"),
            (Operator = "application/x-ndjson"),
        )),
        (status = 404, description = "No such project or revision", body = Document, content_type = PROBLEM_JSON),
        (status = 409, description = "Another release, or an ambiguous digest", body = Document, content_type = PROBLEM_JSON),
        (status = 422, description = "No such release, dispatch key or tag", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn list(
    State(api): State<Api>,
    Path(path): Path<RevisionPath>,
    Query(query): Query<OperatorsQuery>,
    accept: Accept,
) -> Result<Response, Problem> {
    let media = accept.media(LIST)?;
    page::limit(query.limit)?;
    let service = &api.service;
    let revision = service
        .resolve(&path.project, &path.revision, query.release.as_deref())
        .await?;
    let filter = query.filter()?;
    let list = ViewId::new(&revision, "operators", &filter, "");
    let asked = (query.limit, query.cursor.as_deref());
    let window = Window::of(media, Cursors::of(list), asked)?;
    if window.is_whole() {
        let asked = ("operators", filter);
        return stream::operators(&api, &accept, &revision, asked, |snapshot, id, text| {
            stream::push_line(text, &operator(snapshot, id));
        })
        .await;
    }
    let request = ViewRequest {
        revision: &revision,
        view: "operators",
        parameters: (filter.clone(), window.place()),
        media,
        making: Making::Parsed,
        effort: Effort::Much,
    };
    respond::page(&api, &accept, request, move |snapshot, stop| {
        filter.check(&snapshot.catalogue)?;
        expect_values(&snapshot.catalogue, &filter)?;
        let found = find(snapshot, &filter, stop)?;
        let items = &found[window.within(found.len())];
        let items = items.iter().map(|&id| operator(snapshot, id)).collect();
        let next_cursor = window.next(found.len());
        let list = Operators { items, next_cursor };
        let text = stream::text(media, &list, &list.items);
        Ok((text, list.next_cursor))
    })
    .await
}

/// An operator
///
/// The declaration of an operator: its schema, kernels and tags, its position and lines, and its
/// findings.
#[utoipa::path(
    get,
    path = "/v1/projects/{project}/revisions/{revision}/operators/{operator}",
    tag = "operators",
    operation_id = "get_operator",
    params(OperatorPath, ReleaseQuery),
    responses(
        (status = 200, description = "The operator", body = OperatorPage),
        (status = 404, description = "No such project, revision or operator", body = Document, content_type = PROBLEM_JSON),
        (status = 409, description = "Another release, or an ambiguous digest", body = Document, content_type = PROBLEM_JSON),
        (status = 422, description = "No such release", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn one(
    State(api): State<Api>,
    Path(path): Path<OperatorPath>,
    Query(query): Query<ReleaseQuery>,
    accept: Accept,
) -> Result<Response, Problem> {
    let media = accept.media(JSON)?;
    let service = &api.service;
    let revision = service
        .resolve(&path.project, &path.revision, query.release.as_deref())
        .await?;
    let name = path.operator;
    let request = ViewRequest {
        revision: &revision,
        view: "operator",
        parameters: name.clone(),
        media,
        making: Making::Checked,
        effort: Effort::Little,
    };
    let asked = revision.clone();
    respond::view(&api, &accept, request, move |snapshot, _| {
        let id = snapshot.find(&asked, &name)?;
        Ok(json(&operator_page(snapshot, id)))
    })
    .await
}
