//! Why a use case could not be done, by kind, so that no adapter need read messages.

use std::sync::Arc;

use crate::release::{Release, UnknownRelease};
use crate::store::{LabelName, NameError, StoreError};

use super::snapshot::Snapshot;

/// Why a use case could not be done.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// A project, label or digest is not written as one is.
    #[error(transparent)]
    Name(#[from] NameError),
    /// No release is known by this text.
    #[error(transparent)]
    Release(#[from] UnknownRelease),
    /// The bundle cannot be taken.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The label's release is not the one asked for.
    #[error(
        "label `{label}` belongs to release {stored}, not {given}; to judge its revision as another release, address it by digest"
    )]
    OtherRelease {
        /// The label.
        label: LabelName,
        /// The release that it stands for.
        stored: String,
        /// The release that was asked for.
        given: String,
    },
    /// The label looks like a version and names another revision, and may not be moved or deleted
    /// without force.
    #[error(
        "label `{0}` looks like a version, and versions are protected; force the change to make it"
    )]
    Protected(LabelName),
    /// The label is not as the caller's condition has it.
    #[error("label `{0}` is not what the request's condition expects")]
    Precondition(LabelName),
    /// A project without any revision has no latest one.
    #[error("project `{0}` has no revisions yet")]
    NoRevisions(crate::store::ProjectName),
    /// No operator of this name.
    #[error("{revision} has no operator `{name}`")]
    UnknownOperator {
        /// The revision, in words.
        revision: String,
        /// The name asked for.
        name: String,
        /// Names that are near.
        suggestions: Vec<String>,
    },
    /// No dispatch key of this name.
    #[error("PyTorch {release} has no dispatch key `{name}`")]
    UnknownKey {
        /// The release.
        release: Release,
        /// The name asked for.
        name: String,
        /// Names that are near.
        suggestions: Vec<String>,
    },
    /// An alias key, where only a runtime key has an answer.
    #[error(
        "`{name}` stands for several dispatch keys of PyTorch {release}, so it has no entry of its own"
    )]
    AliasKey {
        /// The release.
        release: Release,
        /// The alias.
        name: &'static str,
        /// Runtime keys that it reaches.
        suggestions: Vec<String>,
    },
    /// No build profile and no list of backends.
    #[error(
        "`{name}` is no build profile (all, linux-cuda, cpu, macos) and no backend of PyTorch {release}"
    )]
    UnknownBuild {
        /// The release.
        release: Release,
        /// The part that is not understood.
        name: String,
        /// Names that are near.
        suggestions: Vec<String>,
    },
    /// What the store says.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Too much is going on just now.
    #[error("all workers are busy")]
    Busy,
    /// A defect of this program: a computation panicked.
    #[error("a computation failed: {0}")]
    Failed(String),
    /// The work was done for several requests at once, and failed for all of them.
    #[error(transparent)]
    Shared(#[from] Arc<ServiceError>),
}

impl ServiceError {
    /// The error itself, where it is shared.
    #[must_use]
    pub fn root(&self) -> &Self {
        match self {
            Self::Shared(shared) => shared.root(),
            own => own,
        }
    }
}

/// Why a bundle is not taken.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// It has no `native_functions.yaml`.
    #[error("the bundle has no `native_functions.yaml`")]
    Incomplete,
    /// It has a file that bundles do not have.
    #[error("`{name}` is no file of a bundle")]
    FileName {
        /// The name, cut short when it is long.
        name: String,
        /// A name that is near.
        suggestion: Option<&'static str>,
    },
    /// It has a file twice.
    #[error("the bundle has `{0}` twice")]
    Twice(String),
    /// It has too many files.
    #[error("the bundle has more than {limit} files")]
    Files {
        /// How many it may have.
        limit: usize,
    },
    /// A file is too large.
    #[error("`{name}` has more than {limit} bytes")]
    FileSize {
        /// The file.
        name: String,
        /// How many bytes it may have.
        limit: usize,
    },
    /// All files together are too large.
    #[error("the files have more than {limit} bytes together")]
    BundleSize {
        /// How many bytes they may have.
        limit: usize,
    },
    /// Its `observed.json` does not read.
    #[error("`observed.json` does not read: {0}")]
    Observed(String),
    /// Its `native_functions.yaml` is no list of entries, so that nothing can be said of operators.
    #[error("`native_functions.yaml` is no list of entries")]
    NoList(Arc<Snapshot>),
}
