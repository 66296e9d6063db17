//! Keeping files whole, beside their chunks.

use rustc_hash::FxHashSet;

use super::ingest::take_ids;
use super::rows::BATCH;
use crate::store::database::{Bound, Connection, Statement, among, query};
use crate::store::error::StoreError;
use crate::store::known::Ids;
use crate::store::sql;
use opatlas_source::Digest;

/// Keeps these files, which are stored, unless they are kept.
pub(super) async fn keep(
    connection: &mut impl Connection,
    files: &[(Digest, Vec<u8>)],
) -> Result<(), StoreError> {
    for batch in files.chunks(BATCH) {
        let mut ids = Ids::default();
        let digests = batch.iter().map(|(digest, _)| &digest.as_bytes()[..]);
        let stored = query(sql::FILES_KNOWN).among(digests);
        take_ids(connection, stored, &mut ids).await?;
        let kept = among(sql::WHOLE_FILES_KNOWN, ids.values().copied());
        let kept: Vec<(i64,)> = kept.fetch_all(&mut *connection).await?;
        let mut kept: FxHashSet<i64> = kept.into_iter().map(|(id,)| id).collect();
        let rows = batch.iter().filter_map(|(digest, packed)| {
            // Several names may have the same bytes.
            let id = ids.get(digest).copied().filter(|id| kept.insert(*id))?;
            Some([Bound::from(id), Bound::from(&packed[..])])
        });
        let rows: Vec<_> = rows.collect();
        if !rows.is_empty() {
            let statement = Statement::inserting(sql::WHOLE_FILES_INSERT, rows);
            statement.execute(&mut *connection).await?;
        }
    }
    Ok(())
}
