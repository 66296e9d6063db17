//! Projects: create, find, change, delete.

use super::rows::ProjectRow;
use crate::database::{Connection, query, query_scalar};
use crate::error::{Conflict, Missing, StoreError};
use crate::names::ProjectName;
use crate::records::{Edit, NewProject, Page, Project, ProjectChange, ProjectOutcome};
use crate::sql;

pub(super) async fn create(
    connection: &mut impl Connection,
    new: &NewProject,
    now: i64,
) -> Result<ProjectOutcome, StoreError> {
    let made: Option<i64> = query_scalar(sql::PROJECT_INSERT)
        .bind(new.name.as_str())
        .bind(new.description.as_deref())
        .bind(new.policy.as_deref())
        .bind(now)
        .fetch_optional(&mut *connection)
        .await?;
    let project = find(connection, &new.name).await?;
    if project.description != new.description || project.policy != new.policy {
        return Err(Conflict::Project(new.name.clone()).into());
    }
    Ok(ProjectOutcome {
        project,
        created: made.is_some(),
    })
}

pub(super) async fn find(
    connection: &mut impl Connection,
    name: &ProjectName,
) -> Result<Project, StoreError> {
    row(connection, name).await?.record()
}

pub(super) async fn id(
    connection: &mut impl Connection,
    name: &ProjectName,
) -> Result<i64, StoreError> {
    let id = query_scalar(sql::PROJECT_ID)
        .bind(name.as_str())
        .fetch_optional(connection)
        .await?;
    id.ok_or_else(|| Missing::Project(name.clone()).into())
}

pub(super) async fn list(
    connection: &mut impl Connection,
    after: Option<&ProjectName>,
    limit: u32,
) -> Result<Page<Project, ProjectName>, StoreError> {
    let rows: Vec<ProjectRow> = query(sql::PROJECTS_AFTER)
        .bind(after.map_or("", ProjectName::as_str))
        .bind(i64::from(limit) + 1)
        .fetch_all(connection)
        .await?;
    let projects = rows
        .into_iter()
        .map(ProjectRow::record)
        .collect::<Result<_, _>>()?;
    Ok(Page::cut(projects, limit, |project: &Project| {
        project.name.clone()
    }))
}

pub(super) async fn update(
    connection: &mut impl Connection,
    name: &ProjectName,
    change: ProjectChange,
) -> Result<Project, StoreError> {
    let row = row(connection, name).await?;
    let id = row.id;
    let mut project = row.record()?;
    if let Edit::Set(description) = change.description {
        project.description = description;
    }
    if let Edit::Set(policy) = change.policy {
        project.policy = policy;
    }
    query(sql::PROJECT_UPDATE)
        .bind(id)
        .bind(project.description.as_deref())
        .bind(project.policy.as_deref())
        .execute(connection)
        .await?;
    Ok(project)
}

pub(super) async fn delete(
    connection: &mut impl Connection,
    name: &ProjectName,
) -> Result<(), StoreError> {
    let id = id(connection, name).await?;
    for statement in sql::PROJECT_DELETE {
        query(statement).bind(id).execute(&mut *connection).await?;
    }
    Ok(())
}

async fn row(
    connection: &mut impl Connection,
    name: &ProjectName,
) -> Result<ProjectRow, StoreError> {
    let row = query(sql::PROJECT)
        .bind(name.as_str())
        .fetch_optional(connection)
        .await?;
    row.ok_or_else(|| Missing::Project(name.clone()).into())
}
