//! Trends: counts and coverage over a project's timeline.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;

use crate::http::Api;
use crate::http::extract::{Path, Query};
use crate::http::negotiate::{Accept, JSON};
use crate::http::respond;
use opatlas_service::history::Range;
use opatlas_wire::paths::ProjectPath;
use opatlas_wire::problem::{Document, Kind, PROBLEM_JSON, Problem};
use opatlas_wire::trends::{MAX_POINTS, Point, TrendQuery, Trends, WayPoint, point};
use opatlas_wire::ways::{WayName, parse_way};

const POINTS: usize = 200;

/// Fates are not stored: each point takes a revision that is read.
const MAX_WAY_POINTS: usize = 64;

/// Trends
///
/// The number of operators of each kind and the coverage of every backend, revision by revision. With
/// `way`, also the operators by their fate on that way.
#[utoipa::path(
    get,
    path = "/v1/projects/{project}/trends",
    tag = "history",
    operation_id = "get_trends",
    params(ProjectPath, TrendQuery),
    responses(
        (status = 200, description = "The points", body = Trends),
        (status = 404, description = "No such project or revision", body = Document, content_type = PROBLEM_JSON),
        (status = 422, description = "No such way", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn trends(
    State(api): State<Api>,
    Path(path): Path<ProjectPath>,
    Query(query): Query<TrendQuery>,
    accept: Accept,
) -> Result<Response, Problem> {
    accept.media(JSON)?;
    let most = query.points.unwrap_or(POINTS);
    if !(2..=MAX_POINTS).contains(&most) {
        let text = format!("`points` must be between 2 and {MAX_POINTS}");
        return Err(Problem::new(Kind::InvalidParameter, text).about("points"));
    }
    let way = query.way.as_deref().map(parse_way).transpose()?;
    let most = match way {
        Some(_) => most.min(MAX_WAY_POINTS),
        None => most,
    };
    let service = &api.service;
    // Before anything is read, so that all of it holds for the mark.
    let mark = service.mark().await;
    let timeline = service
        .timeline(&path.project, query.line.map(Into::into))
        .await?;
    let asked = timeline.range(query.from.as_deref(), query.to.as_deref())?;
    let places = chosen(&asked, most);
    let facts = service.facts(&timeline, &places).await?;
    let has_coverage = query.coverage.unwrap_or(true);
    let points = places.iter().zip(&facts);
    let mut points: Vec<Point> = points
        .map(|(&place, facts)| point(&timeline, place, facts, has_coverage))
        .collect();
    if let Some(way) = way {
        let counts = service.fate_counts(&timeline, &places, way).await?;
        for (point, counts) in points.iter_mut().zip(&counts) {
            point.way = Some(WayPoint::of(way, counts));
        }
    }
    let trends = Trends {
        project: timeline.project.to_string(),
        line: timeline.line.as_str().into(),
        revisions: asked.end() - asked.start() + 1,
        ways: WayName::all(),
        points,
    };
    let answer = respond::value(&api, &accept, StatusCode::OK, &trends);
    let mut response = answer.await?;
    respond::keep(&mut response, mark);
    Ok(response)
}

/// Evenly spaced places of a range, including the first and the last.
fn chosen(range: &Range, most: usize) -> Vec<usize> {
    let (start, steps) = (*range.start(), range.end() - range.start());
    if steps < most {
        return range.clone().collect();
    }
    let last = most - 1;
    (0..most).map(|i| start + i * steps / last).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_spread_evenly() {
        assert_eq!(chosen(&(3..=5), 10), [3, 4, 5]);
        assert_eq!(chosen(&(0..=10), 3), [0, 5, 10]);
        let many = chosen(&(0..=9999), 200);
        assert_eq!((many.len(), many[0], many[199]), (200, 0, 9999));
    }
}
