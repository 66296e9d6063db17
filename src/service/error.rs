//! Why a use case could not be done, by kind, so that no adapter need read messages.

use std::sync::Arc;

use crate::store::{LabelName, NameError, StoreError};
use opatlas_pytorch::release::{Release, UnknownRelease};
use opatlas_source::Stopped;

use super::policy::PolicyFault;
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
    /// No place of the project's timeline goes by this name.
    #[error("the timeline of project `{project}` has no `{text}`")]
    NotOnTimeline {
        /// The project.
        project: crate::store::ProjectName,
        /// What was asked for.
        text: String,
        /// Names that are near.
        suggestions: Vec<String>,
    },
    /// A stretch of a timeline ends before it begins.
    #[error("`{to}` comes before `{from}` on the timeline")]
    Backwards {
        /// Where it begins.
        from: String,
        /// Where it ends.
        to: String,
    },
    /// A backend file that cannot be laid over revisions.
    #[error("`{file}` cannot be used as a backend file: {why}")]
    UnusableBackend {
        /// The file, or the project that should have one.
        file: String,
        /// What is wrong with it.
        why: String,
    },
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
    /// A text holds a character that databases do not store.
    #[error("`{0}` holds U+0000, which not every database can store")]
    Unstorable(&'static str),
    /// A side of a comparison has no entry that can be read.
    #[error("the {side} has no entry that can be read, so there is nothing to compare")]
    NothingToCompare {
        /// `base` or `head`.
        side: &'static str,
        /// What was read, with what is wrong with it.
        snapshot: Arc<Snapshot>,
    },
    /// Base and head are the same.
    #[error("base and head are both `{0}`")]
    SameRevision(String),
    /// A policy or an exception is not understood.
    #[error(transparent)]
    Policy(PolicyFault),
    /// The caller is not who he says.
    #[error(transparent)]
    Denied(#[from] Denial),
    /// What the store says.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Too much is going on just now.
    #[error("all workers are busy")]
    Busy,
    /// Clients have not read what was answered so far.
    #[error("too much that was answered is still to be read")]
    Unread,
    /// The answer would be too large.
    #[error("the answer would have more than {limit} bytes; send less, or ask for a part of it")]
    LargeAnswer {
        /// How many bytes it may have.
        limit: usize,
    },
    /// The service closes, and ends what is under way.
    #[error("the service is stopping")]
    Stopped(#[from] Stopped),
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

/// Why a token or a signature opens nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Denial {
    /// There is no such token.
    #[error("the token is not known")]
    Unknown,
    /// It was taken back.
    #[error("the token was revoked")]
    Revoked,
    /// Its time is over.
    #[error("the token has expired")]
    Expired,
    /// The signature is not that of the body.
    #[error("the signature is not that of this body with the signing key of that token")]
    Signature,
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
    /// It has too many operators to be kept.
    #[error(
        "the revision has {count} operators, generated ones included; one that is stored may have at most {limit}"
    )]
    Operators {
        /// How many it has.
        count: usize,
        /// How many it may have.
        limit: usize,
    },
    /// Its `observed.json` does not read.
    #[error("`observed.json` does not read: {0}")]
    Observed(String),
    /// Its `native_functions.yaml` is no list of entries, so that nothing can be said of operators.
    #[error("`native_functions.yaml` is no list of entries")]
    NoList(Arc<Snapshot>),
}
