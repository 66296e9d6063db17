//! The exceptions of a project.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use opatlas_diff::policy::{Exception, ExceptionStatus, Policy, status};

use crate::http::Api;
use crate::http::extract::{Json, Path};
use crate::http::negotiate::{Accept, JSON};
use crate::http::respond;
use opatlas_service::policy::ExceptionText;
use opatlas_service::{Service, Snapshot};
use opatlas_wire::exceptions::{
    ExceptionList, ExceptionPath, ExceptionView, ExtendedException, NewException, view_of,
};
use opatlas_wire::paths::ProjectPath;
use opatlas_wire::problem::{Document, PROBLEM_JSON, Problem};

/// Exceptions
///
/// The accepted changes of a project, each with its status.
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
    accept: Accept,
) -> Result<Response, Problem> {
    accept.media(JSON)?;
    let list = ExceptionList {
        items: views(&api.service, &path.project).await?,
        next_cursor: None,
    };
    respond::value(&api, &accept, StatusCode::OK, &list).await
}

/// Accept a change
///
/// Comparisons of the project count matching changes as excepted from now on. The operator must be in
/// some revision of the project, and the expiry must not be in the past. A pattern can match future
/// operators. A project has at most 1,000 exceptions, of which at most 100 have a pattern of operators.
#[utoipa::path(
    post,
    path = "/v1/projects/{project}/exceptions",
    tag = "exceptions",
    operation_id = "create_exception",
    params(ProjectPath),
    request_body = NewException,
    responses(
        (status = 201, description = "Created", body = ExceptionView),
        (status = 404, description = "No such project", body = Document, content_type = PROBLEM_JSON),
        (status = 413, description = "Too large", body = Document, content_type = PROBLEM_JSON),
        (status = 415, description = "Not JSON", body = Document, content_type = PROBLEM_JSON),
        (status = 422, description = "No such rule, release or operator, an expiry in the past, or \
                                      an empty reason", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn create(
    State(api): State<Api>,
    Path(path): Path<ProjectPath>,
    accept: Accept,
    Json(new): Json<NewException>,
) -> Result<Response, Problem> {
    let text = ExceptionText {
        operator: new.operator,
        rule: new.rule,
        argument: new.argument,
        reason: new.reason,
        owner: new.owner,
        until: new.until,
        until_date: new.until_date,
        until_release: new.until_release,
        broad: new.broad,
    };
    let record = api.service.add_exception(&path.project, &text).await?;
    let location = format!("/v1/projects/{}/exceptions/{}", path.project, record.id);
    let views = views(&api.service, &path.project).await?;
    let view = views
        .into_iter()
        .find(|view| view.id == record.id)
        .unwrap_or_else(|| view_of(record, ExceptionStatus::Active));
    let mut response = respond::value(&api, &accept, StatusCode::CREATED, &view).await?;
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
    accept: Accept,
) -> Result<Response, Problem> {
    accept.media(JSON)?;
    let views = views(&api.service, &path.project).await?;
    match views.into_iter().find(|view| view.id == path.id) {
        Some(view) => respond::value(&api, &accept, StatusCode::OK, &view).await,
        None => Err(Problem::new(
            opatlas_wire::problem::Kind::UnknownException,
            "the project has no exception with this id",
        )),
    }
}

/// Extend an exception
///
/// Changes the expiry of the exception. The new expiry must not be in the past.
#[utoipa::path(
    patch,
    path = "/v1/projects/{project}/exceptions/{id}",
    tag = "exceptions",
    operation_id = "extend_exception",
    params(ExceptionPath),
    request_body = ExtendedException,
    responses(
        (status = 200, description = "The updated exception", body = ExceptionView),
        (status = 404, description = "No such project or exception", body = Document, content_type = PROBLEM_JSON),
        (status = 413, description = "Too large", body = Document, content_type = PROBLEM_JSON),
        (status = 415, description = "Not JSON", body = Document, content_type = PROBLEM_JSON),
        (status = 422, description = "Not a day or release, or one in the past", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn extend(
    State(api): State<Api>,
    Path(path): Path<ExceptionPath>,
    accept: Accept,
    Json(extended): Json<ExtendedException>,
) -> Result<Response, Problem> {
    accept.media(JSON)?;
    let service = &api.service;
    let record = service
        .extend_exception(&path.project, &path.id, &extended.until)
        .await?;
    let views = views(service, &path.project).await?;
    let view = views
        .into_iter()
        .find(|view| view.id == record.id)
        .unwrap_or_else(|| view_of(record, ExceptionStatus::Active));
    respond::value(&api, &accept, StatusCode::OK, &view).await
}

/// Delete an exception
///
/// The changes that it excused count again.
#[utoipa::path(
    delete,
    path = "/v1/projects/{project}/exceptions/{id}",
    tag = "exceptions",
    operation_id = "delete_exception",
    params(ExceptionPath),
    responses(
        (status = 204, description = "Deleted"),
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
