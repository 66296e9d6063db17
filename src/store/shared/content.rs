//! Getting a revision's bytes back.

use rustc_hash::FxHashMap;

use super::assembly::{Assembly, FileParts};
use super::chunks::{self, Pack};
use super::rows::{self, BATCH};
use super::{findings, revisions};
use crate::store::blocking;
use crate::store::database::{Connection, among, query};
use crate::store::error::{Missing, StoreError};
use crate::store::findings::{StoredRevision, Wanted};
use crate::store::ids::decode;
use crate::store::names::ProjectName;
use crate::store::sql;
use crate::store::whole::{StoredFiles, WholeFile};
use opatlas_source::{Bundle, Digest};

/// Revisions, fetched.
pub(super) struct Revisions {
    digests: Vec<Digest>,
    found: Vec<Option<Vec<u8>>>,
    files: Files,
}

/// The files of some bundles, fetched: those that are kept whole, and the others, put together as far as there
/// was time for it.
pub(super) struct Files {
    whole: Vec<Vec<WholeFile>>,
    assembly: Assembly,
    waiting: Vec<Pack>,
}

/// The files of a bundle.
#[derive(Clone, Default)]
struct Listed {
    whole: Vec<WholeFile>,
    in_groups: Vec<InGroups>,
}

/// A file, and the groups that its chunks are in.
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
        packed: Option<Vec<u8>>,
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
    rows.sort_by(|a, b| a.name.cmp(&b.name));
    let mut files: FxHashMap<i64, Listed> = FxHashMap::default();
    for row in rows {
        files.entry(row.revision).or_default().add(row)?;
    }
    // One that is wanted twice is unpacked or put together twice.
    let of_each = ids.iter();
    let of_each = of_each.map(|id| files.get(id).cloned().unwrap_or_default());
    Ok(Revisions {
        digests,
        found,
        files: fetched(connection, of_each.collect()).await?,
    })
}

/// Fetches one file of a revision.
pub(super) async fn of_file(
    connection: &mut impl Connection,
    project: &ProjectName,
    digest: Digest,
    name: &str,
) -> Result<Files, StoreError> {
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
    let mut files = Listed::default();
    rows.into_iter().try_for_each(|row| files.add(row))?;
    fetched(connection, vec![files]).await
}

/// Fetches a file by its row id, in both ways in which it is kept.
pub(super) async fn of_file_row(
    connection: &mut impl Connection,
    id: i64,
) -> Result<Files, StoreError> {
    let rows: Vec<FileRow> = query(sql::FILE_BY_ID)
        .bind(id)
        .fetch_all(&mut *connection)
        .await?;
    let (mut in_groups, mut whole) = (Listed::default(), Listed::default());
    for row in rows {
        in_groups.in_groups.push(row.in_groups()?);
        if row.packed.is_some() {
            whole.add(row)?;
        }
    }
    fetched(connection, vec![in_groups, whole]).await
}

impl Revisions {
    /// Ends putting the files together, as [`Files::assemble`] does.
    pub(super) fn assemble(self) -> Result<Vec<StoredRevision>, StoreError> {
        let files = self.files.assemble()?.into_iter();
        let revisions = files.zip(self.digests).zip(self.found);
        let revisions = revisions.map(|(((bundle, whole), digest), findings)| StoredRevision {
            files: StoredFiles::new(digest, bundle, whole),
            findings,
        });
        Ok(revisions.collect())
    }
}

impl Files {
    /// Ends putting the files of each bundle together and checks that they are what was stored; no I/O, a
    /// millisecond of work for a release. Files that are kept whole stay packed.
    pub(super) fn assemble(mut self) -> Result<Vec<(Bundle, Vec<WholeFile>)>, StoreError> {
        let mut waiting = self.waiting.iter();
        waiting.try_for_each(|pack| self.assembly.add(pack))?;
        let bundles = self.assembly.end()?.into_iter();
        Ok(bundles.zip(self.whole).collect())
    }
}

async fn fetched<C: Connection>(
    connection: &mut C,
    bundles: Vec<Listed>,
) -> Result<Files, StoreError> {
    let files = bundles
        .into_iter()
        .map(|files| (files.whole, files.in_groups));
    let (whole, mut bundles): (Vec<_>, Vec<_>) = files.unzip();
    let mut groups: FxHashMap<i64, Vec<i64>> = FxHashMap::default();
    let wanted = bundles.iter().flatten().flat_map(|file| &file.groups);
    let wanted = in_order(wanted.copied());
    chunks::fetch(connection, C::GROUPS, &wanted, |pack| {
        for (id, list) in pack.parts() {
            let list = decode(list);
            let list = list.ok_or_else(|| StoreError::corrupt(format!("group {id} is not a list")));
            groups.insert(id, list?);
        }
        Ok(())
    })
    .await?;
    let mut files = bundles.iter_mut().flatten();
    files.try_for_each(|file| file.name_chunks(&groups))?;
    let parts = |files: Vec<InGroups>| files.into_iter().map(|file| file.parts).collect();
    let (mut assembly, wanted) = Assembly::new(bundles.into_iter().map(parts).collect());
    let mut waiting = Vec::new();
    chunks::fetch(connection, C::CHUNKS, &wanted, |pack| {
        // A command has nothing else to do while the database is at work; a server answers others.
        if blocking::stays() {
            return assembly.add(&pack);
        }
        waiting.push(pack);
        Ok(())
    })
    .await?;
    Ok(Files {
        whole,
        assembly,
        waiting,
    })
}

impl InGroups {
    fn name_chunks(&mut self, groups: &FxHashMap<i64, Vec<i64>>) -> Result<(), StoreError> {
        for group in &self.groups {
            let chunks = groups.get(group);
            let chunks = chunks.ok_or_else(|| self.parts.damaged("lacks a group of chunks"))?;
            self.parts.chunks.extend(chunks);
        }
        Ok(())
    }
}

impl Listed {
    fn add(&mut self, row: FileRow) -> Result<(), StoreError> {
        match row.packed {
            Some(packed) => self.whole.push(WholeFile {
                digest: rows::digest(&row.digest)?,
                bytes: rows::size(row.bytes, &row.name)?,
                name: row.name,
                packed,
            }),
            None => self.in_groups.push(row.in_groups()?),
        }
        Ok(())
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

/// Sorted, each once.
pub(super) fn in_order(ids: impl Iterator<Item = i64>) -> Vec<i64> {
    let mut ids: Vec<_> = ids.collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}
