//! Support tables: since when backends run operators.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::service::history::{Support, SupportCell, Timeline};
use opatlas_dispatch::Verdict;
use opatlas_report::support::{Row, csv, markdown};
use opatlas_source::Stop;

use super::Api;
use super::extract::{Path, Query};
use super::history::{LineName, RangeView, served};
use super::negotiate::{Media, Wishes};
use super::paths::ProjectPath;
use super::place::Place;
use super::problem::{Document, Kind, PROBLEM_JSON, Problem};
use super::respond::{self, json};

/// The forms of a support table.
const FORMS: &[Media] = &[Media::Json, Media::Csv, Media::Markdown];
/// How many operators and keys a table has at most.
const MAX_NAMES: usize = 200;

/// Which operators and backends.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct SupportQuery {
    /// A comma list of operators, at most 200.
    #[param(example = "add.Tensor,bmm")]
    pub operators: String,
    /// A comma list of runtime keys, at most 200.
    #[param(example = "CPU,CUDA,MPS,XPU")]
    pub keys: String,
    /// Where to begin; by default with the first revision.
    #[param(example = "2.0.0")]
    pub from: Option<String>,
    /// Where to end; by default with the last revision.
    #[param(example = "latest")]
    pub to: Option<String>,
    /// What the timeline is made of.
    #[param(inline)]
    pub line: Option<LineName>,
}

/// A support table.
#[derive(Debug, Serialize, ToSchema)]
pub struct SupportView {
    /// The project.
    #[schema(example = "pytorch")]
    pub project: String,
    /// Where it begins.
    pub from: Place,
    /// Where it ends.
    pub to: Place,
    /// The runtime keys, in the order asked for.
    pub keys: Vec<String>,
    /// One for each operator, in the order asked for.
    pub operators: Vec<SupportOf>,
}

/// The support of an operator.
#[derive(Debug, Serialize, ToSchema)]
pub struct SupportOf {
    /// The operator.
    #[schema(example = "add.Tensor")]
    pub operator: String,
    /// One for each key.
    pub cells: Vec<Cell>,
}

/// What a backend has of an operator.
#[derive(Debug, Serialize, ToSchema)]
pub struct Cell {
    /// The runtime key.
    #[schema(example = "MPS")]
    pub key: String,
    /// Whether a call works in the last revision.
    pub supported: bool,
    /// The first revision in which it does.
    pub first: Option<Place>,
    /// The first in which the key has a kernel of its own.
    pub first_kernel: Option<Place>,
    /// The last revision in which a call works.
    pub last: Option<Place>,
    /// Why it serves there.
    #[schema(example = "kernel")]
    pub reason: Option<&'static str>,
    /// Whether a call works in the last revision: `runs`, `decomposes`, `partly`, `falls-back`,
    /// `fails`, `unknown`; null on keys that are not a backend's.
    pub verdict: Option<&'static str>,
    /// The stretches in which one thing served.
    pub ranges: Vec<RangeView>,
}

/// Since when backends run operators
///
/// For each operator and key: the first and the last revision with support, and by what. As CSV or
/// Markdown by `Accept`.
#[utoipa::path(
    get,
    path = "/v1/projects/{project}/support",
    tag = "history",
    operation_id = "get_support",
    params(ProjectPath, SupportQuery),
    responses(
        (status = 200, description = "The table", content(
            (SupportView = "application/json"),
            (String = "text/csv"),
            (String = "text/markdown"),
        )),
        (status = 404, description = "No such project, operator or revision", body = Document, content_type = PROBLEM_JSON),
        (status = 422, description = "No such key", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn table(
    State(api): State<Api>,
    Path(path): Path<ProjectPath>,
    Query(query): Query<SupportQuery>,
    wishes: Wishes,
) -> Result<Response, Problem> {
    let media = wishes.media(FORMS)?;
    let operators = names("operators", &query.operators)?;
    let keys = names("keys", &query.keys)?;
    let service = &api.service;
    let timeline = service.timeline(&path.project, query.line.map(Into::into));
    let timeline = timeline.await?;
    let asked = timeline.range(query.from.as_deref(), query.to.as_deref())?;
    let place = service.place().await?;
    let table = service
        .support(&timeline, &operators, &keys, &asked)
        .await?;
    let last = *asked.end();
    let make = move |_: &Stop| {
        let bytes = match media {
            Media::Csv => csv(&rows(&timeline, &table, last)).into_bytes(),
            Media::Markdown => {
                let title = format!("{} {}", timeline.project, timeline.items[last].title());
                markdown(&rows(&timeline, &table, last), &keys, &title).into_bytes()
            }
            _ => json(&SupportView {
                project: timeline.project.to_string(),
                from: Place::at(&timeline, *asked.start()),
                to: Place::at(&timeline, last),
                operators: table.iter().map(|s| support(&timeline, s, last)).collect(),
                keys,
            }),
        };
        Ok::<_, Problem>(bytes)
    };
    let bytes = service.make(make).await?;
    drop(place);
    respond::bytes(&api, &wishes, StatusCode::OK, media, bytes).await
}

/// The names of a comma list.
fn names(parameter: &'static str, text: &str) -> Result<Vec<String>, Problem> {
    let names = text
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty());
    let names: Vec<String> = names.map(Into::into).collect();
    if (1..=MAX_NAMES).contains(&names.len()) {
        return Ok(names);
    }
    let text = format!("`{parameter}` must name 1 to {MAX_NAMES}, separated by commas");
    Err(Problem::new(Kind::InvalidParameter, text).about(parameter))
}

fn support(timeline: &Timeline, support: &Support, last: usize) -> SupportOf {
    let place = |place| Place::at(timeline, place);
    let cell = |cell: &SupportCell| {
        let at_last = cell.last();
        Cell {
            key: cell.key.clone(),
            supported: at_last.is_some_and(|range| *range.range.end() == last),
            first: cell.first().map(place),
            first_kernel: cell.first_kernel().map(place),
            last: at_last.map(|range| place(*range.range.end())),
            reason: at_last.map(|range| range.reason.as_str()),
            verdict: cell.verdict_at(last).map(Verdict::as_str),
            ranges: cell.ranges.iter().map(|r| served(timeline, r)).collect(),
        }
    };
    SupportOf {
        operator: support.operator.clone(),
        cells: support.cells.iter().map(cell).collect(),
    }
}

/// The table's rows as reports take them.
fn rows(timeline: &Timeline, table: &[Support], last: usize) -> Vec<Row> {
    let title = |place: usize| timeline.items[place].title();
    let mut rows = Vec::new();
    for support in table {
        for cell in &support.cells {
            let at_last = cell.last();
            rows.push(Row {
                operator: support.operator.clone(),
                key: cell.key.clone(),
                first: cell.first().map(title),
                first_kernel: cell.first_kernel().map(title),
                last: at_last.map(|range| title(*range.range.end())),
                is_supported: at_last.is_some_and(|range| *range.range.end() == last),
                reason: at_last.map(|range| range.reason.as_str()),
                source_key: at_last.and_then(|range| range.source_key.clone()),
                kernel: at_last.and_then(|range| range.kernel.clone()),
                verdict: cell.verdict_at(last).map(Verdict::as_str),
            });
        }
    }
    rows
}
