//! The commits of PyTorch that break a backend.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use opatlas_report::watch::{Watched, atom, text};

use crate::http::Api;
use crate::http::extract::{Path, Query};
use crate::http::middleware::access::Access;
use crate::http::negotiate::{Accept, Media};
use crate::http::respond;
use opatlas_service::ServiceError;
use opatlas_service::access::Action;
use opatlas_service::backend::Vendor;
use opatlas_wire::json::json;
use opatlas_wire::problem::{Document, Kind, PROBLEM_JSON, Problem};
use opatlas_wire::watch::{WatchPath, WatchQuery, WatchReport};

const FORMS: &[Media] = &[Media::Json, Media::Atom, Media::Text];

const USUAL: u32 = 50;
const MOST: u32 = 200;

/// Commits that break a backend
///
/// The last commits of a project after which a kernel of another project's backend no longer compiles
/// or loads, or after which an operator that the backend inherits no longer works. The backend is taken
/// to be written for the revision before the first of them.
#[utoipa::path(
    get,
    path = "/v1/projects/{project}/watch/{backend}",
    tag = "history",
    operation_id = "watch_backend",
    params(WatchPath, WatchQuery),
    responses(
        (status = 200, description = "The commits that break the backend, also as a feed", content(
            (WatchReport = "application/json"),
            (String = "application/atom+xml"),
            (String = "text/plain"),
        )),
        (status = 404, description = "No such project, or a project without commits", body = Document, content_type = PROBLEM_JSON),
        (status = 422, description = "An unusable backend", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn commits(
    State(api): State<Api>,
    Path(path): Path<WatchPath>,
    Query(query): Query<WatchQuery>,
    access: Access,
    accept: Accept,
) -> Result<Response, Problem> {
    let media = accept.media(FORMS)?;
    access.expect(Action::Read, &path.backend)?;
    let last = query.last.unwrap_or(USUAL);
    if !(1..=MOST).contains(&last) {
        let detail = format!("last: {last} is not between 1 and {MOST}");
        return Err(Problem::new(Kind::InvalidParameter, detail).about("last"));
    }
    let service = &api.service;
    let stored = service.resolve(&path.backend, "latest", None).await?;
    let snapshot = service.snapshot(&stored).await?;
    let vendor = Vendor::of(&snapshot.bundle).ok_or_else(|| ServiceError::UnusableBackend {
        file: stored.title(),
        why: "it has neither a `backends/NAME.yaml` nor sources".to_owned(),
    })?;
    let last = usize::try_from(last).unwrap_or(1);
    let backend = service.watch_backend(&path.project, vendor, last).await?;
    let watched = Watched {
        name: &path.backend,
        key: backend.key(),
        listed: backend.listed(),
        watch: backend.watch(),
    };
    let bytes = match media {
        Media::Atom => atom(watched).into_bytes(),
        Media::Text => text(watched).into_bytes(),
        _ => json(&WatchReport::of(watched)),
    };
    let bytes = service.hold(bytes)?;
    respond::bytes(&api, &accept, StatusCode::OK, media, bytes).await
}
