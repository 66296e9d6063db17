//! Getting a revision's bytes back, piece by piece, and checking them.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use sqlx::query_as;

use super::rows::{self, BATCH};
use super::{Connection, revisions};
use crate::store::error::{Missing, StoreError};
use crate::store::ids::decode;
use crate::store::names::ProjectName;
use crate::store::sql;
use opatlas_source::{Bundle, Digest};

/// Files taken apart, as they are stored.
pub(super) struct Parts {
    files: Vec<FileParts>,
    runs: FxHashMap<i64, Vec<i64>>,
    pieces: FxHashMap<i64, Vec<u8>>,
}

struct FileParts {
    name: String,
    digest: Digest,
    bytes: u64,
    runs: Vec<i64>,
}

#[derive(sqlx::FromRow)]
struct FileRow {
    name: String,
    digest: Vec<u8>,
    bytes: i64,
    runs: Vec<u8>,
}

/// Fetches all files of a revision.
pub(super) async fn of_revision(
    connection: &mut Connection,
    project: &ProjectName,
    digest: Digest,
) -> Result<Parts, StoreError> {
    let (_, id) = revisions::id(connection, project, digest).await?;
    let rows = query_as(sql::FILES_OF_REVISION)
        .bind(id)
        .fetch_all(&mut *connection)
        .await?;
    parts(connection, rows).await
}

/// Fetches one file of a revision.
pub(super) async fn of_file(
    connection: &mut Connection,
    project: &ProjectName,
    digest: Digest,
    name: &str,
) -> Result<Parts, StoreError> {
    let (_, id) = revisions::id(connection, project, digest).await?;
    // PostgreSQL refuses to compare with a text that it could not hold.
    let rows: Vec<FileRow> = match name.contains('\0') {
        true => Vec::new(),
        false => {
            let file = query_as(sql::FILE_OF_REVISION).bind(id).bind(name);
            file.fetch_all(&mut *connection).await?
        }
    };
    if rows.is_empty() {
        let name = name.to_owned();
        return Err(Missing::File { digest, name }.into());
    }
    parts(connection, rows).await
}

/// Fetches a file by its row id.
pub(super) async fn of_file_row(connection: &mut Connection, id: i64) -> Result<Parts, StoreError> {
    let rows = query_as(sql::FILE_BY_ID)
        .bind(id)
        .fetch_all(&mut *connection)
        .await?;
    parts(connection, rows).await
}

impl Parts {
    /// Puts the files together and checks that they are what was stored; no I/O, some
    /// milliseconds of work for a release.
    pub(super) fn assemble(&self) -> Result<Bundle, StoreError> {
        let mut bundle = Bundle::default();
        for file in &self.files {
            bundle.insert(&file.name, self.file(file)?);
        }
        Ok(bundle)
    }

    fn file(&self, file: &FileParts) -> Result<Arc<[u8]>, StoreError> {
        let damaged = |what: &str| {
            StoreError::corrupt(format!(
                "file `{}` (sha256:{}) {what}",
                file.name, file.digest
            ))
        };
        let mut bytes = Vec::with_capacity(usize::try_from(file.bytes).unwrap_or(0).min(1 << 26));
        for run in &file.runs {
            let run = self
                .runs
                .get(run)
                .ok_or_else(|| damaged("lacks a run of pieces"))?;
            for piece in run {
                let piece = self
                    .pieces
                    .get(piece)
                    .ok_or_else(|| damaged("lacks a piece"))?;
                bytes.extend_from_slice(piece);
            }
        }
        if Digest::of(&bytes) != file.digest {
            return Err(damaged("has other bytes than were stored"));
        }
        Ok(bytes.into())
    }
}

async fn parts(connection: &mut Connection, rows: Vec<FileRow>) -> Result<Parts, StoreError> {
    let files: Vec<_> = rows
        .into_iter()
        .map(FileRow::parts)
        .collect::<Result<_, _>>()?;
    let mut runs = FxHashMap::default();
    let wanted = files.iter().flat_map(|file| file.runs.iter().copied());
    for (id, list) in by_id(connection, sql::RUNS, wanted).await? {
        let list = decode(&list);
        runs.insert(
            id,
            list.ok_or_else(|| StoreError::corrupt(format!("run {id} is not a list")))?,
        );
    }
    let wanted = runs.values().flatten().copied();
    let pieces = by_id(connection, sql::PIECES, wanted)
        .await?
        .into_iter()
        .collect();
    Ok(Parts {
        files,
        runs,
        pieces,
    })
}

impl FileRow {
    fn parts(self) -> Result<FileParts, StoreError> {
        let damaged = || StoreError::corrupt(format!("file `{}` is not a list of runs", self.name));
        Ok(FileParts {
            digest: rows::digest(&self.digest)?,
            bytes: rows::size(self.bytes, &self.name)?,
            runs: decode(&self.runs).ok_or_else(damaged)?,
            name: self.name,
        })
    }
}

async fn by_id(
    connection: &mut Connection,
    select: &'static str,
    ids: impl Iterator<Item = i64>,
) -> Result<Vec<(i64, Vec<u8>)>, StoreError> {
    let mut ids: Vec<_> = ids.collect();
    ids.sort_unstable();
    ids.dedup();
    let mut found = Vec::with_capacity(ids.len());
    for batch in ids.chunks(BATCH) {
        let mut statement = rows::among(select, batch.iter().copied());
        let statement = statement.build_query_as().persistent(false);
        found.extend(statement.fetch_all(&mut *connection).await?);
    }
    Ok(found)
}
