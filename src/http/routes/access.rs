//! What the caller may do.

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;

use crate::http::Api;
use crate::http::extract::Query;
use crate::http::middleware::access::{AuthMode, Caller, caller, project_name};
use crate::http::negotiate::{Accept, JSON};
use crate::http::respond;
use opatlas_service::access::Action;
use opatlas_wire::access::{AccessQuery, AccessView, RightVerdict, TokenState, TokensFor, access};
use opatlas_wire::problem::{Document, PROBLEM_JSON, Problem};

/// Rights of the caller
///
/// Every action, with whether the token of the request, or a request without one, allows it. Needs
/// no token, and does not reveal whether a project exists.
#[utoipa::path(
    get,
    path = "/v1/access",
    tag = "operations",
    operation_id = "access",
    params(AccessQuery),
    responses(
        (status = 200, description = "The rights", body = AccessView),
        (status = 400, description = "No project can have this name", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn rights(
    State(api): State<Api>,
    Query(query): Query<AccessQuery>,
    headers: HeaderMap,
    accept: Accept,
) -> Result<Response, Problem> {
    accept.media(JSON)?;
    let project = query.project.as_deref().map(project_name).transpose()?;
    let caller = caller(&api, &headers).await?;
    let verdict = |action: Action| match &caller {
        _ if api.config.auth.is_open(Some(action)) => RightVerdict::Allowed,
        Caller::Known(grant) => {
            if grant.allows(action, project.as_ref()) {
                RightVerdict::Allowed
            } else {
                RightVerdict::NotAllowed
            }
        }
        Caller::Anonymous | Caller::Unknown => RightVerdict::TokenRequired,
    };
    let tokens_for = match api.config.auth {
        AuthMode::Off => TokensFor::Nothing,
        AuthMode::Writes => TokensFor::Writes,
        AuthMode::All => TokensFor::All,
    };
    let token = match &caller {
        Caller::Anonymous => TokenState::Absent,
        Caller::Known(_) => TokenState::Valid,
        Caller::Unknown => TokenState::Invalid,
    };
    let view = access(tokens_for, token, verdict);
    respond::value(&api, &accept, StatusCode::OK, &view).await
}
