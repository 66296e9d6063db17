//! What is asked of texts that are not stored: validate, parse.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::service::search::{self, Filter, search};
use crate::service::{JudgedRelease, ServiceError, Snapshot};
use opatlas_source::{Stop, Stopped};

use super::Api;
use super::bundle::{BundleBody, BundleJson};
use super::extract::Query;
use super::finding::{self, Finding, Omitted, SummaryView};
use super::negotiate::{JSON, Media, Wishes};
use super::operator::{Operator, operator};
use super::paths::{Generated, ReleaseQuery};
use super::problem::{Document, PROBLEM_JSON, Problem};
use super::renderings::{self, FINDINGS};
use super::respond::{self, json};
use super::revisions::notes;

/// What the rules say of a bundle.
#[derive(Debug, Serialize, ToSchema)]
pub struct Validation {
    /// Whether PyTorch's generator takes it: there is no finding of severity error.
    pub valid: bool,
    /// The release that it is judged as.
    #[schema(example = "2.15")]
    pub release: &'static str,
    /// What there is to know about that.
    pub notes: Vec<String>,
    /// Counts of its operators and findings.
    pub summary: SummaryView,
    /// The findings, by file and place: at most 1,000 of a rule and 10,000 in all.
    pub findings: Vec<Finding>,
    /// How many findings more there are of each rule; empty for every real file.
    pub omitted: Vec<Omitted>,
}

/// The operators of a bundle.
#[derive(Debug, Serialize, ToSchema)]
pub struct Parsed<'a> {
    /// The release that it is judged as.
    #[schema(example = "2.15")]
    pub release: &'static str,
    /// What there is to know about that.
    pub notes: Vec<String>,
    /// The operators that can be read.
    pub operators: Vec<Operator<'a>>,
    /// The findings, by file and place: at most 1,000 of a rule and 10,000 in all.
    pub findings: Vec<Finding>,
    /// How many findings more there are of each rule; empty for every real file.
    pub omitted: Vec<Omitted>,
}

/// How a bundle is parsed.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct ParseQuery {
    /// The release of PyTorch whose rules apply; by default the newest known.
    #[param(example = "2.9")]
    pub release: Option<String>,
    /// Whether generated operators are wanted; by default they are not.
    #[param(inline)]
    pub generated: Option<Generated>,
}

/// Validate a bundle
///
/// What the rules of the release find in it. Always 200 when the body could be read, also where it
/// is no YAML. As SARIF, Markdown or annotated text by `Accept`. Nothing is stored.
#[utoipa::path(
    post,
    path = "/v1/validate",
    tag = "stateless",
    operation_id = "validate",
    params(ReleaseQuery),
    request_body(
        description = "The files: `native_functions.yaml` itself, or a bundle as JSON or as parts that have the files' names",
        content(
            (String = "application/yaml", example = "- func: add.out(Tensor self, *, Tensor out) -> Tensor\n"),
            (BundleJson = "application/json"),
            (std::collections::BTreeMap<String, String> = "multipart/form-data"),
        ),
    ),
    responses(
        (status = 200, description = "What the rules find", content(
            (Validation = "application/json"),
            (serde_json::Value = "application/sarif+json"),
            (String = "text/markdown"),
            (String = "text/plain"),
        )),
        (status = 413, description = "Too large", body = Document, content_type = PROBLEM_JSON),
        (status = 415, description = "Not a bundle's media type", body = Document, content_type = PROBLEM_JSON),
        (status = 422, description = "No such release", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn validate(
    State(api): State<Api>,
    Query(query): Query<ReleaseQuery>,
    wishes: Wishes,
    BundleBody(bundle): BundleBody,
) -> Result<Response, Problem> {
    let media = wishes.media(FINDINGS)?;
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
    respond::bytes(&api, &wishes, StatusCode::OK, media, bytes).await
}

/// Parse a bundle
///
/// The operators that can be read, and what the rules find. Nothing is stored.
#[utoipa::path(
    post,
    path = "/v1/parse",
    tag = "stateless",
    operation_id = "parse",
    params(ParseQuery),
    request_body(
        description = "The files: `native_functions.yaml` itself, or a bundle as JSON or as parts that have the files' names",
        content(
            (String = "application/yaml", example = "- func: add.Tensor(Tensor self, Tensor other) -> Tensor\n"),
            (BundleJson = "application/json"),
            (std::collections::BTreeMap<String, String> = "multipart/form-data"),
        ),
    ),
    responses(
        (status = 200, description = "The operators", body = Parsed),
        (status = 413, description = "Too large", body = Document, content_type = PROBLEM_JSON),
        (status = 415, description = "Not a bundle's media type", body = Document, content_type = PROBLEM_JSON),
        (status = 422, description = "No such release", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn parse(
    State(api): State<Api>,
    Query(query): Query<ParseQuery>,
    wishes: Wishes,
    BundleBody(bundle): BundleBody,
) -> Result<Response, Problem> {
    let media = wishes.media(JSON)?;
    let judged = judged(query.release.as_deref())?;
    let generated = query.generated.unwrap_or(Generated::Exclude);
    let reader = api.service.reader();
    let make = move |stop: &Stop| {
        let snapshot = reader.judge(bundle, judged.release, stop)?;
        stop.check()?;
        Ok::<_, Problem>(json(&parsed(&snapshot, &judged, generated.into(), stop)?))
    };
    let bytes = api.service.make(make).await?;
    respond::bytes(&api, &wishes, StatusCode::OK, media, bytes).await
}

/// The release that a caller asks for; the newest where it asks for none.
pub fn judged(release: Option<&str>) -> Result<JudgedRelease, Problem> {
    match release {
        Some(text) => JudgedRelease::parse(text)
            .map_err(|unknown| Problem::from(ServiceError::Release(unknown))),
        None => Ok(JudgedRelease::NEWEST),
    }
}

fn validation(snapshot: &Snapshot, judged: &JudgedRelease) -> Validation {
    Validation {
        valid: snapshot.is_valid(),
        release: judged.release.as_str(),
        notes: notes(judged),
        summary: snapshot.summary().into(),
        findings: finding::all(snapshot),
        omitted: finding::omitted(snapshot),
    }
}

fn parsed<'s>(
    snapshot: &'s Snapshot,
    judged: &JudgedRelease,
    generated: search::Generated,
    stop: &Stop,
) -> Result<Parsed<'s>, Stopped> {
    let filter = Filter {
        generated,
        ..Filter::default()
    };
    let chosen = search(&snapshot.catalogue, &filter, stop)?.into_iter();
    Ok(Parsed {
        release: judged.release.as_str(),
        notes: notes(judged),
        operators: chosen.map(|id| operator(snapshot, id)).collect(),
        findings: finding::all(snapshot),
        omitted: finding::omitted(snapshot),
    })
}
