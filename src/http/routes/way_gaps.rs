//! Gap lists of ways: the operators that nothing of their own serves.

use axum::extract::State;
use axum::response::Response;

use crate::http::Api;
use crate::http::extract::{Path, Query};
use crate::http::negotiate::{Accept, Media};
use crate::http::page;
use crate::http::page::{Cursors, Window};
use crate::http::respond;
use opatlas_service::ViewId;
use opatlas_source::Stop;
use opatlas_wire::comparison::SideView;
use opatlas_wire::json::json;
use opatlas_wire::operators::expect_tag;
use opatlas_wire::paths::RevisionPath;
use opatlas_wire::problem::{Document, PROBLEM_JSON, Problem};
use opatlas_wire::way_gaps::{WayGapQuery, WayGapRequest, WayGaps, view};
use opatlas_wire::ways::{csv, parse_way};

const FORMS: &[Media] = &[Media::Json, Media::Csv];

/// Gaps of a way
///
/// The declared operators that nothing of their own serves on a way to run them, so that calls fail or
/// fall back: `way=inductor&tag=core` lists core operators without a lowering. `Accept` selects CSV.
#[utoipa::path(
    get,
    path = "/v1/projects/{project}/revisions/{revision}/gaps",
    tag = "history",
    operation_id = "get_way_gaps",
    params(RevisionPath, WayGapQuery),
    responses(
        (status = 200, description = "The gaps", content(
            (WayGaps = "application/json"),
            (String = "text/csv"),
        )),
        (status = 404, description = "No such project or revision", body = Document, content_type = PROBLEM_JSON),
        (status = 409, description = "Another release, or an ambiguous digest", body = Document, content_type = PROBLEM_JSON),
        (status = 422, description = "No such way, release or tag", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn of_way(
    State(api): State<Api>,
    Path(path): Path<RevisionPath>,
    Query(query): Query<WayGapQuery>,
    accept: Accept,
) -> Result<Response, Problem> {
    let media = accept.media(FORMS)?;
    page::limit(query.limit)?;
    let way = parse_way(&query.way)?;
    let service = &api.service;
    let release = query.release.as_deref();
    let revision = service
        .resolve(&path.project, &path.revision, release)
        .await?;
    let cursors = Cursors::of(ViewId::new(&revision, "way gaps", &(way, &query.tag), ""));
    let asked = (query.limit, query.cursor.as_deref());
    let window = Window::of(media, cursors, asked)?;
    let snapshot = service.snapshot(&revision).await?;
    expect_tag(&snapshot.catalogue, query.tag.as_deref())?;
    let make = move |_: &Stop| {
        let mut gaps = view(WayGapRequest {
            revision: &SideView::of_revision(&revision),
            snapshot: &snapshot,
            way,
            tag: query.tag.as_deref(),
        });
        let (part, count) = (window.within(gaps.items.len()), gaps.items.len());
        gaps.next_cursor = window.next(count);
        gaps.items.truncate(part.end);
        gaps.items.drain(..part.start);
        let text = match media {
            Media::Csv => csv(&gaps.items).into_bytes(),
            _ => json(&gaps),
        };
        Ok::<_, Problem>(respond::with_next(text, gaps.next_cursor))
    };
    let parts = service.make_parts(make).await?;
    respond::bytes_of_page(&api, &accept, media, &parts).await
}
