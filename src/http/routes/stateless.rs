//! Validates and parses bundles that are not stored.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use opatlas_source::Stop;

use crate::http::Api;
use crate::http::bundle::BundleBody;
use crate::http::extract::Query;
use crate::http::negotiate::{Accept, JSON, Media};
use crate::http::renderings;
use crate::http::renderings::FINDINGS;
use crate::http::respond;
use opatlas_service::{JudgedRelease, ServiceError};
use opatlas_wire::bundle::BundleJson;
use opatlas_wire::json::json;
use opatlas_wire::paths::{Generated, ReleaseQuery};
use opatlas_wire::problem::{Document, PROBLEM_JSON, Problem};
use opatlas_wire::stateless::{ParseQuery, Parsed, Validation, parsed, validation};

/// Validate a bundle
///
/// The findings of the release's rules. Always 200 if the body is readable, even if it is not YAML.
/// `Accept` selects SARIF, Markdown or annotated text. Nothing is stored.
#[utoipa::path(
    post,
    path = "/v1/validate",
    tag = "stateless",
    operation_id = "validate",
    params(ReleaseQuery),
    request_body(
        description = "The files: `native_functions.yaml` alone (`application/yaml` is accepted, too), or a bundle as JSON or as multipart parts named after the files",
        content(
            (String = "application/octet-stream", example = "- func: add.out(Tensor self, *, Tensor out) -> Tensor\n"),
            (BundleJson = "application/json"),
            (std::collections::BTreeMap<String, String> = "multipart/form-data"),
        ),
    ),
    responses(
        (status = 200, description = "The findings", content(
            (Validation = "application/json"),
            (serde_json::Value = "application/sarif+json"),
            (String = "text/markdown"),
            (String = "text/plain"),
        )),
        (status = 413, description = "Too large", body = Document, content_type = PROBLEM_JSON),
        (status = 415, description = "The media type is not that of a bundle", body = Document, content_type = PROBLEM_JSON),
        (status = 422, description = "No such release", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn validate(
    State(api): State<Api>,
    Query(query): Query<ReleaseQuery>,
    accept: Accept,
    BundleBody(bundle): BundleBody,
) -> Result<Response, Problem> {
    let media = accept.media(FINDINGS)?;
    let judged = judged(query.release.as_deref())?;
    let reader = api.service.reader();
    let make = move |stop: &Stop| {
        let snapshot = reader.judge(bundle, judged.release, stop)?;
        stop.check()?;
        Ok::<_, Problem>(match media {
            Media::Json => json(&validation(&snapshot, &judged)),
            _ => {
                let omitted = snapshot.findings().omitted();
                let report = renderings::report(&snapshot, snapshot.listed(), omitted, media, stop);
                report.unwrap_or_default()
            }
        })
    };
    let bytes = api.service.make(make).await?;
    respond::bytes(&api, &accept, StatusCode::OK, media, bytes).await
}

/// Parse a bundle
///
/// The operators with a valid schema, and the findings. Nothing is stored.
#[utoipa::path(
    post,
    path = "/v1/parse",
    tag = "stateless",
    operation_id = "parse",
    params(ParseQuery),
    request_body(
        description = "The files: `native_functions.yaml` alone (`application/yaml` is accepted, \
                       too), or a bundle as JSON or as multipart parts named after the files",
        content(
            (String = "application/octet-stream", example = "- func: add.Tensor(Tensor self, Tensor other) -> Tensor\n"),
            (BundleJson = "application/json"),
            (std::collections::BTreeMap<String, String> = "multipart/form-data"),
        ),
    ),
    responses(
        (status = 200, description = "The operators", body = Parsed),
        (status = 413, description = "Too large", body = Document, content_type = PROBLEM_JSON),
        (status = 415, description = "The media type is not that of a bundle", body = Document, content_type = PROBLEM_JSON),
        (status = 422, description = "No such release", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn parse(
    State(api): State<Api>,
    Query(query): Query<ParseQuery>,
    accept: Accept,
    BundleBody(bundle): BundleBody,
) -> Result<Response, Problem> {
    let media = accept.media(JSON)?;
    let judged = judged(query.release.as_deref())?;
    let generated = query.generated.unwrap_or(Generated::Exclude);
    let reader = api.service.reader();
    let make = move |stop: &Stop| {
        let snapshot = reader.judge(bundle, judged.release, stop)?;
        stop.check()?;
        Ok::<_, Problem>(json(&parsed(&snapshot, &judged, generated.into(), stop)?))
    };
    let bytes = api.service.make(make).await?;
    respond::bytes(&api, &accept, StatusCode::OK, media, bytes).await
}

/// The requested release; by default the newest.
pub fn judged(release: Option<&str>) -> Result<JudgedRelease, Problem> {
    match release {
        Some(text) => JudgedRelease::parse(text)
            .map_err(|unknown| Problem::from(ServiceError::Release(unknown))),
        None => Ok(JudgedRelease::NEWEST),
    }
}
