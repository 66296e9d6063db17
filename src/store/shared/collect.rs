//! Garbage collection: revisions without a label, and then the files, runs and pieces that only
//! they used. There is one writer at a time, so an ingest in progress never loses data.

use rustc_hash::FxHashSet;
use sqlx::{query, query_as, query_scalar};

use super::rows::{self, BATCH};
use super::{Connection, history, probe, projects, revisions};
use crate::store::error::StoreError;
use crate::store::ids::decode;
use crate::store::maintenance::Collected;
use crate::store::names::ProjectName;
use crate::store::sql;

/// Collects what was ingested before a time; in one project or in all. The transaction may be rolled
/// back to only know what it would be.
pub(super) async fn collect(
    connection: &mut Connection,
    project: Option<&ProjectName>,
    before: i64,
) -> Result<Collected, StoreError> {
    let project = match project {
        Some(project) => Some(projects::id(connection, project).await?),
        None => None,
    };
    let unlabelled: Vec<(i64, Vec<u8>, i64, String)> = query_as(sql::REVISIONS_UNLABELLED)
        .bind(before)
        .bind(project)
        .fetch_all(&mut *connection)
        .await?;
    let mut collected = Collected::default();
    for (id, digest, project_id, project) in unlabelled {
        revisions::take_away(connection, project_id, id).await?;
        collected.revisions.push((project, rows::digest(&digest)?));
    }
    history::sweep(connection).await?;
    probe::sweep(connection).await?;
    let files = query(sql::FILES_UNNEEDED_DELETE)
        .execute(&mut *connection)
        .await?;
    collected.files = files.rows_affected();
    let lists: Vec<Vec<u8>> = query_scalar(sql::RUN_LISTS)
        .fetch_all(&mut *connection)
        .await?;
    collected.runs = sweep(connection, &lists, [sql::RUN_IDS, sql::RUNS_DELETE]).await?;
    let lists: Vec<Vec<u8>> = query_scalar(sql::PIECE_LISTS)
        .fetch_all(&mut *connection)
        .await?;
    collected.pieces = sweep(connection, &lists, [sql::PIECE_IDS, sql::PIECES_DELETE]).await?;
    Ok(collected)
}

/// Deletes the rows that are in none of these lists.
async fn sweep(
    connection: &mut Connection,
    lists: &[Vec<u8>],
    [ids, delete]: [&'static str; 2],
) -> Result<u64, StoreError> {
    let mut needed = FxHashSet::default();
    for list in lists {
        // An invalid list may need any piece, so nothing can be deleted.
        let list = decode(list).ok_or_else(|| {
            StoreError::corrupt("a list of pieces is invalid; `opatlas doctor` reports details")
        })?;
        needed.extend(list);
    }
    let mut unneeded: Vec<i64> = query_scalar(ids).fetch_all(&mut *connection).await?;
    unneeded.retain(|id| !needed.contains(id));
    for batch in unneeded.chunks(BATCH) {
        let mut statement = rows::among(delete, batch.iter().copied());
        let statement = statement.build().persistent(false);
        statement.execute(&mut *connection).await?;
    }
    Ok(unneeded.len() as u64)
}
