//! Gap lists: what a backend lacks or inherits.

use axum::extract::{Request, State};
use axum::response::Response;
use bytes::Bytes;
use opatlas_report::support::{gaps_csv, gaps_markdown};
use opatlas_source::{Digest, Stop};

use crate::http::Api;
use crate::http::body;
use crate::http::body::BYTES;
use crate::http::extract::{Path, Query, from_json};
use crate::http::negotiate::{Accept, Media};
use crate::http::page::{Cursors, Window};
use crate::http::respond;
use opatlas_model::BadLine;
use opatlas_service::dispatch::runtime_key;
use opatlas_service::gaps::Usage;
use opatlas_service::{Resolved, ViewId};
use opatlas_wire::comparison::SideView;
use opatlas_wire::gaps::{GapQuery, GapRequest, Gaps, UsageBody, rows, steps, summary, view};
use opatlas_wire::json::json;
use opatlas_wire::keys::{KeyPath, of_path};
use opatlas_wire::operators::expect_tag;
use opatlas_wire::problem::{Document, Kind, PROBLEM_JSON, Problem};

const FORMS: &[Media] = &[Media::Json, Media::Csv, Media::Markdown];

const MAX_USAGE: usize = 1 << 20;

const CSV: &str = "text/csv";

const PLAIN: &str = "text/plain";

const JSON_BODY: &str = "application/json";

/// Gaps of a backend
///
/// The operators without a kernel for the key itself, the most important first: those whose calls fail,
/// those that work through something else, and the kernels that would help most. `Accept` selects CSV
/// or Markdown.
#[utoipa::path(
    get,
    path = "/v1/projects/{project}/revisions/{revision}/gaps/{key}",
    tag = "history",
    operation_id = "get_gaps",
    params(KeyPath, GapQuery),
    responses(
        (status = 200, description = "The gaps", content(
            (Gaps = "application/json"),
            (String = "text/csv"),
            (String = "text/markdown"),
        )),
        (status = 404, description = "No such project, revision or key", body = Document, content_type = PROBLEM_JSON),
        (status = 409, description = "Another release, or an ambiguous digest", body = Document, content_type = PROBLEM_JSON),
        (status = 422, description = "No such release or tag, or an alias key", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn stored(
    State(api): State<Api>,
    Path(path): Path<KeyPath>,
    Query(query): Query<GapQuery>,
    accept: Accept,
) -> Result<Response, Problem> {
    answer(&api, &accept, path, query, None).await
}

/// Gaps of a backend by usage
///
/// The gaps of a backend, sorted by a usage file: `operator,count` lines, or JSON. Nothing is stored.
#[utoipa::path(
    post,
    path = "/v1/projects/{project}/revisions/{revision}/gaps/{key}",
    tag = "history",
    operation_id = "rank_gaps",
    params(KeyPath, GapQuery),
    request_body(description = "The usage file: `operator,count` lines (`text/csv` is accepted, too), a JSON \
                                object of counts by operator, or a JSON list of objects with \
                                `operator` and `count`", content(
        (String = "application/octet-stream"),
        (std::collections::BTreeMap<String, u64> = "application/json"),
    )),
    responses(
        (status = 200, description = "The gaps", content(
            (Gaps = "application/json"),
            (String = "text/csv"),
            (String = "text/markdown"),
        )),
        (status = 404, description = "No such project, revision or key", body = Document, content_type = PROBLEM_JSON),
        (status = 409, description = "Another release, or an ambiguous digest", body = Document, content_type = PROBLEM_JSON),
        (status = 413, description = "Too large", body = Document, content_type = PROBLEM_JSON),
        (status = 415, description = "Neither CSV nor JSON", body = Document, content_type = PROBLEM_JSON),
        (status = 422, description = "No such release or tag, or an alias key", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn ranked(
    State(api): State<Api>,
    Path(path): Path<KeyPath>,
    Query(query): Query<GapQuery>,
    accept: Accept,
    request: Request,
) -> Result<Response, Problem> {
    let allowed = [CSV, PLAIN, BYTES, JSON_BODY];
    body::expect_media(request.headers(), &allowed)?;
    let is_json = body::media(request.headers()).as_deref() == Some(JSON_BODY);
    let bytes = body::collect(request, &api, MAX_USAGE).await?;
    let usage = UsageFile { bytes, is_json };
    answer(&api, &accept, path, query, Some(usage)).await
}

fn window(
    revision: &Resolved,
    key: &str,
    query: &GapQuery,
    usage: Option<&UsageFile>,
) -> Result<Window, Problem> {
    let usage = usage.map(|usage| Digest::of(&usage.bytes).to_string());
    let filter = (key, &query.since, query.only, &query.tag, usage);
    let cursors = Cursors::of(ViewId::new(revision, "gaps", &filter, ""));
    let asked = (query.limit, query.cursor.as_deref());
    let mut window = Window::of(Media::Json, cursors, asked)?;
    if query.limit.is_none() && query.cursor.is_none() {
        // This list is short, and whole by default.
        window.limit = None;
    }
    Ok(window)
}

fn cut(window: &Window, gaps: &mut Gaps) {
    let part = window.within(gaps.items.len());
    gaps.next_cursor = window.next(gaps.items.len());
    gaps.items.truncate(part.end);
    gaps.items.drain(..part.start);
}

struct UsageFile {
    bytes: Bytes,
    is_json: bool,
}

impl UsageFile {
    fn read(self) -> Result<Usage, Problem> {
        if self.is_json {
            Ok(of_json(from_json(&self.bytes)?))
        } else {
            of_csv(&self.bytes)
        }
    }
}

fn of_json(body: UsageBody) -> Usage {
    let mut usage = Usage::default();
    let items = match body {
        UsageBody::Map(map) => map.into_iter().collect::<Vec<_>>(),
        UsageBody::List(list) => list.into_iter().map(|i| (i.operator, i.count)).collect(),
    };
    for (operator, count) in items {
        usage.add_text(&operator, count);
    }
    usage
}

fn of_csv(bytes: &[u8]) -> Result<Usage, Problem> {
    let malformed = |text: String| Problem::new(Kind::MalformedBody, text);
    let text = std::str::from_utf8(bytes)
        .map_err(|_| malformed("the usage file is not UTF-8".to_owned()))?;
    Usage::read(text).map_err(|BadLine { number, .. }| {
        malformed(format!(
            "line {number} of the usage file is not `operator,count`, for example \
             `aten::add.Tensor,12`"
        ))
    })
}

async fn answer(
    api: &Api,
    accept: &Accept,
    path: KeyPath,
    query: GapQuery,
    usage: Option<UsageFile>,
) -> Result<Response, Problem> {
    let media = accept.media(FORMS)?;
    let service = &api.service;
    let release = query.release.as_deref();
    let revision = service
        .resolve(&path.project, &path.revision, release)
        .await?;
    runtime_key(revision.release(), &path.key).map_err(of_path)?;
    let snapshot = service.snapshot(&revision).await?;
    let since = match &query.since {
        None => None,
        Some(since) => {
            let since = service.resolve(&path.project, since, None).await?;
            let snapshot = service.snapshot(&since).await?;
            Some((SideView::of_revision(&since), snapshot))
        }
    };
    expect_tag(&snapshot.catalogue, query.tag.as_deref())?;
    let window = window(&revision, &path.key, &query, usage.as_ref())?;
    let key = path.key;
    let make = move |stop: &Stop| {
        let usage = usage.map(UsageFile::read).transpose()?;
        let since = since.as_ref().map(|(since, snapshot)| (since, &**snapshot));
        let asked = GapRequest {
            revision: &SideView::of_revision(&revision),
            snapshot: &snapshot,
            key: &key,
            since,
            usage: usage.as_ref(),
            only: query.only,
            tag: query.tag.as_deref(),
        };
        let mut gaps = view(&asked, stop)?;
        cut(&window, &mut gaps);
        let text = match media {
            Media::Csv => gaps_csv(&rows(&gaps)).into_bytes(),
            Media::Markdown => {
                let rows = rows(&gaps);
                gaps_markdown(&summary(&gaps), &steps(&gaps), &rows, rows.len()).into_bytes()
            }
            _ => json(&gaps),
        };
        Ok::<_, Problem>(respond::with_next(text, gaps.next_cursor))
    };
    let parts = service.make_parts(make).await?;
    respond::bytes_of_page(api, accept, media, &parts).await
}
