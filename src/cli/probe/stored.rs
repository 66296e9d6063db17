//! Probe runs in a database or on a server.

use bytes::Bytes;

use opatlas_store::ProjectName;
use opatlas_wire::probe::ProbeProgress;
use opatlas_wire::probe_runs::ProbeRunItem;

use crate::cli::Stored;

const AT_ONCE: u32 = 1000;

impl Stored {
    /// At most `limit` runs, the newest first.
    pub(super) async fn probe_runs(
        &self,
        project: &str,
        limit: usize,
    ) -> anyhow::Result<Vec<ProbeRunItem>> {
        ProjectName::parse(project)?;
        let runs = self.listed(project, limit).await;
        self.of_project(project, runs).await
    }

    async fn listed(&self, project: &str, limit: usize) -> anyhow::Result<Vec<ProbeRunItem>> {
        let service = match self {
            Self::Server(remote) => return Ok(remote.probe_runs(project, limit).await?),
            Self::Database(service) => service,
        };
        let (mut items, mut before) = (Vec::new(), None);
        loop {
            let left = u32::try_from(limit.saturating_sub(items.len())).unwrap_or(AT_ONCE);
            let page = service
                .probe_runs(project, before, left.min(AT_ONCE))
                .await?;
            items.extend(page.items.into_iter().map(ProbeRunItem::from));
            before = page.next;
            if before.is_none() || items.len() >= limit {
                return Ok(items);
            }
        }
    }

    /// A run; by default the newest.
    pub(super) async fn probe_run(
        &self,
        project: &str,
        run: Option<&str>,
    ) -> anyhow::Result<ProbeProgress> {
        let newest;
        let run = match run {
            Some(run) => run,
            None => {
                let mut runs = self.probe_runs(project, 1).await?;
                newest = runs.pop().ok_or_else(|| {
                    anyhow::anyhow!(
                        "project {project} has no run of the probe; `python -m opatlas_probe --server URL` opens one"
                    )
                })?;
                &newest.run
            }
        };
        ProjectName::parse(project)?;
        let found = match self {
            Self::Database(service) => {
                let progress = service.probe_progress(project, run).await;
                progress.map(Into::into).map_err(Into::into)
            }
            Self::Server(remote) => remote.probe_run(project, run).await.map_err(Into::into),
        };
        self.of_project(project, found).await
    }

    /// The rows of a run as JSON.
    pub(super) async fn probe_results(&self, project: &str, run: &str) -> anyhow::Result<Bytes> {
        Ok(match self {
            Self::Database(service) => service.probe_results(project, run).await?,
            Self::Server(remote) => remote.probe_results(project, run).await?.into(),
        })
    }
}
