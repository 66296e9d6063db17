//! Leases: given, renewed, given back, ended; and the results that end them.

use super::super::projects;
use super::runs;
use crate::store::database::{Connection, query, query_scalar};
use crate::store::error::{Conflict, StoreError};
use crate::store::names::ProjectName;
use crate::store::probe::{
    LeaseKey, Leased, ProbeItem, ProbeProgress, Renewal, ShardRecord, ShardResult, ShardState,
};
use crate::store::sql::probe as sql;

type StateRow = (
    i64,
    Option<String>,
    Option<i64>,
    Option<String>,
    Option<i64>,
    Option<String>,
);

pub(super) async fn lease(
    connection: &mut impl Connection,
    project: &ProjectName,
    name: &str,
    worker: &str,
    now: i64,
) -> Result<(Leased, Vec<ProbeItem>), StoreError> {
    let (run, record) = runs::named(connection, project, name).await?;
    end_leases(connection, run, now).await?;
    let free: Option<(i64, String, String, i64)> = query(sql::SHARD_FREE)
        .bind(run)
        .fetch_optional(&mut *connection)
        .await?;
    let Some((shard, part, items, leases)) = free else {
        return Ok((nothing_free(connection, run, now).await?, Vec::new()));
    };
    let key = LeaseKey {
        shard,
        count: leases + 1,
    };
    query(sql::SHARD_LEASE)
        .bind(run)
        .bind(shard)
        .bind(now.saturating_add(record.lease))
        .bind(key.count)
        .bind(worker)
        .execute(&mut *connection)
        .await?;
    let known = items_of(connection, run).await?;
    let leased = Leased::Shard {
        key,
        part,
        items,
        lease: record.lease,
    };
    Ok((leased, known))
}

async fn nothing_free(
    connection: &mut impl Connection,
    run: i64,
    now: i64,
) -> Result<Leased, StoreError> {
    let open: i64 = query_scalar(sql::SHARDS_OPEN)
        .bind(run)
        .fetch_one(&mut *connection)
        .await?;
    if open == 0 {
        return Ok(Leased::Done);
    }
    let first: Option<i64> = query_scalar(sql::LEASE_FIRST_END)
        .bind(run)
        .fetch_one(connection)
        .await?;
    Ok(Leased::Wait(first.unwrap_or(now)))
}

pub(super) async fn renew(
    connection: &mut impl Connection,
    (project, name): (&ProjectName, &str),
    key: LeaseKey,
    renewal: Renewal<'_>,
    now: i64,
) -> Result<(), StoreError> {
    let (run, record) = runs::named(connection, project, name).await?;
    end_leases(connection, run, now).await?;
    let shard = runs::shard(connection, (run, name), key.shard).await?;
    expect_leased(key, &shard)?;
    query(sql::SHARD_RENEW)
        .bind(run)
        .bind(key.shard)
        .bind(now.saturating_add(record.lease))
        .bind(renewal.begun)
        .execute(&mut *connection)
        .await?;
    match (renewal.killed, renewal.kills) {
        (Some(item), Some(kills)) => {
            let raise = query(sql::ITEM_RAISE).bind(run).bind(item).bind(kills);
            raise.execute(connection).await?;
        }
        (Some(item), None) => count(connection, run, item, (1, 0)).await?,
        (None, _) => {}
    }
    Ok(())
}

pub(super) async fn release(
    connection: &mut impl Connection,
    (project, name): (&ProjectName, &str),
    key: LeaseKey,
    now: i64,
) -> Result<(), StoreError> {
    let (run, _) = runs::named(connection, project, name).await?;
    end_leases(connection, run, now).await?;
    let shard = runs::shard(connection, (run, name), key.shard).await?;
    expect_leased(key, &shard)?;
    let release = query(sql::SHARD_RELEASE).bind(run).bind(key.shard);
    release.execute(connection).await?;
    Ok(())
}

pub(super) async fn finish(
    connection: &mut impl Connection,
    (project, name): (&ProjectName, &str),
    result: &ShardResult,
    now: i64,
) -> Result<bool, StoreError> {
    let (run, record) = runs::named(connection, project, name).await?;
    end_leases(connection, run, now).await?;
    let shard = runs::shard(connection, (run, name), result.key.shard).await?;
    match shard.digest {
        Some(digest) if digest == result.digest => return Ok(false),
        Some(_) => return Err(Conflict::ShardDone(result.key.shard).into()),
        None => expect_leased(result.key, &shard)?,
    }
    query(sql::SHARD_FINISH)
        .bind(run)
        .bind(result.key.shard)
        .bind(&result.digest.as_bytes()[..])
        .bind(&result.rows)
        .bind(result.rank)
        .bind(&result.outcomes)
        .execute(&mut *connection)
        .await?;
    let project = projects::id(connection, project).await?;
    let measured = (&*record.device, &*shard.part);
    runs::note_durations(connection, project, measured, &result.durations).await?;
    Ok(true)
}

pub(super) async fn progress(
    connection: &mut impl Connection,
    project: &ProjectName,
    name: &str,
    now: i64,
) -> Result<ProbeProgress, StoreError> {
    let (run, record) = runs::named(connection, project, name).await?;
    end_leases(connection, run, now).await?;
    let rows: Vec<StateRow> = query(sql::SHARD_STATES)
        .bind(run)
        .fetch_all(&mut *connection)
        .await?;
    let state = |(number, begun, until, worker, rank, outcomes): StateRow| ShardState {
        number,
        is_leased: until.is_some(),
        begun,
        worker,
        rank,
        outcomes,
    };
    Ok(ProbeProgress {
        run: record,
        shards: rows.into_iter().map(state).collect(),
        items: items_of(connection, run).await?,
    })
}

fn expect_leased(key: LeaseKey, shard: &ShardRecord) -> Result<(), StoreError> {
    match shard.until.is_some() && shard.leases == key.count {
        true => Ok(()),
        false => Err(Conflict::LeaseLost(key).into()),
    }
}

/// Takes back the shards whose leases have ended, and counts the items that ran.
async fn end_leases(
    connection: &mut impl Connection,
    run: i64,
    now: i64,
) -> Result<(), StoreError> {
    let lost: Vec<String> = query_scalar(sql::LEASES_ENDED)
        .bind(run)
        .bind(now)
        .fetch_all(&mut *connection)
        .await?;
    for item in lost {
        count(connection, run, &item, (0, 1)).await?;
    }
    let end = query(sql::LEASES_END).bind(run).bind(now);
    end.execute(connection).await?;
    Ok(())
}

async fn count(
    connection: &mut impl Connection,
    run: i64,
    item: &str,
    (kills, losses): (i64, i64),
) -> Result<(), StoreError> {
    query(sql::ITEM_COUNT)
        .bind(run)
        .bind(item)
        .bind(kills)
        .bind(losses)
        .execute(connection)
        .await?;
    Ok(())
}

async fn items_of(
    connection: &mut impl Connection,
    run: i64,
) -> Result<Vec<ProbeItem>, StoreError> {
    let rows: Vec<(String, i64, i64)> = query(sql::ITEMS).bind(run).fetch_all(connection).await?;
    let item = |(item, kills, losses)| ProbeItem {
        item,
        kills,
        losses,
    };
    Ok(rows.into_iter().map(item).collect())
}
