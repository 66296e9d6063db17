//! The dispatch calculator: the table that results from a list of registrations.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use opatlas_dispatch::calculator;

use crate::http::Api;
use crate::http::extract::{Json, Query};
use crate::http::negotiate::{Accept, JSON};
use crate::http::respond;
use crate::http::routes::stateless::judged;
use opatlas_wire::dispatch::{CalculationView, Item, Question, calculation, refused};
use opatlas_wire::json::json;
use opatlas_wire::paths::ReleaseQuery;
use opatlas_wire::problem::{Document, PROBLEM_JSON, Problem};

/// Compute a dispatch table
///
/// The table of an operator with the given registrations, as the dispatcher of a release computes
/// it. Registrations that the dispatcher rejects are errors, with the reason and similar names.
/// Registrations that only `native_functions.yaml` or `PythonDispatcher` would reject are computed,
/// with a note.
#[utoipa::path(
    post,
    path = "/v1/dispatch",
    tag = "stateless",
    operation_id = "calculate_dispatch",
    params(ReleaseQuery),
    request_body = Question,
    responses(
        (status = 200, description = "The table", body = CalculationView),
        (status = 413, description = "Too large", body = Document, content_type = PROBLEM_JSON),
        (status = 415, description = "Not JSON", body = Document, content_type = PROBLEM_JSON),
        (status = 422, description = "No such release, or registrations that the dispatcher \
                                      rejects", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn calculate(
    State(api): State<Api>,
    Query(query): Query<ReleaseQuery>,
    accept: Accept,
    Json(question): Json<Question>,
) -> Result<Response, Problem> {
    let media = accept.media(JSON)?;
    let judged = judged(query.release.as_deref())?;
    let more = opatlas_wire::revisions::notes(&judged);
    let make = move || {
        let registrations: Vec<_> = question.registrations.iter().map(Item::wanted).collect();
        let fallbacks: Option<Vec<_>> = question
            .fallbacks
            .as_ref()
            .map(|f| f.iter().map(Item::wanted).collect());
        calculator::calculate(judged.release, &registrations, fallbacks.as_deref())
            .map(|answer| json(&calculation(&answer, more)))
            .map_err(|faults| refused(&faults))
    };
    let bytes = api.service.make(move |_| make()).await?;
    respond::bytes(&api, &accept, StatusCode::OK, media, bytes).await
}
