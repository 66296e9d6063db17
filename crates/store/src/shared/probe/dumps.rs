//! Dumps of dispatch tables. Each is stored once, however many revisions and processes have it.

use futures_util::TryStreamExt as _;

use super::super::{off_reactor, revisions, rows};
use crate::database::{Connection, query, query_scalar};
use crate::error::{Conflict, Missing, StoreError};
use crate::maintenance::CheckReport;
use crate::names::ProjectName;
use crate::probe::{DumpRecord, LARGEST_DUMP, MOST_DUMPS, NewDump};
use crate::sql::probe as sql;
use opatlas_source::Digest;

const LEVEL: i32 = 3;

pub(super) async fn packed(text: &str) -> Result<Vec<u8>, StoreError> {
    let text = text.to_owned();
    let packed = off_reactor(move || zstd::bulk::compress(text.as_bytes(), LEVEL)).await?;
    packed.map_err(|error| StoreError::Unavailable {
        what: format!("a dump could not be compressed: {error}"),
        source: None,
    })
}

pub(super) async fn text(
    (bytes, packed): (i64, Vec<u8>),
    digest: Digest,
) -> Result<String, StoreError> {
    let damaged = || StoreError::corrupt(format!("the dump {digest} differs from the one stored"));
    let text = off_reactor(move || unpacked(bytes, &packed)).await?;
    match text {
        Some(text) if Digest::of(text.as_bytes()) == digest => Ok(text),
        _ => Err(damaged()),
    }
}

fn unpacked(bytes: i64, packed: &[u8]) -> Option<String> {
    let bytes = usize::try_from(bytes).ok()?.min(LARGEST_DUMP);
    let text = zstd::bulk::decompress(packed, bytes).ok()?;
    String::from_utf8(text).ok()
}

pub(super) async fn add(
    connection: &mut impl Connection,
    project: &ProjectName,
    dump: &NewDump,
    packed: &[u8],
    now: i64,
) -> Result<bool, StoreError> {
    let (_, revision) = revisions::id(connection, project, dump.revision).await?;
    let known: Option<i64> = query_scalar(sql::DUMP_FIND)
        .bind(&dump.digest.as_bytes()[..])
        .fetch_optional(&mut *connection)
        .await?;
    let id = match known {
        Some(id) => id,
        None => {
            let insert = query_scalar(sql::DUMP_INSERT)
                .bind(&dump.digest.as_bytes()[..])
                .bind(i64::try_from(dump.text.len()).unwrap_or(i64::MAX))
                .bind(packed);
            insert.fetch_one(&mut *connection).await?
        }
    };
    let added = query(sql::TABLES_INSERT)
        .bind(revision)
        .bind(id)
        .bind(&dump.torch)
        .bind(&dump.device)
        .bind(now)
        .execute(&mut *connection)
        .await?;
    if added == 0 {
        return Ok(false);
    }
    let count: i64 = query_scalar(sql::TABLES_COUNT)
        .bind(revision)
        .fetch_one(connection)
        .await?;
    if count > MOST_DUMPS {
        Err(Conflict::TooManyDumps.into())
    } else {
        Ok(true)
    }
}

pub(super) async fn list(
    connection: &mut impl Connection,
    project: &ProjectName,
    revision: Digest,
) -> Result<Vec<DumpRecord>, StoreError> {
    let (_, revision) = revisions::id(connection, project, revision).await?;
    let rows: Vec<(Vec<u8>, i64, String, String, i64)> = query(sql::TABLES)
        .bind(revision)
        .fetch_all(connection)
        .await?;
    let record = |(digest, bytes, torch, device, recorded_at): (Vec<u8>, _, _, _, _)| {
        Ok(DumpRecord {
            digest: rows::digest(&digest)?,
            bytes,
            torch,
            device,
            recorded_at,
        })
    };
    rows.into_iter().map(record).collect()
}

pub(super) async fn content(
    connection: &mut impl Connection,
    project: &ProjectName,
    revision: Digest,
    digest: Digest,
) -> Result<(i64, Vec<u8>), StoreError> {
    let (_, revision) = revisions::id(connection, project, revision).await?;
    let row: Option<(i64, Vec<u8>)> = query(sql::TABLES_CONTENT)
        .bind(revision)
        .bind(&digest.as_bytes()[..])
        .fetch_optional(connection)
        .await?;
    row.ok_or_else(|| Missing::Dump(digest.to_string()).into())
}

pub(in super::super) async fn check(
    connection: &mut impl Connection,
    report: &mut CheckReport,
) -> Result<(), StoreError> {
    let mut stream = connection.stream::<(i64, Vec<u8>, i64, Vec<u8>)>(query(sql::ALL_DUMPS));
    while let Some((id, digest, bytes, packed)) = stream.try_next().await? {
        let text = off_reactor(move || unpacked(bytes, &packed)).await?;
        let found = text.map(|text| Digest::of(text.as_bytes()));
        if found.is_none_or(|found| rows::digest(&digest).ok() != Some(found)) {
            report
                .faults
                .push(format!("dump {id} has other bytes than were stored"));
        }
    }
    drop(stream);
    let mut stream = connection.stream::<(i64, i64, Vec<u8>, String)>(query(sql::ALL_RESULTS));
    while let Some((run, number, digest, results)) = stream.try_next().await? {
        if rows::digest(&digest).ok() != Some(Digest::of(results.as_bytes())) {
            report.faults.push(format!(
                "shard {number} of probe run {run} has another result than was stored"
            ));
        }
    }
    Ok(())
}
