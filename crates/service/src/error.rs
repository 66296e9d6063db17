//! Errors of use cases, as variants that adapters can match.

use std::sync::Arc;

use opatlas_pytorch::release::{Release, UnknownRelease};
use opatlas_source::Stopped;
use opatlas_store::{LabelName, Missing, NameError, StoreError};

use super::policy::PolicyFault;
use super::probe::ProbeRefusal;
use super::snapshot::Snapshot;

/// An error of a use case.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// An invalid project name, label or digest.
    #[error(transparent)]
    Name(#[from] NameError),
    /// An unknown release.
    #[error(transparent)]
    Release(#[from] UnknownRelease),
    /// The bundle is rejected.
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
    /// A label that belongs to another release than the one to give it, which takes force.
    #[error(
        "label `{label}` belongs to release {stored}, not {given}; use `force` to give it another \
         release"
    )]
    KeepsRelease {
        /// The label.
        label: LabelName,
        /// The release of the label.
        stored: String,
        /// The release to give it.
        given: String,
    },
    /// A version label that names another revision, which only moves or is deleted with force.
    #[error("label `{0}` looks like a version and is protected; use `force` to move or delete it")]
    Protected(LabelName),
    /// A new label that is the same version as another one, which it would hide: `v2.15.0` finds `2.15.0`.
    #[error(
        "label `{label}` is another spelling of `{existing}`, which is protected; set `{existing}`, or \
         use `force` to have both"
    )]
    SameVersion {
        /// The new label.
        label: LabelName,
        /// The label that it finds now.
        existing: LabelName,
    },
    /// The caller's condition on the label does not hold.
    #[error("label `{0}` does not match the condition of the request")]
    Precondition(LabelName),
    /// The project has no revisions, so there is no latest one.
    #[error("project `{0}` has no revisions yet")]
    NoRevisions(opatlas_store::ProjectName),
    /// The project may have revisions, but none of them is a commit.
    #[error(
        "project `{0}` has no commits; `opatlas import --git` imports those of a clone of PyTorch"
    )]
    NoCommits(opatlas_store::ProjectName),
    /// The revision or label does not exist.
    #[error("{missing}")]
    Misspelt {
        /// What is missing.
        missing: Missing,
        /// Similar labels.
        suggestions: Vec<String>,
    },
    /// The timeline has no such place.
    #[error("the timeline of project `{project}` has no `{text}`")]
    NotOnTimeline {
        /// The project.
        project: opatlas_store::ProjectName,
        /// The requested text.
        text: String,
        /// Similar names.
        suggestions: Vec<String>,
    },
    /// Several commits match an abbreviated id.
    #[error("commit `{text}` is ambiguous: {}; use more digits", matches.join(", "))]
    AmbiguousCommit {
        /// The abbreviated id.
        text: String,
        /// The first matches.
        matches: Vec<String>,
    },
    /// A range ends before it begins.
    #[error("`{to}` comes before `{from}` on the timeline")]
    Backwards {
        /// The beginning.
        from: String,
        /// The end.
        to: String,
    },
    /// A backend file cannot be added to revisions.
    #[error("`{file}` cannot be used as a backend file: {why}")]
    UnusableBackend {
        /// The file, or the project that should have one.
        file: String,
        /// What is wrong with it.
        why: String,
    },
    /// The revision has no such operator.
    #[error("{revision} has no operator `{name}`{}", named(overloads))]
    UnknownOperator {
        /// The title of the revision.
        revision: String,
        /// The requested name.
        name: String,
        /// Similar names.
        suggestions: Vec<String>,
        /// The overloads of the base name.
        overloads: Vec<String>,
    },
    /// The release has no such dispatch key.
    #[error("PyTorch {release} has no dispatch key `{name}`")]
    UnknownKey {
        /// The release.
        release: Release,
        /// The requested name.
        name: String,
        /// Similar names.
        suggestions: Vec<String>,
    },
    /// An alias key was given where a runtime key is needed.
    #[error(
        "`{name}` is an alias of several dispatch keys of PyTorch {release}, so it has no entry; \
         use one of those keys"
    )]
    AliasKey {
        /// The release.
        release: Release,
        /// The alias.
        name: &'static str,
        /// Runtime keys that it includes.
        suggestions: Vec<String>,
    },
    /// Neither a build profile nor a list of backends.
    #[error(
        "`{name}` is neither a build profile (all, linux-cuda, cpu, macos) nor a backend of \
         PyTorch {release}"
    )]
    UnknownBuild {
        /// The release.
        release: Release,
        /// The unknown part.
        name: String,
        /// Similar names.
        suggestions: Vec<String>,
    },
    /// A text contains a character that databases cannot store.
    #[error("`{0}` contains U+0000, which not every database can store; remove it")]
    Unstorable(&'static str),
    /// A side of a comparison has no readable entry.
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
    /// A request of a probe worker is rejected.
    #[error(transparent)]
    Probe(#[from] ProbeRefusal),
    /// A policy or an exception is invalid.
    #[error(transparent)]
    Policy(PolicyFault),
    /// Authentication failed.
    #[error(transparent)]
    Denied(#[from] Denial),
    /// An error of the store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// All workers are busy.
    #[error("all workers are busy")]
    Busy,
    /// Clients have not read enough of the earlier answers.
    #[error("the server holds too many unread answers")]
    Unread,
    /// The answer would be too large.
    #[error("the answer would exceed {limit} bytes; send less, or request a part of it")]
    LargeAnswer {
        /// The limit in bytes.
        limit: usize,
    },
    /// The service is shutting down and cancels work in progress.
    #[error("the service is shutting down")]
    Stopped(#[from] Stopped),
    /// A computation panicked, or failed for another unexpected reason.
    #[error("a computation failed: {0}")]
    Failed(String),
    /// An error that is shared by concurrent requests.
    #[error(transparent)]
    Shared(#[from] Arc<ServiceError>),
}

impl ServiceError {
    /// An unexpected failure.
    pub fn failed(why: impl std::fmt::Display) -> Self {
        Self::Failed(why.to_string())
    }

    /// The error of a writer, which may wrap one of these errors.
    #[must_use]
    pub fn of_write(error: std::io::Error) -> Self {
        error.downcast().unwrap_or_else(Self::failed)
    }

    /// Unwraps [`ServiceError::Shared`].
    #[must_use]
    pub fn root(&self) -> &Self {
        match self {
            Self::Shared(shared) => shared.root(),
            own => own,
        }
    }
}

/// Why a token or a signature is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Denial {
    /// The token does not exist.
    #[error("unknown token")]
    Unknown,
    /// It was revoked.
    #[error("the token was revoked")]
    Revoked,
    /// It has expired.
    #[error("the token has expired")]
    Expired,
    /// The signature does not match the body.
    #[error("the signature does not match the body and the signing key of the token")]
    Signature,
}

/// Why a bundle is rejected.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// It has no `native_functions.yaml`.
    #[error("the bundle has no `native_functions.yaml`")]
    Incomplete,
    /// It has a file with a name that bundles cannot have.
    #[error("`{name}` is not a file of a bundle")]
    FileName {
        /// The name, truncated if it is long.
        name: String,
        /// A similar name.
        suggestion: Option<&'static str>,
    },
    /// It has a file twice.
    #[error("the bundle contains `{0}` twice")]
    Twice(String),
    /// It has too many files.
    #[error("the bundle has more than {limit} files")]
    Files {
        /// The limit.
        limit: usize,
    },
    /// A file is too large.
    #[error("`{name}` exceeds {limit} bytes")]
    FileSize {
        /// The file.
        name: String,
        /// The limit in bytes.
        limit: usize,
    },
    /// All files together are too large.
    #[error("the files together exceed {limit} bytes")]
    BundleSize {
        /// The limit in bytes.
        limit: usize,
    },
    /// It has too many operators to be stored.
    #[error(
        "the revision has {count} operators, including generated ones; a stored revision may have at most {limit}"
    )]
    Operators {
        /// The number of its operators.
        count: usize,
        /// The limit.
        limit: usize,
    },
    /// Its `observed.json` is invalid.
    #[error("`observed.json` is invalid: {0}")]
    Observed(String),
    /// Its files have errors, and the request does not allow any.
    #[error(
        "the files have {}, and `strict` stores only files without errors; nothing was stored",
        counted(.0.summary().errors)
    )]
    Errors(Arc<Snapshot>),
    /// Its `native_functions.yaml` is not a list of entries.
    #[error("`native_functions.yaml` is not a list of entries")]
    NoList(Arc<Snapshot>),
}

const OVERLOADS_NAMED: usize = 10;

fn counted(errors: usize) -> String {
    match errors {
        1 => "1 error".to_owned(),
        many => format!("{many} errors"),
    }
}

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
