//! Badges: the coverage of a backend as a small image, or as data for badge services.

use axum::extract::State;
use axum::response::Response;
use opatlas_report::support::badge;

use crate::http::Api;
use crate::http::extract::{Path, Query};
use crate::http::negotiate::{Accept, Media};
use crate::http::respond;
use crate::http::respond::{Effort, Making, ViewRequest};
use opatlas_service::Snapshot;
use opatlas_service::dispatch::runtime_key;
use opatlas_service::history::percent;
use opatlas_verdict::Answer;
use opatlas_wire::badges::{Badge, BadgePath, BadgeQuery, Counted};
use opatlas_wire::json::json;
use opatlas_wire::problem::{Document, Kind, PROBLEM_JSON, Problem};

/// A badge
///
/// How many of the operators that apply to a backend it runs, and for how many this is unknown:
/// `coverage of MPS in 2.15.0: 63 %, 9 unknown`.
#[utoipa::path(
    get,
    path = "/v1/projects/{project}/badges/{badge}",
    tag = "history",
    operation_id = "get_badge",
    params(BadgePath, BadgeQuery),
    responses(
        (status = 200, description = "The badge", content(
            (String = "image/svg+xml"),
            (Badge = "application/json"),
        )),
        (status = 404, description = "No such project, revision, key or badge format", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn one(
    State(api): State<Api>,
    Path(path): Path<BadgePath>,
    Query(query): Query<BadgeQuery>,
    accept: Accept,
) -> Result<Response, Problem> {
    let (key, media) = match path.badge.rsplit_once('.') {
        Some((key, "svg")) => (key, Media::Svg),
        Some((key, "json")) => (key, Media::Json),
        _ => {
            let text = "a badge is a key plus `.svg` or `.json`, for example `MPS.svg`";
            return Err(Problem::new(Kind::UnknownKey, text).in_path());
        }
    };
    let service = &api.service;
    let address = query.revision.as_deref().unwrap_or("latest");
    let revision = service.resolve(&path.project, address, None).await?;
    let slot = runtime_key(revision.release(), key).map_err(opatlas_wire::keys::of_path)?;
    let of = query.of.unwrap_or_default();
    let title = match &revision.label {
        Some(label) => label.name.to_string(),
        None => format!("{:.12}", revision.digest.to_string()),
    };
    let what = match of {
        Counted::Served => "coverage",
        Counted::Kernel => "kernels",
    };
    let label = format!("{what} of {key} in {title}");
    let request = ViewRequest {
        revision: &revision,
        view: "badge",
        parameters: (slot, of, label.clone()),
        media,
        making: Making::Parsed,
        effort: Effort::Much,
    };
    respond::view(&api, &accept, request, move |snapshot: &Snapshot, _| {
        let coverage = snapshot.view().coverage_of(slot);
        let share = match of {
            Counted::Served if !coverage.is_claimed => None,
            Counted::Served => Some(coverage.covered().into()),
            Counted::Kernel => Some(percent(coverage.kernels, coverage.applicable())),
        };
        let message = match (share, of, coverage.counted(Answer::Unknown)) {
            (None, ..) => "unknown, out of tree".to_owned(),
            (Some(share), Counted::Kernel, _) | (Some(share), _, 0) => format!("{share} %"),
            (Some(share), _, unknown) => format!("{share} %, {unknown} unknown"),
        };
        Ok(match media {
            Media::Svg => badge(&label, &message, share).into_bytes(),
            _ => json(&Badge {
                schema_version: 1,
                label,
                message,
                color: colour(share),
            }),
        })
    })
    .await
}

fn colour(percent: Option<u32>) -> &'static str {
    match percent {
        None => "lightgrey",
        Some(90..) => "brightgreen",
        Some(70..) => "green",
        Some(50..) => "yellow",
        Some(_) => "red",
    }
}
