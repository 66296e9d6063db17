//! Gap lists and usage files.

use opatlas_report::support::{GapRow, GapSummary, StepRow};
use opatlas_source::Stop;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::comparison::SideView;
use crate::keys::of_path;
use crate::problem::Problem;
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::key_set::Slot;
use opatlas_service::Snapshot;
use opatlas_service::dispatch::runtime_key;
use opatlas_service::gaps::{self, Gap, Usage};
use opatlas_verdict::{Answer, Because, KeyCoverage, KnownFrom};

/// The number of kernels in the leverage.
const STEPS: usize = 10;

/// The gaps to list.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct GapQuery {
    /// A revision of the same project: also report the changes since it.
    #[param(example = "2.9.0")]
    pub since: Option<String>,
    /// The release of PyTorch whose rules apply, for an address by digest.
    #[param(example = "2.15")]
    pub release: Option<String>,
    /// Only operators whose calls fail, always or in some cases (`lacking`), only those that work through
    /// something else (`inherited`), or only those for which this is unknown (`unknown`).
    #[param(inline)]
    pub only: Option<Only>,
    /// Count only operators with this tag in `leverage`.
    #[param(example = "core")]
    pub tag: Option<String>,
    /// The number of gaps in a page; by default all. CSV and Markdown always have all.
    #[param(minimum = 1, maximum = 1000)]
    pub limit: Option<u32>,
    /// `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

/// The kind of gap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Only {
    /// A call fails, always or in some cases.
    Lacking,
    /// It works through something else.
    Inherited,
    /// This is unknown.
    Unknown,
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
    /// Applicable operators without a kernel registered on the key: the most used first (with a usage
    /// file), then those tagged `core`, then those that most other backends have. Those for which it is
    /// unknown whether they work come last, in the same order.
    pub items: Vec<GapView>,
    /// The kernels that would help most, in the order to write them, each with the operators that it
    /// makes work. For a key about which nothing is known, they assume a device with only the
    /// kernels that every device must have.
    pub leverage: Vec<LeverageStep>,
    /// The changes since the requested revision.
    pub since: Option<Since>,
    /// Unknown names in the usage file.
    pub unknown: Vec<String>,
    /// The cursor of the next page of `items`; null at the end.
    pub next_cursor: Option<String>,
}

/// Counts of the declared operators at a key.
#[derive(Debug, Serialize, ToSchema)]
pub struct GapCounts {
    /// Declared operators: `applicable` and `other_backends`.
    pub operators: u32,
    /// Operators that the backend is expected to have.
    pub applicable: u32,
    /// Operators that fail because only other backends have them, for example in cuDNN. They are not
    /// gaps.
    pub other_backends: u32,
    /// Operators with a kernel registered on the key.
    pub kernels: u32,
    /// Operators that work through something else.
    pub inherited: u32,
    /// Operators that work.
    pub working: u32,
    /// Applicable operators whose calls fail, always or in some cases.
    pub lacking: u32,
    /// Those of them that work in some cases.
    pub partly: u32,
    /// Operators for which this is unknown, which are not gaps. `working`, `lacking` and `unknown` add up
    /// to `operators`.
    pub unknown: u32,
    /// The share of applicable operators that work, in percent.
    pub covered: u8,
}

/// A kernel that would help.
#[derive(Debug, Serialize, ToSchema)]
pub struct LeverageStep {
    /// The operator that lacks the kernel.
    #[schema(example = "add.out")]
    pub operator: String,
    /// The number of operators that it makes work, itself included. Generated operators and those
    /// without the requested tag do not count.
    pub gain: usize,
    /// The total use of `unlocks` (with a usage file).
    pub weight: u64,
    /// These operators.
    pub unlocks: Vec<String>,
    /// The number of further operators that need this kernel and others.
    pub blocks: usize,
}

/// An operator without a kernel registered on the key.
#[derive(Debug, Serialize, ToSchema)]
pub struct GapView {
    /// The operator.
    #[schema(example = "cholesky")]
    pub operator: String,
    /// The reason of its entry, or `missing`.
    #[schema(example = "missing")]
    pub reason: &'static str,
    /// The registered key that serves it.
    pub source_key: Option<&'static str>,
    /// Whether a call fails, always or in some cases.
    pub lacking: bool,
    /// Whether a call works: `runs`, `decomposes`, `partly`, `falls-back`, `fails`, `unknown`.
    #[schema(example = "fails")]
    pub verdict: &'static str,
    /// `yes`, `partly`, `no` or `unknown`.
    #[schema(example = "no")]
    pub works: &'static str,
    /// Why, unless operators that it needs are the reason.
    pub because: Option<&'static str>,
    /// What would settle it if it is unknown.
    pub settled_by: Option<&'static str>,
    /// What the verdict is based on: `measured`, `declared`, `source` or `inferred`; null if it is
    /// unknown.
    pub known_from: Option<&'static str>,
    /// The operators without a working entry that it needs, nearest first.
    pub needs: Vec<String>,
    /// Whether it has the tag `core`.
    pub core: bool,
    /// The number of other backends with the same kind of tensor that have their own kernel.
    pub others: u32,
    /// How often it is used, with a usage file.
    pub usage: Option<u64>,
    /// Whether the operator was added after the revision of `since`.
    pub new: Option<bool>,
}

/// The changes since a revision.
#[derive(Debug, Serialize, ToSchema)]
pub struct Since {
    /// That revision.
    pub revision: SideView,
    /// Counts there; null if the key does not exist there.
    pub counts: Option<GapCounts>,
    /// Operators of both revisions that failed, always or in some cases, and work now.
    pub gained: Vec<String>,
    /// Operators of both revisions that worked, and fail now, always or in some cases.
    pub lost: Vec<String>,
    /// Operators of both revisions that work now, while this was unknown. They are not gains.
    pub was_unknown: Vec<String>,
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
pub enum UsageBody {
    /// Counts by operator name.
    Map(std::collections::BTreeMap<String, u64>),
    /// A list of operators with their counts.
    List(Vec<UsageItem>),
}

/// A requested gap list.
#[derive(Debug, Clone, Copy)]
pub struct GapRequest<'a> {
    /// The revision.
    pub revision: &'a SideView,
    /// Its snapshot.
    pub snapshot: &'a Snapshot,
    /// The runtime key.
    pub key: &'a str,
    /// The revision to report changes since.
    pub since: Option<(&'a SideView, &'a Snapshot)>,
    /// How often operators are used.
    pub usage: Option<&'a Usage>,
    /// The kind of gap.
    pub only: Option<Only>,
    /// The tag of the operators that count in the leverage.
    pub tag: Option<&'a str>,
}

/// A gap list on the wire. Fails with [`Kind::UnknownKey`](crate::problem::Kind::UnknownKey), or
/// with [`Kind::Busy`](crate::problem::Kind::Busy) when it is stopped.
pub fn view(asked: &GapRequest<'_>, stop: &Stop) -> Result<Gaps, Problem> {
    let snapshot = asked.snapshot;
    let slot = runtime_key(snapshot.release(), asked.key).map_err(of_path)?;
    let mut found = gaps::gaps(snapshot, slot, asked.usage, stop)?;
    if let Some(only) = asked.only {
        found.retain(|gap| match only {
            Only::Lacking => gap.is_lacking(),
            Only::Inherited => gap.verdict.works(),
            Only::Unknown => gap.verdict.is_unknown(),
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
        works: Answer::from(gap.verdict).as_str(),
        because: gap.because.map(Because::as_str),
        settled_by: gap.because.and_then(Because::settled_by),
        known_from: gap.known_from.map(KnownFrom::as_str),
        needs: gap.needs.clone(),
        core: gap.is_core,
        others: gap.others,
        usage: gap.usage,
        new: is_new(gap),
    });
    let since = asked.since.map(|(revision, before)| {
        let moves = gaps::moves(snapshot, before, asked.key);
        let slot = before.view().keys().slot(asked.key);
        Since {
            revision: revision.clone(),
            counts: slot.map(|slot| before.view().coverage_of(slot).into()),
            gained: moves.gained,
            lost: moves.lost,
            was_unknown: moves.was_unknown,
        }
    });
    Ok(Gaps {
        revision: asked.revision.clone(),
        key: asked.key.to_owned(),
        counts: snapshot.view().coverage_of(slot).into(),
        items: items.collect(),
        leverage: leverage(asked, slot),
        since,
        unknown: asked
            .usage
            .map(|usage| gaps::unknown(snapshot, usage))
            .unwrap_or_default(),
        next_cursor: None,
    })
}

fn leverage(asked: &GapRequest<'_>, slot: Slot) -> Vec<LeverageStep> {
    let catalogue = &asked.snapshot.catalogue;
    let name = |id: OperatorId| catalogue.operator(id).qualified_name().to_owned();
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
        let works_elsewhere = coverage.working().saturating_sub(coverage.kernels);
        Self {
            operators: coverage.operators(),
            applicable: coverage.applicable(),
            other_backends: coverage.other,
            kernels: coverage.kernels,
            inherited: works_elsewhere,
            working: coverage.working(),
            lacking: coverage.counted(Answer::No) + coverage.counted(Answer::Partly),
            partly: coverage.counted(Answer::Partly),
            unknown: coverage.counted(Answer::Unknown),
            covered: coverage.covered(),
        }
    }
}

/// The title of a gap report.
#[must_use]
pub fn title(gaps: &Gaps) -> String {
    format!("What {} lacks in {}", gaps.key, gaps.revision.title)
}

/// The heading of a gap report.
#[must_use]
pub fn summary(gaps: &Gaps) -> GapSummary {
    GapSummary {
        title: title(gaps),
        covered: gaps.counts.covered,
        applicable: gaps.counts.applicable,
        other_backends: gaps.counts.other_backends,
    }
}

/// The leverage, for reports.
#[must_use]
pub fn steps(gaps: &Gaps) -> Vec<StepRow<'_>> {
    let steps = gaps.leverage.iter().map(|step| StepRow {
        operator: &step.operator,
        gain: step.gain,
        blocks: step.blocks,
    });
    steps.collect()
}

/// The gaps, for reports.
#[must_use]
pub fn rows(gaps: &Gaps) -> Vec<GapRow<'_>> {
    let items = gaps.items.iter();
    let rows = items.map(|gap| GapRow {
        operator: &gap.operator,
        reason: gap.reason,
        source_key: gap.source_key.unwrap_or_default(),
        verdict: gap.verdict,
        works: gap.works,
        because: gap.because,
        settled_by: gap.settled_by,
        needs: &gap.needs,
        is_lacking: gap.lacking,
        is_core: gap.core,
        others: gap.others,
        usage: gap.usage,
        is_new: gap.new,
    });
    rows.collect()
}
