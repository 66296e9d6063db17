//! Calls of Python bindings.

use axum::extract::State;
use axum::response::Response;

use crate::http::Api;
use crate::http::extract::{Path, Query};
use crate::http::negotiate::{Accept, JSON};
use crate::http::respond;
use crate::http::respond::{Effort, Making, ViewRequest};
use opatlas_wire::calls::{CallQuery, FunctionPath, PythonCall, call};
use opatlas_wire::json::json;
use opatlas_wire::problem::{Document, PROBLEM_JSON, Problem};

/// The signatures of a Python function
///
/// The signatures of a Python function or method, in the order in which PyTorch tries them. With `args`,
/// also the one that the arguments take and the operator that the call runs, or the exception.
#[utoipa::path(
    get,
    path = "/v1/projects/{project}/revisions/{revision}/calls/{function}",
    tag = "operators",
    operation_id = "get_call",
    params(FunctionPath, CallQuery),
    responses(
        (status = 200, description = "The signatures", body = PythonCall),
        (status = 400, description = "The arguments cannot be read", body = Document, content_type = PROBLEM_JSON),
        (status = 404, description = "No such project, revision or function", body = Document, content_type = PROBLEM_JSON),
        (status = 409, description = "Another release, or an ambiguous digest", body = Document, content_type = PROBLEM_JSON),
        (status = 422, description = "No such release", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn one(
    State(api): State<Api>,
    Path(path): Path<FunctionPath>,
    Query(query): Query<CallQuery>,
    accept: Accept,
) -> Result<Response, Problem> {
    let media = accept.media(JSON)?;
    let service = &api.service;
    let revision = service
        .resolve(&path.project, &path.revision, query.release.as_deref())
        .await?;
    let function = path.function;
    let request = ViewRequest {
        revision: &revision,
        view: "call",
        parameters: (function.clone(), query.args.clone()),
        media,
        making: Making::Checked,
        effort: Effort::Much,
    };
    respond::view(&api, &accept, request, move |snapshot, _| {
        Ok(json(&call(snapshot, &function, query.args.as_deref())?))
    })
    .await
}
