//! Runs: made, found, read.

use sqlx::query_builder::QueryBuilder;
use sqlx::{query, query_as, query_scalar};

use super::super::rows::{self, BATCH};
use super::super::{Connection, Database, projects, revisions};
use crate::store::error::{Missing, StoreError};
use crate::store::names::ProjectName;
use crate::store::probe::{KEPT_RUNS, NewProbeRun, ProbeDuration, ProbeRun, ShardRecord};
use crate::store::sql::probe as sql;

#[derive(sqlx::FromRow)]
struct RunRow {
    id: i64,
    name: String,
    revision: Vec<u8>,
    address: String,
    torch: String,
    device: String,
    lease: i64,
    shards: i64,
}

#[derive(sqlx::FromRow)]
struct ShardRow {
    part: String,
    items: String,
    leases: i64,
    until: Option<i64>,
    digest: Option<Vec<u8>>,
}

impl RunRow {
    fn record(self) -> Result<(i64, ProbeRun), StoreError> {
        let run = ProbeRun {
            revision: rows::digest(&self.revision)?,
            name: self.name,
            address: self.address,
            torch: self.torch,
            device: self.device,
            lease: self.lease,
            shards: self.shards,
        };
        Ok((self.id, run))
    }
}

/// A run with its row id.
pub(super) async fn find(
    connection: &mut Connection,
    project: i64,
    name: &str,
) -> Result<Option<(i64, ProbeRun)>, StoreError> {
    // PostgreSQL refuses to compare with a text that it could not hold.
    if name.contains('\0') {
        return Ok(None);
    }
    let run: Option<RunRow> = query_as(sql::RUN)
        .bind(project)
        .bind(name)
        .fetch_optional(connection)
        .await?;
    run.map(RunRow::record).transpose()
}

/// The same, where it must be there.
pub(super) async fn named(
    connection: &mut Connection,
    project: &ProjectName,
    name: &str,
) -> Result<(i64, ProbeRun), StoreError> {
    let id = projects::id(connection, project).await?;
    let run = find(connection, id, name).await?;
    run.ok_or_else(|| Missing::ProbeRun(name.to_owned()).into())
}

pub(super) async fn open(
    connection: &mut Connection,
    project: &ProjectName,
    new: &NewProbeRun,
    now: i64,
) -> Result<ProbeRun, StoreError> {
    let (project, revision) = revisions::id(connection, project, new.revision).await?;
    if let Some((_, known)) = find(connection, project, &new.name).await? {
        return Ok(known);
    }
    let id: i64 = query_scalar(sql::RUN_INSERT)
        .bind(project)
        .bind(&new.name)
        .bind(revision)
        .bind(&new.address)
        .bind(&new.torch)
        .bind(&new.device)
        .bind(new.lease)
        .bind(now)
        .fetch_one(&mut *connection)
        .await?;
    let numbered: Vec<_> = (0_i64..).zip(&new.shards).collect();
    for batch in numbered.chunks(BATCH) {
        let mut statement = QueryBuilder::<Database>::new(sql::SHARDS_INSERT);
        statement.push_values(batch, |mut row, (number, (part, items))| {
            row.push_bind(id)
                .push_bind(*number)
                .push_bind(&**part)
                .push_bind(&**items)
                .push_bind(0_i64);
        });
        let statement = statement.build().persistent(false);
        statement.execute(&mut *connection).await?;
    }
    forget_old(connection, project).await?;
    let made = find(connection, project, &new.name).await?;
    made.map(|(_, run)| run)
        .ok_or_else(|| Missing::ProbeRun(new.name.clone()).into())
}

async fn forget_old(connection: &mut Connection, project: i64) -> Result<(), StoreError> {
    let old: Vec<i64> = query_scalar(sql::RUNS_OLD)
        .bind(project)
        .bind(KEPT_RUNS)
        .fetch_all(&mut *connection)
        .await?;
    for run in old {
        for statement in sql::RUN_DELETE {
            query(statement).bind(run).execute(&mut *connection).await?;
        }
    }
    Ok(())
}

/// A shard of the run with this row id and name.
pub(super) async fn shard(
    connection: &mut Connection,
    (run, name): (i64, &str),
    number: i64,
) -> Result<ShardRecord, StoreError> {
    let row: Option<ShardRow> = query_as(sql::SHARD)
        .bind(run)
        .bind(number)
        .fetch_optional(connection)
        .await?;
    let missing = || Missing::ProbeShard {
        run: name.to_owned(),
        shard: number,
    };
    let row = row.ok_or_else(missing)?;
    Ok(ShardRecord {
        digest: row.digest.as_deref().map(rows::digest).transpose()?,
        part: row.part,
        items: row.items,
        leases: row.leases,
        until: row.until,
    })
}

pub(super) async fn durations(
    connection: &mut Connection,
    project: &ProjectName,
    device: &str,
) -> Result<Vec<ProbeDuration>, StoreError> {
    let project = projects::id(connection, project).await?;
    let rows = query_as(sql::DURATIONS).bind(project).bind(device);
    Ok(rows.fetch_all(connection).await?)
}

/// Notes how long items took.
pub(super) async fn note_durations(
    connection: &mut Connection,
    project: i64,
    (device, part): (&str, &str),
    durations: &[(String, i64)],
) -> Result<(), StoreError> {
    for batch in durations.chunks(BATCH) {
        let mut statement = QueryBuilder::<Database>::new(sql::DURATIONS_INSERT);
        statement.push_values(batch, |mut row, (item, milliseconds)| {
            row.push_bind(project)
                .push_bind(device)
                .push_bind(part)
                .push_bind(&**item)
                .push_bind(*milliseconds);
        });
        statement.push(sql::DURATIONS_REPLACE);
        let statement = statement.build().persistent(false);
        statement.execute(&mut *connection).await?;
    }
    Ok(())
}

pub(super) async fn results(
    connection: &mut Connection,
    project: &ProjectName,
    name: &str,
    most: usize,
) -> Result<Option<Vec<(String, String)>>, StoreError> {
    let (run, _) = named(connection, project, name).await?;
    let length: i64 = query_scalar(sql::RESULTS_LENGTH)
        .bind(run)
        .fetch_one(&mut *connection)
        .await?;
    if usize::try_from(length).is_ok_and(|length| length > most) {
        return Ok(None);
    }
    let rows = query_as(sql::RESULTS).bind(run);
    Ok(Some(rows.fetch_all(connection).await?))
}
