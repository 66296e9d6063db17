//! Dumps of tables that are stored with a revision, and how they differ from its files.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;

use crate::http::Api;
use crate::http::extract::{Path, Query};
use crate::http::negotiate::{Accept, JSON, Media};
use crate::http::respond;
use opatlas_service::probe::dump::Dump;
use opatlas_service::{Resolved, ServiceError};
use opatlas_store::StoreError;
use opatlas_wire::drift::{DriftHead, DriftQuery, DriftView, DumpList, DumpPath};
use opatlas_wire::json::json;
use opatlas_wire::paths::RevisionPath;
use opatlas_wire::problem::{Document, PROBLEM_JSON, Problem};

/// Dumps
///
/// The dispatch tables of processes, as sent by workers of the probe for a revision, newest first.
#[utoipa::path(
    get,
    path = "/v1/projects/{project}/revisions/{revision}/dumps",
    tag = "probe",
    operation_id = "list_dumps",
    params(RevisionPath),
    responses(
        (status = 200, description = "The dumps", body = DumpList),
        (status = 404, description = "No such project or revision", body = Document, content_type = PROBLEM_JSON),
        (status = 409, description = "Several revisions begin so", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn list(
    State(api): State<Api>,
    Path(path): Path<RevisionPath>,
    accept: Accept,
) -> Result<Response, Problem> {
    accept.media(JSON)?;
    let revision = api
        .service
        .resolve(&path.project, &path.revision, None)
        .await?;
    let dumps = api.service.dumps(&revision).await?;
    let list = DumpList {
        items: dumps.into_iter().map(Into::into).collect(),
        next_cursor: None,
    };
    respond::value(&api, &accept, StatusCode::OK, &list).await
}

/// A dump
///
/// The tables of a process, as the probe sent them: a list with one object (`docs/probe.md`).
#[utoipa::path(
    get,
    path = "/v1/projects/{project}/revisions/{revision}/dumps/{dump}",
    tag = "probe",
    operation_id = "get_dump",
    params(DumpPath),
    responses(
        (status = 200, description = "The dump", body = Vec<Object>),
        (status = 404, description = "No such project, revision or dump", body = Document, content_type = PROBLEM_JSON),
        (status = 409, description = "Several revisions begin so", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn one(
    State(api): State<Api>,
    Path(path): Path<DumpPath>,
    accept: Accept,
) -> Result<Response, Problem> {
    accept.media(JSON)?;
    let revision = api
        .service
        .resolve(&path.project, &path.revision, None)
        .await?;
    let (_, text) = api.service.dump(&revision, Some(&path.dump)).await?;
    let bytes = api.service.hold(text.into_bytes())?;
    respond::bytes(&api, &accept, StatusCode::OK, Media::Json, bytes).await
}

/// Drift
///
/// How the registrations of a process differ from those that the revision's files and PyTorch's
/// hand-written registrations imply: missing, undeclared, or with another kernel.
#[utoipa::path(
    get,
    path = "/v1/projects/{project}/revisions/{revision}/drift",
    tag = "probe",
    operation_id = "get_drift",
    params(RevisionPath, DriftQuery),
    responses(
        (status = 200, description = "The differences", body = DriftView),
        (status = 404, description = "No such project or revision, or no dump", body = Document, content_type = PROBLEM_JSON),
        (status = 409, description = "Several revisions begin so, or the label belongs to another release", body = Document, content_type = PROBLEM_JSON),
        (status = 413, description = "The answer would be too large", body = Document, content_type = PROBLEM_JSON),
        (status = 422, description = "No such release", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn drift(
    State(api): State<Api>,
    Path(path): Path<RevisionPath>,
    Query(query): Query<DriftQuery>,
    accept: Accept,
) -> Result<Response, Problem> {
    accept.media(JSON)?;
    let release = query.release.as_deref();
    let revision = api
        .service
        .resolve(&path.project, &path.revision, release)
        .await?;
    let (record, text) = api.service.dump(&revision, query.dump.as_deref()).await?;
    let revision = match (release, revision.label.is_some()) {
        // A revision without a label is judged as the release of the process.
        (None, false) => {
            api.service
                .resolve(&path.project, &address(&revision), Some(&record.torch))
                .await?
        }
        _ => revision,
    };
    let snapshot = api.service.snapshot(&revision).await?;
    let made = api.service.make(move |stop| {
        let dump = Dump::read(text.as_bytes())
            .map_err(|error| ServiceError::from(StoreError::corrupt(format!("a dump: {error}"))))?;
        let head = DriftHead {
            revision: revision.title(),
            release: revision.judged.stored(),
            torch: dump.torch,
            build: dump.build,
            device: dump.device,
            dump: Some(record.digest.to_string()),
        };
        let view = snapshot.drift_of(&dump.process, stop, |drift| DriftView::new(head, drift));
        Ok::<_, Problem>(json(&view?))
    });
    respond::bytes(&api, &accept, StatusCode::OK, Media::Json, made.await?).await
}

fn address(revision: &Resolved) -> String {
    format!("sha256:{}", revision.digest)
}
