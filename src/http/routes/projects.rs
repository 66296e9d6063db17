//! Projects.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use opatlas_source::Stop;
use serde_json::{Map, Value};

use crate::http::Api;
use crate::http::extract::{Json, Path, Query};
use crate::http::middleware::access::Access;
use crate::http::negotiate::{Accept, JSON, LIST, Media};
use crate::http::page;
use crate::http::page::Cursors;
use crate::http::respond;
use crate::http::stream;
use opatlas_service::access::Action;
use opatlas_service::{LARGEST_ANSWER, ViewId};
use opatlas_store::{Edit, Project, ProjectChange, ProjectName};
use opatlas_wire::json::json;
use opatlas_wire::page::PageQuery;
use opatlas_wire::paths::ProjectPath;
use opatlas_wire::problem::{Document, Kind, PROBLEM_JSON, Problem};
use opatlas_wire::projects::{NewProject, ProjectEdit, ProjectList, ProjectView};

const MAX_POLICY: usize = 64 << 10;

/// Policies up to this many bytes together are parsed on the async thread, which takes microseconds.
const SMALL_POLICY: usize = 16 << 10;

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
        (status = 200, description = "A page of projects; or all of them, one per line", content(
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
    let cursors = Cursors::of(ViewId::of_program("projects", &()));
    let after = match &query.cursor {
        Some(cursor) => {
            Some(ProjectName::parse(&cursors.decode(cursor)?).map_err(|_| page::invalid())?)
        }
        None => None,
    };
    if media == Media::NdJson && query.limit.is_none() {
        return lines(&api, &access, &accept, after).await;
    }
    // Filtered before paging, because a cursor names the last project of its page.
    let sees = |name: &ProjectName| access.sees(name);
    let page = api
        .service
        .projects_seen(after.as_ref(), limit, sees)
        .await?;
    let next_cursor = page.next.map(|name| cursors.encode(name.as_str()));
    let policies = size(&page.items);
    let next = next_cursor.clone();
    let make = move || {
        let items = page.items.into_iter().map(ProjectView::from).collect();
        let list = ProjectList { items, next_cursor };
        stream::text(media, &list, &list.items)
    };
    // A page of projects may have 16 MB of policies.
    let bytes = if policies <= SMALL_POLICY {
        api.service.hold(make())?
    } else {
        api.service.make(move |_| Ok::<_, Problem>(make())).await?
    };
    let mut response = respond::bytes(&api, &accept, StatusCode::OK, media, bytes).await?;
    page::mark(&mut response, next);
    Ok(response)
}

async fn lines(
    api: &Api,
    access: &Access,
    accept: &Accept,
    mut after: Option<ProjectName>,
) -> Result<Response, Problem> {
    let mut text = Vec::new();
    loop {
        let page = api
            .service
            .projects_seen(after.as_ref(), page::MAX_LIMIT, |name| access.sees(name))
            .await?;
        after = page.next;
        let add = move |_: &Stop| {
            for project in page.items {
                stream::push_line(&mut text, &ProjectView::from(project));
            }
            Ok(text)
        };
        text = api.service.compute(add).await?;
        // The service refuses a text that is too long.
        if after.is_none() || text.len() > LARGEST_ANSWER {
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

/// Create a project
///
/// Idempotent: 200 if it exists with the same members, 409 if it exists with others.
#[utoipa::path(
    post,
    path = "/v1/projects",
    tag = "projects",
    operation_id = "create_project",
    request_body = NewProject,
    responses(
        (status = 201, description = "Created", body = ProjectView),
        (status = 200, description = "The project already exists with the same members", body = ProjectView),
        (status = 409, description = "A project with this name exists with other members", body = Document, content_type = PROBLEM_JSON),
        (status = 413, description = "Too large", body = Document, content_type = PROBLEM_JSON),
        (status = 415, description = "Not JSON", body = Document, content_type = PROBLEM_JSON),
        (status = 422, description = "An invalid policy, one of more than 16 KiB, or a text that cannot be stored", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn create(
    State(api): State<Api>,
    access: Access,
    accept: Accept,
    Json(new): Json<NewProject>,
) -> Result<Response, Problem> {
    access.expect(Action::Admin, &new.name)?;
    let policy = canonical(&api, new.policy).await?;
    let made = api
        .service
        .create_project(&new.name, new.description, policy)
        .await?;
    let status = if made.created {
        StatusCode::CREATED
    } else {
        StatusCode::OK
    };
    let location = format!("/v1/projects/{}", made.project.name);
    let mut response = told(&api, &accept, status, made.project).await?;
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
    told(&api, &accept, StatusCode::OK, project).await
}

/// Change a project
///
/// Missing members stay; null removes a member.
#[utoipa::path(
    patch,
    path = "/v1/projects/{project}",
    tag = "projects",
    operation_id = "update_project",
    params(ProjectPath),
    request_body = ProjectEdit,
    responses(
        (status = 200, description = "The updated project", body = ProjectView),
        (status = 404, description = "No such project", body = Document, content_type = PROBLEM_JSON),
        (status = 413, description = "Too large", body = Document, content_type = PROBLEM_JSON),
        (status = 415, description = "Not JSON", body = Document, content_type = PROBLEM_JSON),
        (status = 422, description = "An invalid policy, one of more than 16 KiB, or a text that cannot be stored", body = Document, content_type = PROBLEM_JSON),
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
        Some(policy) => Edit::Set(canonical(&api, policy).await?),
    };
    let change = ProjectChange {
        description: edit.description.map_or(Edit::Keep, Edit::Set),
        policy,
    };
    let project = api.service.update_project(&path.project, change).await?;
    told(&api, &accept, StatusCode::OK, project).await
}

/// Delete a project
///
/// Deletes the project with all its revisions and labels.
#[utoipa::path(
    delete,
    path = "/v1/projects/{project}",
    tag = "projects",
    operation_id = "delete_project",
    params(ProjectPath),
    responses(
        (status = 204, description = "Deleted"),
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

async fn told(
    api: &Api,
    accept: &Accept,
    status: StatusCode,
    project: Project,
) -> Result<Response, Problem> {
    let policy = size(std::slice::from_ref(&project));
    let make = move || json(&ProjectView::from(project));
    let bytes = if policy <= SMALL_POLICY {
        api.service.hold(make())?
    } else {
        api.service.make(move |_| Ok::<_, Problem>(make())).await?
    };
    respond::bytes(api, accept, status, Media::Json, bytes).await
}

fn size(projects: &[Project]) -> usize {
    let policies = projects
        .iter()
        .filter_map(|project| project.policy.as_ref());
    policies.map(String::len).sum()
}

/// The canonical text of a policy, which does not depend on the order of its members.
async fn canonical(
    api: &Api,
    policy: Option<Map<String, Value>>,
) -> Result<Option<String>, Problem> {
    let Some(policy) = policy else {
        return Ok(None);
    };
    let write = move |_: &Stop| {
        let mut policy = Value::Object(policy);
        policy.sort_all_objects();
        Ok(policy.to_string())
    };
    let text = api.service.compute(write).await?;
    if text.len() > MAX_POLICY {
        let detail = format!("the policy exceeds {MAX_POLICY} bytes of compact JSON");
        Err(Problem::new(Kind::TooLarge, detail).about("policy"))
    } else {
        Ok(Some(text))
    }
}
