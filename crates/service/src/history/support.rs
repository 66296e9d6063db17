//! Support tables: since when and until when backends supported operators.

use std::sync::Arc;

use crate::Service;
use crate::dispatch::runtime_key;
use crate::error::ServiceError;

use opatlas_verdict::{Standing, Verdict};

use super::ranges::KeyRange;
use super::timeline::{Range, Timeline};

/// The support of an operator by a backend over a range of a timeline.
#[derive(Debug, Clone)]
pub struct SupportCell {
    /// The runtime key.
    pub key: String,
    /// The kernels, in order; empty if the operator or the key never existed.
    pub ranges: Vec<KeyRange>,
}

/// The support of an operator.
#[derive(Debug, Clone)]
pub struct Support {
    /// The operator.
    pub operator: String,
    /// The ranges in which the operator exists.
    pub present: Vec<Range>,
    /// One per requested key.
    pub cells: Vec<SupportCell>,
}

impl SupportCell {
    /// The verdict at a place.
    #[must_use]
    pub fn verdict_at(&self, place: usize) -> Option<Verdict> {
        self.range_at(place)?.verdict
    }

    /// The range that a place is in.
    #[must_use]
    pub fn range_at(&self, place: usize) -> Option<&KeyRange> {
        let mut ranges = self.ranges.iter();
        ranges.find(|range| range.range.contains(&place))
    }

    /// The ranges in which a call worked.
    pub fn supported(&self) -> impl Iterator<Item = &KeyRange> {
        self.ranges.iter().filter(|range| range.is_supported())
    }

    /// The first place with support.
    #[must_use]
    pub fn first(&self) -> Option<usize> {
        self.supported().next().map(|range| *range.range.start())
    }

    /// Whether the support at a place may be older: just before, it is unknown, or the requested range
    /// begins there.
    #[must_use]
    pub fn is_unknown_before(&self, place: usize, asked: &Range) -> bool {
        if place == *asked.start() {
            return true;
        }
        let before = self.range_at(place - 1);
        before.is_some_and(|range| range.standing() == Standing::Unknown)
    }

    /// The last place with support, and the kernel there.
    #[must_use]
    pub fn last(&self) -> Option<&KeyRange> {
        self.supported().last()
    }

    /// The first place with a kernel of the key itself.
    #[must_use]
    pub fn first_kernel(&self) -> Option<usize> {
        let own = |range: &&KeyRange| range.standing() == Standing::Own;
        self.supported().find(own).map(|range| *range.range.start())
    }
}

impl Service {
    /// The support of operators by backends over a range of the timeline. Fails with
    /// [`ServiceError::UnknownOperator`] if no revision has one, and [`ServiceError::UnknownKey`].
    pub async fn support(
        &self,
        timeline: &Arc<Timeline>,
        operators: &[String],
        keys: &[String],
        asked: &Range,
    ) -> Result<Vec<Support>, ServiceError> {
        let newest = timeline.items[*asked.end()].judged.release;
        for key in keys {
            runtime_key(newest, key)?;
        }
        let mut supports = Vec::with_capacity(operators.len());
        for operator in operators {
            let operator = operator.strip_prefix("aten::").unwrap_or(operator);
            let life = self.life(timeline, operator).await?;
            let mut ranges = self.ranges(timeline, operator, &life, keys).await?;
            ranges.retain_mut(|range| match super::operator::cut(&range.range, asked) {
                Some(part) => {
                    range.range = part;
                    true
                }
                None => false,
            });
            let cells = keys.iter().map(|key| SupportCell {
                key: key.clone(),
                ranges: ranges.iter().filter(|r| r.key == *key).cloned().collect(),
            });
            supports.push(Support {
                operator: operator.to_owned(),
                present: life
                    .present
                    .iter()
                    .filter_map(|range| super::operator::cut(range, asked))
                    .collect(),
                cells: cells.collect(),
            });
        }
        Ok(supports)
    }
}
