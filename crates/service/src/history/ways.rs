//! Operators by fate, revision by revision.

use std::collections::BTreeMap;

use opatlas_source::Stop;
use opatlas_verdict::ways::{Fate, Way};

use super::timeline::Timeline;
use crate::Service;
use crate::error::ServiceError;

/// Declared operators by fate.
pub type FateCounts = BTreeMap<Fate, u32>;

impl Service {
    /// The declared operators by their fate on a way, at these places of a timeline.
    pub async fn fate_counts(
        &self,
        timeline: &Timeline,
        places: &[usize],
        way: Way,
    ) -> Result<Vec<FateCounts>, ServiceError> {
        let mut all = Vec::new();
        for &place in places {
            let snapshot = self.snapshot(&timeline.resolved(place)).await?;
            let count = move |stop: &Stop| {
                snapshot.tabulate(stop)?;
                let view = snapshot.view();
                let declared = snapshot.catalogue.iter();
                let declared = declared.filter(|(_, operator)| !operator.is_generated());
                let mut counts = FateCounts::new();
                for fate in declared.filter_map(|(id, _)| view.fate(id, way)) {
                    *counts.entry(fate).or_default() += 1;
                }
                Ok(counts)
            };
            all.push(self.workers.run(count).await?);
        }
        Ok(all)
    }
}
