//! Stores the new parts of a bundle, from the chunks up. An existing file, group or chunk is found by
//! its digest and not read.

use rustc_hash::{FxHashMap, FxHashSet};

use super::history::Rearranged;
use super::labels::{self, Target};
use super::rows::{self, BATCH};
use super::{history, projects, revisions};
use crate::store::chunks::{FilePlan, Group, Plan};
use crate::store::database::{Bound, Connection, Statement, among, query_scalar};
use crate::store::error::StoreError;
use crate::store::ids::encode;
use crate::store::names::ProjectName;
use crate::store::records::{IngestOutcome, LabelRequest};
use crate::store::sql;
use opatlas_source::Digest;

/// The row ids of stored parts, by digest.
type Ids = FxHashMap<Digest, i64>;

/// The parts that the revisions so far of one transaction consist of. A commit has nearly all of them in
/// common with the one before, and to look hundreds of digests up again takes longer than to store the
/// rest.
#[derive(Default)]
pub(super) struct Seen {
    groups: Ids,
    chunks: Ids,
}

/// Stores a revision unless it is there, and sets the label. `seen` is of the same transaction.
pub(super) async fn ingest(
    connection: &mut impl Connection,
    project: &ProjectName,
    plan: &Plan,
    seen: &mut Seen,
    label: Option<&LabelRequest>,
    now: i64,
) -> Result<IngestOutcome, StoreError> {
    let project = projects::id(connection, project).await?;
    let stored = revisions::by_digest(connection, project, plan.digest).await?;
    let id = match stored {
        Some(id) => id,
        None => store(connection, project, plan, seen, now).await?,
    };
    let digest = plan.digest;
    let label = match label {
        Some(label) => {
            let target = Target {
                id,
                digest,
                is_new: stored.is_none(),
            };
            Some(labels::set(connection, project, label, target, now).await?)
        }
        None => None,
    };
    Ok(IngestOutcome {
        digest,
        sequence: id,
        created: stored.is_none(),
        label,
    })
}

async fn store(
    connection: &mut impl Connection,
    project: i64,
    plan: &Plan,
    seen: &mut Seen,
    now: i64,
) -> Result<i64, StoreError> {
    let files = files(connection, &plan.files, seen).await?;
    let revision: i64 = query_scalar(sql::REVISION_INSERT)
        .bind(project)
        .bind(&plan.digest.as_bytes()[..])
        .bind(now)
        .fetch_one(&mut *connection)
        .await?;
    for batch in plan.files.chunks(BATCH) {
        let rows = batch.iter().map(|file| {
            let id = files.get(&file.digest);
            [revision.into(), (&*file.name).into(), id.into()]
        });
        let statement = Statement::inserting(sql::REVISION_FILES_INSERT, rows);
        statement.execute(&mut *connection).await?;
    }
    history::bump(connection, project, Rearranged::Nothing).await?;
    Ok(revision)
}

/// The ids of these files, stored where they are not.
async fn files(
    connection: &mut impl Connection,
    plans: &[FilePlan],
    seen: &mut Seen,
) -> Result<Ids, StoreError> {
    let plans = plans.iter().map(|file| (file.digest, file)).collect();
    let mut ids = Ids::default();
    let new = unknown(connection, sql::FILES_KNOWN, plans, &mut ids).await?;
    groups(connection, &new, seen).await?;
    let groups = &seen.groups;
    for batch in new.chunks(BATCH) {
        let rows = batch.iter().map(|(digest, file)| {
            let list: Vec<_> = file
                .groups
                .iter()
                .map(|group| groups[&group.digest])
                .collect();
            let bytes = i64::try_from(file.bytes.len()).unwrap_or(i64::MAX);
            [bound(digest), bytes.into(), encode(&list).into()]
        });
        let statement = Statement::inserting(sql::FILES_INSERT, rows);
        insert(connection, statement, &mut ids).await?;
    }
    Ok(ids)
}

/// Finds the ids of the groups of these files, and stores those that are not there.
async fn groups(
    connection: &mut impl Connection,
    files: &[(Digest, &FilePlan)],
    seen: &mut Seen,
) -> Result<(), StoreError> {
    let mut groups = Vec::new();
    for (_, file) in files {
        groups.extend(
            file.groups
                .iter()
                .map(|group| (group.digest, (group, *file))),
        );
    }
    let Seen {
        groups: ids,
        chunks,
    } = seen;
    let new = unknown(connection, sql::GROUPS_KNOWN, groups, ids).await?;
    store_chunks(connection, &new, chunks).await?;
    for batch in new.chunks(BATCH) {
        let rows = batch.iter().map(|(digest, (group, file))| {
            let list = file.chunks_of(group).iter();
            let list: Vec<_> = list.map(|chunk| chunks[&chunk.digest]).collect();
            [bound(digest), encode(&list).into()]
        });
        let statement = Statement::inserting(sql::GROUPS_INSERT, rows);
        insert(connection, statement, ids).await?;
    }
    Ok(())
}

/// Finds the ids of the chunks of these groups, and stores those that are not there.
async fn store_chunks(
    connection: &mut impl Connection,
    groups: &[(Digest, (&Group, &FilePlan))],
    ids: &mut Ids,
) -> Result<(), StoreError> {
    let mut chunks = Vec::new();
    for (_, (group, file)) in groups {
        let bytes = |chunk| file.chunk_bytes(chunk);
        chunks.extend(
            file.chunks_of(group)
                .iter()
                .map(|chunk| (chunk.digest, bytes(chunk))),
        );
    }
    let new = unknown(connection, sql::CHUNKS_KNOWN, chunks, ids).await?;
    for batch in new.chunks(BATCH) {
        let rows = batch.iter();
        let rows = rows.map(|(digest, bytes)| [bound(digest), Bound::from(*bytes)]);
        let statement = Statement::inserting(sql::CHUNKS_INSERT, rows);
        insert(connection, statement, ids).await?;
    }
    Ok(())
}

/// The items that are not stored, each once and in their order. Adds the ids of the others to `ids`.
async fn unknown<T>(
    connection: &mut impl Connection,
    select: &'static str,
    mut items: Vec<(Digest, T)>,
    ids: &mut Ids,
) -> Result<Vec<(Digest, T)>, StoreError> {
    let mut seen = FxHashSet::default();
    items.retain(|(digest, _)| !ids.contains_key(digest) && seen.insert(*digest));
    for batch in items.chunks(BATCH) {
        let digests = batch.iter().map(|(digest, _)| &digest.as_bytes()[..]);
        let statement = among(select, digests);
        take_ids(connection, statement, ids).await?;
    }
    items.retain(|(digest, _)| !ids.contains_key(digest));
    Ok(items)
}

async fn insert(
    connection: &mut impl Connection,
    mut statement: Statement<'_>,
    ids: &mut Ids,
) -> Result<(), StoreError> {
    statement.push(sql::RETURNING_IDS);
    take_ids(connection, statement, ids).await
}

/// Runs a statement that answers with ids and digests, and adds them to `ids`.
async fn take_ids(
    connection: &mut impl Connection,
    statement: Statement<'_>,
    ids: &mut Ids,
) -> Result<(), StoreError> {
    let rows: Vec<(i64, Vec<u8>)> = statement.fetch_all(connection).await?;
    for (id, digest) in rows {
        ids.insert(rows::digest(&digest)?, id);
    }
    Ok(())
}

/// A digest as a value.
fn bound(digest: &Digest) -> Bound<'_> {
    Bound::from(&digest.as_bytes()[..])
}
