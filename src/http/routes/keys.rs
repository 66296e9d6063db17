//! The keys of a revision's tables, and one key across all operators: the view of a backend.

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
use crate::http::page::Cursors;
use crate::http::respond;
use crate::http::respond::{Effort, Making, ViewRequest};
use crate::http::routes::key_entries::lines;
use opatlas_service::ViewId;
use opatlas_service::dispatch::runtime_key;
use opatlas_wire::coverage::BackendCoverage;
use opatlas_wire::entry;
use opatlas_wire::entry::ReasonCounts;
use opatlas_wire::json::json;
use opatlas_wire::key_entries::{KeyEntry, Wanted, csv, is_wanted, wanted, with_key};
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
    let media = accept.media(JSON)?;
    let service = &api.service;
    let revision = service.resolve(&path.project, &path.revision, query.release.as_deref());
    let revision = revision.await?;
    let wanted = wanted(
        query.build.as_deref(),
        query.source,
        query.generated,
        revision.release(),
    )?;
    let part = PageQuery {
        limit: query.limit,
        cursor: query.cursor,
    };
    let request = ViewRequest {
        revision: &revision,
        view: "keys",
        parameters: (wanted.clone(), part.clone()),
        media,
        making: Making::Parsed,
        effort: Effort::Much,
    };
    respond::view(&api, &accept, request, move |snapshot, _| {
        let tables = snapshot.tables(&wanted.profile);
        let view = View::new(snapshot.inputs(), &tables);
        let keys = view.keys();
        let counts = coverage(*view, |_, operator| is_wanted(wanted.generated, operator)).overall;
        let slots: Vec<Slot> = keys.slots().collect();
        let list = (&wanted, keys.release());
        let (items, next_cursor) = page::cut("keys", &list, &slots, &part)?;
        let item = |&slot: &Slot| KeyItem {
            key: keys.name(Key::Runtime(slot)),
            functionality: keys.functionality(slot),
            backend: keys.backend(slot),
            operators: counts.operators,
            counts: ReasonCounts(counts.key(slot)),
            coverage: BackendCoverage::at(view, slot),
        };
        Ok(json(&KeyList {
            items: items.iter().map(item).collect(),
            next_cursor,
        }))
    })
    .await
}

/// A key
///
/// One runtime key across all operators: what runs there and why. With `Accept: text/csv` or
/// `application/x-ndjson` all operators, one per line.
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
    let limit = page::limit(query.limit)? as usize;
    let service = &api.service;
    let revision = service.resolve(&path.project, &path.revision, query.release.as_deref());
    let revision = revision.await?;
    let release = revision.release();
    let slot = runtime_key(release, &path.key).map_err(of_path)?;
    let reason = query.reason.as_deref().map(entry::reason).transpose()?;
    let verdict = query.verdict.as_deref().map(verdict).transpose()?;
    let wanted = Wanted {
        reason,
        verdict,
        ..wanted(
            query.build.as_deref(),
            query.source,
            query.generated,
            release,
        )?
    };
    let cursors = Cursors::of(ViewId::new(&revision, "key", &(&wanted, slot), ""));
    let from = match (&query.cursor, media) {
        (Some(cursor), Media::Json) => cursors.decode_number(cursor)?,
        _ => 0_usize,
    };
    let part = (media == Media::Json).then_some((from, limit));
    let request = ViewRequest {
        revision: &revision,
        view: "key",
        parameters: (wanted.clone(), slot, part),
        media,
        making: Making::Parsed,
        effort: Effort::Much,
    };
    respond::view(&api, &accept, request, move |snapshot, _| {
        Ok(match media {
            Media::NdJson => lines(snapshot, slot, &wanted),
            Media::Csv => csv(snapshot, slot, &wanted).into_bytes(),
            _ => with_key(
                snapshot,
                slot,
                &wanted,
                from..from.saturating_add(limit),
                |mut page, more| {
                    let next = from.saturating_add(limit).to_string();
                    page.next_cursor = more.then(|| cursors.encode(&next));
                    json(&page)
                },
            ),
        })
    })
    .await
}
