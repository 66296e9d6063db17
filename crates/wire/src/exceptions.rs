//! Exceptions as JSON.

use opatlas_diff::policy::ExceptionStatus;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::time::timestamp;
use opatlas_store::ExceptionRecord;

/// A change to accept.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({
    "operator": "can_cast", "rule": "argument-renamed", "argument": "from",
    "reason": "from is a keyword in Python", "owner": "core", "until": "2.16"
}))]
pub struct NewException {
    /// Operators by their full name; `*` matches any text and `?` one character. A pattern has at
    /// most 127 characters.
    #[schema(max_length = 1000)]
    pub operator: String,
    /// The rule, or a pattern of rules.
    #[schema(max_length = 1000)]
    pub rule: String,
    /// The argument, key or other subject of the rule, or a pattern; by default any.
    #[schema(max_length = 1000)]
    pub argument: Option<String>,
    /// Why it is accepted.
    #[schema(max_length = 10000)]
    pub reason: String,
    /// Who is responsible for it.
    #[schema(max_length = 1000)]
    pub owner: Option<String>,
    /// The last day, `2027-01-31`, or the last release, `2.16`, for which it is valid, as written. It
    /// can be a future release.
    pub until: Option<String>,
    /// A day as `until`; only one of the three may be set.
    #[schema(format = Date, deprecated)]
    pub until_date: Option<String>,
    /// A release as `until`; only one of the three may be set.
    #[schema(deprecated)]
    pub until_release: Option<String>,
    /// Whether it may match operators of more than one base name.
    #[serde(default)]
    pub broad: bool,
}

/// A new end for an exception.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"until": "2.17"}))]
pub struct ExtendedException {
    /// The last day, `2027-01-31`, or the last release, `2.16`, for which it is valid.
    pub until: String,
}

/// An accepted change.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[schema(as = Exception)]
pub struct ExceptionView {
    /// Its id.
    pub id: String,
    /// The pattern of operators.
    pub operator: String,
    /// The pattern of rules.
    pub rule: String,
    /// The pattern of arguments.
    pub argument: Option<String>,
    /// Why it is accepted.
    pub reason: String,
    /// Who is responsible for it.
    pub owner: Option<String>,
    /// The last day or the last release for which it is valid, as written; null without an end.
    pub until: Option<String>,
    /// `until`, if it is a day.
    #[schema(deprecated)]
    pub until_date: Option<String>,
    /// `until`, if it is a release.
    #[schema(deprecated)]
    pub until_release: Option<String>,
    /// Whether it may match operators of more than one base name.
    pub broad: bool,
    /// When it was created.
    #[schema(format = DateTime)]
    pub created_at: String,
    /// `active`, `expiring`, `expired`, `unused` (it matches no name in the latest revision, or
    /// another exception covers it) or `overbroad`, at the current time and for the project's
    /// latest revision.
    #[schema(example = "active")]
    pub status: String,
}

/// The exceptions of a project.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct ExceptionList {
    /// The exceptions, oldest first.
    pub items: Vec<ExceptionView>,
    /// Always null: the list is not paged.
    pub next_cursor: Option<String>,
}

/// An exception's path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct ExceptionPath {
    /// The project.
    #[param(example = "pytorch")]
    pub project: String,
    /// The exception's id.
    #[param(example = "0f3a9c1b22de")]
    pub id: String,
}

/// An exception with its status.
pub fn view_of(record: ExceptionRecord, status: ExceptionStatus) -> ExceptionView {
    ExceptionView {
        id: record.id,
        operator: record.operator,
        rule: record.rule,
        argument: record.argument,
        reason: record.reason,
        owner: record.owner,
        until: record
            .until_date
            .clone()
            .or_else(|| record.until_release.clone()),
        until_date: record.until_date,
        until_release: record.until_release,
        broad: record.broad,
        created_at: timestamp(record.created_at),
        status: status.as_str().to_owned(),
    }
}
