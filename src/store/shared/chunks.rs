//! Chunks and groups, fetched many in a row.

use std::fmt::Write as _;
use std::ops::Range;

use futures_util::future::join;
use rustc_hash::FxHashMap;

use super::content::in_order;
use crate::store::database::{Connection, query};
use crate::store::error::StoreError;

/// Chunks, or groups, by their ids.
#[derive(Debug, Default)]
pub(super) struct Packed {
    packs: Vec<Vec<u8>>,
    places: FxHashMap<i64, (usize, Range<usize>)>,
}

/// Ids, sizes and contents of some, ids and sizes as decimal numbers with commas in between; all
/// null where there are none.
type Pack = (Option<String>, Option<String>, Option<Vec<u8>>);

impl Packed {
    /// Fetches them by `select`, [`Connection::CHUNKS`] or [`Connection::GROUPS`]. Those that do not exist
    /// are left out.
    pub(super) async fn fetch<C: Connection>(
        connection: &mut C,
        select: &'static str,
        ids: impl Iterator<Item = i64>,
    ) -> Result<Self, StoreError> {
        let ids = in_order(ids);
        let mut packed = Self::default();
        let mut last: Option<Pack> = None;
        for batch in ids.chunks(C::packed_at_once()) {
            let fetched = query(select).bind(listed(batch));
            let fetched = fetched.fetch_optional(&mut *connection);
            // While the database has the next row, which it is asked for first.
            let add = async { packed.unpack(last.take()) };
            let (fetched, added) = join(fetched, add).await;
            added?;
            last = fetched?;
        }
        packed.unpack(last)?;
        Ok(packed)
    }

    fn unpack(&mut self, pack: Option<Pack>) -> Result<(), StoreError> {
        let Some((Some(ids), Some(sizes), content)) = pack else {
            return Ok(());
        };
        let added = self.add(&ids, &sizes, content.unwrap_or_default());
        added.ok_or_else(|| StoreError::corrupt("rows have other sizes than they say"))
    }

    /// `None` where the parts do not fit each other.
    fn add(&mut self, ids: &str, sizes: &str, content: Vec<u8>) -> Option<()> {
        let (mut ids, mut sizes) = (ids.split(','), sizes.split(','));
        let mut begin = 0_usize;
        loop {
            let (id, size) = match (ids.next(), sizes.next()) {
                (Some(id), Some(size)) => (id.parse().ok()?, size.parse::<usize>().ok()?),
                (None, None) => break,
                _ => return None,
            };
            let end = begin.checked_add(size)?;
            self.places.insert(id, (self.packs.len(), begin..end));
            begin = end;
        }
        let fits = begin == content.len();
        self.packs.push(content);
        fits.then_some(())
    }

    /// The bytes of one.
    pub(super) fn get(&self, id: i64) -> Option<&[u8]> {
        let (pack, range) = self.places.get(&id)?;
        self.packs.get(*pack)?.get(range.clone())
    }
}

/// Ids as a text with commas in between.
fn listed(ids: &[i64]) -> String {
    let mut text = String::with_capacity(8 * ids.len());
    for (at, id) in ids.iter().enumerate() {
        text.push_str(if at == 0 { "" } else { "," });
        let _ = write!(text, "{id}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::Packed;

    #[test]
    fn packs_are_cut_and_checked() {
        let mut packed = Packed::default();
        assert!(packed.add("7,3", "2,0", b"ab".to_vec()).is_some());
        assert!(packed.add("9", "1", b"c".to_vec()).is_some());
        let get = |id| packed.get(id);
        assert_eq!(get(7), Some(&b"ab"[..]));
        assert_eq!(get(3), Some(&b""[..]));
        assert_eq!(get(9), Some(&b"c"[..]));
        assert_eq!(get(8), None);
        for (ids, sizes) in [
            ("1,2", "1"),
            ("1", "1,1"),
            ("1", "2"),
            ("1", "0"),
            ("1", "x"),
            ("", "1"),
        ] {
            assert!(
                Packed::default().add(ids, sizes, b"c".to_vec()).is_none(),
                "{ids} {sizes}"
            );
        }
    }
}
