//! Fetches the files of revisions.

use rustc_hash::FxHashMap;

use super::assembly::{FileParts, by_id};
use super::chunks::{self, Pack};
use super::revisions;
use super::rows::{self, BATCH};
use crate::database::{Connection, among, query};
use crate::error::{Missing, StoreError};
use crate::ids::decode;
use crate::names::ProjectName;
use crate::sql;
use opatlas_source::{Bundle, Digest};

pub(super) struct BundleRows {
    bundles: Vec<Vec<FileParts>>,
    packs: Vec<Pack>,
}

impl BundleRows {
    /// Assembles and checks the files of each bundle, without I/O. Fails with
    /// [`StoreError::Corrupt`].
    pub(super) fn assemble(&self) -> Result<Vec<Bundle>, StoreError> {
        let chunks = by_id(&self.packs);
        let bundles = self.bundles.iter();
        bundles
            .map(|files| FileParts::bundle(files, &chunks))
            .collect()
    }
}

#[derive(Clone)]
struct InGroups {
    parts: FileParts,
    groups: Vec<i64>,
}

record! {
    struct FileRow {
        revision: i64,
        name: String,
        digest: Vec<u8>,
        bytes: i64,
        groups: Vec<u8>,
    }
}

pub(super) async fn of_revisions(
    connection: &mut impl Connection,
    project: &ProjectName,
    digests: &[Digest],
) -> Result<BundleRows, StoreError> {
    let ids = revisions::ids(connection, project, digests).await?;
    let mut files: FxHashMap<i64, Vec<InGroups>> = FxHashMap::default();
    for batch in in_order(ids.iter().copied()).chunks(BATCH) {
        let rows = among(sql::FILES_WITH_GROUPS, batch.iter().copied());
        let rows: Vec<FileRow> = rows.fetch_all(&mut *connection).await?;
        for row in rows {
            let of_revision = files.entry(row.revision).or_default();
            of_revision.push(row.in_groups()?);
        }
    }
    let bundles = ids.iter().map(|id| files.get(id).cloned());
    let bundles = bundles.map(Option::unwrap_or_default).collect();
    fetch(connection, bundles).await
}

pub(super) async fn of_file(
    connection: &mut impl Connection,
    project: &ProjectName,
    digest: Digest,
    name: &str,
) -> Result<BundleRows, StoreError> {
    let (_, id) = revisions::id(connection, project, digest).await?;
    // PostgreSQL rejects text with a null byte.
    let rows: Vec<FileRow> = if name.contains('\0') {
        Vec::new()
    } else {
        let file = query(sql::FILE_OF_REVISION).bind(id).bind(name);
        file.fetch_all(&mut *connection).await?
    };
    if rows.is_empty() {
        let name = name.to_owned();
        return Err(Missing::File { digest, name }.into());
    }
    let files = rows.iter().map(FileRow::in_groups);
    fetch(connection, vec![files.collect::<Result<_, _>>()?]).await
}

pub(super) async fn of_file_row(
    connection: &mut impl Connection,
    id: i64,
) -> Result<BundleRows, StoreError> {
    let rows = query(sql::FILE_BY_ID).bind(id);
    let rows: Vec<FileRow> = rows.fetch_all(&mut *connection).await?;
    let files = rows.iter().map(FileRow::in_groups);
    fetch(connection, vec![files.collect::<Result<_, _>>()?]).await
}

async fn fetch<C: Connection>(
    connection: &mut C,
    bundles: Vec<Vec<InGroups>>,
) -> Result<BundleRows, StoreError> {
    let wanted = bundles.iter().flatten().flat_map(|file| &file.groups);
    let packs = chunks::fetch(connection, C::GROUPS, &in_order(wanted.copied())).await?;
    let mut groups: FxHashMap<i64, Vec<i64>> = FxHashMap::default();
    for (id, list) in packs.iter().flat_map(Pack::parts) {
        let list = decode(list);
        let list = list.ok_or_else(|| StoreError::corrupt(format!("group {id} is not a list")));
        groups.insert(id, list?);
    }
    let bundles = bundles.into_iter().map(|files| {
        let files = files.into_iter().map(|file| file.with_chunks(&groups));
        files.collect()
    });
    let bundles: Vec<Vec<FileParts>> = bundles.collect::<Result<_, StoreError>>()?;
    let wanted = bundles.iter().flatten().flat_map(|file| &file.chunks);
    let packs = chunks::fetch(connection, C::CHUNKS, &in_order(wanted.copied())).await?;
    Ok(BundleRows { bundles, packs })
}

impl InGroups {
    fn with_chunks(mut self, groups: &FxHashMap<i64, Vec<i64>>) -> Result<FileParts, StoreError> {
        for group in &self.groups {
            let chunks = groups.get(group);
            let chunks = chunks.ok_or_else(|| self.parts.damaged("lacks a group of chunks"))?;
            self.parts.chunks.extend(chunks);
        }
        Ok(self.parts)
    }
}

impl FileRow {
    fn in_groups(&self) -> Result<InGroups, StoreError> {
        let damaged =
            || StoreError::corrupt(format!("file `{}` is not a list of groups", self.name));
        Ok(InGroups {
            parts: FileParts {
                digest: rows::digest(&self.digest)?,
                bytes: rows::size(self.bytes, &self.name)?,
                name: self.name.clone(),
                chunks: Vec::new(),
            },
            groups: decode(&self.groups).ok_or_else(damaged)?,
        })
    }
}

pub(super) fn in_order(ids: impl Iterator<Item = i64>) -> Vec<i64> {
    let mut ids: Vec<_> = ids.collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}
