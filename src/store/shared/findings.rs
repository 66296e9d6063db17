//! What the rules found in a revision.

use rustc_hash::FxHashMap;

use super::rows::BATCH;
use crate::store::database::{Connection, query};
use crate::store::error::StoreError;
use crate::store::findings::{FindingsRecord, Wanted};
use crate::store::sql;

/// What is kept of the wanted findings of the revisions with these row ids, in their order.
pub(super) async fn of(
    connection: &mut impl Connection,
    revisions: &[i64],
    wanted: &[Wanted<'_>],
) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
    let Some((_, program)) = wanted.iter().find_map(|wanted| wanted.findings) else {
        return Ok(vec![None; wanted.len()]);
    };
    let mut kept = FxHashMap::default();
    for batch in revisions.chunks(BATCH) {
        let rows = query(sql::FINDINGS).bind(program);
        let rows = rows.among(batch.iter().copied());
        let rows: Vec<(i64, String, Vec<u8>)> = rows.fetch_all(&mut *connection).await?;
        kept.extend(
            rows.into_iter()
                .map(|(id, release, packed)| (id, (release, packed))),
        );
    }
    let found = revisions.iter().zip(wanted).map(|(id, wanted)| {
        let (release, packed) = kept.get(id)?;
        (wanted.findings == Some((release, program))).then(|| packed.clone())
    });
    Ok(found.collect())
}

/// Keeps what was found in the revision with this row id.
pub(super) async fn set(
    connection: &mut impl Connection,
    revision: i64,
    findings: &FindingsRecord,
) -> Result<(), StoreError> {
    query(sql::FINDINGS_SET)
        .bind(revision)
        .bind(&findings.release)
        .bind(&findings.program)
        .bind(&findings.packed[..])
        .execute(connection)
        .await?;
    Ok(())
}
