//! Problem documents (RFC 9457), which describe every error. A handler answers with a [`Problem`];
//! the outermost layer writes the document, since only it knows the id of the request.

use std::sync::Arc;

use http::StatusCode;
use opatlas_source::suggest::nearest_few;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::finding::Finding;

/// The media type of problem documents.
pub const PROBLEM_JSON: &str = "application/problem+json";

/// A kind of problem. Slugs are stable identifiers for clients.
///
/// A fault has the same status on every route:
///
/// - 400: the request is malformed. Its JSON, query, headers or cursor cannot be read, or a parameter is
///   unknown, missing, of the wrong type, out of range, or not in its closed list.
/// - 404: something is not stored, or the path names a release, rule, key or way that does not exist.
/// - 409: the stored state does not allow the change.
/// - 422: the request is well-formed, but its content cannot be processed. It names a release, rule, key,
///   tag or way that does not exist, or has files, schemas, results, policies or exceptions with faults.
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
    UnknownTopic,
    UnknownProblem,
    UnknownException,
    UnknownPart,
    UnknownRun,
    UnknownShard,
    UnknownDump,
    MethodNotAllowed,
    NotAcceptable,
    RequestTimeout,
    ProjectExists,
    RevisionLabelled,
    LabelProtected,
    ReleaseConflict,
    AmbiguousRevision,
    OtherRelease,
    OtherRun,
    LeaseLost,
    ShardDone,
    KeyInProgress,
    PreconditionFailed,
    TooLarge,
    UnsupportedMediaType,
    UnknownRelease,
    UnknownRule,
    UnknownValue,
    UnknownKey,
    AliasKey,
    UnknownBuild,
    RefusedRegistration,
    UnreadableBundle,
    BundleHasErrors,
    SameRevision,
    NothingToCompare,
    UnreadableSchema,
    InvalidPolicy,
    IncompleteResult,
    KeyReused,
    Internal,
    Busy,
    StoreUnavailable,
}

pub(crate) struct Row(&'static str, StatusCode, &'static str, &'static str);

impl Kind {
    /// Every kind, by status.
    pub const ALL: [Self; 55] = [
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
        Self::UnknownTopic,
        Self::UnknownProblem,
        Self::UnknownException,
        Self::UnknownPart,
        Self::UnknownRun,
        Self::UnknownShard,
        Self::UnknownDump,
        Self::MethodNotAllowed,
        Self::NotAcceptable,
        Self::RequestTimeout,
        Self::ProjectExists,
        Self::RevisionLabelled,
        Self::LabelProtected,
        Self::ReleaseConflict,
        Self::AmbiguousRevision,
        Self::OtherRelease,
        Self::OtherRun,
        Self::LeaseLost,
        Self::ShardDone,
        Self::KeyInProgress,
        Self::PreconditionFailed,
        Self::TooLarge,
        Self::UnsupportedMediaType,
        Self::UnknownRelease,
        Self::UnknownRule,
        Self::UnknownValue,
        Self::UnknownKey,
        Self::AliasKey,
        Self::UnknownBuild,
        Self::RefusedRegistration,
        Self::UnreadableBundle,
        Self::BundleHasErrors,
        Self::SameRevision,
        Self::NothingToCompare,
        Self::UnreadableSchema,
        Self::InvalidPolicy,
        Self::IncompleteResult,
        Self::KeyReused,
        Self::Internal,
        Self::Busy,
        Self::StoreUnavailable,
    ];

    #[rustfmt::skip]
    fn row(self) -> Row {
        use StatusCode as S;
        match self {
            Self::MalformedRequest => Row("malformed-request", S::BAD_REQUEST, "Malformed request", "The request is malformed."),
            Self::MalformedBody => Row("malformed-body", S::BAD_REQUEST, "Malformed body", "The body does not match its media type, or lacks a member."),
            Self::MalformedBundle => Row("malformed-bundle", S::BAD_REQUEST, "Malformed bundle", "The files in the body are not a bundle: one is missing, occurs twice, or has a name that bundles do not have."),
            Self::InvalidName => Row("invalid-name", S::BAD_REQUEST, "Invalid name", "A project name, label or digest is malformed."),
            Self::InvalidParameter => Row("invalid-parameter", S::BAD_REQUEST, "Invalid parameter", "A query parameter is unknown, missing, occurs twice, or has a value of the wrong form, out of range, or not in its closed list."),
            Self::InvalidCursor => Row("invalid-cursor", S::BAD_REQUEST, "Invalid cursor", "The cursor belongs to another list, or the list has changed since; start again without a cursor."),
            Self::Unauthenticated => Row("unauthenticated", S::UNAUTHORIZED, "Not authenticated", "The request needs a valid token, neither revoked nor expired: `Authorization: Bearer opatlas_...`."),
            Self::Forbidden => Row("forbidden", S::FORBIDDEN, "Forbidden", "The token does not allow this action, or not in this project; or the request comes from a page of another site, or names a host that this server does not serve."),
            Self::UnknownRoute => Row("unknown-route", S::NOT_FOUND, "No such route", "The server has no route for this path."),
            Self::UnknownProject => Row("unknown-project", S::NOT_FOUND, "No such project", "No project has this name."),
            Self::UnknownRevision => Row("unknown-revision", S::NOT_FOUND, "No such revision", "The project has no revision at this address."),
            Self::UnknownLabel => Row("unknown-label", S::NOT_FOUND, "No such label", "The project has no label with this name."),
            Self::UnknownFile => Row("unknown-file", S::NOT_FOUND, "No such file", "The revision has no file with this name."),
            Self::UnknownOperator => Row("unknown-operator", S::NOT_FOUND, "No such operator", "The revision has no operator with this name."),
            Self::UnknownTopic => Row("unknown-topic", S::NOT_FOUND, "No such topic", "There is no topic with this name."),
            Self::UnknownProblem => Row("unknown-problem", S::NOT_FOUND, "No such problem type", "No problem type has this name."),
            Self::UnknownException => Row("unknown-exception", S::NOT_FOUND, "No such exception", "The project has no exception with this id."),
            Self::UnknownPart => Row("unknown-part", S::NOT_FOUND, "No such part", "The report has fewer parts; `X-Parts` has their number."),
            Self::UnknownRun => Row("unknown-run", S::NOT_FOUND, "No such run", "The project has no run of the probe with this name; a worker opens it first."),
            Self::UnknownShard => Row("unknown-shard", S::NOT_FOUND, "No such shard", "The run has fewer shards."),
            Self::UnknownDump => Row("unknown-dump", S::NOT_FOUND, "No such dump", "The revision has no dump of tables, or none with this digest."),
            Self::MethodNotAllowed => Row("method-not-allowed", S::METHOD_NOT_ALLOWED, "Method not allowed", "The path exists, but not for this method; `Allow` lists the allowed methods."),
            Self::NotAcceptable => Row("not-acceptable", S::NOT_ACCEPTABLE, "Not acceptable", "The server cannot answer in any of the media types in `Accept`."),
            Self::RequestTimeout => Row("request-timeout", S::REQUEST_TIMEOUT, "Request timed out", "The request did not arrive in time."),
            Self::ProjectExists => Row("project-exists", S::CONFLICT, "Project exists", "A project with this name exists, with a different description or policy."),
            Self::RevisionLabelled => Row("revision-labelled", S::CONFLICT, "Revision is labelled", "Labels name the revision, so it cannot be deleted."),
            Self::LabelProtected => Row("label-protected", S::CONFLICT, "Label is protected", "Labels that look like versions are protected; `force=true` moves or deletes them."),
            Self::ReleaseConflict => Row("release-conflict", S::CONFLICT, "Label belongs to another release", "The label belongs to another release than the one in the request."),
            Self::AmbiguousRevision => Row("ambiguous-revision", S::CONFLICT, "Ambiguous revision", "Several revisions start with these digits."),
            Self::OtherRelease => Row("other-release", S::CONFLICT, "Other release", "The revision is of another minor release of PyTorch than the process, or a dump is of another release than its request."),
            Self::OtherRun => Row("other-run", S::CONFLICT, "Other run", "The name belongs to a run of another revision, torch or device."),
            Self::LeaseLost => Row("lease-lost", S::CONFLICT, "Lease lost", "The lease of the shard has ended; the worker drops the shard and asks for another."),
            Self::ShardDone => Row("shard-done", S::CONFLICT, "Shard is done", "The shard has another result. The first is kept."),
            Self::KeyInProgress => Row("key-in-progress", S::CONFLICT, "Idempotency key in progress", "Another request with this `Idempotency-Key` is in progress; repeat the request after `Retry-After` seconds."),
            Self::PreconditionFailed => Row("precondition-failed", S::PRECONDITION_FAILED, "Precondition failed", "The label does not match `If-Match` or `If-None-Match`."),
            Self::TooLarge => Row("too-large", S::PAYLOAD_TOO_LARGE, "Too large", "A file, all files together, or the body exceed the limit."),
            Self::UnsupportedMediaType => Row("unsupported-media-type", S::UNSUPPORTED_MEDIA_TYPE, "Unsupported media type", "This route does not accept the media type or encoding of the body."),
            Self::UnknownRelease => Row("unknown-release", S::UNPROCESSABLE_ENTITY, "No such release", "The text is not a known release of PyTorch."),
            Self::UnknownRule => Row("unknown-rule", S::UNPROCESSABLE_ENTITY, "No such rule", "No rule has this id."),
            Self::UnknownValue => Row("unknown-value", S::UNPROCESSABLE_ENTITY, "No such value", "A parameter names something that does not exist, for example a tag that the revision does not have, or a way; `suggestions` has similar names."),
            Self::UnknownKey => Row("unknown-key", S::UNPROCESSABLE_ENTITY, "No such dispatch key", "The release has no dispatch key with this name."),
            Self::AliasKey => Row("alias-key", S::UNPROCESSABLE_ENTITY, "Alias key", "The key is an alias of several runtime keys, and tables have entries for runtime keys only."),
            Self::UnknownBuild => Row("unknown-build", S::UNPROCESSABLE_ENTITY, "No such build", "The text is neither a build profile nor a list of backends of the release."),
            Self::RefusedRegistration => Row("refused-registration", S::UNPROCESSABLE_ENTITY, "Registration refused", "The dispatcher rejects a registration, for example an unknown name or a second fallback for a key; `errors` lists each."),
            Self::UnreadableBundle => Row("unreadable-bundle", S::UNPROCESSABLE_ENTITY, "Unreadable bundle", "`native_functions.yaml` is not a list of entries (the findings show where), or it declares more operators than a stored revision may have. Nothing is stored."),
            Self::BundleHasErrors => Row("bundle-has-errors", S::UNPROCESSABLE_ENTITY, "Bundle has errors", "The request is `strict`, and the files have errors, which the findings list. Nothing is stored, and no label is set."),
            Self::SameRevision => Row("same-revision", S::UNPROCESSABLE_ENTITY, "Same revision twice", "Base and head of the range are the same address."),
            Self::NothingToCompare => Row("nothing-to-compare", S::UNPROCESSABLE_ENTITY, "Nothing to compare", "One side has no valid entry, so there is nothing to compare; the findings show where."),
            Self::UnreadableSchema => Row("unreadable-schema", S::UNPROCESSABLE_ENTITY, "Unreadable schema", "The schema parser of the PyTorch runtime rejects the schema; `errors` has the reason and the position."),
            Self::InvalidPolicy => Row("invalid-policy", S::UNPROCESSABLE_ENTITY, "Invalid policy", "A policy or an exception has an unknown member or an invalid value."),
            Self::IncompleteResult => Row("incomplete-result", S::UNPROCESSABLE_ENTITY, "Incomplete result", "A result or a dump does not match its digest, or the rows are not one for each item. Nothing is stored; send it again."),
            Self::KeyReused => Row("key-reused", S::UNPROCESSABLE_ENTITY, "Idempotency key reused", "The `Idempotency-Key` belongs to another request: another route, query, or body. Use a new key for a new request."),
            Self::Internal => Row("internal", S::INTERNAL_SERVER_ERROR, "Internal error", "A defect of the service; its log has details under the id of the request."),
            Self::Busy => Row("busy", S::SERVICE_UNAVAILABLE, "Busy", "The server is at its limit; retry after `Retry-After` seconds."),
            Self::StoreUnavailable => Row("store-unavailable", S::SERVICE_UNAVAILABLE, "Store unavailable", "The database does not answer; retry after `Retry-After` seconds."),
        }
    }

    /// The kind's name, the last part of its `type`.
    #[must_use]
    pub fn slug(self) -> &'static str {
        self.row().0
    }

    /// Its status in most cases.
    #[must_use]
    pub fn status(self) -> StatusCode {
        self.row().1
    }

    /// All statuses that it occurs with: 404 where the path names what does not exist.
    #[must_use]
    pub fn statuses(self) -> Vec<StatusCode> {
        match self {
            Self::UnknownRelease | Self::UnknownRule | Self::UnknownKey | Self::UnknownValue => {
                vec![StatusCode::NOT_FOUND, self.status()]
            }
            _ => vec![self.status()],
        }
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

    /// The problem for an error response without a handler.
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
    /// The fault.
    pub detail: String,
    /// The parameter, header or member.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameter: Option<String>,
}

/// A problem, as handlers return it.
#[derive(Debug, Clone)]
pub struct Problem {
    /// Its kind.
    pub kind: Kind,
    /// Its status, one of [`Kind::statuses`].
    pub status: StatusCode,
    /// What happened in this request, for people.
    pub detail: String,
    /// Its faults, if there are several or they have positions.
    pub errors: Vec<Fault>,
    /// Similar valid names.
    pub suggestions: Vec<String>,
    /// The overloads of a name that is not an operator itself.
    pub overloads: Box<[String]>,
    /// The findings in a rejected bundle.
    pub findings: Vec<Finding>,
}

impl Problem {
    /// A problem with only a detail.
    #[must_use]
    pub fn new(kind: Kind, detail: impl Into<String>) -> Self {
        Self {
            kind,
            status: kind.status(),
            detail: detail.into(),
            errors: Vec::new(),
            suggestions: Vec::new(),
            overloads: Box::default(),
            findings: Vec::new(),
        }
    }

    /// A problem with status 404: the path names something that does not exist.
    #[must_use]
    pub fn in_path(mut self) -> Self {
        if self.kind.statuses().contains(&StatusCode::NOT_FOUND) {
            self.status = StatusCode::NOT_FOUND;
        }
        self
    }

    /// Adds the parameter.
    #[must_use]
    pub fn about(mut self, parameter: &str) -> Self {
        self.errors.push(Fault {
            detail: self.detail.clone(),
            parameter: Some(parameter.to_owned()),
        });
        self
    }

    /// The problem of a parameter with a value that is not one of a closed list, with the list.
    #[must_use]
    pub fn not_listed(parameter: &str, value: &str, known: &[&str]) -> Self {
        let shown: String = value.chars().take(128).collect();
        let quoted: Vec<_> = known.iter().map(|known| format!("`{known}`")).collect();
        let detail = format!(
            "{parameter}: `{shown}` must be one of {}",
            quoted.join(", ")
        );
        let near = nearest_few(value, known.iter().copied(), 1);
        Self::new(Kind::InvalidParameter, detail)
            .suggesting(near.into_iter().map(str::to_owned).collect())
            .about(parameter)
    }

    /// The problem of an unknown value of a filter, with similar values.
    #[must_use]
    pub fn unknown_value<'a>(
        parameter: &str,
        value: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let kind = match parameter {
            "rule" => Kind::UnknownRule,
            _ => Kind::UnknownValue,
        };
        let near = nearest_few(value, known, 3);
        let shown: String = value.chars().take(128).collect();
        Self::new(kind, format!("there is no {parameter} `{shown}`"))
            .suggesting(near.into_iter().map(str::to_owned).collect())
            .about(parameter)
    }

    /// Adds the valid names, also to the detail.
    #[must_use]
    pub fn offering(mut self, names: Vec<String>) -> Self {
        let quoted: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
        if !quoted.is_empty() {
            self.detail
                .push_str(&format!(". Valid names: {}", quoted.join(", ")));
        }
        self.suggestions = names;
        self
    }

    /// Adds similar names, also to the detail.
    #[must_use]
    pub fn suggesting(mut self, suggestions: Vec<String>) -> Self {
        if let Some((last, others)) = suggestions.split_last() {
            let others: Vec<_> = others.iter().map(|name| format!("`{name}`")).collect();
            let list = if others.is_empty() {
                format!("`{last}`")
            } else {
                format!("{} or `{last}`", others.join(", "))
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
    /// The kind of problem: a stable URI reference, relative to the server.
    #[serde(rename = "type")]
    #[schema(example = "/problems/unknown-operator")]
    pub kind: String,
    /// The kind, in words.
    pub title: &'a str,
    /// The HTTP status.
    #[schema(minimum = 400, maximum = 599)]
    pub status: u16,
    /// What happened in this request.
    pub detail: &'a str,
    /// The id of the request, as in the header `X-Request-Id` and in the log.
    pub request_id: &'a str,
    /// The individual faults, if there are several or they concern a parameter.
    #[serde(skip_serializing_if = "<[Fault]>::is_empty")]
    #[schema(required = false)]
    pub errors: &'a [Fault],
    /// Similar valid names.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    #[schema(required = false)]
    pub suggestions: &'a [String],
    /// The overloads of a name that is not an operator itself, such as `add`.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    #[schema(required = false)]
    pub overloads: &'a [String],
    /// The findings in a rejected bundle.
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
            status: self.status.as_u16(),
            detail: &self.detail,
            request_id,
            errors: &self.errors,
            suggestions: &self.suggestions,
            overloads: &self.overloads,
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
