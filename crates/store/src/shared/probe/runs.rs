//! Probe runs: create, find, read.

use super::super::rows::{self, BATCH};
use super::super::{projects, revisions};
use crate::database::{Connection, Statement, query, query_scalar};
use crate::error::{Missing, StoreError};
use crate::names::ProjectName;
use crate::probe::{
    KEPT_RUNS, LeaseHolder, ListedRun, NewProbeRun, ProbeDuration, ProbeRun, ProbeSum, ShardRecord,
};
use crate::records::Page;
use crate::sql::probe as sql;

record! {
    struct RunRow {
        id: i64,
        name: String,
        revision: Vec<u8>,
        address: String,
        torch: String,
        device: String,
        lease: i64,
        created_at: i64,
        shards: i64,
    }
}

record! {
    struct SumRow {
        outcomes: Option<String>,
        shards: i64,
        items: i64,
    }
}

record! {
    struct ShardRow {
        part: String,
        items: String,
        secret: Option<Vec<u8>>,
        token: Option<String>,
        until: Option<i64>,
        digest: Option<Vec<u8>>,
    }
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
            created_at: self.created_at,
        };
        Ok((self.id, run))
    }
}

pub(super) async fn find(
    connection: &mut impl Connection,
    project: i64,
    name: &str,
) -> Result<Option<(i64, ProbeRun)>, StoreError> {
    // PostgreSQL rejects text with a null byte.
    if name.contains('\0') {
        return Ok(None);
    }
    let run: Option<RunRow> = query(sql::RUN)
        .bind(project)
        .bind(name)
        .fetch_optional(connection)
        .await?;
    run.map(RunRow::record).transpose()
}

pub(super) async fn list<C: Connection>(
    connection: &mut C,
    project: &ProjectName,
    before: Option<i64>,
    limit: u32,
) -> Result<Page<ListedRun, i64>, StoreError> {
    let project = projects::id(connection, project).await?;
    let rows: Vec<RunRow> = query(sql::RUNS_BEFORE)
        .bind(project)
        .bind(before.unwrap_or(i64::MAX))
        .bind(i64::from(limit) + 1)
        .fetch_all(&mut *connection)
        .await?;
    let Page { items, next } = Page::cut(rows, limit, |row| row.id);
    let mut listed = Vec::with_capacity(items.len());
    for row in items {
        let (id, run) = row.record()?;
        // One run at a time: a run may have tens of thousands of shards.
        let sums: Vec<SumRow> = query(C::PROBE_SUMS)
            .bind(id)
            .fetch_all(&mut *connection)
            .await?;
        let sum = |row: SumRow| ProbeSum {
            outcomes: row.outcomes,
            shards: row.shards,
            items: row.items,
        };
        let sums = sums.into_iter().map(sum).collect();
        listed.push(ListedRun { run, sums });
    }
    Ok(Page {
        items: listed,
        next,
    })
}

pub(super) async fn named(
    connection: &mut impl Connection,
    project: &ProjectName,
    name: &str,
) -> Result<(i64, ProbeRun), StoreError> {
    let id = projects::id(connection, project).await?;
    let run = find(connection, id, name).await?;
    run.ok_or_else(|| Missing::ProbeRun(name.to_owned()).into())
}

pub(super) async fn open(
    connection: &mut impl Connection,
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
        .bind(new.token.as_deref())
        .fetch_one(&mut *connection)
        .await?;
    let numbered: Vec<_> = (0_i64..).zip(&new.shards).collect();
    for batch in numbered.chunks(BATCH) {
        let row = |(number, (part, items)): &(i64, &(String, String))| {
            let (part, items) = (part.clone(), items.clone());
            [id.into(), number.into(), part.into(), items.into()]
        };
        let insert = Statement::inserting(sql::SHARDS_INSERT, batch.iter().map(row));
        insert.execute(&mut *connection).await?;
    }
    forget_old(connection, project, new.token.as_deref()).await?;
    let made = find(connection, project, &new.name).await?;
    made.map(|(_, run)| run)
        .ok_or_else(|| Missing::ProbeRun(new.name.clone()).into())
}

async fn forget_old(
    connection: &mut impl Connection,
    project: i64,
    token: Option<&str>,
) -> Result<(), StoreError> {
    let old: Vec<i64> = query_scalar(sql::RUNS_OLD)
        .bind(project)
        .bind(token)
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

pub(super) async fn shard(
    connection: &mut impl Connection,
    (run, name): (i64, &str),
    number: i64,
) -> Result<ShardRecord, StoreError> {
    let row: Option<ShardRow> = query(sql::SHARD)
        .bind(run)
        .bind(number)
        .fetch_optional(connection)
        .await?;
    let missing = || Missing::ProbeShard {
        run: name.to_owned(),
        shard: number,
    };
    let row = row.ok_or_else(missing)?;
    let secret = row.secret.as_deref().map(rows::digest).transpose()?;
    let token = row.token;
    Ok(ShardRecord {
        holder: secret.map(|secret| LeaseHolder { secret, token }),
        digest: row.digest.as_deref().map(rows::digest).transpose()?,
        part: row.part,
        items: row.items,
        until: row.until,
    })
}

pub(super) async fn durations(
    connection: &mut impl Connection,
    project: &ProjectName,
    device: &str,
) -> Result<Vec<ProbeDuration>, StoreError> {
    let project = projects::id(connection, project).await?;
    let rows = query(sql::DURATIONS).bind(project).bind(device);
    Ok(rows.fetch_all(connection).await?)
}

pub(super) async fn note_durations(
    connection: &mut impl Connection,
    project: i64,
    (device, part): (&str, &str),
    durations: &[(String, i64)],
) -> Result<(), StoreError> {
    for batch in durations.chunks(BATCH) {
        let rows = batch.iter().map(|(item, milliseconds)| {
            [
                project.into(),
                device.into(),
                part.into(),
                item.into(),
                milliseconds.into(),
            ]
        });
        let mut insert = Statement::inserting(sql::DURATIONS_INSERT, rows);
        insert.push(sql::DURATIONS_REPLACE);
        insert.execute(&mut *connection).await?;
    }
    Ok(())
}

pub(super) async fn results(
    connection: &mut impl Connection,
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
    let rows = query(sql::RESULTS).bind(run);
    Ok(Some(rows.fetch_all(connection).await?))
}
