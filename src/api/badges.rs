//! Badges: the coverage of a backend as a small image, or as data for badge services.

use axum::extract::State;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::service::Snapshot;
use crate::service::dispatch::runtime_key;
use crate::service::gaps::counts;
use crate::service::history::percent;
use opatlas_report::support::badge;

use super::Api;
use super::extract::{Path, Query};
use super::negotiate::{Media, Wishes};
use super::problem::{Document, Kind, PROBLEM_JSON, Problem};
use super::respond::{self, Making, ViewRequest, json};

/// A badge's path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct BadgePath {
    /// The project.
    #[param(example = "pytorch")]
    pub project: String,
    /// A runtime key with `.svg` for the image, or `.json` for badge services.
    #[param(example = "MPS.svg")]
    pub badge: String,
}

/// What the badge shows.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct BadgeQuery {
    /// The revision; by default the last one.
    #[param(example = "2.15.0")]
    pub revision: Option<String>,
    /// What counts: `served`, the default, is whatever gets a call to a kernel; `kernel` only
    /// kernels of the key itself.
    #[param(inline)]
    pub of: Option<Counted>,
}

/// What counts as covered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Counted {
    /// Whatever gets a call to a kernel.
    #[default]
    Served,
    /// A kernel of the key itself.
    Kernel,
}

/// A badge as badge services read it.
#[derive(Debug, Serialize, ToSchema)]
pub struct Badge {
    /// The version of this form, as badge services number it.
    #[serde(rename = "schemaVersion")]
    #[schema(example = 1)]
    pub schema_version: u8,
    /// What it is about.
    #[schema(example = "coverage of MPS in 2.15.0")]
    pub label: String,
    /// How much.
    #[schema(example = "63 %")]
    pub message: String,
    /// A colour by its name.
    #[schema(example = "yellow")]
    pub color: &'static str,
}

/// A badge
///
/// How many of the declared operators a backend runs: `coverage of MPS in 2.15.0: 63 %`.
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
        (status = 404, description = "No such project, revision, key, or form of a badge", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn one(
    State(api): State<Api>,
    Path(path): Path<BadgePath>,
    Query(query): Query<BadgeQuery>,
    wishes: Wishes,
) -> Result<Response, Problem> {
    let (key, media) = match path.badge.rsplit_once('.') {
        Some((key, "svg")) => (key, Media::Svg),
        Some((key, "json")) => (key, Media::Json),
        _ => {
            let text = "a badge is a key with `.svg` or `.json`, such as `MPS.svg`";
            return Err(Problem::new(Kind::NoKey, text));
        }
    };
    let service = &api.service;
    let address = query.revision.as_deref().unwrap_or("latest");
    let revision = service.resolve(&path.project, address, None).await?;
    let slot = runtime_key(revision.release(), key).map_err(super::keys::of_path)?;
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
        making: Making::Large,
    };
    respond::view(&api, &wishes, request, move |snapshot: &Snapshot, _| {
        let counts = counts(snapshot, slot);
        let part = match of {
            Counted::Served => counts.kernels + counts.inherited,
            Counted::Kernel => counts.kernels,
        };
        let share = percent(part, counts.operators);
        let message = format!("{share} %");
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

fn colour(percent: u32) -> &'static str {
    match percent {
        90.. => "brightgreen",
        70.. => "green",
        50.. => "yellow",
        _ => "red",
    }
}
