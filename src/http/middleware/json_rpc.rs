//! Answers messages that are not JSON-RPC as JSON-RPC 2.0 says. The library answers them with 415, as if
//! they had another media type.

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use rmcp::model::ErrorCode;
use serde::de::IgnoredAny;
use serde_json::json;

use crate::http::Api;
use crate::http::body;
use crate::http::middleware::envelope::AsIs;
use crate::mcp;
use opatlas_wire::problem::Problem;

const JSON: &str = "application/json";

/// The layer around the tools for assistants.
pub async fn answer(
    State(api): State<Api>,
    request: Request,
    next: Next,
) -> Result<Response, Problem> {
    let is_message = request.method() == Method::POST
        && body::media(request.headers()).is_some_and(|media| media == JSON);
    if !is_message {
        return Ok(next.run(request).await);
    }
    let (parts, unread) = request.into_parts();
    let whole = Request::from_parts(parts.clone(), unread);
    let text = body::collect(whole, &api, mcp::MOST_CALLED).await?;
    let request = Request::from_parts(parts, Body::from(text.clone()));
    let response = next.run(request).await;
    Ok(match response.status() {
        StatusCode::UNSUPPORTED_MEDIA_TYPE => refusal(&text),
        _ => response,
    })
}

/// The id of the message is not known, so it is null.
fn refusal(text: &[u8]) -> Response {
    let (code, message) = match serde_json::from_slice::<IgnoredAny>(text) {
        Ok(_) => (
            ErrorCode::INVALID_REQUEST,
            "this is not a JSON-RPC 2.0 message of MCP",
        ),
        Err(_) => (ErrorCode::PARSE_ERROR, "this is not JSON"),
    };
    let error = json!({"code": code.0, "message": message});
    let answer = json!({"jsonrpc": "2.0", "id": null, "error": error});
    let media = [(header::CONTENT_TYPE, JSON)];
    let mut response = (StatusCode::BAD_REQUEST, media, answer.to_string()).into_response();
    response.extensions_mut().insert(AsIs);
    response
}
