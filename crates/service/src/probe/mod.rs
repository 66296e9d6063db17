//! The service behind probe workers: shared runs and table dumps (`docs/probe.md`).

mod agreement;
pub mod dump;
mod json;
mod listing;
mod results;
mod runs;
mod shards;
mod tables;

pub use agreement::{Agreement, JudgedRun, JudgedTest, Root, Seen, Silence};
pub use json::Json;
pub use listing::{RunSummary, label_in};
pub use runs::{LARGEST_BODY, OpenRun, OpenedRun};
pub use shards::{LeaseAnswer, Progress, RankShare, Worker, Working};

use opatlas_pytorch::release::Version;

use super::Service;
use super::address::Resolved;
use super::error::ServiceError;

/// Why a request of a worker is rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProbeRefusal {
    /// The revision belongs to another minor release than the process.
    #[error(
        "revision `{revision}` is of PyTorch {release}, and this process has torch {torch}; \
         install torch {release}, or name a revision of {torch}"
    )]
    OtherRelease {
        /// The title of the revision.
        revision: String,
        /// The release of the revision.
        release: String,
        /// The release of the process.
        torch: String,
    },
    /// A dump is from another release than its request says.
    #[error("the dump is of torch {dump}, and the request says {torch}")]
    OtherDump {
        /// The release that the dump names.
        dump: String,
        /// The release that the request names.
        torch: String,
    },
    /// The run measures something else.
    #[error("run `{name}` is of {stored}, and this worker has {given}; start it with another name")]
    OtherRun {
        /// The name.
        name: String,
        /// What the run measures.
        stored: String,
        /// What the worker measures.
        given: String,
    },
    /// A result or a dump is incomplete.
    #[error("{0}; send it again")]
    Incomplete(String),
    /// The body lacks a member, or a member has a wrong type or is too long.
    #[error("{0}")]
    Malformed(String),
}

impl ProbeRefusal {
    fn member(name: &str, must: &str) -> Self {
        Self::Malformed(format!("`{name}` must be {must}"))
    }
}

/// Rejects text that is empty, longer than `most` characters, or contains control characters.
fn expect_short(name: &str, text: &str, most: usize) -> Result<(), ProbeRefusal> {
    let fits = !text.is_empty() && text.chars().count() <= most;
    if fits && !text.chars().any(char::is_control) {
        Ok(())
    } else {
        Err(ProbeRefusal::member(
            name,
            &format!("text of 1 to {most} characters without control characters"),
        ))
    }
}

impl Service {
    /// The revision that a worker names, if it belongs to the minor release of the worker's torch.
    async fn measured(
        &self,
        project: &str,
        revision: &str,
        torch: &str,
    ) -> Result<Resolved, ServiceError> {
        let resolved = self.resolve(project, revision, None).await?;
        let Some(version) = Version::parse(torch) else {
            let must = "a release of PyTorch, such as `2.9.0`";
            return Err(ProbeRefusal::member("torch", must).into());
        };
        // A revision without a label has no release of its own.
        if resolved.label.is_none() {
            let address = address_of(&resolved);
            return self.resolve(project, &address, Some(torch)).await;
        }
        let release = resolved.judged.stored();
        match release == format!("{}.{}", version.major, version.minor) {
            true => Ok(resolved),
            false => Err(ProbeRefusal::OtherRelease {
                revision: revision.to_owned(),
                release,
                torch: torch.to_owned(),
            }
            .into()),
        }
    }
}

fn address_of(resolved: &Resolved) -> String {
    format!("sha256:{}", resolved.digest)
}
