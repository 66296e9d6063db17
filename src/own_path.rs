//! Paths of requests that the program makes to its own HTTP API.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// The characters that a path or a query needs no escape for stay.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'.').remove(b'-').remove(b'_');

/// The path with these segments.
#[must_use]
pub fn path(segments: &[&str]) -> String {
    let segments = segments.iter().map(|segment| encoded(segment));
    segments
        .flat_map(|segment| ["/".to_owned(), segment])
        .collect()
}

/// A text as a segment, or as a value in a query.
#[must_use]
pub fn encoded(text: &str) -> String {
    utf8_percent_encode(text, ESCAPED).to_string()
}
