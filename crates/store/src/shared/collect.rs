//! Collects unlabeled revisions, then files, groups and chunks that only they used. There is one
//! writer at a time, so an ingest in progress loses nothing.

use rustc_hash::FxHashSet;

use super::rows::{self, BATCH};
use super::{history, probe, projects, revisions};
use crate::database::{Connection, among, query, query_scalar};
use crate::error::StoreError;
use crate::ids::decode;
use crate::maintenance::Collected;
use crate::names::ProjectName;
use crate::sql;

/// Collects in one project or all. A caller that only counts rolls the transaction back.
pub(super) async fn collect(
    connection: &mut impl Connection,
    project: Option<&ProjectName>,
    before: i64,
) -> Result<Collected, StoreError> {
    let project = match project {
        Some(project) => Some(projects::id(connection, project).await?),
        None => None,
    };
    let unlabelled: Vec<(i64, Vec<u8>, i64, String)> = query(sql::REVISIONS_UNLABELLED)
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
    collected.files = files;
    let lists: Vec<Vec<u8>> = query_scalar(sql::GROUP_LISTS)
        .fetch_all(&mut *connection)
        .await?;
    collected.groups = sweep(connection, &lists, [sql::GROUP_IDS, sql::GROUPS_DELETE]).await?;
    let lists: Vec<Vec<u8>> = query_scalar(sql::CHUNK_LISTS)
        .fetch_all(&mut *connection)
        .await?;
    collected.chunks = sweep(connection, &lists, [sql::CHUNK_IDS, sql::CHUNKS_DELETE]).await?;
    Ok(collected)
}

async fn sweep(
    connection: &mut impl Connection,
    lists: &[Vec<u8>],
    [ids, delete]: [&'static str; 2],
) -> Result<u64, StoreError> {
    let mut needed = FxHashSet::default();
    for list in lists {
        // An unreadable list may refer to any chunk, so nothing can be deleted.
        let list = decode(list).ok_or_else(|| {
            StoreError::corrupt("a list of chunks is invalid; `opatlas doctor` reports details")
        })?;
        needed.extend(list);
    }
    let mut unneeded: Vec<i64> = query_scalar(ids).fetch_all(&mut *connection).await?;
    unneeded.retain(|id| !needed.contains(id));
    for batch in unneeded.chunks(BATCH) {
        let statement = among(delete, batch.iter().copied());
        statement.execute(&mut *connection).await?;
    }
    Ok(unneeded.len() as u64)
}
