//! Revisions: find, list, delete. The files and labels of a whole page are fetched at once.

use rustc_hash::FxHashMap;

use super::history::TimelineChange;
use super::rows::{self, BATCH, FileRow, LabelRow, RevisionRow};
use super::{history, labels, probe, projects};
use crate::database::{Connection, among, query};
use crate::error::{Conflict, Missing, StoreError};
use crate::history::CommitRecord;
use crate::history::IngestPlace;
use crate::known::StoredAt;
use crate::names::{DigestPrefix, ProjectName, RevisionKey};
use crate::records::{FileRecord, LabelRecord, Page, RevisionRecord};
use crate::sql;
use opatlas_source::Digest;

const MATCHES_SHOWN: i64 = 5;

pub(super) async fn resolve(
    connection: &mut impl Connection,
    project: &ProjectName,
    key: &RevisionKey,
) -> Result<Digest, StoreError> {
    match key {
        RevisionKey::Label(label) => Ok(labels::find(connection, project, label).await?.digest),
        RevisionKey::Digest(prefix) => {
            let id = projects::id(connection, project).await?;
            by_prefix(connection, project, id, prefix).await?.digest()
        }
    }
}

pub(super) async fn find(
    connection: &mut impl Connection,
    project: &ProjectName,
    key: &RevisionKey,
) -> Result<RevisionRecord, StoreError> {
    let id = projects::id(connection, project).await?;
    let prefix = match key {
        RevisionKey::Label(label) => labels::find(connection, project, label)
            .await?
            .digest
            .into(),
        RevisionKey::Digest(prefix) => prefix.clone(),
    };
    let row = by_prefix(connection, project, id, &prefix).await?;
    let mut records = records(connection, project, &[row]).await?;
    records
        .pop()
        .ok_or_else(|| missing(project, &prefix).into())
}

pub(super) async fn list(
    connection: &mut impl Connection,
    project: &ProjectName,
    before: Option<i64>,
    limit: u32,
) -> Result<Page<RevisionRecord, i64>, StoreError> {
    let id = projects::id(connection, project).await?;
    let rows: Vec<RevisionRow> = query(sql::REVISIONS_BEFORE)
        .bind(id)
        .bind(before.unwrap_or(i64::MAX))
        .bind(i64::from(limit) + 1)
        .fetch_all(&mut *connection)
        .await?;
    let rows = Page::cut(rows, limit, |row| row.id);
    Ok(Page {
        items: records(connection, project, &rows.items).await?,
        next: rows.next,
    })
}

pub(super) async fn ingests(
    connection: &mut impl Connection,
    project: &ProjectName,
    after: Option<i64>,
) -> Result<Vec<IngestPlace>, StoreError> {
    let id = projects::id(connection, project).await?;
    let after = after.unwrap_or(0);
    let rows: Vec<RevisionRow> = query(sql::REVISIONS_AFTER)
        .bind(id)
        .bind(after)
        .fetch_all(&mut *connection)
        .await?;
    let labels: Vec<LabelRow> = query(sql::LABELS_AFTER)
        .bind(id)
        .bind(after)
        .fetch_all(connection)
        .await?;
    let mut labels = labels.into_iter().peekable();
    let mut places = Vec::with_capacity(rows.len());
    for row in rows {
        let own = std::iter::from_fn(|| labels.next_if(|label| label.revision == row.id));
        places.push(IngestPlace {
            sequence: row.id,
            digest: row.digest()?,
            ingested_at: row.ingested_at,
            labels: own.map(LabelRow::record).collect::<Result<_, _>>()?,
        });
    }
    Ok(places)
}

pub(super) async fn delete(
    connection: &mut impl Connection,
    project: &ProjectName,
    digest: Digest,
) -> Result<(), StoreError> {
    let (project, id) = id(connection, project, digest).await?;
    let labels = labels::of_revisions(connection, &[id]).await?;
    if !labels.is_empty() {
        let mut labels: Vec<_> = labels.into_iter().map(|label| label.name).collect();
        labels.sort();
        return Err(Conflict::Labelled { digest, labels }.into());
    }
    take_away(connection, project, id).await?;
    history::sweep(connection).await
}

/// Removes a revision even if labels name it. [`history::sweep`] removes its changes of operators.
pub(super) async fn take_away(
    connection: &mut impl Connection,
    project: i64,
    id: i64,
) -> Result<(), StoreError> {
    probe::forget(connection, id).await?;
    let history = sql::REVISION_HISTORY_DELETE.into_iter();
    for statement in history.chain([sql::REVISION_FILES_DELETE, sql::REVISION_DELETE]) {
        query(statement).bind(id).execute(&mut *connection).await?;
    }
    history::bump(connection, project, TimelineChange::Both).await
}

pub(super) async fn id(
    connection: &mut impl Connection,
    project: &ProjectName,
    digest: Digest,
) -> Result<(i64, i64), StoreError> {
    let project_id = projects::id(connection, project).await?;
    match stored(connection, project_id, digest).await? {
        Some(stored) => Ok((project_id, stored.id)),
        None => Err(missing(project, &digest.into()).into()),
    }
}

pub(super) async fn ids(
    connection: &mut impl Connection,
    project: &ProjectName,
    digests: &[Digest],
) -> Result<Vec<i64>, StoreError> {
    let mut known: FxHashMap<Digest, i64> = FxHashMap::default();
    for batch in digests.chunks(BATCH) {
        let rows = query(sql::REVISIONS_NAMED).bind(project.as_str());
        let rows = rows.among(batch.iter().map(|digest| &digest.as_bytes()[..]));
        let rows: Vec<(i64, Vec<u8>)> = rows.fetch_all(&mut *connection).await?;
        for (id, digest) in rows {
            known.insert(rows::digest(&digest)?, id);
        }
    }
    let mut ids = Vec::with_capacity(digests.len());
    for digest in digests {
        ids.push(match known.get(digest) {
            Some(known) => *known,
            // Tell an unknown project from an unknown revision.
            None => id(connection, project, *digest).await?.1,
        });
    }
    Ok(ids)
}

pub(super) async fn stored(
    connection: &mut impl Connection,
    project: i64,
    digest: Digest,
) -> Result<Option<StoredAt>, StoreError> {
    let rows = in_range(connection, project, (digest, digest), 1).await?;
    Ok(rows.first().map(|row| StoredAt {
        digest,
        id: row.id,
        ingested_at: row.ingested_at,
    }))
}

async fn by_prefix(
    connection: &mut impl Connection,
    project: &ProjectName,
    id: i64,
    prefix: &DigestPrefix,
) -> Result<RevisionRow, StoreError> {
    let mut rows = in_range(connection, id, prefix.range(), MATCHES_SHOWN).await?;
    if rows.len() > 1 {
        return Err(StoreError::Ambiguous {
            prefix: prefix.clone(),
            matches: rows
                .iter()
                .map(RevisionRow::digest)
                .collect::<Result<_, _>>()?,
        });
    }
    rows.pop().ok_or_else(|| missing(project, prefix).into())
}

async fn in_range(
    connection: &mut impl Connection,
    project: i64,
    (least, greatest): (Digest, Digest),
    limit: i64,
) -> Result<Vec<RevisionRow>, StoreError> {
    let rows = query(sql::REVISIONS_IN_RANGE)
        .bind(project)
        .bind(&least.as_bytes()[..])
        .bind(&greatest.as_bytes()[..])
        .bind(limit)
        .fetch_all(connection)
        .await?;
    Ok(rows)
}

async fn records(
    connection: &mut impl Connection,
    project: &ProjectName,
    rows: &[RevisionRow],
) -> Result<Vec<RevisionRecord>, StoreError> {
    let ids: Vec<_> = rows.iter().map(|row| row.id).collect();
    let (mut files, mut labels) = (FxHashMap::default(), FxHashMap::default());
    for file in files_of(connection, &ids).await? {
        let of_revision: &mut Vec<_> = files.entry(file.revision).or_default();
        of_revision.push(file.record()?);
    }
    for label in labels::of_revisions(connection, &ids).await? {
        let of_revision: &mut Vec<LabelRecord> = labels.entry(label.sequence).or_default();
        of_revision.push(label);
    }
    let mut commits: FxHashMap<i64, Vec<CommitRecord>> = FxHashMap::default();
    for place in history::of_revisions(connection, &ids).await? {
        let of_revision = commits.entry(place.sequence).or_default();
        of_revision.push(place.commit);
    }
    let record = |row: &RevisionRow| {
        let mut files: Vec<FileRecord> = files.remove(&row.id).unwrap_or_default();
        let mut labels = labels.remove(&row.id).unwrap_or_default();
        files.sort_by(|a, b| a.name.cmp(&b.name));
        labels.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(RevisionRecord {
            project: project.clone(),
            digest: row.digest()?,
            ingested_at: row.ingested_at,
            sequence: row.id,
            files,
            labels,
            commits: commits.remove(&row.id).unwrap_or_default(),
        })
    };
    rows.iter().map(record).collect()
}

async fn files_of(
    connection: &mut impl Connection,
    revisions: &[i64],
) -> Result<Vec<FileRow>, StoreError> {
    let mut files = Vec::new();
    for batch in revisions.chunks(BATCH) {
        let statement = among(sql::FILES_OF_REVISIONS, batch.iter().copied());
        files.extend(statement.fetch_all(&mut *connection).await?);
    }
    Ok(files)
}

fn missing(project: &ProjectName, prefix: &DigestPrefix) -> Missing {
    Missing::Revision {
        project: project.clone(),
        key: RevisionKey::Digest(prefix.clone()),
    }
}
