//! Exceptions of projects.

use super::projects;
use crate::database::{Connection, query};
use crate::error::{Missing, StoreError};
use crate::exceptions::ExceptionRecord;
use crate::names::ProjectName;
use crate::sql;

record! {
    struct ExceptionRow {
        id: String,
        operator: String,
        rule: String,
        argument: Option<String>,
        reason: String,
        owner: Option<String>,
        until_date: Option<String>,
        until_release: Option<String>,
        broad: i64,
        created_at: i64,
    }
}

impl ExceptionRow {
    fn record(self) -> Result<ExceptionRecord, StoreError> {
        let broad = match self.broad {
            0 => false,
            1 => true,
            other => {
                let what = format!("exception {} is broad in the way {other}", self.id);
                return Err(StoreError::corrupt(what));
            }
        };
        Ok(ExceptionRecord {
            id: self.id,
            operator: self.operator,
            rule: self.rule,
            argument: self.argument,
            reason: self.reason,
            owner: self.owner,
            until_date: self.until_date,
            until_release: self.until_release,
            broad,
            created_at: self.created_at,
        })
    }
}

pub(super) async fn insert(
    connection: &mut impl Connection,
    project: &ProjectName,
    exception: &ExceptionRecord,
) -> Result<(), StoreError> {
    let project = projects::id(connection, project).await?;
    query(sql::EXCEPTION_INSERT)
        .bind(project)
        .bind(&exception.id)
        .bind(&exception.operator)
        .bind(&exception.rule)
        .bind(exception.argument.as_deref())
        .bind(&exception.reason)
        .bind(exception.owner.as_deref())
        .bind(exception.until_date.as_deref())
        .bind(exception.until_release.as_deref())
        .bind(i64::from(exception.broad))
        .bind(exception.created_at)
        .execute(connection)
        .await?;
    Ok(())
}

pub(super) async fn list(
    connection: &mut impl Connection,
    project: &ProjectName,
) -> Result<Vec<ExceptionRecord>, StoreError> {
    let rows = query(sql::EXCEPTIONS).bind(project.as_str());
    let rows: Vec<ExceptionRow> = rows.fetch_all(&mut *connection).await?;
    if rows.is_empty() {
        // Tell an unknown project from one without exceptions.
        projects::id(connection, project).await?;
    }
    rows.into_iter().map(ExceptionRow::record).collect()
}

pub(super) async fn extend(
    connection: &mut impl Connection,
    project: &ProjectName,
    exception: &ExceptionRecord,
) -> Result<(), StoreError> {
    let project = projects::id(connection, project).await?;
    let found = query(sql::EXCEPTION_EXTEND)
        .bind(project)
        .bind(&exception.id)
        .bind(exception.until_date.as_deref())
        .bind(exception.until_release.as_deref())
        .execute(connection)
        .await?;
    match found {
        0 => Err(Missing::Exception(exception.id.clone()).into()),
        _ => Ok(()),
    }
}

pub(super) async fn delete(
    connection: &mut impl Connection,
    project: &ProjectName,
    id: &str,
) -> Result<(), StoreError> {
    let row = projects::id(connection, project).await?;
    let gone = query(sql::EXCEPTION_DELETE)
        .bind(row)
        .bind(id)
        .execute(connection)
        .await?;
    match gone {
        0 => Err(Missing::Exception(id.to_owned()).into()),
        _ => Ok(()),
    }
}
