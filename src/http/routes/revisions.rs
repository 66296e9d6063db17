//! Ingests, lists, shows and deletes revisions.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};

use crate::http::Api;
use crate::http::bundle::BundleBody;
use crate::http::extract::{Path, Query};
use crate::http::middleware::access::Access;
use crate::http::negotiate::{Accept, JSON, LIST, Media};
use crate::http::page;
use crate::http::page::Cursors;
use crate::http::respond;
use crate::http::stream;
use opatlas_service::{Ingest, Protection, Strictness, ViewId};
use opatlas_wire::bundle::BundleJson;
use opatlas_wire::page::PageQuery;
use opatlas_wire::paths::{ProjectPath, ReleaseQuery, RevisionPath};
use opatlas_wire::problem::{Document, PROBLEM_JSON, Problem};
use opatlas_wire::revisions::{IngestQuery, Revision, RevisionItem, RevisionList, revision_of};

/// Ingest a bundle
///
/// Stores the files as a revision, and points the label to it. Idempotent by digest. A file that is
/// not a list of entries is rejected with its findings. Other findings do not prevent storing, unless
/// `strict` is true. Moving a label that looks like a version, and giving a label another release, needs
/// `force=true`. For an hour, the token that created the label may do both without it.
#[utoipa::path(
    post,
    path = "/v1/projects/{project}/revisions",
    tag = "revisions",
    operation_id = "ingest_revision",
    params(ProjectPath, IngestQuery),
    request_body(
        description = "The files: `native_functions.yaml` alone (`application/yaml` is accepted, \
                       too), or a bundle as JSON or as multipart parts named after the files",
        content(
            (String = "application/octet-stream", example = "- func: add.Tensor(Tensor self, Tensor other) -> Tensor\n"),
            (BundleJson = "application/json"),
            (std::collections::BTreeMap<String, String> = "multipart/form-data"),
        ),
    ),
    responses(
        (status = 201, description = "The revision was created", body = Revision),
        (status = 200, description = "The revision already existed", body = Revision),
        (status = 404, description = "No such project", body = Document, content_type = PROBLEM_JSON),
        (status = 409, description = "The label is protected, or belongs to another release", body = Document, content_type = PROBLEM_JSON),
        (status = 413, description = "Too large", body = Document, content_type = PROBLEM_JSON),
        (status = 415, description = "The media type is not that of a bundle", body = Document, content_type = PROBLEM_JSON),
        (status = 422, description = "No such release, not a list of entries, too many operators, or errors in a strict request", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn ingest(
    State(api): State<Api>,
    Path(path): Path<ProjectPath>,
    Query(query): Query<IngestQuery>,
    access: Access,
    accept: Accept,
    BundleBody(bundle): BundleBody,
) -> Result<Response, Problem> {
    accept.media(JSON)?;
    let ingest = Ingest {
        project: &path.project,
        bundle,
        label: query.label.as_deref(),
        release: query.release.as_deref(),
        protection: protection(query.force),
        strictness: strictness(query.strict),
        caller: access.token(),
    };
    let ingested = api.service.ingest(ingest).await?;
    let status = if ingested.outcome.created {
        StatusCode::CREATED
    } else {
        StatusCode::OK
    };
    let address = format!("sha256:{}", ingested.outcome.digest);
    let revision = api.service.resolve(&path.project, &address, None).await?;
    let record = api.service.revision(&revision).await?;
    let body = revision_of(record, query.label, &ingested.judged, &ingested.snapshot);
    let mut response = respond::value(&api, &accept, status, &body).await?;
    let location = format!("/v1/projects/{}/revisions/{address}", path.project);
    respond::locate(&mut response, &location);
    Ok(response)
}

/// Revisions
///
/// All revisions of a project, last ingested first.
#[utoipa::path(
    get,
    path = "/v1/projects/{project}/revisions",
    tag = "revisions",
    operation_id = "list_revisions",
    params(ProjectPath, PageQuery),
    responses(
        (status = 200, description = "A page of revisions; or all of them, one per line", content(
            (RevisionList = "application/json"),
            (RevisionItem = "application/x-ndjson"),
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
    let limit = page::limit(query.limit)?;
    let cursors = Cursors::of(ViewId::of_program("revisions", &path.project));
    let before = match &query.cursor {
        Some(cursor) => Some(cursors.decode_number(cursor)?),
        None => None,
    };
    if media == Media::NdJson && query.limit.is_none() {
        return lines(&api, &accept, &path.project, before).await;
    }
    let page = api.service.revisions(&path.project, before, limit).await?;
    let next = page.next.map(|place| cursors.encode(&place.to_string()));
    let list = RevisionList {
        items: page.items.into_iter().map(Into::into).collect(),
        next_cursor: next.clone(),
    };
    let mut response = respond::list(&api, &accept, media, (&list, &list.items)).await?;
    page::mark(&mut response, next);
    Ok(response)
}

async fn lines(
    api: &Api,
    accept: &Accept,
    project: &str,
    mut before: Option<i64>,
) -> Result<Response, Problem> {
    let mut text = Vec::new();
    loop {
        let page = api
            .service
            .revisions(project, before, page::MAX_LIMIT)
            .await?;
        for record in page.items {
            stream::push_line(&mut text, &RevisionItem::from(record));
        }
        before = page.next;
        if before.is_none() {
            break;
        }
    }
    respond::bytes(
        api,
        accept,
        StatusCode::OK,
        Media::NdJson,
        api.service.hold(text)?,
    )
    .await
}

/// A revision
///
/// A revision with its files, its labels, and counts of its operators and findings.
#[utoipa::path(
    get,
    path = "/v1/projects/{project}/revisions/{revision}",
    tag = "revisions",
    operation_id = "get_revision",
    params(RevisionPath, ReleaseQuery),
    responses(
        (status = 200, description = "The revision", body = Revision),
        (status = 404, description = "No such project or revision", body = Document, content_type = PROBLEM_JSON),
        (status = 409, description = "Another release, or an ambiguous digest", body = Document, content_type = PROBLEM_JSON),
        (status = 422, description = "No such release", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn one(
    State(api): State<Api>,
    Path(path): Path<RevisionPath>,
    Query(query): Query<ReleaseQuery>,
    accept: Accept,
) -> Result<Response, Problem> {
    accept.media(JSON)?;
    let service = &api.service;
    let revision = service
        .resolve(&path.project, &path.revision, query.release.as_deref())
        .await?;
    let record = service.revision(&revision).await?;
    let snapshot = service.checked(&revision).await?;
    let label = revision.label.as_ref().map(|label| label.name.to_string());
    let body = revision_of(record, label, &revision.judged, &snapshot);
    respond::value(&api, &accept, StatusCode::OK, &body).await
}

/// Delete a revision
///
/// Only if no label points to it.
#[utoipa::path(
    delete,
    path = "/v1/projects/{project}/revisions/{revision}",
    tag = "revisions",
    operation_id = "delete_revision",
    params(RevisionPath),
    responses(
        (status = 204, description = "Deleted"),
        (status = 404, description = "No such project or revision", body = Document, content_type = PROBLEM_JSON),
        (status = 409, description = "Labels point to it, or the digest is ambiguous", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn delete(
    State(api): State<Api>,
    Path(path): Path<RevisionPath>,
) -> Result<Response, Problem> {
    let revision = api
        .service
        .resolve(&path.project, &path.revision, None)
        .await?;
    api.service.delete_revision(&revision).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

fn strictness(strict: Option<bool>) -> Strictness {
    match strict {
        Some(true) => Strictness::Strict,
        _ => Strictness::Lenient,
    }
}

/// Whether the caller overrides the protection of a label.
pub fn protection(force: Option<bool>) -> Protection {
    match force {
        Some(true) => Protection::Forced,
        _ => Protection::Kept,
    }
}
