//! Long answers, sent while they are made: lists with one JSON value a line, and comparisons.

use std::sync::Arc;

use axum::body::Body;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use bytes::Bytes;
use futures_util::stream;
use opatlas_source::Stop;
use serde::Serialize;

use crate::http::Api;
use crate::http::middleware::kept::Keepable;
use crate::http::negotiate::{Accept, Media};
use crate::http::respond;
use crate::service::search::{Filter, find};
use crate::service::{
    Effort, Encoding, Items, Reading, Resolved, ServiceError, Snapshot, Unpacker, ViewId,
};
use crate::wire::json;
use crate::wire::operators::expect_values;
use crate::wire::problem::Problem;
use opatlas_operators::operator::OperatorId;

/// How many compressed bytes are decompressed at once.
const STEP: usize = 8 << 10;
/// How many lines are sent together, of some kilobytes each.
const LINES: usize = 64;

/// Answers with a line for each operator that a filter asks for: 304 where the client has them, what
/// is in memory, or what `line` makes of each.
///
/// # Errors
/// The problem of loading the snapshot, of the filter, or of making the first lines.
pub async fn operators(
    api: &Api,
    accept: &Accept,
    revision: &Resolved,
    (view, filter): (&'static str, Filter),
    line: impl Fn(&Snapshot, OperatorId, &mut Vec<u8>) + Send + Sync + 'static,
) -> Result<Response, Problem> {
    let id = ViewId::new(revision, view, &filter, Media::NdJson.as_str());
    if let Some(response) = respond::not_modified(accept, id) {
        return Ok(response);
    }
    let form = form(accept);
    let reading = match api.service.bulk(id, form) {
        Some(reading) => reading,
        None => {
            let snapshot = api.service.snapshot(revision).await?;
            filter.check(&snapshot.catalogue)?;
            expect_values(&snapshot.catalogue, &filter)?;
            let items = move |stop: &Stop| lines(snapshot, &filter, line, stop);
            api.service.make_bulk((id, form), items)
        }
    };
    let mut response = answer(accept, id, Media::NdJson, reading).await?;
    if accept.encoding != Encoding::Plain {
        let (holds, is_of_today) = (revision.holds, false);
        respond::keep_if_whole(&mut response, Keepable { holds, is_of_today });
    }
    Ok(response)
}

/// The form in which a long answer is made for a client. Plain text is made of Zstandard.
#[must_use]
pub fn form(accept: &Accept) -> Encoding {
    match accept.encoding {
        Encoding::Gzip => Encoding::Gzip,
        Encoding::Zstd | Encoding::Plain => Encoding::Zstd,
    }
}

/// Answers with what is read, in the encoding that the client likes best. Waits for the first piece, so that
/// an early failure becomes a problem document.
///
/// # Errors
/// The problem of making the first piece.
pub async fn answer(
    accept: &Accept,
    id: ViewId,
    media: Media,
    reading: Reading,
) -> Result<Response, Problem> {
    let mut response = send(accept.encoding, reading).await?;
    let headers = response.headers_mut();
    respond::caching(headers);
    headers.insert(header::ETAG, respond::etag(id, accept.encoding));
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static(media.as_str()),
    );
    if let Some(coding) = respond::coding(accept.encoding) {
        headers.insert(header::CONTENT_ENCODING, coding);
    }
    Ok(response)
}

/// The lines of the operators that a filter asks for.
fn lines(
    snapshot: Arc<Snapshot>,
    filter: &Filter,
    line: impl Fn(&Snapshot, OperatorId, &mut Vec<u8>) + Send + Sync + 'static,
    stop: &Stop,
) -> Result<Items, ServiceError> {
    let found = find(&snapshot, filter, stop)?;
    Ok(Items {
        count: found.len(),
        piece: LINES,
        make: Box::new(move |range, text| {
            for &id in &found[range] {
                line(&snapshot, id, text);
            }
            Ok(())
        }),
        aside: Box::new(|| ()),
        effort: Effort::Often,
    })
}

/// Streams an answer.
async fn send(encoding: Encoding, mut reading: Reading) -> Result<Response, Problem> {
    if let Some(whole) = reading.whole().await {
        if encoding != Encoding::Plain {
            return Ok(Response::new(Body::from(whole)));
        }
        if whole.len() <= STEP {
            let unpacker = Unpacker::new();
            let text = unpacker.and_then(|mut unpacker| unpacker.unpack(&whole));
            return Ok(Response::new(Body::from(
                text.map_err(ServiceError::failed)?,
            )));
        }
    }
    let first = reading.next().await.map_err(ServiceError::Shared)?;
    let unpacker = match encoding {
        Encoding::Plain => Some(Unpacker::new().map_err(ServiceError::failed)?),
        _ => None,
    };
    let sending = Sending {
        reading,
        rest: first.unwrap_or_default(),
        unpacker,
    };
    let pieces = stream::try_unfold(sending, Sending::next);
    Ok(Response::new(Body::from_stream(pieces)))
}

/// An answer that is being sent.
struct Sending {
    reading: Reading,
    /// What is read but not sent.
    rest: Bytes,
    /// For who wants plain text.
    unpacker: Option<Unpacker>,
}

impl Sending {
    async fn next(mut self) -> Result<Option<(Bytes, Self)>, ServiceError> {
        loop {
            if self.rest.is_empty() {
                match self.reading.next().await.map_err(ServiceError::Shared)? {
                    Some(piece) => self.rest = piece,
                    None => return Ok(None),
                }
            }
            let Some(unpacker) = &mut self.unpacker else {
                return Ok(Some((std::mem::take(&mut self.rest), self)));
            };
            let packed = self.rest.split_to(STEP.min(self.rest.len()));
            let text = unpacker.unpack(&packed).map_err(ServiceError::failed)?;
            // A piece may end within a block.
            if !text.is_empty() {
                return Ok(Some((text.into(), self)));
            }
        }
    }
}

/// Adds a value and the end of its line.
pub fn push_line<T: Serialize>(text: &mut Vec<u8>, value: &T) {
    json::push(text, value);
    text.push(b'\n');
}
