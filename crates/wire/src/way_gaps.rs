//! Gaps on a way to run operators.

use opatlas_operators::operator::OperatorId;
use opatlas_service::Snapshot;
use opatlas_service::way_gaps::of_way;
use opatlas_verdict::ways::Way;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::comparison::SideView;
use crate::ways::{OperatorFate, operator_fate};

/// The tag of the operators that come first.
const CORE: &str = "core";

/// The gaps of a way to list.
#[derive(Debug, Clone, Hash, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct WayGapQuery {
    /// The way.
    #[param(min_length = 1, example = "inductor")]
    pub way: String,
    /// Only operators with this tag: `core` with the way `inductor` lists core operators without a
    /// lowering.
    #[param(example = "core")]
    pub tag: Option<String>,
    /// The release of PyTorch whose rules apply, for an address by digest.
    #[param(example = "2.15")]
    pub release: Option<String>,
    /// The number of gaps in a page. CSV always has all.
    #[param(minimum = 1, maximum = 1000, default = 100)]
    pub limit: Option<u32>,
    /// `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

/// The gaps of a way.
#[derive(Debug, Serialize, ToSchema)]
pub struct WayGaps {
    /// The revision.
    pub revision: SideView,
    /// The way.
    #[schema(example = "inductor")]
    pub way: &'static str,
    /// The title, for display.
    #[schema(example = "Inductor")]
    pub title: &'static str,
    /// Counts of the declared operators with the requested tag.
    pub counts: WayGapCounts,
    /// Declared operators that nothing of their own serves on the way, those tagged `core` first; then
    /// those whose fate is unknown, in the same order.
    pub items: Vec<OperatorFate>,
    /// The cursor of the next page of `items`; null at the end.
    pub next_cursor: Option<String>,
}

/// Counts of the declared operators on a way.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct WayGapCounts {
    /// Operators to which the way applies.
    pub operators: u32,
    /// Operators that nothing of their own serves.
    pub missing: u32,
    /// Missing operators that are tagged `core`.
    pub core: u32,
    /// Operators whose fate is unknown, which are not gaps.
    pub unknown: u32,
}

/// A requested list of gaps.
#[derive(Debug, Clone, Copy)]
pub struct WayGapRequest<'a> {
    /// The revision.
    pub revision: &'a SideView,
    /// Its snapshot.
    pub snapshot: &'a Snapshot,
    /// The way.
    pub way: Way,
    /// The tag of the operators to list.
    pub tag: Option<&'a str>,
}

/// The gaps of a way.
#[must_use]
pub fn view(asked: WayGapRequest<'_>) -> WayGaps {
    let snapshot = asked.snapshot;
    let gaps = of_way(snapshot, asked.way, asked.tag);
    let is_core = |id: &&OperatorId| snapshot.catalogue.operator(**id).has_tag(CORE);
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let listed = gaps.missing.iter().chain(&gaps.unknown);
    WayGaps {
        revision: asked.revision.clone(),
        way: asked.way.as_str(),
        title: asked.way.title(),
        counts: WayGapCounts {
            operators: number(gaps.operators),
            missing: number(gaps.missing.len()),
            core: number(gaps.missing.iter().filter(is_core).count()),
            unknown: number(gaps.unknown.len()),
        },
        items: listed
            .filter_map(|&id| operator_fate(snapshot.view(), id, asked.way))
            .collect(),
        next_cursor: None,
    }
}

/// The heading of a report.
#[must_use]
pub fn title(gaps: &WayGaps) -> String {
    let WayGapCounts {
        operators,
        missing,
        core,
        unknown,
    } = gaps.counts;
    format!(
        "What {} lacks in {}: {missing} of {operators} operators, {core} of them core; {unknown} are unknown",
        gaps.title, gaps.revision.title
    )
}
