//! Why a use case could not be done, by kind, so that no adapter need read messages.

use std::sync::Arc;

use opatlas_pytorch::release::{Release, UnknownRelease};
use opatlas_source::Stopped;
use opatlas_store::{LabelName, Missing, NameError, StoreError};

use super::policy::PolicyFault;
use super::probe::ProbeRefusal;
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
    /// The label's release differs from the requested one.
    #[error(
        "label `{label}` belongs to release {stored}, not {given}; to judge its revision as \
         another release, use its digest"
    )]
    OtherRelease {
        /// The label.
        label: LabelName,
        /// The release of the label.
        stored: String,
        /// The requested release.
        given: String,
    },
    /// The label looks like a version and names another revision, and may not be moved or deleted
    /// without force.
    #[error("label `{0}` looks like a version and is protected; use `force` to move or delete it")]
    Protected(LabelName),
    /// The label is not as the caller's condition has it.
    #[error("label `{0}` does not match the condition of the request")]
    Precondition(LabelName),
    /// A project without any revision has no latest one.
    #[error("project `{0}` has no revisions yet")]
    NoRevisions(opatlas_store::ProjectName),
    /// A revision or a label that the project does not have, but others of similar names.
    #[error("{missing}")]
    Misspelt {
        /// What is missing.
        missing: Missing,
        /// Labels that are near.
        suggestions: Vec<String>,
    },
    /// No place of the project's timeline goes by this name.
    #[error("the timeline of project `{project}` has no `{text}`")]
    NotOnTimeline {
        /// The project.
        project: opatlas_store::ProjectName,
        /// The requested text.
        text: String,
        /// Names that are near.
        suggestions: Vec<String>,
    },
    /// Several commits of the project have ids that begin so.
    #[error("commit `{text}` is ambiguous: {}; use more digits", matches.join(", "))]
    AmbiguousCommit {
        /// The digits given.
        text: String,
        /// The first few commits that begin so.
        matches: Vec<String>,
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
    #[error("{revision} has no operator `{name}`{}", named(overloads))]
    UnknownOperator {
        /// The revision, in words.
        revision: String,
        /// The requested name.
        name: String,
        /// Names that are near.
        suggestions: Vec<String>,
        /// The overloads of the name, where it is a name without an overload name.
        overloads: Vec<String>,
    },
    /// No dispatch key of this name.
    #[error("PyTorch {release} has no dispatch key `{name}`")]
    UnknownKey {
        /// The release.
        release: Release,
        /// The requested name.
        name: String,
        /// Names that are near.
        suggestions: Vec<String>,
    },
    /// An alias key, where only a runtime key has an answer.
    #[error(
        "`{name}` is an alias of several dispatch keys of PyTorch {release}, so it has no entry; \
         use one of those keys"
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
        "`{name}` is neither a build profile (all, linux-cuda, cpu, macos) nor a backend of \
         PyTorch {release}"
    )]
    UnknownBuild {
        /// The release.
        release: Release,
        /// The unknown part.
        name: String,
        /// Names that are near.
        suggestions: Vec<String>,
    },
    /// A text holds a character that databases do not store.
    #[error("`{0}` contains U+0000, which not every database can store; remove it")]
    Unstorable(&'static str),
    /// A side of a comparison has no entry that can be read.
    #[error("the {side} has no valid entry, so there is nothing to compare")]
    NothingToCompare {
        /// `base` or `head`.
        side: &'static str,
        /// The parsed side, with its findings.
        snapshot: Arc<Snapshot>,
    },
    /// Base and head are the same.
    #[error("base and head are both `{0}`")]
    SameRevision(String),
    /// A request of a worker of the probe is refused.
    #[error(transparent)]
    Probe(#[from] ProbeRefusal),
    /// A policy or an exception is invalid.
    #[error(transparent)]
    Policy(PolicyFault),
    /// Authentication failed.
    #[error(transparent)]
    Denied(#[from] Denial),
    /// What the store says.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The service is at its limit.
    #[error("all workers are busy")]
    Busy,
    /// Clients have not read what was answered so far.
    #[error("the server holds too many unread answers")]
    Unread,
    /// The answer would be too large.
    #[error("the answer would exceed {limit} bytes; send less, or request a part of it")]
    LargeAnswer {
        /// How many bytes it may have.
        limit: usize,
    },
    /// The service is shutting down and cancels work in progress.
    #[error("the service is shutting down")]
    Stopped(#[from] Stopped),
    /// A defect of this program: a computation panicked.
    #[error("a computation failed: {0}")]
    Failed(String),
    /// The work was done for several requests at once, and failed for all of them.
    #[error(transparent)]
    Shared(#[from] Arc<ServiceError>),
}

impl ServiceError {
    /// Work that failed for a reason of its own.
    pub fn failed(why: impl std::fmt::Display) -> Self {
        Self::Failed(why.to_string())
    }

    /// The error that ended a writer: its own if it failed with one of these.
    #[must_use]
    pub fn of_write(error: std::io::Error) -> Self {
        error.downcast().unwrap_or_else(Self::failed)
    }

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
    /// The token does not exist.
    #[error("unknown token")]
    Unknown,
    /// It was taken back.
    #[error("the token was revoked")]
    Revoked,
    /// Its time is over.
    #[error("the token has expired")]
    Expired,
    /// The signature is not that of the body.
    #[error("the signature does not match the body and the signing key of the token")]
    Signature,
}

/// Why a bundle is not taken.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// It has no `native_functions.yaml`.
    #[error("the bundle has no `native_functions.yaml`")]
    Incomplete,
    /// It has a file that bundles do not have.
    #[error("`{name}` is not a file of a bundle")]
    FileName {
        /// The name, cut short when it is long.
        name: String,
        /// A name that is near.
        suggestion: Option<&'static str>,
    },
    /// It has a file twice.
    #[error("the bundle contains `{0}` twice")]
    Twice(String),
    /// It has too many files.
    #[error("the bundle has more than {limit} files")]
    Files {
        /// How many it may have.
        limit: usize,
    },
    /// A file is too large.
    #[error("`{name}` exceeds {limit} bytes")]
    FileSize {
        /// The file.
        name: String,
        /// How many bytes it may have.
        limit: usize,
    },
    /// All files together are too large.
    #[error("the files together exceed {limit} bytes")]
    BundleSize {
        /// How many bytes they may have.
        limit: usize,
    },
    /// It has too many operators to be stored.
    #[error(
        "the revision has {count} operators, including generated ones; a stored revision may have at most {limit}"
    )]
    Operators {
        /// The number of its operators.
        count: usize,
        /// The maximum.
        limit: usize,
    },
    /// Its `observed.json` is invalid.
    #[error("`observed.json` is invalid: {0}")]
    Observed(String),
    /// Its `native_functions.yaml` is not a list of entries, so it declares no operators.
    #[error("`native_functions.yaml` is not a list of entries")]
    NoList(Arc<Snapshot>),
}

/// How many overloads an error names; it holds all of them.
const OVERLOADS_NAMED: usize = 10;

/// The overloads of a name, as the end of a sentence.
fn named(overloads: &[String]) -> String {
    if overloads.is_empty() {
        return String::new();
    }
    let shown = overloads.iter().take(OVERLOADS_NAMED);
    let mut shown: Vec<String> = shown.map(|name| format!("`{name}`")).collect();
    if let more @ 1.. = overloads.len().saturating_sub(OVERLOADS_NAMED) {
        shown.push(format!("{more} more"));
    }
    format!(". It has the overloads {}", shown.join(", "))
}
