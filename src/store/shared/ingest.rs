//! Stores the new parts of a bundle, from the pieces up. An existing file, run or piece is found by
//! its digest and not read.

use rustc_hash::{FxHashMap, FxHashSet};
use sqlx::query_builder::QueryBuilder;
use sqlx::query_scalar;

use super::history::Rearranged;
use super::labels::{self, Target};
use super::rows::{self, BATCH};
use super::{Connection, Database, history, projects, revisions};
use crate::store::error::StoreError;
use crate::store::ids::encode;
use crate::store::names::ProjectName;
use crate::store::pieces::{FilePlan, Plan, Run};
use crate::store::records::{IngestOutcome, LabelRequest};
use crate::store::sql;
use opatlas_source::Digest;

/// The row ids of stored parts, by digest.
type Ids = FxHashMap<Digest, i64>;

/// Stores a revision unless it is there, and sets the label.
pub(super) async fn ingest(
    connection: &mut Connection,
    project: &ProjectName,
    plan: &Plan,
    label: Option<&LabelRequest>,
    now: i64,
) -> Result<IngestOutcome, StoreError> {
    let project = projects::id(connection, project).await?;
    let stored = revisions::by_digest(connection, project, plan.digest).await?;
    let id = match stored {
        Some(id) => id,
        None => store(connection, project, plan, now).await?,
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
    connection: &mut Connection,
    project: i64,
    plan: &Plan,
    now: i64,
) -> Result<i64, StoreError> {
    let files = files(connection, &plan.files).await?;
    let revision: i64 = query_scalar(sql::REVISION_INSERT)
        .bind(project)
        .bind(&plan.digest.as_bytes()[..])
        .bind(now)
        .fetch_one(&mut *connection)
        .await?;
    for batch in plan.files.chunks(BATCH) {
        let mut statement = QueryBuilder::<Database>::new(sql::REVISION_FILES_INSERT);
        statement.push_values(batch, |mut row, file| {
            row.push_bind(revision)
                .push_bind(&*file.name)
                .push_bind(files.get(&file.digest));
        });
        statement
            .build()
            .persistent(false)
            .execute(&mut *connection)
            .await?;
    }
    history::bump(connection, project, Rearranged::Nothing).await?;
    Ok(revision)
}

/// The ids of these files, stored where they are not.
async fn files(connection: &mut Connection, plans: &[FilePlan]) -> Result<Ids, StoreError> {
    let plans = plans.iter().map(|file| (file.digest, file)).collect();
    let (mut ids, new) = known(connection, sql::FILES_KNOWN, plans).await?;
    let runs = runs(connection, &new).await?;
    for batch in new.chunks(BATCH) {
        let mut statement = QueryBuilder::<Database>::new(sql::FILES_INSERT);
        statement.push_values(batch, |mut row, (digest, file)| {
            let list: Vec<_> = file.runs.iter().map(|run| runs[&run.digest]).collect();
            row.push_bind(&digest.as_bytes()[..])
                .push_bind(i64::try_from(file.bytes.len()).unwrap_or(i64::MAX))
                .push_bind(encode(&list));
        });
        insert(connection, statement, &mut ids).await?;
    }
    Ok(ids)
}

/// The ids of the runs of these files, stored where they are not.
async fn runs(
    connection: &mut Connection,
    files: &[(Digest, &FilePlan)],
) -> Result<Ids, StoreError> {
    let mut runs = Vec::new();
    for (_, file) in files {
        runs.extend(file.runs.iter().map(|run| (run.digest, (run, *file))));
    }
    let (mut ids, new) = known(connection, sql::RUNS_KNOWN, runs).await?;
    let pieces = pieces(connection, &new).await?;
    for batch in new.chunks(BATCH) {
        let mut statement = QueryBuilder::<Database>::new(sql::RUNS_INSERT);
        statement.push_values(batch, |mut row, (digest, (run, file))| {
            let list: Vec<_> = file
                .pieces_of(run)
                .iter()
                .map(|piece| pieces[&piece.digest])
                .collect();
            row.push_bind(&digest.as_bytes()[..])
                .push_bind(encode(&list));
        });
        insert(connection, statement, &mut ids).await?;
    }
    Ok(ids)
}

/// The ids of the pieces of these runs, stored where they are not.
async fn pieces(
    connection: &mut Connection,
    runs: &[(Digest, (&Run, &FilePlan))],
) -> Result<Ids, StoreError> {
    let mut pieces = Vec::new();
    for (_, (run, file)) in runs {
        let bytes = |piece| file.piece_bytes(piece);
        pieces.extend(
            file.pieces_of(run)
                .iter()
                .map(|piece| (piece.digest, bytes(piece))),
        );
    }
    let (mut ids, new) = known(connection, sql::PIECES_KNOWN, pieces).await?;
    for batch in new.chunks(BATCH) {
        let mut statement = QueryBuilder::<Database>::new(sql::PIECES_INSERT);
        statement.push_values(batch, |mut row, (digest, bytes)| {
            row.push_bind(&digest.as_bytes()[..]).push_bind(*bytes);
        });
        insert(connection, statement, &mut ids).await?;
    }
    Ok(ids)
}

/// Parts the items into the ids of those that are stored, and the others, each once and in their
/// order.
async fn known<T>(
    connection: &mut Connection,
    select: &'static str,
    mut items: Vec<(Digest, T)>,
) -> Result<(Ids, Vec<(Digest, T)>), StoreError> {
    let mut seen = FxHashSet::default();
    items.retain(|(digest, _)| seen.insert(*digest));
    let mut ids = Ids::default();
    for batch in items.chunks(BATCH) {
        let digests = batch.iter().map(|(digest, _)| &digest.as_bytes()[..]);
        let statement = rows::among(select, digests);
        take_ids(connection, statement, &mut ids).await?;
    }
    items.retain(|(digest, _)| !ids.contains_key(digest));
    Ok((ids, items))
}

async fn insert(
    connection: &mut Connection,
    mut statement: QueryBuilder<Database>,
    ids: &mut Ids,
) -> Result<(), StoreError> {
    statement.push(sql::RETURNING_IDS);
    take_ids(connection, statement, ids).await
}

/// Runs a statement that answers with ids and digests, and adds them to `ids`.
async fn take_ids(
    connection: &mut Connection,
    mut statement: QueryBuilder<Database>,
    ids: &mut Ids,
) -> Result<(), StoreError> {
    let rows: Vec<(i64, Vec<u8>)> = statement
        .build_query_as()
        .persistent(false)
        .fetch_all(connection)
        .await?;
    for (id, digest) in rows {
        ids.insert(rows::digest(&digest)?, id);
    }
    Ok(())
}
