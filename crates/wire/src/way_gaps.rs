//! Gaps on a way to run operators.

use std::cmp::Reverse;

use opatlas_operators::operator::{Operator, OperatorId};
use opatlas_service::Snapshot;
use opatlas_verdict::View;
use opatlas_verdict::ways::{Fate, Way};
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
    let view = asked.snapshot.view();
    let mut counts = WayGapCounts::default();
    let mut listed = Vec::new();
    for (id, operator) in wanted(view, asked.tag) {
        let Some(fate) = view.fate(id, asked.way) else {
            continue;
        };
        let (is_missing, is_unknown) = (fate.is_missing(), fate == Fate::Unknown);
        let is_core = operator.has_tag(CORE);
        counts.operators += 1;
        counts.missing += u32::from(is_missing);
        counts.core += u32::from(is_missing && is_core);
        counts.unknown += u32::from(is_unknown);
        if is_missing || is_unknown {
            listed.push((is_unknown, Reverse(is_core), id));
        }
    }
    listed.sort_by_key(|&(is_unknown, is_core, _)| (is_unknown, is_core));
    let items = listed.into_iter();
    WayGaps {
        revision: asked.revision.clone(),
        way: asked.way.as_str(),
        title: asked.way.title(),
        counts,
        items: items
            .filter_map(|(.., id)| operator_fate(view, id, asked.way))
            .collect(),
        next_cursor: None,
    }
}

/// The declared operators with a tag, in the order of the file.
fn wanted<'a>(
    view: View<'a>,
    tag: Option<&'a str>,
) -> impl Iterator<Item = (OperatorId, &'a Operator)> {
    let declared = view.inputs.catalogue.iter();
    declared.filter(move |(_, operator)| {
        !operator.is_generated() && tag.is_none_or(|tag| operator.has_tag(tag))
    })
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
