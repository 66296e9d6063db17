//! Operators that nothing of their own serves on a way to run them.

use std::cmp::Reverse;

use opatlas_diff::revision::CORE;
use opatlas_operators::operator::OperatorId;
use opatlas_verdict::ways::{Fate, Way};

use super::snapshot::Snapshot;

/// The gaps of a way.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WayGaps {
    /// How many declared operators the way applies to.
    pub operators: usize,
    /// Those that nothing of their own serves, tagged `core` first.
    pub missing: Vec<OperatorId>,
    /// Those whose fate is unknown, in the same order. They are not gaps.
    pub unknown: Vec<OperatorId>,
}

/// The gaps of a way among the declared operators with a tag.
#[must_use]
pub fn of_way(snapshot: &Snapshot, way: Way, tag: Option<&str>) -> WayGaps {
    let view = snapshot.view();
    let mut gaps = WayGaps::default();
    for (id, operator) in snapshot.catalogue.iter() {
        if operator.is_generated() || tag.is_some_and(|tag| !operator.has_tag(tag)) {
            continue;
        }
        let Some(fate) = view.fate(id, way) else {
            continue;
        };
        gaps.operators += 1;
        if fate.is_missing() {
            gaps.missing.push(id);
        } else if fate == Fate::Unknown {
            gaps.unknown.push(id);
        }
    }
    let is_core = |id: &OperatorId| Reverse(snapshot.catalogue.operator(*id).has_tag(CORE));
    gaps.missing.sort_by_key(is_core);
    gaps.unknown.sort_by_key(is_core);
    gaps
}
