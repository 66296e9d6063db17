//! Long lists, one JSON value a line, made piece by piece while they are sent.

use std::ops::Range;

use axum::body::Body;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use bytes::Bytes;
use futures_util::stream;
use serde::Serialize;

use crate::http::negotiate::Media;
use crate::http::respond;
use crate::service::{Encoding, ViewId};

/// How many lines are made at once: a fraction of a millisecond of work.
const PIECE: usize = 64;

/// An answer of `count` lines. `make` makes those of a range.
pub fn lines(
    id: ViewId,
    count: usize,
    make: impl Fn(Range<usize>) -> Vec<u8> + Send + 'static,
) -> Response {
    let pieces = (0..count).step_by(PIECE);
    let pieces = pieces.map(move |from| {
        let bytes = make(from..count.min(from + PIECE));
        Ok::<_, std::convert::Infallible>(Bytes::from(bytes))
    });
    let mut response = Response::new(Body::from_stream(stream::iter(pieces)));
    let headers = response.headers_mut();
    respond::caching(headers);
    headers.insert(header::ETAG, respond::etag(id, Encoding::Plain));
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static(Media::NdJson.as_str()),
    );
    response
}

/// Adds a value and the end of its line.
pub fn push_line<T: Serialize>(text: &mut Vec<u8>, value: &T) {
    // Writing to memory does not fail, and ours have string keys only.
    let _ = serde_json::to_writer(&mut *text, value);
    text.push(b'\n');
}
