//! Gap lists: what a backend lacks or inherits.

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::service::dispatch::runtime_key;
use crate::service::gaps::{self, Gap, Usage};
use crate::service::{Resolved, Snapshot};
use opatlas_dispatch::Verdict;
use opatlas_dispatch::support::KeyCoverage;
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::key_set::Slot;
use opatlas_report::support::{GapRow, StepRow, gaps_csv, gaps_markdown};

use super::comparison::SideView;
use super::extract::{Path, Query, from_json};
use super::keys::{KeyPath, of_path};
use super::negotiate::{Media, Wishes};
use super::problem::{Document, Kind, PROBLEM_JSON, Problem};
use super::respond::{self, json};
use super::{Api, body};

/// The forms of a gap list.
const FORMS: &[Media] = &[Media::Json, Media::Csv, Media::Markdown];
/// How many kernels the leverage names.
const STEPS: usize = 10;
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
    /// Only operators whose calls fail, always or in some cases (`lacking`), or only those that work
    /// through something else (`inherited`).
    #[param(inline)]
    pub only: Option<Only>,
    /// Which operators count in `leverage`: those with this tag; by default all.
    #[param(example = "core")]
    pub tag: Option<String>,
}

/// Which kind of gap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Only {
    /// A call fails, always or in some cases.
    Lacking,
    /// It works through something else.
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
    /// The kernels that would help most, one after the other: each with the operators that work then
    /// and did not before. For a key that nothing is claimed about they are those of a device that
    /// has only the kernels that every device must have.
    pub leverage: Vec<LeverageStep>,
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
    /// Those that work through something else.
    pub inherited: u32,
    /// Those whose calls fail, always or in some cases.
    pub lacking: u32,
    /// Those of which it is not known.
    pub unknown: u32,
    /// The share that works in percent.
    pub covered: u8,
}

/// A kernel that would help.
#[derive(Debug, Serialize, ToSchema)]
pub struct LeverageStep {
    /// The operator that lacks the kernel.
    #[schema(example = "add.out")]
    pub operator: String,
    /// How many operators work then and did not before, itself included; generated ones are not
    /// counted, nor those without the tag that was asked for.
    pub gain: usize,
    /// The same, by how often they are used (with a usage file).
    pub weight: u64,
    /// These operators.
    pub unlocks: Vec<String>,
    /// How many more operators need this kernel and others besides.
    pub blocks: usize,
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
    /// Whether a call fails, always or in some cases.
    pub lacking: bool,
    /// Whether a call works: `runs`, `decomposes`, `partly`, `falls-back`, `fails`, `unknown`.
    #[schema(example = "fails")]
    pub verdict: &'static str,
    /// The operators without a working entry that it needs, nearest first.
    pub needs: Vec<String>,
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
    let usage = match is_json {
        true => of_json(from_json(&bytes)?),
        false => of_csv(&bytes)?,
    };
    answer(&api, &wishes, path, query, Some(usage)).await
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
    usage: Option<Usage>,
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
    let make = move || {
        let since = since.as_ref().map(|(since, snapshot)| (since, &**snapshot));
        let asked = Asked {
            revision: &revision,
            snapshot: &snapshot,
            key: &key,
            since,
            usage: usage.as_ref(),
            only: query.only,
            tag: query.tag.as_deref(),
        };
        let gaps = view(&asked)?;
        Ok::<_, Problem>(match media {
            Media::Csv => gaps_csv(&rows(&gaps)).into_bytes(),
            Media::Markdown => {
                gaps_markdown(&title(&gaps), &steps(&gaps), &rows(&gaps)).into_bytes()
            }
            _ => json(&gaps),
        })
    };
    let bytes = service.make(move |_| make()).await?;
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
    /// Which operators count in the leverage.
    pub tag: Option<&'a str>,
}

/// A gap list on the wire.
///
/// # Errors
/// [`Kind::NoKey`].
pub fn view(asked: &Asked<'_>) -> Result<Gaps, Problem> {
    let snapshot = asked.snapshot;
    let slot = runtime_key(snapshot.release(), asked.key).map_err(of_path)?;
    let mut found = gaps::gaps(snapshot, slot, asked.usage);
    if let Some(only) = asked.only {
        found.retain(|gap| match only {
            Only::Lacking => gap.is_lacking(),
            Only::Inherited => gap.verdict.works(),
        });
    }
    let is_new = |gap: &Gap| {
        let (_, before) = asked.since?;
        Some(before.catalogue.find_qualified(&gap.operator).is_none())
    };
    let items = found.iter().map(|gap| GapView {
        operator: gap.operator.clone(),
        reason: gap.reason.as_str(),
        source_key: gap.source_key,
        lacking: gap.is_lacking(),
        verdict: gap.verdict.as_str(),
        needs: gap.needs.clone(),
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
            .map(|slot| before.view().coverage_of(slot).into()),
        gained: gaps::gained(snapshot, before, asked.key),
    });
    Ok(Gaps {
        revision: side(asked.revision),
        key: asked.key.to_owned(),
        counts: snapshot.view().coverage_of(slot).into(),
        items: items.collect(),
        leverage: leverage(asked, slot),
        since,
        unknown: asked
            .usage
            .map(|usage| gaps::unknown(snapshot, usage))
            .unwrap_or_default(),
    })
}

/// The kernels that would help most.
fn leverage(asked: &Asked<'_>, slot: Slot) -> Vec<LeverageStep> {
    let catalogue = &asked.snapshot.catalogue;
    let name = |id: OperatorId| catalogue.operator(id).qualified_name();
    let counts = |id: &OperatorId| {
        let operator = catalogue.operator(*id);
        !operator.is_generated() && asked.tag.is_none_or(|tag| operator.has_tag(tag))
    };
    let found = gaps::leverage(asked.snapshot, slot, STEPS, asked.tag, asked.usage);
    let steps = found.steps.into_iter().map(|step| {
        let unlocks: Vec<OperatorId> = step.unlocks.into_iter().filter(counts).collect();
        LeverageStep {
            operator: name(step.operator),
            gain: unlocks.len(),
            weight: step.gain,
            unlocks: unlocks.into_iter().map(name).collect(),
            blocks: step.blocks,
        }
    });
    steps.collect()
}

impl From<KeyCoverage> for GapCounts {
    fn from(coverage: KeyCoverage) -> Self {
        let of = |verdict: Verdict| coverage.declared[verdict as usize];
        let works_elsewhere = coverage.working().saturating_sub(coverage.kernels);
        Self {
            operators: coverage.operators(),
            kernels: coverage.kernels,
            inherited: works_elsewhere,
            lacking: of(Verdict::Fails) + of(Verdict::Partly),
            unknown: of(Verdict::Unknown),
            covered: coverage.covered(),
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

/// The leverage as reports take it.
#[must_use]
pub fn steps(gaps: &Gaps) -> Vec<StepRow<'_>> {
    let steps = gaps.leverage.iter().map(|step| StepRow {
        operator: &step.operator,
        gain: step.gain,
        blocks: step.blocks,
    });
    steps.collect()
}

/// The gaps as reports take them.
#[must_use]
pub fn rows(gaps: &Gaps) -> Vec<GapRow<'_>> {
    let items = gaps.items.iter();
    let rows = items.map(|gap| GapRow {
        operator: &gap.operator,
        reason: gap.reason,
        source_key: gap.source_key.unwrap_or_default(),
        verdict: gap.verdict,
        needs: &gap.needs,
        is_lacking: gap.lacking,
        is_core: gap.core,
        others: gap.others,
        usage: gap.usage,
        is_new: gap.new,
    });
    rows.collect()
}
