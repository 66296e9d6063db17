//! Lists in pages: `{items, next_cursor}`, and the links between pages (RFC 8288).

use std::fmt::Write as _;
use std::hash::Hash;
use std::ops::Range;

use axum::http::{HeaderValue, Uri, header};
use axum::response::Response;
use opatlas_service::ViewId;
use opatlas_wire::page::PageQuery;

use crate::http::negotiate::Media;
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

/// The number of items in an answer. JSON comes in pages; other formats contain all items, unless the
/// request has a limit. Fails as [`limit`] does.
pub fn limit_of(media: Media, asked: Option<u32>) -> Result<Option<usize>, Problem> {
    match (media, asked) {
        (Media::Json, _) | (_, Some(_)) => Ok(Some(limit(asked)? as usize)),
        _ => Ok(None),
    }
}

/// The part of a list that a request asks for.
#[derive(Debug, Clone, Copy)]
pub struct Window {
    cursors: Cursors,
    /// The position of the first item.
    pub from: usize,
    /// The maximum number of items; `None` for all.
    pub limit: Option<usize>,
}

impl Window {
    /// The window of a request. Fails as [`limit`] and [`Cursors::decode`] do.
    pub fn of(
        media: Media,
        cursors: Cursors,
        (limit, cursor): (Option<u32>, Option<&str>),
    ) -> Result<Self, Problem> {
        let from = cursor.map(|cursor| cursors.decode_number(cursor));
        Ok(Self {
            cursors,
            from: from.transpose()?.unwrap_or_default(),
            limit: limit_of(media, limit)?,
        })
    }

    /// Whether it is the whole list.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.from == 0 && self.limit.is_none()
    }

    /// The parameters of a view of it.
    #[must_use]
    pub fn place(&self) -> (usize, Option<usize>) {
        (self.from, self.limit)
    }

    /// The positions, which may lie beyond the end of the list.
    #[must_use]
    pub fn positions(&self) -> Range<usize> {
        let end = self.limit.map(|limit| self.from.saturating_add(limit));
        self.from..end.unwrap_or(usize::MAX)
    }

    /// The positions within a list of this many items.
    #[must_use]
    pub fn within(&self, count: usize) -> Range<usize> {
        let positions = self.positions();
        positions.start.min(count)..positions.end.min(count)
    }

    /// The cursor of the next page of a list of at least this many items.
    #[must_use]
    pub fn next(&self, count: usize) -> Option<String> {
        let end = self.positions().end;
        (end < count).then(|| self.cursors.encode(&end.to_string()))
    }
}

/// Marks an answer as a page of a list, for [`link`].
#[derive(Debug, Clone)]
struct Paged {
    next: Option<String>,
}

/// Marks an answer as a page of a list, with the cursor of the next page.
pub fn mark(response: &mut Response, next: Option<String>) {
    response.extensions_mut().insert(Paged { next });
}

/// Adds the links to the first and the next page to an answer that is [marked](mark).
pub fn link(response: &mut Response, uri: &Uri) {
    let Some(Paged { next }) = response.extensions_mut().remove() else {
        return;
    };
    let pairs = uri.query().unwrap_or_default().split('&');
    let kept: Vec<&str> = pairs
        .filter(|pair| !pair.is_empty() && pair.split('=').next() != Some("cursor"))
        .collect();
    let target = |cursor: Option<String>| {
        let pairs = kept.iter().map(|pair| (*pair).to_owned()).chain(cursor);
        match pairs.collect::<Vec<_>>().join("&") {
            query if query.is_empty() => uri.path().to_owned(),
            query => format!("{}?{query}", uri.path()),
        }
    };
    let mut links = format!("<{}>; rel=\"first\"", target(None));
    if let Some(next) = next {
        let next = target(Some(format!("cursor={next}")));
        links.push_str(&format!(", <{next}>; rel=\"next\""));
    }
    if let Ok(links) = HeaderValue::from_str(&links) {
        response.headers_mut().insert(header::LINK, links);
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
    let cursors = Cursors::of(ViewId::of_program(name, filter));
    let asked = (query.limit, query.cursor.as_deref());
    let window = Window::of(Media::Json, cursors, asked)?;
    Ok((&items[window.within(items.len())], window.next(items.len())))
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
    fn links_keep_the_query() {
        for (uri, next, expected) in [
            ("/v1/rules", None, "</v1/rules>; rel=\"first\""),
            (
                "/v1/rules?cursor=1a&limit=5&kind=",
                Some("2b"),
                "</v1/rules?limit=5&kind=>; rel=\"first\", \
                 </v1/rules?limit=5&kind=&cursor=2b>; rel=\"next\"",
            ),
        ] {
            let mut response = Response::default();
            mark(&mut response, next.map(str::to_owned));
            link(&mut response, &uri.parse().unwrap());
            assert_eq!(response.headers()[header::LINK], expected);
        }
    }

    #[test]
    fn limits_have_bounds() {
        assert_eq!(limit(None).unwrap(), DEFAULT_LIMIT);
        assert!(limit(Some(0)).is_err() && limit(Some(1001)).is_err());
    }
}
