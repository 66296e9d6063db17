//! What a new revision changes for an out-of-tree backend.

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use opatlas_report::backend::{csv, markdown, text};
use opatlas_source::Stop;

use crate::http::Api;
use crate::http::body;
use crate::http::extract::{Path, Query};
use crate::http::middleware::access::Access;
use crate::http::negotiate::{Accept, Media};
use crate::http::respond;
use crate::http::routes::compare::split;
use opatlas_service::ServiceError;
use opatlas_service::access::Action;
use opatlas_service::backend::{BackendCompared, Vendor};
use opatlas_wire::backends::{BackendPath, BackendQuery, BackendReport, view};
use opatlas_wire::compare::ComparePath;
use opatlas_wire::comparison::SideView;
use opatlas_wire::json::json;
use opatlas_wire::problem::{Document, PROBLEM_JSON, Problem};

const FORMS: &[Media] = &[Media::Json, Media::Markdown, Media::Csv, Media::Text];

/// The media types of a backend file.
const YAML: [&str; 5] = [
    "application/octet-stream",
    "application/yaml",
    "application/x-yaml",
    "text/yaml",
    "text/plain",
];

/// Compare for a stored backend
///
/// The changes of the head for the backend file of another project's last revision: listed
/// operators that changed or were removed, and new operators that it inherits or lacks.
#[utoipa::path(
    get,
    path = "/v1/projects/{project}/compare/{range}/backends/{backend}",
    tag = "comparisons",
    operation_id = "compare_for_backend",
    params(BackendPath, BackendQuery),
    responses(
        (status = 200, description = "The changes for the backend", content(
            (BackendReport = "application/json"),
            (String = "text/markdown"),
            (String = "text/csv"),
            (String = "text/plain"),
        )),
        (status = 404, description = "No such project or revision", body = Document, content_type = PROBLEM_JSON),
        (status = 409, description = "Another release, or an ambiguous digest", body = Document, content_type = PROBLEM_JSON),
        (status = 422, description = "The same revision twice, no such release, or an unusable \
                                      backend file", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn stored(
    State(api): State<Api>,
    Path(path): Path<BackendPath>,
    Query(query): Query<BackendQuery>,
    access: Access,
    accept: Accept,
) -> Result<Response, Problem> {
    access.expect(Action::Read, &path.backend)?;
    let backend = api.service.resolve(&path.backend, "latest", None).await?;
    let snapshot = api.service.snapshot(&backend).await?;
    let vendor = Vendor::of(&snapshot.bundle).ok_or_else(|| ServiceError::UnusableBackend {
        file: backend.title(),
        why: "it has neither a `backends/NAME.yaml` nor sources".to_owned(),
    })?;
    let range = ComparePath {
        project: path.project,
        range: path.range,
    };
    answer(&api, &accept, &range, query.release.as_deref(), vendor).await
}

/// Compare for a backend
///
/// The changes of the head for a backend whose file is in the body. The file is not stored.
#[utoipa::path(
    post,
    path = "/v1/projects/{project}/compare/{range}",
    tag = "comparisons",
    operation_id = "compare_for_backend_file",
    params(ComparePath, BackendQuery),
    request_body(description = "The backend file, which is YAML; `application/yaml` is accepted, too", content((String = "application/octet-stream"))),
    responses(
        (status = 200, description = "The changes for the backend", content(
            (BackendReport = "application/json"),
            (String = "text/markdown"),
            (String = "text/csv"),
            (String = "text/plain"),
        )),
        (status = 404, description = "No such project or revision", body = Document, content_type = PROBLEM_JSON),
        (status = 409, description = "Another release, or an ambiguous digest", body = Document, content_type = PROBLEM_JSON),
        (status = 413, description = "Too large", body = Document, content_type = PROBLEM_JSON),
        (status = 415, description = "Not YAML", body = Document, content_type = PROBLEM_JSON),
        (status = 422, description = "The same revision twice, no such release, or an unusable \
                                      backend file", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn given(
    State(api): State<Api>,
    Path(path): Path<ComparePath>,
    Query(query): Query<BackendQuery>,
    accept: Accept,
    request: Request,
) -> Result<Response, Problem> {
    body::expect_media(request.headers(), &YAML)?;
    let bytes = body::collect(request, &api, api.service.limits().file_bytes).await?;
    let name = query.name.as_deref().unwrap_or("backend");
    let vendor = Vendor::new(name, bytes.to_vec())?;
    answer(&api, &accept, &path, query.release.as_deref(), vendor).await
}

async fn answer(
    api: &Api,
    accept: &Accept,
    path: &ComparePath,
    release: Option<&str>,
    vendor: Vendor,
) -> Result<Response, Problem> {
    let media = accept.media(FORMS)?;
    let service = &api.service;
    let (base, head) = split(&path.range, None)?;
    let head = service.resolve(&path.project, head, release).await?;
    let base = base.unwrap_or_default();
    let base = service.resolve(&path.project, base, release).await?;
    let old = service.snapshot(&base).await?;
    let new = service.snapshot(&head).await?;
    let (file, name) = (vendor.file.clone(), vendor.name.clone());
    let make = move |stop: &Stop| {
        let compared = BackendCompared::new(&old, &new, &vendor, stop)?;
        let impact = compared
            .impact()
            .ok_or_else(|| ServiceError::UnusableBackend {
                file: name.clone(),
                why: "its `backend` is not a dispatch key of both releases".to_owned(),
            })?;
        let (from, to) = (base.title(), head.title());
        Ok::<_, Problem>(match media {
            Media::Markdown => markdown(&impact, &name, &from, &to).into_bytes(),
            Media::Csv => csv(&impact).into_bytes(),
            Media::Text => text(&impact, &name, &from, &to).into_bytes(),
            _ => json(&view(
                &impact,
                file,
                SideView::of_revision(&base),
                SideView::of_revision(&head),
            )),
        })
    };
    let bytes = service.make(make).await?;
    respond::bytes(api, accept, StatusCode::OK, media, bytes).await
}
