//! The matrix: every operator with the reason of each of its cells, small enough for one answer.
//!
//! A revision has hundreds of thousands of cells but only a few hundred distinct rows and a few
//! dozen distinct cells. So a cell is one character of a row, operators with equal rows share it,
//! and the properties that operators are filtered by are listed next to them.

use axum::extract::State;
use axum::response::Response;
use opatlas_verdict::View;

use crate::http::Api;
use crate::http::extract::{Path, Query};
use crate::http::negotiate::{Accept, JSON};
use crate::http::respond;
use crate::http::respond::{Effort, Making, ViewRequest};
use opatlas_wire::coverage::CoverageQuery;
use opatlas_wire::json::json;
use opatlas_wire::key_entries::wanted;
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
        view: "matrix",
        parameters: wanted.clone(),
        media,
        making: Making::Parsed,
        effort: Effort::Much,
    };
    respond::view(&api, &accept, request, move |snapshot, _| {
        let tables = snapshot.tables(&wanted.profile);
        let view = View::new(snapshot.inputs(), &tables);
        Ok(json(&matrix_view(view, wanted.generated)))
    })
    .await
}
