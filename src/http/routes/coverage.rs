//! Coverage: counts of operators by reason and key.

use axum::extract::State;
use axum::response::Response;
use opatlas_verdict::View;

use crate::http::Api;
use crate::http::extract::{Path, Query};
use crate::http::negotiate::{Accept, JSON};
use crate::http::routes::all_tables;
use opatlas_wire::coverage::{CoverageQuery, CoverageView, coverage_view};
use opatlas_wire::json::json;
use opatlas_wire::key_entries::{TableSelection, includes};
use opatlas_wire::paths::RevisionPath;
use opatlas_wire::problem::{Document, PROBLEM_JSON, Problem};

/// Coverage
///
/// How much of each backend works, and counts of operators by reason for each key and functionality:
/// overall and by namespace, tag and `python_module`.
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
    accept.media(JSON)?;
    let (revision, selection) =
        all_tables::selection(&api, (&path.project, &path.revision), &query).await?;
    let make = |view: View<'_>, selection: &TableSelection| {
        let generated = selection.generated;
        let counted = opatlas_dispatch::coverage(*view, |_, op| includes(generated, op));
        Ok(json(&coverage_view(view, counted)))
    };
    all_tables::view(
        &api,
        &accept,
        (&revision, selection),
        ("coverage", ()),
        make,
    )
    .await
}
