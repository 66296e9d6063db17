//! The service: liveness, readiness, version, metrics.

use std::sync::OnceLock;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use opatlas_pytorch::release::Release;

use crate::http::Api;
use crate::http::negotiate::{Accept, JSON};
use crate::http::respond;
use opatlas_service::{ENGINE_VERSION, ServiceError};
use opatlas_store::StoreError;
use opatlas_wire::operations::{API_VERSION, Health, Version};
use opatlas_wire::problem::{Document, PROBLEM_JSON, Problem};

/// Liveness
///
/// Answers as long as the process runs, even without the database.
#[utoipa::path(
    get,
    path = "/healthz",
    tag = "operations",
    operation_id = "health",
    responses((status = 200, description = "The process runs", body = Health)),
)]
pub async fn health(State(api): State<Api>, accept: Accept) -> Result<Response, Problem> {
    respond::value(&api, &accept, StatusCode::OK, &Health { status: "ok" }).await
}

/// Readiness
///
/// Answers 200 if the service is ready: the database accepts reads and writes.
#[utoipa::path(
    get,
    path = "/readyz",
    tag = "operations",
    operation_id = "readiness",
    responses(
        (status = 200, description = "Ready for requests", body = Health),
        (status = 503, description = "Not ready", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn readiness(State(api): State<Api>, accept: Accept) -> Result<Response, Problem> {
    api.service.ready().await.map_err(unready)?;
    respond::value(&api, &accept, StatusCode::OK, &Health { status: "ok" }).await
}

/// Reports the obstacle: callers are operators of the service.
fn unready(error: ServiceError) -> Problem {
    let what = match error.root() {
        ServiceError::Store(StoreError::Unavailable { what, .. }) => Some(what.clone()),
        _ => None,
    };
    let mut problem = Problem::from(error);
    if let Some(what) = what {
        problem.detail = format!("the database does not accept reads and writes: {what}");
    }
    problem
}

/// Version
#[utoipa::path(
    get,
    path = "/v1/version",
    tag = "operations",
    operation_id = "version",
    responses((status = 200, description = "The version", body = Version)),
)]
pub async fn version(State(api): State<Api>, accept: Accept) -> Result<Response, Problem> {
    accept.media(JSON)?;
    let version = Version {
        name: env!("CARGO_PKG_NAME").to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        engine: ENGINE_VERSION.to_owned(),
        api: API_VERSION.to_owned(),
        oldest_release: Release::V2_0.to_string(),
        newest_release: Release::LATEST.to_string(),
    };
    respond::value(&api, &accept, StatusCode::OK, &version).await
}

/// OpenAPI document
///
/// The description of the API in OpenAPI 3.1.
#[utoipa::path(
    get,
    path = "/openapi.json",
    tag = "operations",
    operation_id = "openapi",
    responses((status = 200, description = "The OpenAPI document", body = serde_json::Value)),
)]
pub async fn document(State(api): State<Api>, accept: Accept) -> Result<Response, Problem> {
    let media = accept.media(JSON)?;
    let make = || Ok(openapi_json().as_bytes().to_vec());
    respond::program_view(&api, &accept, ("openapi", ()), media, make).await
}

/// The description as it is checked in: indented, with a final line break.
pub fn openapi_json() -> &'static str {
    static TEXT: OnceLock<String> = OnceLock::new();
    TEXT.get_or_init(|| {
        let mut text = serde_json::to_string_pretty(&crate::http::openapi()).unwrap_or_default();
        text.push('\n');
        text
    })
}
