//! Support tables: the revisions in which backends run operators.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use opatlas_report::support::{csv, markdown};
use opatlas_source::Stop;
use opatlas_verdict::Answer;

use crate::http::Api;
use crate::http::extract::{Path, Query};
use crate::http::negotiate::{Accept, Media};
use crate::http::respond;
use opatlas_service::history::{Range, Support, SupportCell, Timeline};
use opatlas_wire::history::served;
use opatlas_wire::json::json;
use opatlas_wire::paths::ProjectPath;
use opatlas_wire::place::Place;
use opatlas_wire::problem::{Document, Kind, PROBLEM_JSON, Problem};
use opatlas_wire::support::{Cell, SupportOf, SupportQuery, SupportView, at_latest, rows};

const FORMS: &[Media] = &[Media::Json, Media::Csv, Media::Markdown];

const MAX_NAMES: usize = 200;

/// Support by backend
///
/// For each operator and key: the first and the last revision with support, and its reason.
/// `Accept` selects CSV or Markdown.
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
    accept: Accept,
) -> Result<Response, Problem> {
    let media = accept.media(FORMS)?;
    let operators = names("operators", &query.operators)?;
    let keys = names("keys", &query.keys)?;
    let service = &api.service;
    // Before anything is read, so that all of it holds for the mark.
    let mark = service.mark().await;
    let timeline = service
        .timeline(&path.project, query.line.map(Into::into))
        .await?;
    let asked = timeline.range(query.from.as_deref(), query.to.as_deref())?;
    let place = service.place().await?;
    let table = service
        .support(&timeline, &operators, &keys, &asked)
        .await?;
    let last = *asked.end();
    let make = move |_: &Stop| {
        let bytes = match media {
            Media::Csv => csv(&rows(&timeline, &table, &asked)).into_bytes(),
            Media::Markdown => {
                let title = format!("{} {}", timeline.project, timeline.items[last].title());
                markdown(&rows(&timeline, &table, &asked), &keys, &title).into_bytes()
            }
            _ => json(&SupportView {
                project: timeline.project.to_string(),
                from: Place::at(&timeline, *asked.start()),
                to: Place::at(&timeline, last),
                operators: table
                    .iter()
                    .map(|s| support(&timeline, s, &asked))
                    .collect(),
                keys,
            }),
        };
        Ok::<_, Problem>(bytes)
    };
    let bytes = service.make(make).await?;
    drop(place);
    let answer = respond::bytes(&api, &accept, StatusCode::OK, media, bytes);
    let mut response = answer.await?;
    respond::keep(&mut response, mark);
    Ok(response)
}

fn names(parameter: &'static str, text: &str) -> Result<Vec<String>, Problem> {
    let names: Vec<String> = text
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .map(Into::into)
        .collect();
    if (1..=MAX_NAMES).contains(&names.len()) {
        return Ok(names);
    }
    let text = format!("`{parameter}` must have 1 to {MAX_NAMES} names, separated by commas");
    Err(Problem::new(Kind::InvalidParameter, text).about(parameter))
}

fn support(timeline: &Timeline, support: &Support, asked: &Range) -> SupportOf {
    let last = *asked.end();
    let place = |place| Place::at(timeline, place);
    let cell = |cell: &SupportCell| {
        let at_last = cell.last();
        Cell {
            key: cell.key.clone(),
            supported: at_last.is_some_and(|range| *range.range.end() == last),
            first: cell.first().map(place),
            first_at_latest: at_latest(cell, cell.first(), asked),
            first_kernel: cell.first_kernel().map(place),
            first_kernel_at_latest: at_latest(cell, cell.first_kernel(), asked),
            last: at_last.map(|range| place(*range.range.end())),
            reason: at_last.map(|range| range.reason.as_str().into()),
            verdict: cell.verdict_at(last).map(|it| it.as_str().into()),
            works: cell
                .verdict_at(last)
                .map(|verdict| Answer::from(verdict).as_str().into()),
            standing: cell
                .range_at(last)
                .map(|range| range.standing().as_str().into()),
            ranges: cell.ranges.iter().map(|r| served(timeline, r)).collect(),
        }
    };
    SupportOf {
        operator: support.operator.clone(),
        cells: support.cells.iter().map(cell).collect(),
    }
}
