//! Validates entries as part of a stored revision.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use opatlas_source::Stop;

use crate::http::Api;
use crate::http::bundle::EntriesBody;
use crate::http::extract::{Path, Query};
use crate::http::negotiate::{Accept, JSON, Media};
use crate::http::respond;
use opatlas_service::overlay::Overlay;
use opatlas_wire::json::json;
use opatlas_wire::overlay::{OverlayValidation, overlay_validation};
use opatlas_wire::paths::{ReleaseQuery, RevisionPath};
use opatlas_wire::problem::{Document, PROBLEM_JSON, Problem};
use opatlas_wire::revisions::notes;

/// Validate entries over a revision
///
/// The findings on entries as if they were in the revision's `native_functions.yaml`: an entry
/// replaces the one of the same operator, or is added. Also lists the findings that they cause in the
/// revision's other entries. Nothing is stored.
#[utoipa::path(
    post,
    path = "/v1/projects/{project}/revisions/{revision}/validate",
    tag = "findings",
    operation_id = "validate_over",
    params(RevisionPath, ReleaseQuery),
    request_body(
        description = "The entries, as in `native_functions.yaml`",
        content(
            (String = "application/octet-stream", example = "- func: add.Tensor(Tensor self, Tensor other) -> Tensor\n"),
        ),
    ),
    responses(
        (status = 200, description = "The findings", body = OverlayValidation),
        (status = 404, description = "No such project or revision", body = Document, content_type = PROBLEM_JSON),
        (status = 409, description = "Another release, or an ambiguous digest", body = Document, content_type = PROBLEM_JSON),
        (status = 413, description = "Too large", body = Document, content_type = PROBLEM_JSON),
        (status = 415, description = "Not YAML", body = Document, content_type = PROBLEM_JSON),
        (status = 422, description = "No such release", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn validate(
    State(api): State<Api>,
    Path(path): Path<RevisionPath>,
    Query(query): Query<ReleaseQuery>,
    accept: Accept,
    EntriesBody(entries): EntriesBody,
) -> Result<Response, Problem> {
    accept.media(JSON)?;
    let service = &api.service;
    let revision = service
        .resolve(&path.project, &path.revision, query.release.as_deref())
        .await?;
    let base = service.checked(&revision).await?;
    let notes = notes(&revision.judged);
    let reader = service.reader();
    let make = move |stop: &Stop| {
        let (overlay, bundle) = Overlay::of(&base, &entries, stop)?;
        let judged = reader.judge(bundle, base.release(), stop)?;
        stop.check()?;
        Ok::<_, Problem>(json(&overlay_validation(&overlay, &base, &judged, notes)))
    };
    let bytes = service.make(make).await?;
    respond::bytes(&api, &accept, StatusCode::OK, Media::Json, bytes).await
}
