//! Gap lists: what a backend lacks or inherits.

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::service::dispatch::runtime_key;
use crate::service::gaps::{self, Counts, Gap, Usage};
use crate::service::{Resolved, Snapshot};
use opatlas_report::support::{GapRow, gaps_csv, gaps_markdown};
use opatlas_source::Stop;

use super::comparison::SideView;
use super::extract::{Path, Query, from_json};
use super::keys::{KeyPath, of_path};
use super::negotiate::{Media, Wishes};
use super::problem::{Document, Kind, PROBLEM_JSON, Problem};
use super::respond::{self, json};
use super::{Api, body};

/// The forms of a gap list.
const FORMS: &[Media] = &[Media::Json, Media::Csv, Media::Markdown];
/// The greatest usage file.
const MAX_USAGE: usize = 1 << 20;
const CSV: &str = "text/csv";
const PLAIN: &str = "text/plain";
const JSON_BODY: &str = "application/json";

/// Which gaps.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct GapQuery {
    /// A revision of the same project: tells what has come in since then.
    #[param(example = "2.9.0")]
    pub since: Option<String>,
    /// The release of PyTorch whose rules apply, for an address by digest.
    #[param(example = "2.15")]
    pub release: Option<String>,
    /// Only operators that nothing serves (`lacking`), or only those that something else serves
    /// (`inherited`).
    #[param(inline)]
    pub only: Option<Only>,
}

/// Which kind of gap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Only {
    /// Nothing serves it.
    Lacking,
    /// Something else serves it.
    Inherited,
}

/// The gaps of a backend.
#[derive(Debug, Serialize, ToSchema)]
pub struct Gaps {
    /// The revision.
    pub revision: SideView,
    /// The runtime key.
    #[schema(example = "MPS")]
    pub key: String,
    /// Counts of the declared operators.
    pub counts: GapCounts,
    /// Operators without a kernel of the key itself: those used most first (with a usage file), then
    /// those tagged `core`, then those that most other backends have.
    pub items: Vec<GapView>,
    /// What came in since the revision that was asked for.
    pub since: Option<Since>,
    /// Names of the usage file that no operator has.
    pub unknown: Vec<String>,
}

/// Counts of the declared operators at a key.
#[derive(Debug, Serialize, ToSchema)]
pub struct GapCounts {
    /// All of them.
    pub operators: u32,
    /// Those with a kernel of the key itself.
    pub kernels: u32,
    /// Those that something else serves.
    pub inherited: u32,
    /// Those that nothing serves.
    pub lacking: u32,
}

/// An operator without a kernel of the key itself.
#[derive(Debug, Serialize, ToSchema)]
pub struct GapView {
    /// The operator.
    #[schema(example = "cholesky")]
    pub operator: String,
    /// Why what serves it does, or `missing`.
    #[schema(example = "missing")]
    pub reason: &'static str,
    /// The registered key that serves it.
    pub source_key: Option<&'static str>,
    /// Whether no call gets to a kernel.
    pub lacking: bool,
    /// Whether it has the tag `core`.
    pub core: bool,
    /// How many other backends with tensors of the same kind have a kernel of their own.
    pub others: u32,
    /// How often it is used, with a usage file.
    pub usage: Option<u64>,
    /// Whether the operator came after the revision of `since`.
    pub new: Option<bool>,
}

/// What came in since a revision.
#[derive(Debug, Serialize, ToSchema)]
pub struct Since {
    /// That revision.
    pub revision: SideView,
    /// Counts there; null where the key is not known there.
    pub counts: Option<GapCounts>,
    /// Operators that the key has a kernel of its own for now, and had none for then.
    pub gained: Vec<String>,
}

/// The count of an operator in a usage file.
#[derive(Debug, Deserialize, ToSchema)]
pub struct UsageItem {
    /// The operator, as a profiler names it.
    #[schema(example = "aten::add.Tensor")]
    pub operator: String,
    /// How often it is used.
    pub count: u64,
}

/// A usage file in JSON.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum UsageBody {
    Map(std::collections::BTreeMap<String, u64>),
    List(Vec<UsageItem>),
}

/// What a backend lacks
///
/// The operators without a kernel of the key itself, ranked by what matters: those that it lacks and
/// those that something else serves. As CSV or Markdown by `Accept`.
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
        (status = 422, description = "No such release, or an alias key", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn stored(
    State(api): State<Api>,
    Path(path): Path<KeyPath>,
    Query(query): Query<GapQuery>,
    wishes: Wishes,
) -> Result<Response, Problem> {
    answer(&api, &wishes, path, query, None).await
}

/// What a backend lacks, by use
///
/// The same, ranked by how often operators are used: lines `operator,count`, or JSON. Nothing is
/// stored.
#[utoipa::path(
    post,
    path = "/v1/projects/{project}/revisions/{revision}/gaps/{key}",
    tag = "history",
    operation_id = "rank_gaps",
    params(KeyPath, GapQuery),
    request_body(description = "The usage file: `operator,count` lines, an object of counts by operator, or a list", content(
        (String = "text/csv"),
        (Vec<UsageItem> = "application/json"),
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
        (status = 422, description = "No such release, or an alias key", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn ranked(
    State(api): State<Api>,
    Path(path): Path<KeyPath>,
    Query(query): Query<GapQuery>,
    wishes: Wishes,
    request: Request,
) -> Result<Response, Problem> {
    let allowed = [CSV, PLAIN, JSON_BODY];
    body::expect_media(request.headers(), &allowed)?;
    let is_json = body::media(request.headers()).as_deref() == Some(JSON_BODY);
    let bytes = body::collect(request, &api, MAX_USAGE).await?;
    let usage = UsageFile { bytes, is_json };
    answer(&api, &wishes, path, query, Some(usage)).await
}

/// A usage file that was not read yet.
struct UsageFile {
    bytes: Bytes,
    is_json: bool,
}

impl UsageFile {
    fn read(self) -> Result<Usage, Problem> {
        match self.is_json {
            true => Ok(of_json(from_json(&self.bytes)?)),
            false => of_csv(&self.bytes),
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
        gaps::add(&mut usage, &operator, count);
    }
    usage
}

fn of_csv(bytes: &[u8]) -> Result<Usage, Problem> {
    let malformed = |text: String| Problem::new(Kind::MalformedBody, text);
    let text = std::str::from_utf8(bytes);
    let text = text.map_err(|_| malformed("the usage file is not UTF-8".to_owned()))?;
    gaps::read_csv(text).map_err(|line| {
        malformed(format!(
            "line {line} of the usage file is no `operator,count`, such as `aten::add.Tensor,12`"
        ))
    })
}

async fn answer(
    api: &Api,
    wishes: &Wishes,
    path: KeyPath,
    query: GapQuery,
    usage: Option<UsageFile>,
) -> Result<Response, Problem> {
    let media = wishes.media(FORMS)?;
    let service = &api.service;
    let release = query.release.as_deref();
    let revision = service.resolve(&path.project, &path.revision, release);
    let revision = revision.await?;
    runtime_key(revision.release(), &path.key).map_err(of_path)?;
    let snapshot = service.snapshot(&revision).await?;
    let since = match &query.since {
        None => None,
        Some(since) => {
            let since = service.resolve(&path.project, since, None).await?;
            let snapshot = service.snapshot(&since).await?;
            Some((since, snapshot))
        }
    };
    let key = path.key;
    let make = move |stop: &Stop| {
        let usage = usage.map(UsageFile::read).transpose()?;
        let since = since.as_ref().map(|(since, snapshot)| (since, &**snapshot));
        let asked = Asked {
            revision: &revision,
            snapshot: &snapshot,
            key: &key,
            since,
            usage: usage.as_ref(),
            only: query.only,
        };
        let gaps = view(&asked, stop)?;
        Ok::<_, Problem>(match media {
            Media::Csv => gaps_csv(&rows(&gaps)).into_bytes(),
            Media::Markdown => gaps_markdown(&title(&gaps), &rows(&gaps)).into_bytes(),
            _ => json(&gaps),
        })
    };
    let bytes = service.make(make).await?;
    respond::bytes(api, wishes, StatusCode::OK, media, bytes).await
}

/// A gap list that is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// The revision.
    pub revision: &'a Resolved,
    /// The same, read.
    pub snapshot: &'a Snapshot,
    /// The runtime key.
    pub key: &'a str,
    /// The revision since which to tell what came in.
    pub since: Option<(&'a Resolved, &'a Snapshot)>,
    /// How often operators are used.
    pub usage: Option<&'a Usage>,
    /// Which kind of gap.
    pub only: Option<Only>,
}

/// A gap list on the wire.
///
/// # Errors
/// [`Kind::NoKey`], and [`Kind::Busy`] when it is stopped.
pub fn view(asked: &Asked<'_>, stop: &Stop) -> Result<Gaps, Problem> {
    let snapshot = asked.snapshot;
    let slot = runtime_key(snapshot.release(), asked.key).map_err(of_path)?;
    let mut found = gaps::gaps(snapshot, slot, asked.usage, stop)?;
    if let Some(only) = asked.only {
        found.retain(|gap| gap.is_lacking == (only == Only::Lacking));
    }
    let is_new = |gap: &Gap| {
        let (_, before) = asked.since?;
        Some(before.catalogue.find_qualified(&gap.operator).is_none())
    };
    let items = found.iter().map(|gap| GapView {
        operator: gap.operator.clone(),
        reason: gap.reason.as_str(),
        source_key: gap.source_key,
        lacking: gap.is_lacking,
        core: gap.is_core,
        others: gap.others,
        usage: gap.usage,
        new: is_new(gap),
    });
    let since = asked.since.map(|(revision, before)| Since {
        revision: side(revision),
        counts: before
            .view()
            .keys()
            .slot(asked.key)
            .map(|slot| gaps::counts(before, slot).into()),
        gained: gaps::gained(snapshot, before, asked.key),
    });
    Ok(Gaps {
        revision: side(asked.revision),
        key: asked.key.to_owned(),
        counts: gaps::counts(snapshot, slot).into(),
        items: items.collect(),
        since,
        unknown: asked
            .usage
            .map(|usage| gaps::unknown(snapshot, usage))
            .unwrap_or_default(),
    })
}

impl From<Counts> for GapCounts {
    fn from(counts: Counts) -> Self {
        Self {
            operators: counts.operators,
            kernels: counts.kernels,
            inherited: counts.inherited,
            lacking: counts.lacking,
        }
    }
}

fn side(resolved: &Resolved) -> SideView {
    SideView {
        title: resolved.title(),
        project: Some(resolved.project.to_string()),
        revision: format!("sha256:{}", resolved.digest),
        label: resolved.label.as_ref().map(|label| label.name.to_string()),
        release: resolved.release().as_str(),
    }
}

/// What a report of the gaps is called.
#[must_use]
pub fn title(gaps: &Gaps) -> String {
    format!("What {} lacks in {}", gaps.key, gaps.revision.title)
}

/// The gaps as reports take them.
#[must_use]
pub fn rows(gaps: &Gaps) -> Vec<GapRow<'_>> {
    let items = gaps.items.iter();
    let rows = items.map(|gap| GapRow {
        operator: &gap.operator,
        reason: gap.reason,
        source_key: gap.source_key.unwrap_or_default(),
        is_lacking: gap.lacking,
        is_core: gap.core,
        others: gap.others,
        usage: gap.usage,
        is_new: gap.new,
    });
    rows.collect()
}
