//! The revisions of a project by name.

use axum::extract::State;
use axum::response::Response;

use crate::http::Api;
use crate::http::extract::{Path, Query};
use crate::http::negotiate::{Accept, LIST};
use crate::http::page::{self, Cursors};
use crate::http::respond;
use opatlas_service::ViewId;
use opatlas_service::history::RevisionName;
use opatlas_wire::paths::ProjectPath;
use opatlas_wire::problem::{Document, PROBLEM_JSON, Problem};
use opatlas_wire::search::expect_few_words;
use opatlas_wire::timeline::{NameItem, TimelineList, TimelineQuery};

/// Revisions by name
///
/// The labels and commits of a project, and its revisions that have neither, newest first. Each label
/// of a revision is a separate item. `q` filters them.
#[utoipa::path(
    get,
    path = "/v1/projects/{project}/timeline",
    tag = "history",
    operation_id = "list_timeline",
    params(ProjectPath, TimelineQuery),
    responses(
        (status = 200, description = "A page of names; or all of them, one per line", content(
            (TimelineList = "application/json"),
            (NameItem = "application/x-ndjson"),
        )),
        (status = 404, description = "No such project", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn list(
    State(api): State<Api>,
    Path(path): Path<ProjectPath>,
    Query(query): Query<TimelineQuery>,
    accept: Accept,
) -> Result<Response, Problem> {
    let media = accept.media(LIST)?;
    let limit = page::limit_of(media, query.limit)?.unwrap_or(usize::MAX);
    let words = query.q.as_deref().unwrap_or_default();
    expect_few_words(words)?;
    // Before anything is read, so that all of it holds for the mark.
    let mark = api.service.mark().await;
    let listing = api.service.listing(&path.project).await?;
    let found: Vec<&RevisionName> = listing.find(words, query.kind.map(Into::into)).collect();
    let asked = (&path.project, words, query.kind);
    let cursors = Cursors::of(ViewId::of_program("timeline", &asked));
    let from = match &query.cursor {
        Some(cursor) => after(&found, &cursors.decode(cursor)?)?,
        None => 0,
    };
    let until = from.saturating_add(limit).min(found.len());
    let last = found[from..until].last().filter(|_| until < found.len());
    let list = TimelineList {
        items: found[from..until]
            .iter()
            .map(|name| NameItem::from(*name))
            .collect(),
        total: found.len(),
        next_cursor: last.map(|name| cursors.encode(&name.id())),
    };
    let mut response = respond::list(&api, &accept, media, (&list, &list.items)).await?;
    page::mark(&mut response, list.next_cursor);
    respond::keep(&mut response, mark);
    Ok(response)
}

/// The position after a name, which newer names above it do not move.
fn after(found: &[&RevisionName], last: &str) -> Result<usize, Problem> {
    let at = found.iter().position(|name| name.id() == last);
    at.map(|at| at + 1).ok_or_else(page::invalid)
}
