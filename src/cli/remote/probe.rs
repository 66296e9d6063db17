//! Probe runs of a server.

use opatlas_wire::probe::ProbeProgress;
use opatlas_wire::probe_runs::{ProbeRunItem, ProbeRunList};

use super::http::{Ask, JSON};
use super::{Error, Remote};

const AT_ONCE: usize = 1000;

impl Remote {
    /// At most `limit` runs, the newest first.
    pub(crate) async fn probe_runs(
        &self,
        project: &str,
        limit: usize,
    ) -> Result<Vec<ProbeRunItem>, Error> {
        let path = ["v1", "projects", project, "probe", "runs"];
        let (mut items, mut cursor) = (Vec::new(), None);
        loop {
            let left = limit.saturating_sub(items.len()).min(AT_ONCE).to_string();
            let query = [("limit", Some(&*left)), ("cursor", cursor.as_deref())];
            let url = self.http.base.url(&path, &query);
            let page: ProbeRunList = self.http.ask(Ask::get(url, JSON)).await?.value()?;
            let is_last = page.items.is_empty() || page.next_cursor.is_none();
            items.extend(page.items);
            cursor = page.next_cursor;
            if is_last || items.len() >= limit {
                items.truncate(limit);
                return Ok(items);
            }
        }
    }

    pub(crate) async fn probe_run(&self, project: &str, run: &str) -> Result<ProbeProgress, Error> {
        let path = ["v1", "projects", project, "probe", "runs", run];
        let url = self.http.base.url(&path, &[]);
        self.http.ask(Ask::get(url, JSON)).await?.value()
    }

    pub(crate) async fn probe_results(&self, project: &str, run: &str) -> Result<Vec<u8>, Error> {
        let path = ["v1", "projects", project, "probe", "runs", run, "results"];
        let url = self.http.base.url(&path, &[]);
        Ok(self.http.ask(Ask::get(url, JSON)).await?.bytes)
    }
}
