//! Chunks and groups, fetched many in a row.

use std::fmt::Write as _;
use std::ops::Range;

use futures_util::future::join;

use crate::store::database::{Connection, query};
use crate::store::error::StoreError;

/// Some chunks, or groups.
#[derive(Debug, Default)]
pub(super) struct Pack {
    /// Their contents, one after the other.
    pub content: Vec<u8>,
    /// Their ids, and where each is.
    pub places: Vec<(i64, Range<usize>)>,
}

/// Ids, sizes and contents of some, ids and sizes as decimal numbers with commas in between; all
/// null where there are none.
type Row = (Option<String>, Option<String>, Option<Vec<u8>>);

/// Fetches some by `select`, [`Connection::CHUNKS`] or [`Connection::GROUPS`], in packs, of which each has what
/// the next ids name. Those that do not exist are left out. While the database has the next pack, the last
/// one is taken.
pub(super) async fn fetch<C: Connection>(
    connection: &mut C,
    select: &'static str,
    ids: &[i64],
    mut take: impl FnMut(Pack) -> Result<(), StoreError> + Send,
) -> Result<(), StoreError> {
    let mut last: Option<Row> = None;
    for batch in ids.chunks(C::packed_at_once()) {
        let fetched = query(select).bind(listed(batch));
        let fetched = fetched.fetch_optional(&mut *connection);
        // The database is asked first.
        let added = async { Pack::of(last.take()).and_then(&mut take) };
        let (fetched, added) = join(fetched, added).await;
        added?;
        last = fetched?;
    }
    take(Pack::of(last)?)
}

impl Pack {
    fn of(row: Option<Row>) -> Result<Self, StoreError> {
        let Some((Some(ids), Some(sizes), content)) = row else {
            return Ok(Self::default());
        };
        let pack = Self::cut(&ids, &sizes, content.unwrap_or_default());
        pack.ok_or_else(|| StoreError::corrupt("rows have other sizes than they say"))
    }

    /// `None` where the parts do not fit each other.
    fn cut(ids: &str, sizes: &str, content: Vec<u8>) -> Option<Self> {
        let (mut ids, mut sizes) = (ids.split(','), sizes.split(','));
        let mut places = Vec::new();
        let mut begin = 0_usize;
        loop {
            let (id, size) = match (ids.next(), sizes.next()) {
                (Some(id), Some(size)) => (id.parse().ok()?, size.parse::<usize>().ok()?),
                (None, None) => break,
                _ => return None,
            };
            let end = begin.checked_add(size)?;
            places.push((id, begin..end));
            begin = end;
        }
        (begin == content.len()).then_some(Self { content, places })
    }

    /// Each with its bytes.
    pub(super) fn parts(&self) -> impl Iterator<Item = (i64, &[u8])> {
        let places = self.places.iter();
        places.map(|(id, range)| (*id, &self.content[range.clone()]))
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
    use super::Pack;

    #[test]
    fn packs_are_cut_and_checked() {
        let pack = Pack::cut("7,3,9", "2,0,1", b"abc".to_vec()).unwrap();
        let parts: Vec<_> = pack.parts().collect();
        assert_eq!(parts, [(7, &b"ab"[..]), (3, b""), (9, b"c")]);
        for (ids, sizes) in [
            ("1,2", "1"),
            ("1", "1,1"),
            ("1", "2"),
            ("1", "0"),
            ("1", "x"),
            ("", "1"),
        ] {
            let pack = Pack::cut(ids, sizes, b"c".to_vec());
            assert!(pack.is_none(), "{ids} {sizes}");
        }
    }
}
