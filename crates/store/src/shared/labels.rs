//! Labels: list, set conditionally, delete.

use super::history::TimelineChange;
use super::rows::{BATCH, LabelRow};
use super::{history, projects};
use crate::database::{Connection, among, query};
use crate::error::{Conflict, Missing, StoreError};
use crate::names::{LabelName, ProjectName};
use crate::records::{
    Expected, LabelChange, LabelOutcome, LabelRecord, LabelRequest, OnOtherRelease,
};
use crate::sql;
use opatlas_source::Digest;

#[derive(Clone, Copy)]
pub(super) struct Target {
    pub(super) id: i64,
    pub(super) digest: Digest,
    pub(super) is_new: bool,
}

pub(super) async fn list(
    connection: &mut impl Connection,
    project: &ProjectName,
) -> Result<Vec<LabelRecord>, StoreError> {
    select(connection, project, sql::LABELS).await
}

pub(super) async fn numbered(
    connection: &mut impl Connection,
    project: &ProjectName,
) -> Result<Vec<LabelRecord>, StoreError> {
    select(connection, project, sql::LABELS_NUMBERED).await
}

async fn select(
    connection: &mut impl Connection,
    project: &ProjectName,
    statement: &'static str,
) -> Result<Vec<LabelRecord>, StoreError> {
    let rows = query(statement).bind(project.as_str());
    let rows: Vec<LabelRow> = rows.fetch_all(&mut *connection).await?;
    if rows.is_empty() {
        // Tell an unknown project from one without labels.
        projects::id(connection, project).await?;
    }
    rows.into_iter().map(LabelRow::record).collect()
}

pub(super) async fn find(
    connection: &mut impl Connection,
    project: &ProjectName,
    label: &LabelName,
) -> Result<LabelRecord, StoreError> {
    let row = query(sql::LABEL_NAMED).bind(project.as_str());
    let row = row.bind(label.as_str());
    let row: Option<LabelRow> = row.fetch_optional(&mut *connection).await?;
    match row {
        Some(row) => row.record(),
        // Tell an unknown project from an unknown label.
        None => Ok(named(connection, project, label).await?.1),
    }
}

pub(super) async fn of_revisions(
    connection: &mut impl Connection,
    revisions: &[i64],
) -> Result<Vec<LabelRecord>, StoreError> {
    let mut labels = Vec::new();
    for batch in revisions.chunks(BATCH) {
        let statement = among(sql::LABELS_OF_REVISIONS, batch.iter().copied());
        let rows: Vec<LabelRow> = statement.fetch_all(&mut *connection).await?;
        for row in rows {
            labels.push(row.record()?);
        }
    }
    Ok(labels)
}

pub(super) async fn set(
    connection: &mut impl Connection,
    project: i64,
    request: &LabelRequest,
    target: Target,
    now: i64,
) -> Result<LabelOutcome, StoreError> {
    let stored = row(connection, project, &request.name).await?;
    let current = stored.as_ref().map(LabelRow::digest).transpose()?;
    expect(
        &request.name,
        request.expected,
        current,
        Some(target.digest),
    )?;
    let release = release(request, stored.as_ref())?;
    let change = match (&stored, current) {
        (Some(_), Some(from)) if from != target.digest => LabelChange::Moved { from },
        (Some(stored), _) if stored.release == release => LabelChange::Unchanged,
        (Some(_), _) => LabelChange::Released,
        (None, _) => LabelChange::Made,
    };
    let (created_at, creator) = match stored {
        Some(stored) if change == LabelChange::Unchanged => {
            let label = stored.record()?;
            return Ok(LabelOutcome { label, change });
        }
        Some(stored) => (stored.created_at, stored.creator),
        None => (Some(now), request.creator.clone()),
    };
    query(sql::LABEL_SET)
        .bind(project)
        .bind(request.name.as_str())
        .bind(target.id)
        .bind(release.as_deref())
        .bind(now)
        .bind(request.creator.as_deref())
        .execute(&mut *connection)
        .await?;
    let rearranged = if target.is_new && change == LabelChange::Made {
        TimelineChange::Nothing
    } else {
        TimelineChange::Revisions
    };
    history::bump(connection, project, rearranged).await?;
    let label = LabelRecord {
        name: request.name.clone(),
        digest: target.digest,
        sequence: target.id,
        release,
        moved_at: now,
        created_at,
        creator,
    };
    Ok(LabelOutcome { label, change })
}

pub(super) async fn delete(
    connection: &mut impl Connection,
    project: &ProjectName,
    label: &LabelName,
    expected: Expected,
) -> Result<LabelRecord, StoreError> {
    let (project, record) = named(connection, project, label).await?;
    expect(label, expected, Some(record.digest), None)?;
    query(sql::LABEL_DELETE)
        .bind(project)
        .bind(label.as_str())
        .execute(&mut *connection)
        .await?;
    history::bump(connection, project, TimelineChange::Revisions).await?;
    Ok(record)
}

async fn named(
    connection: &mut impl Connection,
    project: &ProjectName,
    label: &LabelName,
) -> Result<(i64, LabelRecord), StoreError> {
    let id = projects::id(connection, project).await?;
    let missing = || Missing::Label {
        project: project.clone(),
        label: label.clone(),
    };
    let row = row(connection, id, label).await?.ok_or_else(missing)?;
    Ok((id, row.record()?))
}

async fn row(
    connection: &mut impl Connection,
    project: i64,
    label: &LabelName,
) -> Result<Option<LabelRow>, StoreError> {
    let row = query(sql::LABEL).bind(project).bind(label.as_str());
    Ok(row.fetch_optional(connection).await?)
}

fn expect(
    label: &LabelName,
    expected: Expected,
    current: Option<Digest>,
    target: Option<Digest>,
) -> Result<(), Conflict> {
    if expected.holds(current, target) {
        return Ok(());
    }
    Err(Conflict::Label {
        label: label.clone(),
        current,
        expected,
    })
}

fn release(request: &LabelRequest, stored: Option<&LabelRow>) -> Result<Option<String>, Conflict> {
    let stored = stored.and_then(|row| row.release.as_ref());
    match (stored, &request.release) {
        (Some(stored), Some(given))
            if stored != given && request.on_other_release == OnOtherRelease::Refuse =>
        {
            Err(Conflict::Release {
                label: request.name.clone(),
                stored: stored.clone(),
                given: given.clone(),
            })
        }
        (_, Some(given)) => Ok(Some(given.clone())),
        (stored, None) => Ok(stored.cloned()),
    }
}
