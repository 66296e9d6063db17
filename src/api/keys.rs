//! The keys of a revision's tables, and one key across all operators: the view of a backend.

use axum::extract::State;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::service::dispatch::runtime_key;
use crate::service::{ServiceError, ViewId};
use opatlas_dispatch::{View, coverage};
use opatlas_pytorch::key_set::Slot;
use opatlas_pytorch::keys::Key;

use super::Api;
use super::entry::{self, BuildView, ReasonCounts, Source};
use super::extract::{Path, Query};
use super::key_entries::{KeyEntry, Wanted, csv, is_wanted, lines, wanted, with_key};
use super::negotiate::{JSON, Media, SHEET, Wishes};
use super::page::{self, Cursors, PageQuery};
use super::paths::{Generated, RevisionPath};
use super::problem::{Document, Kind, PROBLEM_JSON, Problem};
use super::respond::{self, Making, ViewRequest, json};

/// A key's path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct KeyPath {
    /// The project.
    #[param(example = "pytorch")]
    pub project: String,
    /// `LABEL`, `sha256:HEX` (8 digits or more, as long as they are unambiguous) or `latest`.
    #[param(example = "latest")]
    pub revision: String,
    /// A runtime key.
    #[param(example = "MPS")]
    pub key: String,
}

/// Which tables, and which part of the list.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct KeyQuery {
    /// Whether generated operators are wanted; by default they are.
    #[param(inline)]
    pub generated: Option<Generated>,
    /// A build profile (`all`, the default: what is declared; `linux-cuda`, `cpu`, `macos`), or a
    /// comma list of backends that are left out.
    #[param(example = "linux-cuda")]
    pub build: Option<String>,
    /// `files` leaves out what hand-written and observed registrations decide.
    #[param(inline)]
    pub source: Option<Source>,
    /// Only entries with this reason.
    #[param(example = "missing")]
    pub reason: Option<String>,
    /// The release of PyTorch whose rules apply, for an address by digest.
    #[param(example = "2.9")]
    pub release: Option<String>,
    /// How many items a page has.
    #[param(minimum = 1, maximum = 1000, default = 100)]
    pub limit: Option<u32>,
    /// `next_cursor` of the page before.
    pub cursor: Option<String>,
}

/// Which tables, and which part of the list of keys.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct KeysQuery {
    /// Whether generated operators are counted; by default they are.
    #[param(inline)]
    pub generated: Option<Generated>,
    /// A build profile, or a comma list of backends that are left out.
    #[param(example = "linux-cuda")]
    pub build: Option<String>,
    /// `files` leaves out what hand-written and observed registrations decide.
    #[param(inline)]
    pub source: Option<Source>,
    /// The release of PyTorch whose rules apply, for an address by digest.
    #[param(example = "2.9")]
    pub release: Option<String>,
    /// How many items a page has.
    #[param(minimum = 1, maximum = 1000, default = 100)]
    pub limit: Option<u32>,
    /// `next_cursor` of the page before.
    pub cursor: Option<String>,
}

/// A page of keys.
#[derive(Debug, Serialize, ToSchema)]
pub struct KeyList {
    /// The runtime keys, in table order.
    pub items: Vec<KeyItem>,
    /// What to ask for the next part with; null at the end.
    pub next_cursor: Option<String>,
}

/// A key with what operators have there.
#[derive(Debug, Serialize, ToSchema)]
pub struct KeyItem {
    /// The runtime key.
    #[schema(example = "SparseCPU")]
    pub key: &'static str,
    /// Its functionality.
    #[schema(example = "Sparse")]
    pub functionality: &'static str,
    /// Its backend, where the functionality exists once per backend.
    #[schema(example = "CPU")]
    pub backend: Option<&'static str>,
    /// How many operators are counted.
    pub operators: usize,
    /// How many of them have which reason.
    #[schema(value_type = std::collections::BTreeMap<String, u32>)]
    pub counts: ReasonCounts<u32>,
}

/// One key across all operators.
#[derive(Debug, Serialize, ToSchema)]
pub struct KeyView<'a> {
    /// The runtime key.
    #[schema(example = "MPS")]
    pub key: &'static str,
    /// Its functionality.
    #[schema(example = "Dense")]
    pub functionality: &'static str,
    /// Its backend, where the functionality exists once per backend.
    #[schema(example = "MPS")]
    pub backend: Option<&'static str>,
    /// The release whose keys and rules apply.
    #[schema(example = "2.9")]
    pub release: &'static str,
    /// The build that the tables are for.
    pub build: BuildView,
    /// Which registrations they are made of.
    pub source: Source,
    /// What there is to know about that.
    pub notes: Vec<String>,
    /// How many operators are counted, whatever their reason.
    pub operators: usize,
    /// How many of them have which reason.
    #[schema(value_type = std::collections::BTreeMap<String, u32>)]
    pub counts: ReasonCounts<u32>,
    /// One for every operator, missing ones included, in the order of the operators.
    pub items: Vec<KeyEntry<'a>>,
    /// What to ask for the next part with; null at the end.
    pub next_cursor: Option<String>,
}

/// Keys
///
/// The runtime keys of the revision's release in table order, each with how many operators have
/// which reason there.
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
    wishes: Wishes,
) -> Result<Response, Problem> {
    let media = wishes.media(JSON)?;
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
        making: Making::Large,
    };
    respond::view(&api, &wishes, request, move |snapshot, _| {
        let tables = snapshot.tables(&wanted.profile);
        let view = View::new(snapshot.inputs(), &tables);
        let keys = view.keys();
        let counts = coverage(view, |_, operator| is_wanted(wanted.generated, operator)).overall;
        let slots: Vec<Slot> = keys.slots().collect();
        let list = (&wanted, keys.release());
        let (items, next_cursor) = page::cut("keys", &list, &slots, &part)?;
        let item = |&slot: &Slot| KeyItem {
            key: keys.name(Key::Runtime(slot)),
            functionality: keys.functionality(slot),
            backend: keys.backend(slot),
            operators: counts.operators,
            counts: ReasonCounts(counts.key(slot)),
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
/// `application/x-ndjson` all of it, one operator a line.
#[utoipa::path(
    get,
    path = "/v1/projects/{project}/revisions/{revision}/keys/{key}",
    tag = "dispatch",
    operation_id = "get_key",
    params(KeyPath, KeyQuery),
    responses(
        (status = 200, description = "A page of entries; or all, one a line", content(
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
    wishes: Wishes,
) -> Result<Response, Problem> {
    let media = wishes.media(SHEET)?;
    let limit = page::limit(query.limit)? as usize;
    let service = &api.service;
    let revision = service.resolve(&path.project, &path.revision, query.release.as_deref());
    let revision = revision.await?;
    let release = revision.release();
    let slot = runtime_key(release, &path.key).map_err(of_path)?;
    let reason = query.reason.as_deref().map(entry::reason).transpose()?;
    let wanted = Wanted {
        reason,
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
        making: Making::Large,
    };
    respond::view(&api, &wishes, request, move |snapshot, _| {
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

/// In a path the key is what is asked for.
pub(super) fn of_path(error: ServiceError) -> Problem {
    let mut problem = Problem::from(error);
    if problem.kind == Kind::UnknownKey {
        problem.kind = Kind::NoKey;
    }
    problem
}
