//! Labels: movable names for revisions.

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::service::{Encoding, LabelMove, Precondition, ViewId};
use crate::store::{LabelChange, LabelRecord};

use super::Api;
use super::extract::{Json, Path, Query};
use super::negotiate::{JSON, LIST, Media, Wishes, joined};
use super::page::{self, Cursors, PageQuery};
use super::paths::ProjectPath;
use super::problem::{Document, PROBLEM_JSON, Problem};
use super::respond;
use super::revisions::protection;
use super::stream;
use super::time::timestamp;

/// A label's path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct LabelPath {
    /// The project.
    #[param(example = "pytorch")]
    pub project: String,
    /// The label.
    #[param(example = "main")]
    pub label: String,
}

/// Whether protection is overridden.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct ForceQuery {
    /// Do it although the label looks like a version.
    pub force: Option<bool>,
}

/// What a label is to name.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"revision": "sha256:0123abcd", "release": "2.9"}))]
pub struct LabelTarget {
    /// The address of the revision: `sha256:HEX`, another label, or `latest`.
    #[schema(
        pattern = r"^(latest|sha256:[0-9A-Fa-f]{8,64}|(?!.*\.\.)(?!latest)(?!sha256)[A-Za-z0-9][A-Za-z0-9._+\-]{0,127})$"
    )]
    pub revision: String,
    /// The release that the label stands for; by default the one that it stands for already, or
    /// looks like.
    pub release: Option<String>,
}

/// A label.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({
    "name": "main",
    "revision": "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "release": "2.9",
    "moved_at": "2026-11-21T10:00:00Z",
    "sequence": 17
}))]
pub struct Label {
    /// Its name.
    pub name: String,
    /// The address of the revision that it names.
    pub revision: String,
    /// The release that it stands for; null where that is the newest known.
    pub release: Option<String>,
    /// When it was made or last changed.
    #[schema(format = DateTime)]
    pub moved_at: String,
    /// The place of its revision in the order of ingest: greater is later. Not dense.
    pub sequence: i64,
}

/// A page of labels.
#[derive(Debug, Serialize, ToSchema)]
pub struct LabelList {
    /// The labels, by name.
    pub items: Vec<Label>,
    /// What to ask for the next part with; null at the end.
    pub next_cursor: Option<String>,
}

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
        (status = 200, description = "A page of labels; or all, one a line", content(
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
    wishes: Wishes,
) -> Result<Response, Problem> {
    let media = wishes.media(LIST)?;
    let limit = page::limit(query.limit)? as usize;
    let labels = api.service.labels(&path.project).await?;
    if media == Media::NdJson {
        let mut text = Vec::new();
        for label in labels {
            stream::push_line(&mut text, &Label::from(label));
        }
        return respond::bytes(
            &api,
            &wishes,
            StatusCode::OK,
            media,
            api.service.hold(text)?,
        )
        .await;
    }
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
    let list = LabelList {
        next_cursor: last.map(|label| cursors.encode(&label.name)),
        items,
    };
    respond::value(&api, &wishes, StatusCode::OK, &list).await
}

/// A label
#[utoipa::path(
    get,
    path = "/v1/projects/{project}/labels/{label}",
    tag = "labels",
    operation_id = "get_label",
    params(LabelPath),
    responses(
        (status = 200, description = "The label; its ETag serves for `If-Match`", body = Label),
        (status = 404, description = "No such project or label", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn one(
    State(api): State<Api>,
    Path(path): Path<LabelPath>,
    wishes: Wishes,
) -> Result<Response, Problem> {
    wishes.media(JSON)?;
    let label = Label::from(api.service.label(&path.project, &path.label).await?);
    respond::value(&api, &wishes, StatusCode::OK, &label).await
}

/// Set a label
///
/// Makes it, or moves it to another revision. A label that looks like a version is moved only with
/// `force=true`.
#[utoipa::path(
    put,
    path = "/v1/projects/{project}/labels/{label}",
    tag = "labels",
    operation_id = "set_label",
    params(
        LabelPath,
        ForceQuery,
        ("If-Match" = Option<String>, Header, description = "Only if the label is as it was under this ETag; `*`: only if it exists"),
        ("If-None-Match" = Option<String>, Header, description = "`*`: only if there is no such label"),
    ),
    request_body = LabelTarget,
    responses(
        (status = 201, description = "The label is new", body = Label),
        (status = 200, description = "The label was there", body = Label),
        (status = 404, description = "No such project or revision", body = Document, content_type = PROBLEM_JSON),
        (status = 409, description = "The label is protected or belongs to another release, or the digest is ambiguous", body = Document, content_type = PROBLEM_JSON),
        (status = 412, description = "The label is not as expected", body = Document, content_type = PROBLEM_JSON),
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
    wishes: Wishes,
    Json(target): Json<LabelTarget>,
) -> Result<Response, Problem> {
    let change = LabelMove {
        project: &path.project,
        label: &path.label,
        revision: &target.revision,
        release: target.release.as_deref(),
        precondition: precondition(&api, &path, &headers).await?,
        protection: protection(query.force),
    };
    let outcome = api.service.set_label(change).await?;
    let status = match outcome.change {
        LabelChange::Made => StatusCode::CREATED,
        _ => StatusCode::OK,
    };
    let label = Label::from(outcome.label);
    let mut response = respond::value(&api, &wishes, status, &label).await?;
    let location = format!("/v1/projects/{}/labels/{}", path.project, path.label);
    respond::locate(&mut response, &location);
    Ok(response)
}

/// Delete a label
///
/// The revision stays. A label that looks like a version is deleted only with `force=true`.
#[utoipa::path(
    delete,
    path = "/v1/projects/{project}/labels/{label}",
    tag = "labels",
    operation_id = "delete_label",
    params(
        LabelPath,
        ForceQuery,
        ("If-Match" = Option<String>, Header, description = "Only if the label is as it was under this ETag"),
    ),
    responses(
        (status = 204, description = "It is gone"),
        (status = 404, description = "No such project or label", body = Document, content_type = PROBLEM_JSON),
        (status = 409, description = "The label is protected", body = Document, content_type = PROBLEM_JSON),
        (status = 412, description = "The label is not as expected", body = Document, content_type = PROBLEM_JSON),
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

/// What the conditional headers expect of the label (RFC 9110 section 13.1).
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

/// Whether an entity tag is the label's. A weak tag never fits: what is changed must be the same.
fn is_tag_of(tag: &str, record: &LabelRecord) -> bool {
    let label = Label::from(record.clone());
    let id = ViewId::of_bytes(&respond::json(&label));
    let own = respond::etag(id, Encoding::Plain);
    tag.trim().as_bytes() == own.as_bytes()
}

impl From<LabelRecord> for Label {
    fn from(label: LabelRecord) -> Self {
        Self {
            name: label.name.to_string(),
            revision: format!("sha256:{}", label.digest),
            release: label.release,
            moved_at: timestamp(label.moved_at),
            sequence: label.sequence,
        }
    }
}
