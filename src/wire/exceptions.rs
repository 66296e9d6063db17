//! Exceptions as JSON.

use opatlas_diff::policy::ExceptionStatus;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::store::ExceptionRecord;
use crate::wire::time::timestamp;

/// A change to be accepted.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({
    "operator": "can_cast", "rule": "argument-renamed", "argument": "from",
    "reason": "from is a keyword in Python", "owner": "core", "until_release": "2.16"
}))]
pub struct NewException {
    /// Operators by their whole name; `*` and `?` stand for any text and any letter. A pattern has at
    /// most 127 characters.
    #[schema(max_length = 1000)]
    pub operator: String,
    /// The rule, or a pattern of rules.
    #[schema(max_length = 1000)]
    pub rule: String,
    /// The argument, key or whatever else the rule is about, or a pattern; by default any.
    #[schema(max_length = 1000)]
    pub argument: Option<String>,
    /// Why it is accepted.
    #[schema(max_length = 10000)]
    pub reason: String,
    /// Who answers for it.
    #[schema(max_length = 1000)]
    pub owner: Option<String>,
    /// The last day on which it holds.
    #[schema(format = Date)]
    pub until_date: Option<String>,
    /// The last release for which it holds, as it is written; it may be one to come.
    pub until_release: Option<String>,
    /// Whether it may match operators of more than one base name.
    #[serde(default)]
    pub broad: bool,
}

/// An accepted change.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[schema(as = Exception)]
pub struct ExceptionView {
    /// What it is called by.
    pub id: String,
    /// The pattern of operators.
    pub operator: String,
    /// The pattern of rules.
    pub rule: String,
    /// The pattern of arguments.
    pub argument: Option<String>,
    /// Why it is accepted.
    pub reason: String,
    /// Who answers for it.
    pub owner: Option<String>,
    /// The last day on which it holds.
    pub until_date: Option<String>,
    /// The last release for which it holds.
    pub until_release: Option<String>,
    /// Whether it may match operators of more than one base name.
    pub broad: bool,
    /// When it was made.
    #[schema(format = DateTime)]
    pub created_at: String,
    /// `active`, `expiring`, `expired`, `unused` (nothing in the latest revision has such a name,
    /// or another exception covers it) or `overbroad`, as of now and the project's latest
    /// revision.
    #[schema(example = "active")]
    pub status: String,
}

/// The exceptions of a project.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct ExceptionList {
    /// The exceptions, oldest first.
    pub items: Vec<ExceptionView>,
    /// Null: exceptions come all at once.
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

pub(crate) fn view_of(record: ExceptionRecord, status: ExceptionStatus) -> ExceptionView {
    ExceptionView {
        id: record.id,
        operator: record.operator,
        rule: record.rule,
        argument: record.argument,
        reason: record.reason,
        owner: record.owner,
        until_date: record.until_date,
        until_release: record.until_release,
        broad: record.broad,
        created_at: timestamp(record.created_at),
        status: status.as_str().to_owned(),
    }
}
