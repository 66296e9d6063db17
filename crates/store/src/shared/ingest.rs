//! Stores the new parts of bundles. Existing parts are found by digest and not read.

use rustc_hash::FxHashSet;

use super::history::TimelineChange;
use super::labels::{self, Target};
use super::rows::{self, BATCH};
use super::{history, projects, revisions};
use crate::chunks::{FilePlan, Group, Plan};
use crate::database::{Bound, Connection, Statement, query};
use crate::error::StoreError;
use crate::ids::encode;
use crate::known::{Ids, KnownParts};
use crate::names::ProjectName;
use crate::records::{IngestOutcome, LabelRequest};
use crate::sql;
use opatlas_source::Digest;

pub(super) async fn ingest(
    connection: &mut impl Connection,
    project: &ProjectName,
    plan: &Plan,
    label: Option<&LabelRequest>,
    now: i64,
) -> Result<IngestOutcome, StoreError> {
    let project = projects::id(connection, project).await?;
    let mut known = KnownParts::default();
    let stored = store(connection, project, &[plan], &mut known, now).await?;
    let Stored { id, is_new } = stored[0];
    let digest = plan.digest;
    let label = match label {
        Some(label) => {
            let target = Target { id, digest, is_new };
            Some(labels::set(connection, project, label, target, now).await?)
        }
        None => None,
    };
    Ok(IngestOutcome {
        digest,
        sequence: id,
        created: is_new,
        label,
    })
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Stored {
    pub(super) id: i64,
    pub(super) is_new: bool,
}

/// Stores missing revisions; returns one result for each, in order. All go through every kind of
/// part together, because a statement costs more than its values. Adds to the known parts.
pub(super) async fn store(
    connection: &mut impl Connection,
    project: i64,
    plans: &[&Plan],
    parts: &mut KnownParts,
    now: i64,
) -> Result<Vec<Stored>, StoreError> {
    if let Some(last) = parts.revision
        && revisions::stored(connection, project, last.digest).await? != Some(last)
    {
        *parts = KnownParts::default();
    }
    let mut ids = Ids::default();
    let wanted = plans.iter().map(|plan| (plan.digest, *plan)).collect();
    let known = query(sql::REVISIONS_KNOWN).bind(project);
    let new = unknown(connection, &known, wanted, &mut ids).await?;
    let files = files(connection, &new, parts).await?;
    for batch in new.chunks(BATCH) {
        let rows = batch
            .iter()
            .map(|(digest, _)| [project.into(), bound(digest), now.into()]);
        let statement = Statement::inserting(sql::REVISIONS_INSERT, rows);
        insert(connection, statement, &mut ids).await?;
    }
    let rows: Vec<[Bound<'_>; 3]> = new
        .iter()
        .flat_map(|(digest, plan)| {
            let revision = ids[digest];
            plan.files.iter().map({
                let files = &files;
                move |file| {
                    let id = files[&file.digest];
                    [revision.into(), (&*file.name).into(), id.into()]
                }
            })
        })
        .collect();
    for batch in rows.chunks(BATCH) {
        let statement = Statement::inserting(sql::REVISION_FILES_INSERT, batch.iter().cloned());
        statement.execute(&mut *connection).await?;
    }
    if !new.is_empty() {
        history::bump(connection, project, TimelineChange::Nothing).await?;
    }
    let mut new: FxHashSet<Digest> = new.into_iter().map(|(digest, _)| digest).collect();
    let stored = plans.iter().map(|plan| Stored {
        id: ids[&plan.digest],
        // If the same revision occurs again, it exists by then.
        is_new: new.remove(&plan.digest),
    });
    Ok(stored.collect())
}

async fn files(
    connection: &mut impl Connection,
    plans: &[(Digest, &Plan)],
    parts: &mut KnownParts,
) -> Result<Ids, StoreError> {
    let files = plans.iter().flat_map(|(_, plan)| &plan.files);
    let files = files.map(|file| (file.digest, file)).collect();
    let mut ids = Ids::default();
    let new = unknown(connection, &query(sql::FILES_KNOWN), files, &mut ids).await?;
    groups(connection, &new, parts).await?;
    let groups = &parts.groups;
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

/// Stores the missing groups of these files, and adds all ids to the known parts.
async fn groups(
    connection: &mut impl Connection,
    files: &[(Digest, &FilePlan)],
    parts: &mut KnownParts,
) -> Result<(), StoreError> {
    let mut groups = Vec::new();
    for (_, file) in files {
        groups.extend(
            file.groups
                .iter()
                .map(|group| (group.digest, (group, *file))),
        );
    }
    let KnownParts {
        groups: ids,
        chunks,
        ..
    } = parts;
    let new = unknown(connection, &query(sql::GROUPS_KNOWN), groups, ids).await?;
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

/// Stores the missing chunks of these groups, and adds all ids to the known parts.
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
    let new = unknown(connection, &query(sql::CHUNKS_KNOWN), chunks, ids).await?;
    for batch in new.chunks(BATCH) {
        let rows = batch.iter();
        let rows = rows.map(|(digest, bytes)| [bound(digest), Bound::from(*bytes)]);
        let statement = Statement::inserting(sql::CHUNKS_INSERT, rows);
        insert(connection, statement, ids).await?;
    }
    Ok(())
}

/// The distinct items that are not stored, in order. Adds the ids of the others to `ids`. `select`
/// ends in `IN (`.
async fn unknown<T>(
    connection: &mut impl Connection,
    select: &Statement<'static>,
    mut items: Vec<(Digest, T)>,
    ids: &mut Ids,
) -> Result<Vec<(Digest, T)>, StoreError> {
    let mut seen = FxHashSet::default();
    items.retain(|(digest, _)| !ids.contains_key(digest) && seen.insert(*digest));
    for batch in items.chunks(BATCH) {
        let digests = batch.iter().map(|(digest, _)| &digest.as_bytes()[..]);
        let statement = select.clone().among(digests);
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

fn bound(digest: &Digest) -> Bound<'_> {
    Bound::from(&digest.as_bytes()[..])
}
