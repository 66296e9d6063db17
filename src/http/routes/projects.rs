//! Projects.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use serde_json::{Map, Value};

use crate::http::Api;
use crate::http::extract::{Json, Path, Query};
use crate::http::middleware::access::Access;
use crate::http::negotiate::{Accept, JSON, LIST, Media};
use crate::http::page;
use crate::http::page::Cursors;
use crate::http::respond;
use crate::http::stream;
use crate::service::ViewId;
use crate::service::access::Action;
use crate::store::{Edit, ProjectChange, ProjectName};
use crate::wire::page::PageQuery;
use crate::wire::paths::ProjectPath;
use crate::wire::problem::{Document, Kind, PROBLEM_JSON, Problem};
use crate::wire::projects::{NewProject, ProjectEdit, ProjectList, ProjectView};

/// The largest policy of a project, in bytes of compact JSON.
const MAX_POLICY: usize = 64 << 10;

/// Projects
///
/// All projects, by name.
#[utoipa::path(
    get,
    path = "/v1/projects",
    tag = "projects",
    operation_id = "list_projects",
    params(PageQuery),
    responses(
        (status = 200, description = "A page of projects; or all, one a line", content(
            (ProjectList = "application/json"),
            (ProjectView = "application/x-ndjson"),
        )),
    ),
)]
pub async fn list(
    State(api): State<Api>,
    access: Access,
    Query(query): Query<PageQuery>,
    accept: Accept,
) -> Result<Response, Problem> {
    let media = accept.media(LIST)?;
    let limit = page::limit(query.limit)?;
    if media == Media::NdJson {
        return lines(&api, &access, &accept).await;
    }
    let cursors = Cursors::of(ViewId::of_program("projects", &()));
    let after = match &query.cursor {
        Some(cursor) => {
            Some(ProjectName::parse(&cursors.decode(cursor)?).map_err(|_| page::invalid())?)
        }
        None => None,
    };
    // What the caller may not see is left out before pages are cut: a cursor that names the last
    // project of a page would name it else.
    let sees = |name: &ProjectName| access.sees(name);
    let page = api.service.projects_seen(after.as_ref(), limit, sees);
    let page = page.await?;
    let list = ProjectList {
        items: page.items.into_iter().map(Into::into).collect(),
        next_cursor: page.next.map(|name| cursors.encode(name.as_str())),
    };
    respond::value(&api, &accept, StatusCode::OK, &list).await
}

async fn lines(api: &Api, access: &Access, accept: &Accept) -> Result<Response, Problem> {
    let mut text = Vec::new();
    let mut after = None;
    loop {
        let page = api
            .service
            .projects_seen(after.as_ref(), page::MAX_LIMIT, |name| access.sees(name))
            .await?;
        for project in page.items {
            stream::push_line(&mut text, &ProjectView::from(project));
        }
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    respond::bytes(
        api,
        accept,
        StatusCode::OK,
        Media::NdJson,
        api.service.hold(text)?,
    )
    .await
}

/// Make a project
///
/// Idempotent: 200 when it exists and is the same, 409 when it exists and is another.
#[utoipa::path(
    post,
    path = "/v1/projects",
    tag = "projects",
    operation_id = "create_project",
    request_body = NewProject,
    responses(
        (status = 201, description = "It is new", body = ProjectView),
        (status = 200, description = "It exists already", body = ProjectView),
        (status = 409, description = "It exists and is another", body = Document, content_type = PROBLEM_JSON),
        (status = 413, description = "Too large", body = Document, content_type = PROBLEM_JSON),
        (status = 415, description = "Not JSON", body = Document, content_type = PROBLEM_JSON),
        (status = 422, description = "A policy of more than 16 KiB, or a text that cannot be stored", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn create(
    State(api): State<Api>,
    access: Access,
    accept: Accept,
    Json(new): Json<NewProject>,
) -> Result<Response, Problem> {
    access.expect(Action::Admin, &new.name)?;
    let policy = new.policy.map(canonical).transpose()?;
    let made = api
        .service
        .create_project(&new.name, new.description, policy);
    let made = made.await?;
    let status = match made.created {
        true => StatusCode::CREATED,
        false => StatusCode::OK,
    };
    let location = format!("/v1/projects/{}", made.project.name);
    let body = ProjectView::from(made.project);
    let mut response = respond::value(&api, &accept, status, &body).await?;
    respond::locate(&mut response, &location);
    Ok(response)
}

/// A project
#[utoipa::path(
    get,
    path = "/v1/projects/{project}",
    tag = "projects",
    operation_id = "get_project",
    params(ProjectPath),
    responses(
        (status = 200, description = "The project", body = ProjectView),
        (status = 404, description = "No such project", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn one(
    State(api): State<Api>,
    Path(path): Path<ProjectPath>,
    accept: Accept,
) -> Result<Response, Problem> {
    accept.media(JSON)?;
    let project = api.service.project(&path.project).await?;
    respond::value(&api, &accept, StatusCode::OK, &ProjectView::from(project)).await
}

/// Change a project
///
/// What is left out stays; null takes away.
#[utoipa::path(
    patch,
    path = "/v1/projects/{project}",
    tag = "projects",
    operation_id = "update_project",
    params(ProjectPath),
    request_body = ProjectEdit,
    responses(
        (status = 200, description = "The project as it is now", body = ProjectView),
        (status = 404, description = "No such project", body = Document, content_type = PROBLEM_JSON),
        (status = 413, description = "Too large", body = Document, content_type = PROBLEM_JSON),
        (status = 415, description = "Not JSON", body = Document, content_type = PROBLEM_JSON),
        (status = 422, description = "A policy of more than 16 KiB, or a text that cannot be stored", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn update(
    State(api): State<Api>,
    Path(path): Path<ProjectPath>,
    accept: Accept,
    Json(edit): Json<ProjectEdit>,
) -> Result<Response, Problem> {
    let policy = match edit.policy {
        None => Edit::Keep,
        Some(policy) => Edit::Set(policy.map(canonical).transpose()?),
    };
    let change = ProjectChange {
        description: edit.description.map_or(Edit::Keep, Edit::Set),
        policy,
    };
    let project = api.service.update_project(&path.project, change).await?;
    respond::value(&api, &accept, StatusCode::OK, &ProjectView::from(project)).await
}

/// Delete a project
///
/// With all its revisions and labels.
#[utoipa::path(
    delete,
    path = "/v1/projects/{project}",
    tag = "projects",
    operation_id = "delete_project",
    params(ProjectPath),
    responses(
        (status = 204, description = "It is gone"),
        (status = 404, description = "No such project", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn delete(
    State(api): State<Api>,
    Path(path): Path<ProjectPath>,
) -> Result<Response, Problem> {
    api.service.delete_project(&path.project).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Policies are the same when they say the same, in whatever order.
fn canonical(policy: Map<String, Value>) -> Result<String, Problem> {
    let mut policy = Value::Object(policy);
    policy.sort_all_objects();
    let text = policy.to_string();
    match text.len() > MAX_POLICY {
        true => {
            let detail = format!("the policy has more than {MAX_POLICY} bytes as compact JSON");
            Err(Problem::new(Kind::TooLarge, detail).about("policy"))
        }
        false => Ok(text),
    }
}
