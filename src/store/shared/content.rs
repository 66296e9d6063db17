//! Getting a revision's bytes back, chunk by chunk, and checking them.

use rustc_hash::FxHashMap;

use super::chunks::Packed;
use super::rows::{self, BATCH};
use super::{findings, revisions};
use crate::store::database::{Connection, among, query};
use crate::store::error::{Missing, StoreError};
use crate::store::findings::{StoredRevision, Wanted};
use crate::store::ids::decode;
use crate::store::names::ProjectName;
use crate::store::sql;
use opatlas_source::{Bundle, Digest, Pair, both};

/// Revisions, their files taken apart.
pub(super) struct Revisions {
    digests: Vec<Digest>,
    found: Vec<Option<Vec<u8>>>,
    parts: Parts,
}

/// Files taken apart, as they are stored.
pub(super) struct Parts {
    /// Those of each bundle.
    files: Vec<Vec<FileParts>>,
    groups: FxHashMap<i64, Vec<i64>>,
    chunks: Packed,
}

#[derive(Clone)]
struct FileParts {
    name: String,
    digest: Digest,
    bytes: u64,
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

/// Fetches all files of revisions, and what was found in them.
pub(super) async fn of_revisions(
    connection: &mut impl Connection,
    project: &ProjectName,
    wanted: &[Wanted<'_>],
) -> Result<Revisions, StoreError> {
    let digests: Vec<Digest> = wanted.iter().map(|wanted| wanted.digest).collect();
    let ids = revisions::ids(connection, project, &digests).await?;
    let mut rows: Vec<FileRow> = Vec::new();
    for batch in in_order(ids.iter().copied()).chunks(BATCH) {
        let files = among(sql::FILES_WITH_GROUPS, batch.iter().copied());
        rows.extend(files.fetch_all(&mut *connection).await?);
    }
    let found = findings::of(connection, &ids, wanted).await?;
    let mut files: FxHashMap<i64, Vec<FileParts>> = FxHashMap::default();
    for row in rows {
        files.entry(row.revision).or_default().push(row.parts()?);
    }
    for files in files.values_mut() {
        files.sort_by(|a, b| a.name.cmp(&b.name));
    }
    // One that is wanted twice is put together twice.
    let of_each = ids
        .iter()
        .map(|id| files.get(id).cloned().unwrap_or_default());
    Ok(Revisions {
        digests,
        found,
        parts: parts(connection, of_each.collect()).await?,
    })
}

/// Fetches one file of a revision.
pub(super) async fn of_file(
    connection: &mut impl Connection,
    project: &ProjectName,
    digest: Digest,
    name: &str,
) -> Result<Parts, StoreError> {
    let (_, id) = revisions::id(connection, project, digest).await?;
    // PostgreSQL refuses to compare with a text that it could not hold.
    let rows: Vec<FileRow> = match name.contains('\0') {
        true => Vec::new(),
        false => {
            let file = query(sql::FILE_OF_REVISION).bind(id).bind(name);
            file.fetch_all(&mut *connection).await?
        }
    };
    if rows.is_empty() {
        let name = name.to_owned();
        return Err(Missing::File { digest, name }.into());
    }
    parts(connection, vec![taken_apart(rows)?]).await
}

/// Fetches a file by its row id.
pub(super) async fn of_file_row(
    connection: &mut impl Connection,
    id: i64,
) -> Result<Parts, StoreError> {
    let rows = query(sql::FILE_BY_ID)
        .bind(id)
        .fetch_all(&mut *connection)
        .await?;
    parts(connection, vec![taken_apart(rows)?]).await
}

impl Revisions {
    /// Puts all files together, as [`Parts::assemble`] does, and checks that they make these revisions.
    pub(super) fn assemble(self, pair: &dyn Pair) -> Result<Vec<StoredRevision>, StoreError> {
        let bundles = self.parts.assemble(pair)?;
        let revisions = bundles.into_iter().zip(self.digests).zip(self.found);
        let revisions = revisions.map(|((bundle, digest), findings)| match bundle.digest() {
            same if same == digest => Ok(StoredRevision { bundle, findings }),
            _ => Err(StoreError::corrupt(format!(
                "the files of revision sha256:{digest} differ from those stored"
            ))),
        });
        revisions.collect()
    }
}

impl Parts {
    /// Puts the files of each bundle together and checks that they are what was stored, one half of the bundles
    /// beside the other; no I/O, a millisecond of work for a release.
    pub(super) fn assemble(&self, pair: &dyn Pair) -> Result<Vec<Bundle>, StoreError> {
        self.bundles(&self.files, pair)
    }

    fn bundles(
        &self,
        files: &[Vec<FileParts>],
        pair: &dyn Pair,
    ) -> Result<Vec<Bundle>, StoreError> {
        if let [] | [_] = files {
            return files.iter().map(|files| self.bundle(files)).collect();
        }
        let (one, other) = files.split_at(files.len() / 2);
        let put = |files| self.bundles(files, pair);
        let (one, other) = both(pair, || put(one), || put(other));
        Ok([one?, other?].concat())
    }

    fn bundle(&self, files: &[FileParts]) -> Result<Bundle, StoreError> {
        let mut bundle = Bundle::default();
        for file in files {
            bundle.insert(&file.name, self.file(file)?);
            if bundle.file_digest(&file.name) != Some(file.digest) {
                return Err(file.damaged("has other bytes than were stored"));
            }
        }
        Ok(bundle)
    }

    fn file(&self, file: &FileParts) -> Result<Vec<u8>, StoreError> {
        let damaged = |what: &str| file.damaged(what);
        let mut bytes = Vec::with_capacity(usize::try_from(file.bytes).unwrap_or(0).min(1 << 26));
        for group in &file.groups {
            let group = self
                .groups
                .get(group)
                .ok_or_else(|| damaged("lacks a group of chunks"))?;
            for chunk in group {
                let chunk = self
                    .chunks
                    .get(*chunk)
                    .ok_or_else(|| damaged("lacks a chunk"))?;
                bytes.extend_from_slice(chunk);
            }
        }
        Ok(bytes)
    }
}

fn taken_apart(rows: Vec<FileRow>) -> Result<Vec<FileParts>, StoreError> {
    rows.into_iter().map(FileRow::parts).collect()
}

async fn parts<C: Connection>(
    connection: &mut C,
    files: Vec<Vec<FileParts>>,
) -> Result<Parts, StoreError> {
    let mut groups = FxHashMap::default();
    let all = files.iter().flatten();
    let wanted = all.flat_map(|file| file.groups.iter().copied());
    let wanted = in_order(wanted);
    let lists = Packed::fetch(connection, C::GROUPS, wanted.iter().copied()).await?;
    for id in wanted {
        // One that is missing is noticed where a file has it.
        if let Some(list) = lists.get(id) {
            let list = decode(list);
            groups.insert(
                id,
                list.ok_or_else(|| StoreError::corrupt(format!("group {id} is not a list")))?,
            );
        }
    }
    let wanted = groups.values().flatten().copied();
    let chunks = Packed::fetch(connection, C::CHUNKS, wanted).await?;
    Ok(Parts {
        files,
        groups,
        chunks,
    })
}

impl FileParts {
    fn damaged(&self, what: &str) -> StoreError {
        let Self { name, digest, .. } = self;
        StoreError::corrupt(format!("file `{name}` (sha256:{digest}) {what}"))
    }
}

impl FileRow {
    fn parts(self) -> Result<FileParts, StoreError> {
        let damaged =
            || StoreError::corrupt(format!("file `{}` is not a list of groups", self.name));
        Ok(FileParts {
            digest: rows::digest(&self.digest)?,
            bytes: rows::size(self.bytes, &self.name)?,
            groups: decode(&self.groups).ok_or_else(damaged)?,
            name: self.name,
        })
    }
}

/// Sorted, each once.
pub(super) fn in_order(ids: impl Iterator<Item = i64>) -> Vec<i64> {
    let mut ids: Vec<_> = ids.collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}
