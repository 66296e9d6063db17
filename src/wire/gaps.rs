//! Gap lists and usage files.

use opatlas_report::support::GapRow;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::service::dispatch::runtime_key;
use crate::service::gaps::{self, Counts, Gap, Usage};
use crate::service::{Resolved, Snapshot};
use crate::wire::comparison::SideView;
use crate::wire::keys::of_path;
use crate::wire::problem::Problem;

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
pub(crate) enum UsageBody {
    Map(std::collections::BTreeMap<String, u64>),
    List(Vec<UsageItem>),
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
/// [`Kind::NoKey`].
pub fn view(asked: &Asked<'_>) -> Result<Gaps, Problem> {
    let snapshot = asked.snapshot;
    let slot = runtime_key(snapshot.release(), asked.key).map_err(of_path)?;
    let mut found = gaps::gaps(snapshot, slot, asked.usage);
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

pub(crate) fn side(resolved: &Resolved) -> SideView {
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
