//! The event that started a job.

use std::path::Path;

use anyhow::Context as _;
use serde::Deserialize;

use crate::cli::read::{self, Origin};

const LONGEST: u64 = 32 << 20;

#[derive(Debug, Default, Deserialize)]
pub(super) struct Event {
    #[serde(default)]
    pull_request: Option<PullRequest>,
    #[serde(default)]
    workflow_run: Option<Run>,
}

#[derive(Debug, Deserialize)]
struct PullRequest {
    number: u64,
    head: Head,
}

#[derive(Debug, Deserialize)]
struct Head {
    sha: String,
}

#[derive(Debug, Deserialize)]
struct Run {
    head_sha: String,
}

impl Event {
    pub(super) fn read(path: Option<&Path>) -> anyhow::Result<Self> {
        let Some(path) = path.filter(|path| !path.as_os_str().is_empty()) else {
            return Ok(Self::default());
        };
        let shown = path.display();
        let text = read::bytes(path, Origin::Found, LONGEST)
            .with_context(|| format!("cannot read the event of the job in {shown}"))?;
        serde_json::from_slice(&text).with_context(|| format!("{shown} does not describe an event"))
    }

    pub(super) fn number(&self) -> Option<u64> {
        Some(self.pull_request.as_ref()?.number)
    }

    pub(super) fn head(&self) -> Option<&str> {
        let of_run = self.workflow_run.as_ref().map(|run| &*run.head_sha);
        of_run.or_else(|| Some(&*self.pull_request.as_ref()?.head.sha))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(text: &str) -> Event {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn events_name_a_pull_request_and_a_commit() {
        let pull = event(r#"{"pull_request": {"number": 7, "head": {"sha": "abc"}}, "x": 1}"#);
        assert_eq!((pull.number(), pull.head()), (Some(7), Some("abc")));
        let run = event(r#"{"workflow_run": {"head_sha": "def", "event": "pull_request"}}"#);
        assert_eq!((run.number(), run.head()), (None, Some("def")));
        let push = event(r#"{"ref": "refs/heads/main"}"#);
        assert_eq!((push.number(), push.head()), (None, None));
    }
}
