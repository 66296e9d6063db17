//! Lists in pages: `{items, next_cursor}`.

use std::fmt::Write as _;
use std::hash::Hash;

use opatlas_service::ViewId;
use opatlas_wire::page::PageQuery;
use opatlas_wire::problem::{Kind, Problem};

/// The default number of items in a page.
pub const DEFAULT_LIMIT: u32 = 100;

/// The maximum number of items in a page.
pub const MAX_LIMIT: u32 = 1000;

/// The number of items in a page. Fails with [`Kind::InvalidParameter`] outside of `1..=1000`.
pub fn limit(asked: Option<u32>) -> Result<u32, Problem> {
    match asked {
        None => Ok(DEFAULT_LIMIT),
        Some(limit) if (1..=MAX_LIMIT).contains(&limit) => Ok(limit),
        Some(limit) => Err(Problem::new(
            Kind::InvalidParameter,
            format!("limit: {limit} is not between 1 and {MAX_LIMIT}"),
        )
        .about("limit")),
    }
}

/// A page of an in-memory list, and the next cursor. `name` and `filter` identify the list. Fails
/// with [`Kind::InvalidParameter`] or [`Kind::InvalidCursor`].
pub fn cut<'a, T>(
    name: &str,
    filter: &impl Hash,
    items: &'a [T],
    query: &PageQuery,
) -> Result<(&'a [T], Option<String>), Problem> {
    let limit = limit(query.limit)? as usize;
    let cursors = Cursors::of(ViewId::of_program(name, filter));
    let from = match &query.cursor {
        Some(cursor) => cursors.decode_number(cursor)?,
        None => 0_usize,
    };
    let next = from.saturating_add(limit);
    let part = &items[from.min(items.len())..next.min(items.len())];
    Ok((
        part,
        (next < items.len()).then(|| cursors.encode(&next.to_string())),
    ))
}

/// Cursors of one list with its parameters. They carry a mark, so that other lists reject them.
#[derive(Debug, Clone, Copy)]
pub struct Cursors {
    mark: u32,
}

impl Cursors {
    /// The cursors of the list with this id.
    #[must_use]
    pub fn of(list: ViewId) -> Self {
        Self { mark: list.mark() }
    }

    /// The cursor of a position.
    #[must_use]
    pub fn encode(self, place: &str) -> String {
        let mut text = format!("{:08x}", self.mark);
        for byte in place.bytes() {
            // Writing to a string does not fail.
            let _ = write!(text, "{byte:02x}");
        }
        text
    }

    /// The position that a cursor encodes. Fails with [`Kind::InvalidCursor`].
    pub fn decode(self, cursor: &str) -> Result<String, Problem> {
        self.read(cursor).ok_or_else(invalid)
    }

    /// The number that a cursor encodes. Fails with [`Kind::InvalidCursor`].
    pub fn decode_number<T: std::str::FromStr>(self, cursor: &str) -> Result<T, Problem> {
        self.decode(cursor)?.parse().map_err(|_| invalid())
    }

    fn read(self, cursor: &str) -> Option<String> {
        let (mark, place) = cursor.split_at_checked(8)?;
        // Parsing a number would accept a sign.
        let is_hex = cursor.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_hex || u32::from_str_radix(mark, 16).ok()? != self.mark {
            return None;
        }
        let digits = place.as_bytes().chunks_exact(2);
        if !digits.remainder().is_empty() {
            return None;
        }
        let bytes = digits.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok());
        String::from_utf8(bytes.collect::<Option<Vec<u8>>>()?).ok()
    }
}

/// The problem of a cursor that does not belong to the list.
#[must_use]
pub fn invalid() -> Problem {
    Problem::new(Kind::InvalidCursor, Kind::InvalidCursor.meaning()).about("cursor")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_come_back_and_only_to_their_list() {
        let list = Cursors::of(ViewId::of_bytes(b"list"));
        let other = Cursors::of(ViewId::of_bytes(b"other"));
        let cursor = list.encode("300");
        assert_eq!(list.decode_number::<u32>(&cursor).unwrap(), 300);
        assert!(other.decode(&cursor).is_err());
        let signed = format!("{}+3", &cursor[..8]);
        for bad in [
            "",
            "é",
            "00000000",
            &cursor[..cursor.len() - 1],
            "zz",
            &signed,
        ] {
            assert!(list.decode(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn limits_have_bounds() {
        assert_eq!(limit(None).unwrap(), DEFAULT_LIMIT);
        assert!(limit(Some(0)).is_err() && limit(Some(1001)).is_err());
    }
}
