//! Accepted breakage of a project.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::service::policy::ExceptionText;
use crate::service::{Service, Snapshot};
use crate::store::ExceptionRecord;
use opatlas_diff::policy::{Exception, ExceptionStatus, Policy, status};

use super::Api;
use super::extract::{Json, Path};
use super::negotiate::{JSON, Wishes};
use super::paths::ProjectPath;
use super::problem::{Document, PROBLEM_JSON, Problem};
use super::respond;
use super::time::timestamp;

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

/// Exceptions
///
/// The accepted changes of a project, and how each stands.
#[utoipa::path(
    get,
    path = "/v1/projects/{project}/exceptions",
    tag = "exceptions",
    operation_id = "list_exceptions",
    params(ProjectPath),
    responses(
        (status = 200, description = "The exceptions", body = ExceptionList),
        (status = 404, description = "No such project", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn list(
    State(api): State<Api>,
    Path(path): Path<ProjectPath>,
    wishes: Wishes,
) -> Result<Response, Problem> {
    wishes.media(JSON)?;
    let list = ExceptionList {
        items: views(&api.service, &path.project).await?,
        next_cursor: None,
    };
    respond::value(&api, &wishes, StatusCode::OK, &list).await
}

/// Accept a change
///
/// From now on comparisons of the project count what it matches as excepted. An operator that no
/// revision of the project ever had and an end that is past are refused; a pattern may wait for
/// operators to come. A project has at most 1,000 exceptions, 100 of them with a pattern of operators.
#[utoipa::path(
    post,
    path = "/v1/projects/{project}/exceptions",
    tag = "exceptions",
    operation_id = "create_exception",
    params(ProjectPath),
    request_body = NewException,
    responses(
        (status = 201, description = "It is kept", body = ExceptionView),
        (status = 404, description = "No such project", body = Document, content_type = PROBLEM_JSON),
        (status = 413, description = "Too large", body = Document, content_type = PROBLEM_JSON),
        (status = 415, description = "Not JSON", body = Document, content_type = PROBLEM_JSON),
        (status = 422, description = "No such rule, release or operator, an end that is past, or nothing said", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn create(
    State(api): State<Api>,
    Path(path): Path<ProjectPath>,
    wishes: Wishes,
    Json(new): Json<NewException>,
) -> Result<Response, Problem> {
    let text = ExceptionText {
        operator: new.operator,
        rule: new.rule,
        argument: new.argument,
        reason: new.reason,
        owner: new.owner,
        until: None,
        until_date: new.until_date,
        until_release: new.until_release,
        broad: new.broad,
    };
    let record = api.service.add_exception(&path.project, &text).await?;
    let location = format!("/v1/projects/{}/exceptions/{}", path.project, record.id);
    let views = views(&api.service, &path.project).await?;
    let view = views.into_iter().find(|view| view.id == record.id);
    let view = view.unwrap_or_else(|| view_of(record, ExceptionStatus::Active));
    let mut response = respond::value(&api, &wishes, StatusCode::CREATED, &view).await?;
    respond::locate(&mut response, &location);
    Ok(response)
}

/// An exception
#[utoipa::path(
    get,
    path = "/v1/projects/{project}/exceptions/{id}",
    tag = "exceptions",
    operation_id = "get_exception",
    params(ExceptionPath),
    responses(
        (status = 200, description = "The exception", body = ExceptionView),
        (status = 404, description = "No such project or exception", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn one(
    State(api): State<Api>,
    Path(path): Path<ExceptionPath>,
    wishes: Wishes,
) -> Result<Response, Problem> {
    wishes.media(JSON)?;
    let views = views(&api.service, &path.project).await?;
    match views.into_iter().find(|view| view.id == path.id) {
        Some(view) => respond::value(&api, &wishes, StatusCode::OK, &view).await,
        None => Err(Problem::new(
            super::problem::Kind::UnknownException,
            "the project has no exception of this id",
        )),
    }
}

/// Take an exception away
///
/// What it excused counts again.
#[utoipa::path(
    delete,
    path = "/v1/projects/{project}/exceptions/{id}",
    tag = "exceptions",
    operation_id = "delete_exception",
    params(ExceptionPath),
    responses(
        (status = 204, description = "It is gone"),
        (status = 404, description = "No such project or exception", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn delete(
    State(api): State<Api>,
    Path(path): Path<ExceptionPath>,
) -> Result<Response, Problem> {
    api.service
        .delete_exception(&path.project, &path.id)
        .await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// All exceptions, judged by the project's latest revision, if it has one.
async fn views(service: &Service, project: &str) -> Result<Vec<ExceptionView>, Problem> {
    let records = service.exceptions(project).await?;
    if records.is_empty() {
        return Ok(Vec::new());
    }
    let latest = match service.resolve(project, "latest", None).await {
        Ok(resolved) => Some(service.snapshot(&resolved).await?),
        Err(_) => None,
    };
    let exceptions: Vec<Option<Exception>> = records
        .iter()
        .map(|record| {
            let text = ExceptionText::of_record(record);
            text.exception(record.id.as_str()).ok()
        })
        .collect();
    let readable: Vec<Exception> = exceptions.iter().flatten().cloned().collect();
    let catalogues: Vec<_> = latest
        .iter()
        .map(|snapshot: &std::sync::Arc<Snapshot>| &snapshot.catalogue)
        .collect();
    let warn_days = Policy::default().warn_days;
    let mut statuses = status(&readable, &catalogues, service.today(), warn_days).into_iter();
    Ok(records
        .into_iter()
        .zip(exceptions)
        .map(|(record, exception)| {
            let status = exception.and_then(|_| statuses.next());
            view_of(record, status.unwrap_or(ExceptionStatus::Unused))
        })
        .collect())
}

fn view_of(record: ExceptionRecord, status: ExceptionStatus) -> ExceptionView {
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
