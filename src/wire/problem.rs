//! Problem documents (RFC 9457): what every refusal and failure looks like.
//!
//! A handler answers with a [`Problem`]; the outermost layer ([`crate::http::middleware::envelope`]) writes it, since
//! only that knows the id of the request, and turns every other error response into one. The table
//! of kinds is the one place for status codes.

use std::sync::Arc;

use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::wire::finding::Finding;

/// The media type of problem documents.
pub const PROBLEM_JSON: &str = "application/problem+json";

/// A kind of problem. Slugs are stable: clients tell problems apart by them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the table below says what each is")]
pub enum Kind {
    MalformedRequest,
    MalformedBody,
    MalformedBundle,
    InvalidName,
    InvalidParameter,
    InvalidCursor,
    Unauthenticated,
    Forbidden,
    UnknownRoute,
    UnknownProject,
    UnknownRevision,
    UnknownLabel,
    UnknownFile,
    UnknownOperator,
    UnknownRule,
    NoRelease,
    NoKey,
    UnknownProblem,
    UnknownException,
    UnknownPart,
    MethodNotAllowed,
    NotAcceptable,
    RequestTimeout,
    ProjectExists,
    RevisionLabelled,
    LabelProtected,
    ReleaseConflict,
    AmbiguousRevision,
    PreconditionFailed,
    TooLarge,
    UnsupportedMediaType,
    UnknownRelease,
    UnknownKey,
    AliasKey,
    UnknownBuild,
    RefusedRegistration,
    UnreadableBundle,
    SameRevision,
    NothingToCompare,
    UnreadableSchema,
    InvalidPolicy,
    Internal,
    Busy,
    StoreUnavailable,
}

/// A row of the table of kinds.
pub(crate) struct Row(&'static str, StatusCode, &'static str, &'static str);

impl Kind {
    /// Every kind, by status.
    pub const ALL: [Self; 44] = [
        Self::MalformedRequest,
        Self::MalformedBody,
        Self::MalformedBundle,
        Self::InvalidName,
        Self::InvalidParameter,
        Self::InvalidCursor,
        Self::Unauthenticated,
        Self::Forbidden,
        Self::UnknownRoute,
        Self::UnknownProject,
        Self::UnknownRevision,
        Self::UnknownLabel,
        Self::UnknownFile,
        Self::UnknownOperator,
        Self::UnknownRule,
        Self::NoRelease,
        Self::NoKey,
        Self::UnknownProblem,
        Self::UnknownException,
        Self::UnknownPart,
        Self::MethodNotAllowed,
        Self::NotAcceptable,
        Self::RequestTimeout,
        Self::ProjectExists,
        Self::RevisionLabelled,
        Self::LabelProtected,
        Self::ReleaseConflict,
        Self::AmbiguousRevision,
        Self::PreconditionFailed,
        Self::TooLarge,
        Self::UnsupportedMediaType,
        Self::UnknownRelease,
        Self::UnknownKey,
        Self::AliasKey,
        Self::UnknownBuild,
        Self::RefusedRegistration,
        Self::UnreadableBundle,
        Self::SameRevision,
        Self::NothingToCompare,
        Self::UnreadableSchema,
        Self::InvalidPolicy,
        Self::Internal,
        Self::Busy,
        Self::StoreUnavailable,
    ];

    #[rustfmt::skip]
    fn row(self) -> Row {
        use StatusCode as S;
        match self {
            Self::MalformedRequest => Row("malformed-request", S::BAD_REQUEST, "Malformed request", "The request cannot be read."),
            Self::MalformedBody => Row("malformed-body", S::BAD_REQUEST, "Malformed body", "The body is not what its media type says, or lacks a member."),
            Self::MalformedBundle => Row("malformed-bundle", S::BAD_REQUEST, "Malformed bundle", "The files in the body make no bundle: one is missing, there twice, or has a name that bundles do not have."),
            Self::InvalidName => Row("invalid-name", S::BAD_REQUEST, "Invalid name", "A project, label or digest is not written as one is."),
            Self::InvalidParameter => Row("invalid-parameter", S::BAD_REQUEST, "Invalid parameter", "A parameter of the query is unknown, there twice, or has a value that it cannot have."),
            Self::InvalidCursor => Row("invalid-cursor", S::BAD_REQUEST, "Invalid cursor", "The cursor was not made by this list, or the list has changed since; begin again without one."),
            Self::Unauthenticated => Row("unauthenticated", S::UNAUTHORIZED, "Not authenticated", "The request needs a token that is known, not revoked and not expired: `Authorization: Bearer opatlas_...`."),
            Self::Forbidden => Row("forbidden", S::FORBIDDEN, "Forbidden", "The token does not allow this, or not in this project; or a page of another site asks, or the request names a host that is not served."),
            Self::UnknownRoute => Row("unknown-route", S::NOT_FOUND, "No such route", "Nothing is served at this path."),
            Self::UnknownProject => Row("unknown-project", S::NOT_FOUND, "No such project", "There is no project of this name."),
            Self::UnknownRevision => Row("unknown-revision", S::NOT_FOUND, "No such revision", "The project has no revision of this address."),
            Self::UnknownLabel => Row("unknown-label", S::NOT_FOUND, "No such label", "The project has no label of this name."),
            Self::UnknownFile => Row("unknown-file", S::NOT_FOUND, "No such file", "The revision has no file of this name."),
            Self::UnknownOperator => Row("unknown-operator", S::NOT_FOUND, "No such operator", "The revision has no operator of this name."),
            Self::UnknownRule => Row("unknown-rule", S::NOT_FOUND, "No such rule", "There is no rule of this id."),
            Self::NoRelease => Row("no-release", S::NOT_FOUND, "No such release", "No release of PyTorch is known by this name."),
            Self::NoKey => Row("no-key", S::NOT_FOUND, "No such dispatch key", "The path names a dispatch key that the release does not have."),
            Self::UnknownProblem => Row("unknown-problem", S::NOT_FOUND, "No such problem type", "There is no problem type of this name."),
            Self::UnknownException => Row("unknown-exception", S::NOT_FOUND, "No such exception", "The project has no exception of this id."),
            Self::UnknownPart => Row("unknown-part", S::NOT_FOUND, "No such part", "The report has fewer parts than that; `X-Parts` says how many."),
            Self::MethodNotAllowed => Row("method-not-allowed", S::METHOD_NOT_ALLOWED, "Method not allowed", "The path is served, but not by this method; `Allow` names those that it has."),
            Self::NotAcceptable => Row("not-acceptable", S::NOT_ACCEPTABLE, "Not acceptable", "None of the media types that `Accept` asks for can be given."),
            Self::RequestTimeout => Row("request-timeout", S::REQUEST_TIMEOUT, "Request timed out", "The request did not arrive in time."),
            Self::ProjectExists => Row("project-exists", S::CONFLICT, "Project exists", "A project of this name exists, with another description or policy."),
            Self::RevisionLabelled => Row("revision-labelled", S::CONFLICT, "Revision is labelled", "Labels name the revision, so it cannot be deleted."),
            Self::LabelProtected => Row("label-protected", S::CONFLICT, "Label is protected", "Labels that look like versions are moved and deleted only with `force=true`."),
            Self::ReleaseConflict => Row("release-conflict", S::CONFLICT, "Label belongs to another release", "The label stands for another release than the one given."),
            Self::AmbiguousRevision => Row("ambiguous-revision", S::CONFLICT, "Ambiguous revision", "Several revisions begin with these digits."),
            Self::PreconditionFailed => Row("precondition-failed", S::PRECONDITION_FAILED, "Precondition failed", "The label is not as `If-Match` or `If-None-Match` has it."),
            Self::TooLarge => Row("too-large", S::PAYLOAD_TOO_LARGE, "Too large", "A file, all files together, or the body is larger than the limit."),
            Self::UnsupportedMediaType => Row("unsupported-media-type", S::UNSUPPORTED_MEDIA_TYPE, "Unsupported media type", "The body's media type or encoding is none that this call reads."),
            Self::UnknownRelease => Row("unknown-release", S::UNPROCESSABLE_ENTITY, "No such release", "The text names no release of PyTorch that is known."),
            Self::UnknownKey => Row("unknown-key", S::UNPROCESSABLE_ENTITY, "No such dispatch key", "The release has no dispatch key of this name."),
            Self::AliasKey => Row("alias-key", S::UNPROCESSABLE_ENTITY, "Alias key", "The key stands for several runtime keys, and only those have entries in a table."),
            Self::UnknownBuild => Row("unknown-build", S::UNPROCESSABLE_ENTITY, "No such build", "The text is neither the name of a build profile nor a list of backends of the release."),
            Self::RefusedRegistration => Row("refused-registration", S::UNPROCESSABLE_ENTITY, "Registration refused", "The dispatcher takes no registration by such a name, or no second fallback for a key; `errors` has them one by one."),
            Self::UnreadableBundle => Row("unreadable-bundle", S::UNPROCESSABLE_ENTITY, "Unreadable bundle", "`native_functions.yaml` is no list of entries, so nothing can be stored; the findings say where."),
            Self::SameRevision => Row("same-revision", S::UNPROCESSABLE_ENTITY, "The same revision twice", "Base and head of the range are the same address, so there is nothing to compare."),
            Self::NothingToCompare => Row("nothing-to-compare", S::UNPROCESSABLE_ENTITY, "Nothing to compare", "One side has no entry that can be read, so nothing can be said of what changed; the findings say where."),
            Self::UnreadableSchema => Row("unreadable-schema", S::UNPROCESSABLE_ENTITY, "Unreadable schema", "The runtime's parser does not read the schema; `errors` has why, with the place in the text."),
            Self::InvalidPolicy => Row("invalid-policy", S::UNPROCESSABLE_ENTITY, "Invalid policy", "A policy or an exception has a member that is unknown or a value that it cannot have."),
            Self::Internal => Row("internal", S::INTERNAL_SERVER_ERROR, "Internal error", "A defect of the service; its log has more under the id of the request."),
            Self::Busy => Row("busy", S::SERVICE_UNAVAILABLE, "Busy", "Too much is going on just now; try again after `Retry-After` seconds."),
            Self::StoreUnavailable => Row("store-unavailable", S::SERVICE_UNAVAILABLE, "Store unavailable", "The database does not answer just now; try again after `Retry-After` seconds."),
        }
    }

    /// The kind's name, the last part of its `type`.
    #[must_use]
    pub fn slug(self) -> &'static str {
        self.row().0
    }

    /// Its status.
    #[must_use]
    pub fn status(self) -> StatusCode {
        self.row().1
    }

    /// Its title.
    #[must_use]
    pub fn title(self) -> &'static str {
        self.row().2
    }

    /// What it means, in a sentence or two.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        self.row().3
    }

    /// What an error response that no handler of ours made means.
    #[must_use]
    pub fn of_status(status: StatusCode) -> Self {
        match status {
            StatusCode::UNAUTHORIZED => Self::Unauthenticated,
            StatusCode::FORBIDDEN => Self::Forbidden,
            StatusCode::NOT_FOUND => Self::UnknownRoute,
            StatusCode::METHOD_NOT_ALLOWED => Self::MethodNotAllowed,
            StatusCode::NOT_ACCEPTABLE => Self::NotAcceptable,
            StatusCode::REQUEST_TIMEOUT => Self::RequestTimeout,
            StatusCode::PAYLOAD_TOO_LARGE => Self::TooLarge,
            StatusCode::UNSUPPORTED_MEDIA_TYPE => Self::UnsupportedMediaType,
            StatusCode::SERVICE_UNAVAILABLE => Self::Busy,
            status if status.is_client_error() => Self::MalformedRequest,
            _ => Self::Internal,
        }
    }
}

/// One of several faults of a request.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Fault {
    /// What is wrong.
    pub detail: String,
    /// The parameter, header or member that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameter: Option<String>,
}

/// A problem, as handlers answer with it.
#[derive(Debug, Clone)]
pub struct Problem {
    /// Its kind.
    pub kind: Kind,
    /// What happened here, for people.
    pub detail: String,
    /// Its faults, where there are several or they have places.
    pub errors: Vec<Fault>,
    /// What may have been meant.
    pub suggestions: Vec<String>,
    /// What the rules find in a bundle that is refused.
    pub findings: Vec<Finding>,
}

impl Problem {
    /// A problem with nothing but a detail.
    #[must_use]
    pub fn new(kind: Kind, detail: impl Into<String>) -> Self {
        Self {
            kind,
            detail: detail.into(),
            errors: Vec::new(),
            suggestions: Vec::new(),
            findings: Vec::new(),
        }
    }

    /// Adds the parameter that it is about.
    #[must_use]
    pub fn about(mut self, parameter: &str) -> Self {
        self.errors.push(Fault {
            detail: self.detail.clone(),
            parameter: Some(parameter.to_owned()),
        });
        self
    }

    /// Adds what can be asked for instead, also in words.
    #[must_use]
    pub fn offering(mut self, names: Vec<String>) -> Self {
        let quoted: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
        if !quoted.is_empty() {
            self.detail
                .push_str(&format!(". Name one of them: {}", quoted.join(", ")));
        }
        self.suggestions = names;
        self
    }

    /// Adds what may have been meant, also in words.
    #[must_use]
    pub fn suggesting(mut self, suggestions: Vec<String>) -> Self {
        if let Some((last, others)) = suggestions.split_last() {
            let others: Vec<_> = others.iter().map(|name| format!("`{name}`")).collect();
            let list = match others.is_empty() {
                true => format!("`{last}`"),
                false => format!("{} or `{last}`", others.join(", ")),
            };
            self.detail.push_str(&format!(". Did you mean {list}?"));
        }
        self.suggestions = suggestions;
        self
    }
}

/// A problem document on the wire (RFC 9457).
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Problem, example = json!({
    "type": "/problems/unknown-operator",
    "title": "No such operator",
    "status": 404,
    "detail": "pytorch 2.9.0 has no operator `add.Tensr`. Did you mean `add.Tensor`?",
    "request_id": "0b6b1c0e6f2b4f6f9a3f5c1d2e3f4a5b",
    "suggestions": ["add.Tensor"]
}))]
pub struct Document<'a> {
    /// What kind of problem it is: a stable reference, relative to the server.
    #[serde(rename = "type")]
    #[schema(example = "/problems/unknown-operator")]
    pub kind: String,
    /// The kind in words.
    pub title: &'a str,
    /// The HTTP status.
    #[schema(minimum = 400, maximum = 599)]
    pub status: u16,
    /// What happened here.
    pub detail: &'a str,
    /// The id of the request, as in the header `X-Request-Id` and in the log.
    pub request_id: &'a str,
    /// The faults one by one, where there are several or they are about a certain parameter.
    #[serde(skip_serializing_if = "<[Fault]>::is_empty")]
    #[schema(required = false)]
    pub errors: &'a [Fault],
    /// What may have been meant.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    #[schema(required = false)]
    pub suggestions: &'a [String],
    /// What the rules find in a bundle that is refused.
    #[serde(skip_serializing_if = "<[Finding]>::is_empty")]
    #[schema(required = false)]
    pub findings: &'a [Finding],
}

impl Problem {
    /// The document's bytes.
    #[must_use]
    pub fn document(&self, request_id: &str) -> Vec<u8> {
        let document = Document {
            kind: format!("/problems/{}", self.kind.slug()),
            title: self.kind.title(),
            status: self.kind.status().as_u16(),
            detail: &self.detail,
            request_id,
            errors: &self.errors,
            suggestions: &self.suggestions,
            findings: &self.findings,
        };
        // Strings and numbers always serialize.
        serde_json::to_vec(&document).unwrap_or_default()
    }
}

impl From<Arc<Problem>> for Problem {
    fn from(shared: Arc<Problem>) -> Self {
        Arc::unwrap_or_clone(shared)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn slugs_are_unique_and_kinds_complete() {
        let slugs: HashSet<_> = Kind::ALL.iter().map(|kind| kind.slug()).collect();
        assert_eq!(slugs.len(), Kind::ALL.len());
        let statuses: Vec<_> = Kind::ALL.iter().map(|kind| kind.status()).collect();
        assert!(statuses.is_sorted());
    }
}
