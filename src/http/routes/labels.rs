//! Labels: movable names for revisions.

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};

use crate::http::Api;
use crate::http::extract::{Json, Path, Query};
use crate::http::middleware::access::Access;
use crate::http::negotiate::{Accept, JSON, LIST, joined};
use crate::http::page;
use crate::http::page::Cursors;
use crate::http::respond;
use crate::http::routes::revisions::protection;
use opatlas_service::{Encoding, LabelMove, Precondition, ViewId};
use opatlas_store::{LabelChange, LabelRecord};
use opatlas_wire::labels::{ForceQuery, Label, LabelList, LabelPath, LabelTarget};
use opatlas_wire::page::PageQuery;
use opatlas_wire::paths::ProjectPath;
use opatlas_wire::problem::{Document, PROBLEM_JSON, Problem};

/// Labels
///
/// All labels of a project, by name.
#[utoipa::path(
    get,
    path = "/v1/projects/{project}/labels",
    tag = "labels",
    operation_id = "list_labels",
    params(ProjectPath, PageQuery),
    responses(
        (status = 200, description = "A page of labels; or all of them, one per line", content(
            (LabelList = "application/json"),
            (Label = "application/x-ndjson"),
        )),
        (status = 404, description = "No such project", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn list(
    State(api): State<Api>,
    Path(path): Path<ProjectPath>,
    Query(query): Query<PageQuery>,
    accept: Accept,
) -> Result<Response, Problem> {
    let media = accept.media(LIST)?;
    let limit = page::limit_of(media, query.limit)?.unwrap_or(usize::MAX);
    let labels = api.service.labels(&path.project).await?;
    let cursors = Cursors::of(ViewId::of_program("labels", &path.project));
    let after = match &query.cursor {
        Some(cursor) => cursors.decode(cursor)?,
        None => String::new(),
    };
    let mut rest = labels
        .into_iter()
        .filter(|label| label.name.as_str() > &*after);
    let items: Vec<Label> = rest.by_ref().take(limit).map(Into::into).collect();
    let last = items.last().filter(|_| rest.next().is_some());
    let next_cursor = last.map(|label| cursors.encode(&label.name));
    let list = LabelList { items, next_cursor };
    let mut response = respond::list(&api, &accept, media, (&list, &list.items)).await?;
    page::mark(&mut response, list.next_cursor);
    Ok(response)
}

/// A label
#[utoipa::path(
    get,
    path = "/v1/projects/{project}/labels/{label}",
    tag = "labels",
    operation_id = "get_label",
    params(LabelPath),
    responses(
        (status = 200, description = "The label; use its ETag with `If-Match`", body = Label),
        (status = 404, description = "No such project or label", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn one(
    State(api): State<Api>,
    Path(path): Path<LabelPath>,
    accept: Accept,
) -> Result<Response, Problem> {
    accept.media(JSON)?;
    let label = Label::from(api.service.label(&path.project, &path.label).await?);
    respond::value(&api, &accept, StatusCode::OK, &label).await
}

/// Set a label
///
/// Creates the label, or moves it to another revision. Moving a label that looks like a version, and
/// giving a label another release, needs `force=true`. For an hour, the token that created a label may do
/// both without it, even without the permission `label`.
#[utoipa::path(
    put,
    path = "/v1/projects/{project}/labels/{label}",
    tag = "labels",
    operation_id = "set_label",
    params(
        LabelPath,
        ForceQuery,
        ("If-Match" = Option<String>, Header, description = "Only if the label still has this \
                                                             ETag; `*`: only if it exists"),
        ("If-None-Match" = Option<String>, Header, description = "`*`: only if the label does not \
                                                                  exist"),
    ),
    request_body = LabelTarget,
    responses(
        (status = 201, description = "The label was created", body = Label),
        (status = 200, description = "The label was moved or already pointed there", body = Label),
        (status = 404, description = "No such project or revision", body = Document, content_type = PROBLEM_JSON),
        (status = 409, description = "The label is protected or belongs to another release, or the digest is ambiguous", body = Document, content_type = PROBLEM_JSON),
        (status = 412, description = "The label does not match the condition", body = Document, content_type = PROBLEM_JSON),
        (status = 413, description = "Too large", body = Document, content_type = PROBLEM_JSON),
        (status = 415, description = "Not JSON", body = Document, content_type = PROBLEM_JSON),
        (status = 422, description = "No such release", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn set(
    State(api): State<Api>,
    Path(path): Path<LabelPath>,
    Query(query): Query<ForceQuery>,
    headers: HeaderMap,
    access: Access,
    accept: Accept,
    Json(target): Json<LabelTarget>,
) -> Result<Response, Problem> {
    let change = LabelMove {
        project: &path.project,
        label: &path.label,
        revision: &target.revision,
        release: target.release.as_deref(),
        precondition: precondition(&api, &path, &headers).await?,
        protection: protection(query.force),
        caller: access.token(),
    };
    let outcome = api.service.set_label(change).await?;
    let status = match outcome.change {
        LabelChange::Made => StatusCode::CREATED,
        _ => StatusCode::OK,
    };
    let label = Label::from(outcome.label);
    let mut response = respond::value(&api, &accept, status, &label).await?;
    let location = format!("/v1/projects/{}/labels/{}", path.project, path.label);
    respond::locate(&mut response, &location);
    Ok(response)
}

/// Delete a label
///
/// The revision stays. Deleting a label that looks like a version needs `force=true`.
#[utoipa::path(
    delete,
    path = "/v1/projects/{project}/labels/{label}",
    tag = "labels",
    operation_id = "delete_label",
    params(
        LabelPath,
        ForceQuery,
        ("If-Match" = Option<String>, Header, description = "Only if the label still has this ETag"),
    ),
    responses(
        (status = 204, description = "Deleted"),
        (status = 404, description = "No such project or label", body = Document, content_type = PROBLEM_JSON),
        (status = 409, description = "The label is protected", body = Document, content_type = PROBLEM_JSON),
        (status = 412, description = "The label does not match the condition", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn delete(
    State(api): State<Api>,
    Path(path): Path<LabelPath>,
    Query(query): Query<ForceQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let precondition = precondition(&api, &path, &headers).await?;
    let force = protection(query.force);
    let service = &api.service;
    let deleted = service.delete_label(&path.project, &path.label, precondition, force);
    deleted.await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

async fn precondition(
    api: &Api,
    path: &LabelPath,
    headers: &HeaderMap,
) -> Result<Precondition, Problem> {
    let matches = joined(headers, &header::IF_MATCH);
    let none = joined(headers, &header::IF_NONE_MATCH);
    if matches.is_none() && none.is_none() {
        return Ok(Precondition::None);
    }
    let current = api.service.find_label(&path.project, &path.label).await?;
    let fits = |tags: &str| match &current {
        Some(record) => tags.trim() == "*" || tags.split(',').any(|tag| is_tag_of(tag, record)),
        None => false,
    };
    if matches.is_some_and(|tags| !fits(&tags)) || none.is_some_and(|tags| fits(&tags)) {
        return Ok(Precondition::Failed);
    }
    Ok(match current {
        Some(record) => Precondition::Same(record),
        None => Precondition::Absent,
    })
}

/// A weak tag never matches: a change needs the exact state.
fn is_tag_of(tag: &str, record: &LabelRecord) -> bool {
    let label = Label::from(record.clone());
    let id = ViewId::of_bytes(&opatlas_wire::json::json(&label));
    let own = respond::etag(id, Encoding::Plain);
    tag.trim().as_bytes() == own.as_bytes()
}
