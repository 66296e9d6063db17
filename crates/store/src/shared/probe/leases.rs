//! Leases of shards: take, renew, release, expire; and results, which end them.

use super::super::projects;
use super::runs;
use crate::database::{Connection, query, query_scalar};
use crate::error::{Conflict, StoreError};
use crate::names::ProjectName;
use crate::probe::{
    LeaseHolder, Leased, ProbeItem, ProbeProgress, Renewal, ShardResult, ShardState,
};
use crate::sql::probe as sql;

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
    (project, name): (&ProjectName, &str),
    holder: &LeaseHolder,
    worker: &str,
    now: i64,
) -> Result<(Leased, Vec<ProbeItem>), StoreError> {
    let (run, record) = runs::named(connection, project, name).await?;
    end_leases(connection, run, now).await?;
    let free: Option<(i64, String, String)> = query(sql::SHARD_FREE)
        .bind(run)
        .fetch_optional(&mut *connection)
        .await?;
    let Some((shard, part, items)) = free else {
        return Ok((nothing_free(connection, run, now).await?, Vec::new()));
    };
    query(sql::SHARD_LEASE)
        .bind(run)
        .bind(shard)
        .bind(now.saturating_add(record.lease))
        .bind(worker)
        .bind(&holder.secret.as_bytes()[..])
        .bind(holder.token.as_deref())
        .execute(&mut *connection)
        .await?;
    let known = items_of(connection, run).await?;
    let leased = Leased::Shard {
        shard,
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
    (project, (name, number)): (&ProjectName, (&str, i64)),
    holder: &LeaseHolder,
    renewal: Renewal<'_>,
    now: i64,
) -> Result<(), StoreError> {
    let (run, record) = runs::named(connection, project, name).await?;
    end_leases(connection, run, now).await?;
    expect_held(connection, (run, name, number), holder, now).await?;
    query(sql::SHARD_RENEW)
        .bind(run)
        .bind(number)
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
    (project, (name, number)): (&ProjectName, (&str, i64)),
    holder: &LeaseHolder,
    now: i64,
) -> Result<(), StoreError> {
    let (run, _) = runs::named(connection, project, name).await?;
    end_leases(connection, run, now).await?;
    expect_held(connection, (run, name, number), holder, now).await?;
    let release = query(sql::SHARD_RELEASE).bind(run).bind(number);
    release.execute(connection).await?;
    Ok(())
}

pub(super) async fn finish(
    connection: &mut impl Connection,
    (project, name): (&ProjectName, &str),
    holder: &LeaseHolder,
    result: &ShardResult,
    now: i64,
) -> Result<bool, StoreError> {
    let (run, record) = runs::named(connection, project, name).await?;
    end_leases(connection, run, now).await?;
    let shard = runs::shard(connection, (run, name), result.shard).await?;
    match shard.digest {
        Some(digest) if digest == result.digest => return Ok(false),
        Some(_) => return Err(Conflict::ShardDone(result.shard).into()),
        None if !shard.is_held_by(holder, now) => {
            return Err(Conflict::LeaseLost(result.shard).into());
        }
        None => {}
    }
    query(sql::SHARD_FINISH)
        .bind(run)
        .bind(result.shard)
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
    let rows: Vec<StateRow> = query(sql::SHARD_STATES)
        .bind(run)
        .fetch_all(&mut *connection)
        .await?;
    let mut items = items_of(connection, run).await?;
    // Databases may order texts differently.
    items.sort_by(|one, other| one.item.cmp(&other.item));
    let state = |(number, begun, until, worker, rank, outcomes): StateRow| {
        let is_leased = until.is_some_and(|until| until > now);
        let (begun, lost) = if is_leased {
            (begun, None)
        } else {
            (None, begun.filter(|_| until.is_some()))
        };
        if let Some(item) = lost {
            add_loss(&mut items, item);
        }
        ShardState {
            number,
            is_leased,
            begun,
            worker,
            rank,
            outcomes,
        }
    };
    let shards = rows.into_iter().map(state).collect();
    Ok(ProbeProgress {
        run: record,
        shards,
        items,
    })
}

/// Counts an item of an expired lease, as [`end_leases`] will.
fn add_loss(items: &mut Vec<ProbeItem>, item: String) {
    match items.binary_search_by(|known| known.item.cmp(&item)) {
        Ok(place) => items[place].losses += 1,
        Err(place) => items.insert(
            place,
            ProbeItem {
                item,
                kills: 0,
                losses: 1,
            },
        ),
    }
}

async fn expect_held(
    connection: &mut impl Connection,
    (run, name, number): (i64, &str, i64),
    holder: &LeaseHolder,
    now: i64,
) -> Result<(), StoreError> {
    let shard = runs::shard(connection, (run, name), number).await?;
    if shard.is_held_by(holder, now) {
        Ok(())
    } else {
        Err(Conflict::LeaseLost(number).into())
    }
}

/// Releases the shards of expired leases and counts the items that were running.
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
