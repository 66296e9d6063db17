//! Coverage: how many operators have which reason where.

use axum::extract::State;
use axum::response::Response;
use opatlas_verdict::View;

use crate::http::Api;
use crate::http::extract::{Path, Query};
use crate::http::negotiate::{Accept, JSON};
use crate::http::respond;
use crate::http::respond::{Effort, Making, ViewRequest};
use opatlas_wire::coverage::{CoverageQuery, CoverageView, coverage_view};
use opatlas_wire::json::json;
use opatlas_wire::key_entries::{is_wanted, wanted};
use opatlas_wire::paths::RevisionPath;
use opatlas_wire::problem::{Document, PROBLEM_JSON, Problem};

/// Coverage
///
/// How much of each backend works, and how many operators have which reason at each key and
/// functionality, over all and by namespace, tag and `python_module`.
#[utoipa::path(
    get,
    path = "/v1/projects/{project}/revisions/{revision}/coverage",
    tag = "dispatch",
    operation_id = "get_coverage",
    params(RevisionPath, CoverageQuery),
    responses(
        (status = 200, description = "The counts", body = CoverageView),
        (status = 404, description = "No such project or revision", body = Document, content_type = PROBLEM_JSON),
        (status = 409, description = "Another release, or an ambiguous digest", body = Document, content_type = PROBLEM_JSON),
        (status = 422, description = "No such release or build", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn coverage(
    State(api): State<Api>,
    Path(path): Path<RevisionPath>,
    Query(query): Query<CoverageQuery>,
    accept: Accept,
) -> Result<Response, Problem> {
    let media = accept.media(JSON)?;
    let service = &api.service;
    let revision = service.resolve(&path.project, &path.revision, query.release.as_deref());
    let revision = revision.await?;
    let wanted = wanted(
        query.build.as_deref(),
        query.source,
        query.generated,
        revision.release(),
    )?;
    let request = ViewRequest {
        revision: &revision,
        view: "coverage",
        parameters: wanted.clone(),
        media,
        making: Making::Parsed,
        effort: Effort::Much,
    };
    respond::view(&api, &accept, request, move |snapshot, _| {
        let tables = snapshot.tables(&wanted.profile);
        let view = View::new(snapshot.inputs(), &tables);
        let counted = opatlas_dispatch::coverage(*view, |_, op| is_wanted(wanted.generated, op));
        Ok(json(&coverage_view(view, counted)))
    })
    .await
}
