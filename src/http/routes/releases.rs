//! The known releases of PyTorch.

use axum::extract::State;
use axum::response::Response;
use opatlas_pytorch::release::Release;

use crate::http::Api;
use crate::http::extract::{Path, Query};
use crate::http::negotiate::{Accept, JSON};
use crate::http::page;
use crate::http::respond;
use crate::http::routes::stateless::judged;
use opatlas_wire::json::json;
use opatlas_wire::page::PageQuery;
use opatlas_wire::problem::{Document, Kind, PROBLEM_JSON, Problem};
use opatlas_wire::releases::{ReleaseDetail, ReleaseList, ReleasePath, detail, item};

/// Releases
///
/// The known releases of PyTorch with their rules, keys and lists, oldest first.
#[utoipa::path(
    get,
    path = "/v1/releases",
    tag = "knowledge",
    operation_id = "list_releases",
    params(PageQuery),
    responses((status = 200, description = "The releases", body = ReleaseList)),
)]
pub async fn list(
    State(api): State<Api>,
    Query(query): Query<PageQuery>,
    accept: Accept,
) -> Result<Response, Problem> {
    let media = accept.media(JSON)?;
    let all: Vec<_> = Release::all().collect();
    let (items, next_cursor) = page::cut("releases", &(), &all, &query)?;
    let next = next_cursor.clone();
    let make = || {
        Ok(json(&ReleaseList {
            items: items.iter().copied().map(item).collect(),
            next_cursor: next,
        }))
    };
    let view = ("releases", &query);
    let mut response = respond::program_view(&api, &accept, view, media, make).await?;
    page::mark(&mut response, next_cursor);
    Ok(response)
}

/// A release
///
/// Its keys and alias sets, the keys allowed in `dispatch:`, its types and tags.
#[utoipa::path(
    get,
    path = "/v1/releases/{release}",
    tag = "knowledge",
    operation_id = "get_release",
    params(ReleasePath),
    responses(
        (status = 200, description = "The release", body = ReleaseDetail),
        (status = 404, description = "No such release", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn one(
    State(api): State<Api>,
    Path(path): Path<ReleasePath>,
    accept: Accept,
) -> Result<Response, Problem> {
    let media = accept.media(JSON)?;
    let judged = judged(Some(&path.release));
    // The path names what does not exist, so this is a 404.
    let release = match judged {
        Ok(judged) if judged.newer.is_none() => judged.release,
        Ok(judged) => {
            let detail = format!(
                "PyTorch {} is newer than all known releases",
                judged.stored()
            );
            return Err(Problem::new(Kind::UnknownRelease, detail).in_path());
        }
        Err(unknown) => return Err(unknown.in_path()),
    };
    let make = || Ok(json(&detail(release)));
    respond::program_view(&api, &accept, ("release", release), media, make).await
}
