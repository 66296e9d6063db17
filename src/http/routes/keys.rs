//! The keys of a revision's tables, and one key across all operators.

use axum::extract::State;
use axum::response::Response;
use opatlas_dispatch::coverage;
use opatlas_pytorch::key_set::Slot;
use opatlas_pytorch::keys::Key;
use opatlas_verdict::View;

use crate::http::Api;
use crate::http::extract::{Path, Query};
use crate::http::negotiate::{Accept, JSON, Media, SHEET};
use crate::http::page;
use crate::http::page::{Cursors, Window};
use crate::http::respond;
use crate::http::respond::{Effort, Making, ViewRequest};
use crate::http::routes::all_tables;
use crate::http::routes::key_entries::lines;
use opatlas_service::ViewId;
use opatlas_service::dispatch::runtime_key;
use opatlas_wire::coverage::{BackendCoverage, CoverageQuery};
use opatlas_wire::entry;
use opatlas_wire::entry::ReasonCounts;
use opatlas_wire::json::json;
use opatlas_wire::key_entries::{KeyEntry, TableSelection, csv, includes, with_key};
use opatlas_wire::keys::{KeyItem, KeyList, KeyPath, KeyQuery, KeyView, KeysQuery, of_path};
use opatlas_wire::page::PageQuery;
use opatlas_wire::paths::RevisionPath;
use opatlas_wire::problem::{Document, PROBLEM_JSON, Problem};
use opatlas_wire::verdict::verdict;

/// Keys
///
/// The runtime keys of the revision's release in table order, each with the number of operators by
/// reason.
#[utoipa::path(
    get,
    path = "/v1/projects/{project}/revisions/{revision}/keys",
    tag = "dispatch",
    operation_id = "list_keys",
    params(RevisionPath, KeysQuery),
    responses(
        (status = 200, description = "The keys", body = KeyList),
        (status = 404, description = "No such project or revision", body = Document, content_type = PROBLEM_JSON),
        (status = 409, description = "Another release, or an ambiguous digest", body = Document, content_type = PROBLEM_JSON),
        (status = 422, description = "No such release or build", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn list(
    State(api): State<Api>,
    Path(path): Path<RevisionPath>,
    Query(query): Query<KeysQuery>,
    accept: Accept,
) -> Result<Response, Problem> {
    accept.media(JSON)?;
    let part = PageQuery {
        limit: query.limit,
        cursor: query.cursor,
    };
    let query = CoverageQuery {
        generated: query.generated,
        build: query.build,
        source: query.source,
        release: query.release,
    };
    let (revision, selection) =
        all_tables::selection(&api, (&path.project, &path.revision), &query).await?;
    let parameters = ("keys", part.clone());
    let make = move |view: View<'_>, selection: &TableSelection| {
        let keys = view.keys();
        let counts = coverage(*view, |_, operator| includes(selection.generated, operator)).overall;
        let slots: Vec<Slot> = keys.slots().collect();
        let list = (selection, keys.release());
        let (items, next_cursor) = page::cut("keys", &list, &slots, &part)?;
        let item = |&slot: &Slot| KeyItem {
            key: keys.name(Key::Runtime(slot)),
            functionality: keys.functionality(slot),
            backend: keys.backend(slot),
            operators: counts.operators,
            counts: ReasonCounts(counts.key(slot)),
            coverage: BackendCoverage::at(view, slot),
        };
        let list = KeyList {
            items: items.iter().map(item).collect(),
            next_cursor,
        };
        Ok((json(&list), list.next_cursor))
    };
    all_tables::page(&api, &accept, (&revision, selection), parameters, make).await
}

/// A key
///
/// The entries of all operators at one runtime key. With `Accept: text/csv` or
/// `application/x-ndjson`, one per line, and all of them unless there is a
/// `limit`.
#[utoipa::path(
    get,
    path = "/v1/projects/{project}/revisions/{revision}/keys/{key}",
    tag = "dispatch",
    operation_id = "get_key",
    params(KeyPath, KeyQuery),
    responses(
        (status = 200, description = "A page of entries; or all of them, one per line", content(
            (KeyView = "application/json"),
            (KeyEntry = "application/x-ndjson"),
            (String = "text/csv"),
        )),
        (status = 404, description = "No such project, revision or key", body = Document, content_type = PROBLEM_JSON),
        (status = 409, description = "Another release, or an ambiguous digest", body = Document, content_type = PROBLEM_JSON),
        (status = 422, description = "No such release or build, or an alias key", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn one(
    State(api): State<Api>,
    Path(path): Path<KeyPath>,
    Query(query): Query<KeyQuery>,
    accept: Accept,
) -> Result<Response, Problem> {
    let media = accept.media(SHEET)?;
    page::limit(query.limit)?;
    let tables = CoverageQuery {
        generated: query.generated,
        build: query.build,
        source: query.source,
        release: query.release,
    };
    let (revision, selection) =
        all_tables::selection(&api, (&path.project, &path.revision), &tables).await?;
    let slot = runtime_key(revision.release(), &path.key).map_err(of_path)?;
    let reason = query.reason.as_deref().map(entry::reason).transpose()?;
    let verdict = query.verdict.as_deref().map(verdict).transpose()?;
    let selection = TableSelection {
        reason,
        verdict,
        ..selection
    };
    let cursors = Cursors::of(ViewId::new(&revision, "key", &(&selection, slot), ""));
    let asked = (query.limit, query.cursor.as_deref());
    let window = Window::of(media, cursors, asked)?;
    let request = ViewRequest {
        revision: &revision,
        view: "key",
        parameters: (selection.clone(), slot, window.place()),
        media,
        making: Making::Parsed,
        effort: Effort::Much,
    };
    respond::page(&api, &accept, request, move |snapshot, _| {
        let part = window.positions();
        Ok(match media {
            Media::NdJson => {
                let (text, count) = lines(snapshot, slot, &selection, part);
                (text, window.next(count))
            }
            Media::Csv => {
                let (text, count) = csv(snapshot, slot, &selection, part);
                (text.into_bytes(), window.next(count))
            }
            _ => with_key(snapshot, slot, &selection, part, |mut page, count| {
                page.next_cursor = window.next(count);
                (json(&page), page.next_cursor)
            }),
        })
    })
    .await
}
