//! The runs of a project, the newest first.

use std::collections::BTreeMap;

use opatlas_source::Digest;
use opatlas_store::{ListedRun, Page, ProjectName, RevisionKey};

use super::shards::counts_of;
use crate::Service;
use crate::address::{Address, Resolved};
use crate::error::ServiceError;

/// A run in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunSummary {
    /// Its name.
    pub run: String,
    /// The digest of the revision.
    pub digest: Digest,
    /// The label that named the revision.
    pub label: Option<String>,
    /// The PyTorch release of the workers.
    pub torch: String,
    /// The device.
    pub device: String,
    /// The number of items.
    pub items: u64,
    /// The number of shards with a result.
    pub done: u64,
    /// The number of shards.
    pub shards: u64,
    /// Items by outcome.
    pub outcomes: BTreeMap<String, u64>,
    /// When it was opened, in microseconds since 1970-01-01 UTC.
    pub created_at: i64,
}

impl Service {
    /// At most `limit` runs before `before` in the order in which they were opened, newest first.
    pub async fn probe_runs(
        &self,
        project: &str,
        before: Option<i64>,
        limit: u32,
    ) -> Result<Page<RunSummary, i64>, ServiceError> {
        let project = ProjectName::parse(project)?;
        let page = self.store.probe_runs(&project, before, limit).await?;
        let items = page.items.into_iter().map(summary);
        Ok(Page {
            items: items.collect::<Result<_, _>>()?,
            next: page.next,
        })
    }

    /// The revision of a run, judged by the release of its workers.
    pub async fn revision_of_run(
        &self,
        project: &str,
        digest: &str,
        torch: &str,
    ) -> Result<Resolved, ServiceError> {
        let address = format!("sha256:{digest}");
        self.resolve(project, &address, Some(torch)).await
    }
}

fn summary(listed: ListedRun) -> Result<RunSummary, ServiceError> {
    let run = listed.run;
    let mut summary = RunSummary {
        run: run.name,
        digest: run.revision,
        label: label_in(&run.address),
        torch: run.torch,
        device: run.device,
        items: 0,
        done: 0,
        shards: 0,
        outcomes: BTreeMap::new(),
        created_at: run.created_at,
    };
    for sum in listed.sums {
        let shards = u64::try_from(sum.shards).unwrap_or_default();
        summary.shards = summary.shards.saturating_add(shards);
        let items = u64::try_from(sum.items).unwrap_or_default();
        summary.items = summary.items.saturating_add(items);
        let Some(outcomes) = sum.outcomes else {
            continue;
        };
        summary.done = summary.done.saturating_add(shards);
        for (outcome, count) in counts_of(&outcomes)? {
            let sum = summary.outcomes.entry(outcome).or_default();
            *sum = sum.saturating_add(count.saturating_mul(shards));
        }
    }
    Ok(summary)
}

/// The label in the address of a revision; `None` for a digest and for `latest`.
#[must_use]
pub fn label_in(address: &str) -> Option<String> {
    match Address::parse(address) {
        Ok(Address::Key(RevisionKey::Label(label))) => Some(label.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_labels_are_labels() {
        let digest = format!("sha256:{}", "0".repeat(64));
        assert_eq!(label_in("2.9.0").as_deref(), Some("2.9.0"));
        for other in ["latest", &digest, "a..b"] {
            assert_eq!(label_in(other), None, "{other}");
        }
    }
}
