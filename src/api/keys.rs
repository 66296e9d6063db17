//! The keys of a revision's tables, and one key across all operators: the view of a backend.

use axum::extract::State;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::dispatch::{self, Key, Reason, Slot, View, coverage};
use crate::model::operator::{Operator, OperatorId};
use crate::report::table::{CSV_HEADER, csv_row};
use crate::service::dispatch::{Profile, runtime_key};
use crate::service::search;
use crate::service::{ServiceError, Snapshot, ViewId};

use super::Api;
use super::entry::{self, BuildView, Entry, ReasonCounts, Source, entry};
use super::extract::{Path, Query};
use super::negotiate::{JSON, Media, SHEET, Wishes};
use super::page::{self, Cursors, PageQuery};
use super::paths::{Generated, RevisionPath};
use super::problem::{Document, Kind, PROBLEM_JSON, Problem};
use super::respond::{self, Making, ViewRequest, json};
use super::stream::push_line;
use super::tables;

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

/// The entry of an operator.
#[derive(Debug, Serialize, ToSchema)]
pub struct KeyEntry<'a> {
    /// The operator.
    #[schema(example = "add.Tensor")]
    pub operator: String,
    /// Its entry.
    #[serde(flatten)]
    pub entry: Entry<'a>,
}

/// Which operators' entries at a key are wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// The tables.
    pub profile: Profile,
    /// Whether generated operators are wanted.
    pub generated: search::Generated,
    /// The reason that entries have.
    pub reason: Option<Reason>,
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
    respond::view(&api, &wishes, request, move |snapshot| {
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
    respond::view(&api, &wishes, request, move |snapshot| {
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

/// The tables and operators that a query asks for, with any reason.
///
/// # Errors
/// [`Kind::UnknownBuild`].
pub fn wanted(
    build: Option<&str>,
    source: Option<Source>,
    generated: Option<Generated>,
    release: crate::release::Release,
) -> Result<Wanted, Problem> {
    let source = source.unwrap_or_default().into();
    Ok(Wanted {
        profile: Profile::parse(build, source, release)?,
        generated: generated.map_or_else(Default::default, Into::into),
        reason: None,
    })
}

/// Whether an operator is wanted.
#[must_use]
pub fn is_wanted(generated: search::Generated, operator: &Operator) -> bool {
    match generated {
        search::Generated::Include => true,
        search::Generated::Only => operator.is_generated(),
        search::Generated::Exclude => !operator.is_generated(),
    }
}

/// The operators with their reasons at a key; those with another reason than the wanted one too.
fn reasons<'v>(
    view: View<'v>,
    slot: Slot,
    wanted: &Wanted,
) -> impl Iterator<Item = (OperatorId, Reason)> + use<'v> {
    let generated = wanted.generated;
    let operators = view.inputs.catalogue.iter();
    let operators = operators.filter(move |(_, operator)| is_wanted(generated, operator));
    operators.filter_map(move |(id, _)| {
        let table = &view.tables.pattern(id)?.table;
        Some((id, table.rule(slot).reason()))
    })
}

/// Calls `each` with every wanted operator and its entry.
pub fn each_entry<'v>(
    view: View<'v>,
    slot: Slot,
    wanted: &Wanted,
    mut each: impl FnMut(String, dispatch::Entry<'v>),
) {
    for (id, reason) in reasons(view, slot, wanted) {
        if wanted.reason.is_none_or(|wanted| wanted == reason)
            && let Some(entry) = view.entry(id, slot)
        {
            each(view.inputs.catalogue.operator(id).qualified_name(), entry);
        }
    }
}

fn lines(snapshot: &Snapshot, slot: Slot, wanted: &Wanted) -> Vec<u8> {
    let tables = snapshot.tables(&wanted.profile);
    let view = View::new(snapshot.inputs(), &tables);
    let mut text = Vec::new();
    each_entry(view, slot, wanted, |operator, found| {
        let entry = entry(snapshot, view.keys(), found);
        push_line(&mut text, &KeyEntry { operator, entry });
    });
    text
}

/// One key across all operators as a sheet.
#[must_use]
pub fn csv(snapshot: &Snapshot, slot: Slot, wanted: &Wanted) -> String {
    let tables = snapshot.tables(&wanted.profile);
    let view = View::new(snapshot.inputs(), &tables);
    let mut text = CSV_HEADER.to_owned();
    each_entry(view, slot, wanted, |operator, entry| {
        csv_row(&mut text, view.keys(), &operator, &entry);
    });
    text
}

/// Makes a part of the view of a key, and hands it to `then` with whether there is more.
pub fn with_key<T>(
    snapshot: &Snapshot,
    slot: Slot,
    wanted: &Wanted,
    part: std::ops::Range<usize>,
    then: impl FnOnce(KeyView<'_>, bool) -> T,
) -> T {
    let tables = snapshot.tables(&wanted.profile);
    let view = View::new(snapshot.inputs(), &tables);
    let keys = view.keys();
    let mut counts = [0; Reason::ALL.len()];
    let (mut operators, mut fitting) = (0, 0);
    let mut items = Vec::new();
    for (id, reason) in reasons(view, slot, wanted) {
        operators += 1;
        counts[reason as usize] += 1;
        if wanted.reason.is_some_and(|wanted| wanted != reason) {
            continue;
        }
        if part.contains(&fitting)
            && let Some(found) = view.entry(id, slot)
        {
            items.push(KeyEntry {
                operator: view.inputs.catalogue.operator(id).qualified_name(),
                entry: entry(snapshot, keys, found),
            });
        }
        fitting += 1;
    }
    let page = KeyView {
        key: keys.name(Key::Runtime(slot)),
        functionality: keys.functionality(slot),
        backend: keys.backend(slot),
        release: keys.release().as_str(),
        build: view.tables.build().into(),
        source: view.tables.source().into(),
        notes: tables::notes(view),
        operators,
        counts: ReasonCounts(counts),
        items,
        next_cursor: None,
    };
    then(page, part.end < fitting)
}
