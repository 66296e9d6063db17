//! The target of the `type` of a problem document.

use axum::extract::State;
use axum::response::Response;
use opatlas_source::suggest::nearest_few;

use crate::http::Api;
use crate::http::extract::Path;
use crate::http::negotiate::{Accept, JSON};
use crate::http::respond;
use opatlas_wire::json::json;
use opatlas_wire::problem::{Document, Kind, PROBLEM_JSON, Problem};
use opatlas_wire::problems::{ProblemPath, ProblemType};

/// A type of problem
///
/// The target of the `type` of a problem document.
#[utoipa::path(
    get,
    path = "/problems/{problem}",
    tag = "knowledge",
    operation_id = "get_problem_type",
    params(ProblemPath),
    responses(
        (status = 200, description = "The type", body = ProblemType),
        (status = 404, description = "No such type", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn one(
    State(api): State<Api>,
    Path(path): Path<ProblemPath>,
    accept: Accept,
) -> Result<Response, Problem> {
    let media = accept.media(JSON)?;
    let slugs = || Kind::ALL.iter().map(|kind| kind.slug());
    let found = Kind::ALL.iter().find(|kind| kind.slug() == path.problem);
    let Some(&kind) = found else {
        let near = nearest_few(&path.problem, slugs(), 3);
        let problem = Problem::new(Kind::UnknownProblem, "unknown problem type");
        return Err(problem.suggesting(near.into_iter().map(Into::into).collect()));
    };
    let make = || {
        Ok(json(&ProblemType {
            kind: format!("/problems/{}", kind.slug()),
            title: kind.title(),
            statuses: kind.statuses().iter().map(|s| s.as_u16()).collect(),
            meaning: kind.meaning(),
        }))
    };
    respond::program_view(&api, &accept, ("problem", kind), media, make).await
}
