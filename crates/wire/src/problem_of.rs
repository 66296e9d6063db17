//! The problems for the errors of the service. This is the only place that assigns their status.

use opatlas_source::Stopped;

use crate::finding;
use crate::problem::{Fault, Kind, Problem};
use opatlas_service::probe::ProbeRefusal;
use opatlas_service::{Refusal, ServiceError};
use opatlas_store::{Conflict, Missing, StoreError};

impl From<ServiceError> for Problem {
    fn from(error: ServiceError) -> Self {
        of_service(error.root())
    }
}

impl From<std::sync::Arc<ServiceError>> for Problem {
    fn from(error: std::sync::Arc<ServiceError>) -> Self {
        of_service(error.root())
    }
}

impl From<Stopped> for Problem {
    fn from(stopped: Stopped) -> Self {
        ServiceError::from(stopped).into()
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        of_refusal(&refusal)
    }
}

pub(crate) fn of_service(error: &ServiceError) -> Problem {
    let kind = match error {
        ServiceError::Name(_) => Kind::InvalidName,
        ServiceError::Release(_) => {
            let known = opatlas_pytorch::release::Release::all();
            let mut problem = Problem::new(Kind::UnknownRelease, error.to_string());
            problem.suggestions = known.map(|release| release.to_string()).collect();
            return problem.about("release");
        }
        ServiceError::Refused(refusal) => return of_refusal(refusal),
        ServiceError::OtherRelease { .. } | ServiceError::KeepsRelease { .. } => {
            Kind::ReleaseConflict
        }
        ServiceError::Protected(_) | ServiceError::SameVersion { .. } => Kind::LabelProtected,
        ServiceError::Precondition(_) => Kind::PreconditionFailed,
        ServiceError::NoRevisions(_) | ServiceError::NoCommits(_) => Kind::UnknownRevision,
        ServiceError::Misspelt {
            missing,
            suggestions,
        } => {
            return Problem::new(of_missing(missing), error.to_string())
                .suggesting(suggestions.clone());
        }
        ServiceError::NotOnTimeline { suggestions, .. } => {
            return Problem::new(Kind::UnknownRevision, error.to_string())
                .suggesting(suggestions.clone());
        }
        ServiceError::AmbiguousCommit { matches, .. } => {
            let mut problem = Problem::new(Kind::AmbiguousRevision, error.to_string());
            problem.suggestions.clone_from(matches);
            return problem;
        }
        ServiceError::Backwards { .. } => Kind::InvalidParameter,
        ServiceError::UnusableBackend { .. } => Kind::UnreadableBundle,
        ServiceError::UnknownOperator {
            suggestions,
            overloads,
            ..
        } => {
            let mut problem = Problem::new(Kind::UnknownOperator, error.to_string());
            if overloads.is_empty() {
                return problem.suggesting(suggestions.clone());
            }
            // The detail names them already.
            problem.suggestions.clone_from(suggestions);
            problem.overloads = overloads.as_slice().into();
            return problem;
        }
        ServiceError::UnknownKey { suggestions, .. } => {
            return Problem::new(Kind::UnknownKey, error.to_string())
                .suggesting(suggestions.clone());
        }
        ServiceError::AliasKey { suggestions, .. } => {
            return Problem::new(Kind::AliasKey, error.to_string()).offering(suggestions.clone());
        }
        ServiceError::UnknownBuild { suggestions, .. } => {
            return Problem::new(Kind::UnknownBuild, error.to_string())
                .suggesting(suggestions.clone())
                .about("build");
        }
        ServiceError::Store(error) => return of_store(error),
        ServiceError::Unstorable(member) => {
            return Problem::new(Kind::MalformedBody, error.to_string()).about(member);
        }
        ServiceError::NothingToCompare { side, snapshot } => {
            let mut problem = Problem::new(Kind::NothingToCompare, error.to_string());
            problem.findings = finding::first(snapshot);
            return problem.about(side);
        }
        ServiceError::Probe(refusal) => match refusal {
            ProbeRefusal::OtherRelease { .. } | ProbeRefusal::OtherDump { .. } => {
                Kind::OtherRelease
            }
            ProbeRefusal::OtherRun { .. } => Kind::OtherRun,
            ProbeRefusal::Incomplete(_) => Kind::IncompleteResult,
            ProbeRefusal::Malformed(_) => Kind::MalformedBody,
        },
        ServiceError::SameRevision(_) => Kind::SameRevision,
        ServiceError::Policy(fault) => {
            return Problem::new(Kind::InvalidPolicy, error.to_string()).about(&fault.member);
        }
        ServiceError::Denied(_) => Kind::Unauthenticated,
        ServiceError::Busy | ServiceError::Unread | ServiceError::Stopped(_) => Kind::Busy,
        ServiceError::LargeAnswer { .. } => Kind::TooLarge,
        ServiceError::Failed(_) => return internal(error),
        ServiceError::Shared(shared) => return of_service(shared.root()),
    };
    Problem::new(kind, error.to_string())
}

pub(crate) fn of_refusal(refusal: &Refusal) -> Problem {
    let kind = match refusal {
        Refusal::Incomplete | Refusal::Twice(_) | Refusal::Files { .. } | Refusal::Observed(_) => {
            Kind::MalformedBundle
        }
        Refusal::FileName { suggestion, .. } => {
            let suggestion = suggestion.iter().map(ToString::to_string).collect();
            let problem = Problem::new(Kind::MalformedBundle, refusal.to_string());
            return problem.suggesting(suggestion);
        }
        Refusal::FileSize { .. } | Refusal::BundleSize { .. } => Kind::TooLarge,
        Refusal::Operators { .. } => Kind::UnreadableBundle,
        Refusal::Errors(snapshot) => {
            let mut problem = Problem::new(Kind::BundleHasErrors, refusal.to_string());
            problem.findings = finding::first_errors(snapshot);
            return problem;
        }
        Refusal::NoList(snapshot) => {
            let mut problem = Problem::new(Kind::UnreadableBundle, refusal.to_string());
            problem.findings = finding::first(snapshot);
            return problem;
        }
    };
    Problem::new(kind, refusal.to_string())
}

pub(crate) fn of_store(error: &StoreError) -> Problem {
    let kind = match error {
        // Tokens are not resources of this API.
        StoreError::NotFound(Missing::Token(_)) => return internal(error),
        StoreError::NotFound(missing) => of_missing(missing),
        StoreError::Conflict(conflict) => match conflict {
            Conflict::Project(_) => Kind::ProjectExists,
            Conflict::Release { .. } => Kind::ReleaseConflict,
            Conflict::Label { .. } => Kind::PreconditionFailed,
            Conflict::Labelled { .. } => Kind::RevisionLabelled,
            Conflict::LeaseLost(_) => Kind::LeaseLost,
            Conflict::ShardDone(_) => Kind::ShardDone,
            Conflict::TooManyDumps => Kind::TooLarge,
            // Nothing is restored over HTTP.
            Conflict::NotEmpty => return internal(error),
        },
        StoreError::Ambiguous { matches, .. } => {
            let mut problem = Problem::new(Kind::AmbiguousRevision, error.to_string());
            problem.suggestions = matches.iter().map(|d| format!("sha256:{d}")).collect();
            return problem;
        }
        StoreError::Unavailable { .. } => {
            tracing::warn!(%error, "the store is unavailable");
            return Problem::new(Kind::StoreUnavailable, "the database does not answer");
        }
        StoreError::Detached { .. } => {
            tracing::error!(%error, "the database file was moved or deleted, so writes would be \
                                     lost");
            Kind::StoreUnavailable
        }
        StoreError::Corrupt { .. }
        | StoreError::TooNew { .. }
        | StoreError::Unusable(_)
        | StoreError::Address { .. }
        | StoreError::Backend(_) => return internal(error),
    };
    Problem::new(kind, error.to_string())
}

fn of_missing(missing: &Missing) -> Kind {
    match missing {
        Missing::Project(_) => Kind::UnknownProject,
        Missing::Revision { .. } => Kind::UnknownRevision,
        Missing::Label { .. } => Kind::UnknownLabel,
        Missing::File { .. } => Kind::UnknownFile,
        Missing::Exception(_) => Kind::UnknownException,
        Missing::ProbeRun(_) => Kind::UnknownRun,
        Missing::ProbeShard { .. } => Kind::UnknownShard,
        Missing::Dump(_) | Missing::Dumps => Kind::UnknownDump,
        Missing::Token(_) => Kind::Internal,
    }
}

pub(crate) fn internal(error: &dyn std::error::Error) -> Problem {
    tracing::error!(error = %error, "a request failed");
    Problem::new(
        Kind::Internal,
        "the service failed; its log has details under the id of this request",
    )
}

impl Problem {
    /// The problem of a rejected bundle.
    #[must_use]
    pub fn of_refusal(refusal: &Refusal) -> Self {
        of_refusal(refusal)
    }
}

impl Fault {
    /// A fault of a parameter.
    #[must_use]
    pub fn of(parameter: &str, detail: impl Into<String>) -> Self {
        Self {
            detail: detail.into(),
            parameter: Some(parameter.to_owned()),
        }
    }
}
