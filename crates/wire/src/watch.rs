//! The commits of PyTorch that break a backend, as JSON.

use opatlas_diff::watch::{Break, BreakingCommit};
use opatlas_report::watch::Watched;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::time::timestamp;

/// The path of the commits that break a backend.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct WatchPath {
    /// The project with PyTorch's commits.
    #[param(example = "pytorch")]
    pub project: String,
    /// The project whose last revision has the backend.
    #[param(example = "acme-npu")]
    pub backend: String,
}

/// The commits to compare.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct WatchQuery {
    /// The number of commits, the newest ones: 1 to 200, by default 50.
    #[param(example = 50, minimum = 1, maximum = 200)]
    pub last: Option<u32>,
}

/// The commits of PyTorch that break a backend.
#[derive(Debug, Serialize, ToSchema)]
pub struct WatchReport {
    /// The backend.
    #[schema(example = "acme.yaml")]
    pub backend: String,
    /// The dispatch key of its kernels.
    #[schema(example = "PrivateUse1")]
    pub key: String,
    /// The number of operators that it registers.
    pub listed: usize,
    /// The number of commits that were compared.
    pub commits: usize,
    /// The commits that break it, oldest first.
    pub breaking: Vec<BreakingCommitView>,
}

/// A commit that breaks a backend.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = BreakingCommit)]
pub struct BreakingCommitView {
    /// The id of the commit.
    pub commit: String,
    /// The author date.
    #[schema(format = DateTime, example = "2026-03-01T12:00:00Z")]
    pub author_date: String,
    /// The first line of its message.
    pub subject: String,
    /// The operators that it breaks.
    pub breaks: Vec<BreakView>,
}

/// An operator that a commit breaks for a backend.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Break)]
pub struct BreakView {
    /// The operator.
    #[schema(example = "add.out")]
    pub operator: String,
    /// The step that fails: `compiling` or `loading` if its kernel no longer fits, `working` if a call fails that
    /// worked.
    #[schema(example = "compiling")]
    pub stops: &'static str,
    /// `false` if the sources do not show the type of the kernel.
    pub certain: bool,
    /// The reason.
    pub why: String,
    /// PyTorch's declaration of the kernel before the commit, if a new declaration breaks it.
    pub old: Option<String>,
    /// PyTorch's declaration of the kernel after the commit.
    pub new: Option<String>,
    /// The later commit after which it fits or works again.
    pub restored_by: Option<String>,
}

impl WatchReport {
    /// The report on a backend.
    #[must_use]
    pub fn of(watched: Watched<'_>) -> Self {
        Self {
            backend: watched.name.to_owned(),
            key: watched.key.to_owned(),
            listed: watched.listed,
            commits: watched.watch.commits,
            breaking: watched.watch.breaking.iter().map(breaking).collect(),
        }
    }
}

fn breaking(breaking: &BreakingCommit) -> BreakingCommitView {
    BreakingCommitView {
        commit: breaking.commit.id.clone(),
        author_date: timestamp(breaking.commit.date),
        subject: breaking.commit.subject.clone(),
        breaks: breaking.breaks.iter().map(broken).collect(),
    }
}

fn broken(one: &Break) -> BreakView {
    BreakView {
        operator: one.operator.clone(),
        stops: one.stops.as_str(),
        certain: one.is_certain,
        why: one.why.to_string(),
        old: one.old.clone(),
        new: one.new.clone(),
        restored_by: one.restored_by.clone(),
    }
}
