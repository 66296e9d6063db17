//! The matrix: every operator with the reason of each of its cells, in one answer. A cell is one
//! character, and operators with equal rows share a row.

use axum::extract::State;
use axum::response::Response;
use opatlas_verdict::View;

use crate::http::Api;
use crate::http::extract::{Path, Query};
use crate::http::negotiate::{Accept, JSON};
use crate::http::routes::all_tables;
use opatlas_wire::coverage::CoverageQuery;
use opatlas_wire::json::json;
use opatlas_wire::key_entries::TableSelection;
use opatlas_wire::matrix::{MatrixView, matrix_view};
use opatlas_wire::paths::RevisionPath;
use opatlas_wire::problem::{Document, PROBLEM_JSON, Problem};

/// Matrix
///
/// Every operator by every runtime key with the reason of each cell, as one compact answer: equal
/// rows are shared, and a cell is one character. For kernels and positions use the table of an
/// operator or of a key.
#[utoipa::path(
    get,
    path = "/v1/projects/{project}/revisions/{revision}/matrix",
    tag = "dispatch",
    operation_id = "get_matrix",
    params(RevisionPath, CoverageQuery),
    responses(
        (status = 200, description = "The matrix", body = MatrixView),
        (status = 404, description = "No such project or revision", body = Document, content_type = PROBLEM_JSON),
        (status = 409, description = "Another release, or an ambiguous digest", body = Document, content_type = PROBLEM_JSON),
        (status = 422, description = "No such release or build", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn matrix(
    State(api): State<Api>,
    Path(path): Path<RevisionPath>,
    Query(query): Query<CoverageQuery>,
    accept: Accept,
) -> Result<Response, Problem> {
    accept.media(JSON)?;
    let (revision, selection) =
        all_tables::selection(&api, (&path.project, &path.revision), &query).await?;
    let make = |view: View<'_>, selection: &TableSelection| {
        Ok(json(&matrix_view(view, selection.generated)))
    };
    all_tables::view(&api, &accept, (&revision, selection), ("matrix", ()), make).await
}
