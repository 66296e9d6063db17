//! Fetches many chunks or groups per row.

use std::fmt::Write as _;
use std::ops::Range;

use crate::database::{Connection, query};
use crate::error::StoreError;

const PACKED_AT_ONCE: usize = 512;

#[derive(Debug, Default)]
pub(super) struct Pack {
    /// Their contents, concatenated.
    pub content: Vec<u8>,
    /// Their ids and positions in `content`.
    pub places: Vec<(i64, Range<usize>)>,
}

type Row = (Option<String>, Option<String>, Option<Vec<u8>>);

/// Fetches rows of `select`, [`Connection::CHUNKS`] or [`Connection::GROUPS`]. Skips unknown ids.
pub(super) async fn fetch<C: Connection>(
    connection: &mut C,
    select: &'static str,
    ids: &[i64],
) -> Result<Vec<Pack>, StoreError> {
    let mut packs = Vec::new();
    for batch in ids.chunks(PACKED_AT_ONCE) {
        let row = query(select).bind(listed(batch));
        packs.push(Pack::of(row.fetch_optional(&mut *connection).await?)?);
    }
    Ok(packs)
}

impl Pack {
    fn of(row: Option<Row>) -> Result<Self, StoreError> {
        let Some((Some(ids), Some(sizes), content)) = row else {
            return Ok(Self::default());
        };
        let pack = Self::cut(&ids, &sizes, content.unwrap_or_default());
        pack.ok_or_else(|| StoreError::corrupt("rows have other sizes than they say"))
    }

    /// `None` if the columns contradict each other.
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

    pub(super) fn parts(&self) -> impl Iterator<Item = (i64, &[u8])> {
        let places = self.places.iter();
        places.map(|(id, range)| (*id, &self.content[range.clone()]))
    }
}

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
