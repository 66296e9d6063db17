//! Long answers, sent while they are made: comparisons, and lists of one JSON value per line.

use std::io::Write;

use axum::body::Body;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use bytes::Bytes;
use futures_util::stream;
use opatlas_source::Stop;
use serde::Serialize;

use crate::http::Api;
use crate::http::middleware::bounds::Buffers;
use crate::http::middleware::kept::Keepable;
use crate::http::negotiate::{Accept, Media};
use crate::http::respond;
use crate::http::server::SOCKET_BUFFER;
use opatlas_operators::operator::OperatorId;
use opatlas_service::search::{Filter, find};
use opatlas_service::{
    Encoding, Reading, Resolved, Service, ServiceError, Snapshot, Unpacker, ViewId,
};
use opatlas_wire::json;
use opatlas_wire::operators::expect_values;
use opatlas_wire::problem::Problem;

/// The maximum compressed size of a plain answer that is decompressed at once, in bytes.
const STEP: usize = 8 << 10;
/// The size of a streamed answer in the buffers of its connection, in bytes: the socket's and
/// hyper's.
const SENDING: usize = 2 * SOCKET_BUFFER as usize;

/// Answers with a line for each operator that matches a filter: with 304, from the cache, or with
/// what `line` writes. Fails with the problem of loading the snapshot, of the filter, or of making
/// the first lines.
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
            let write = move |stop: &Stop, out: &mut dyn Write| {
                write_lines(&snapshot, &filter, line, (stop, out))
            };
            api.service.make_bulk((id, form), write)
        }
    };
    let mut response = answer(&api.service, accept, (id, Media::NdJson), reading).await?;
    if accept.encoding != Encoding::Plain {
        let (holds, is_of_today) = (revision.holds, false);
        respond::keep_if_whole(&mut response, Keepable { holds, is_of_today });
    }
    Ok(response)
}

/// The encoding in which a long answer is made and cached. Plain text is decompressed from Zstandard.
#[must_use]
pub fn form(accept: &Accept) -> Encoding {
    match accept.encoding {
        Encoding::Gzip => Encoding::Gzip,
        Encoding::Zstd | Encoding::Plain => Encoding::Zstd,
    }
}

/// Answers with a long answer in the client's preferred encoding. Waits for the first piece, so
/// that an early failure becomes a problem document.
pub async fn answer(
    service: &Service,
    accept: &Accept,
    (id, media): (ViewId, Media),
    reading: Reading,
) -> Result<Response, Problem> {
    let mut response = send(service, accept.encoding, reading).await?;
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

fn write_lines(
    snapshot: &Snapshot,
    filter: &Filter,
    line: impl Fn(&Snapshot, OperatorId, &mut Vec<u8>),
    (stop, out): (&Stop, &mut dyn Write),
) -> Result<(), ServiceError> {
    let mut text = Vec::new();
    for id in find(snapshot, filter, stop)? {
        text.clear();
        line(snapshot, id, &mut text);
        out.write_all(&text).map_err(ServiceError::of_write)?;
    }
    Ok(())
}

async fn send(
    service: &Service,
    encoding: Encoding,
    mut reading: Reading,
) -> Result<Response, Problem> {
    let is_plain = encoding == Encoding::Plain;
    if let Some(whole) = reading.whole().await {
        if !is_plain {
            return Ok(Response::new(Body::from(whole)));
        }
        if whole.len() <= STEP
            && let Some(text) = short_text(&whole).map_err(ServiceError::failed)?
        {
            return Ok(Response::new(Body::from(service.hold(text)?)));
        }
    }
    let first = reading.next().await.map_err(ServiceError::Shared)?;
    let sending = AnswerStream {
        reading,
        rest: first.unwrap_or_default(),
        is_plain,
        unpacker: None,
    };
    let pieces = stream::try_unfold(sending, AnswerStream::next);
    let mut response = Response::new(Body::from_stream(pieces));
    let unpacker = if is_plain { Unpacker::MEMORY } else { 0 };
    let buffers = Buffers(SENDING + unpacker);
    response.extensions_mut().insert(buffers);
    Ok(response)
}

/// The text of a whole answer, if it is short.
fn short_text(whole: &Bytes) -> std::io::Result<Option<Vec<u8>>> {
    let mut unpacker = Unpacker::new()?;
    let mut packed = whole.clone();
    let text = unpacker.unpack(&mut packed)?;
    let is_all = unpacker.unpack(&mut packed)?.is_empty();
    Ok(is_all.then_some(text))
}

struct AnswerStream {
    reading: Reading,
    rest: Bytes,
    is_plain: bool,
    /// The decompressor of plain text, made after its memory is reserved.
    unpacker: Option<Unpacker>,
}

impl AnswerStream {
    async fn next(mut self) -> Result<Option<(Bytes, Self)>, ServiceError> {
        loop {
            let piece = self.piece().map_err(ServiceError::failed)?;
            if !piece.is_empty() {
                return Ok(Some((piece, self)));
            }
            match self.reading.next().await.map_err(ServiceError::Shared)? {
                Some(piece) => self.rest = piece,
                None => return Ok(None),
            }
        }
    }

    fn piece(&mut self) -> std::io::Result<Bytes> {
        if !self.is_plain {
            return Ok(std::mem::take(&mut self.rest));
        }
        let unpacker = match &mut self.unpacker {
            Some(unpacker) => unpacker,
            none => none.insert(Unpacker::new()?),
        };
        Ok(unpacker.unpack(&mut self.rest)?.into())
    }
}

/// A list as JSON, or its items as lines.
#[must_use]
pub fn text<T: Serialize, I: Serialize>(media: Media, list: &T, items: &[I]) -> Vec<u8> {
    match media {
        Media::NdJson => lines(items),
        _ => json::json(list),
    }
}

/// Values as lines.
#[must_use]
pub fn lines<'a, T: Serialize + 'a>(values: impl IntoIterator<Item = &'a T>) -> Vec<u8> {
    let mut text = Vec::new();
    for value in values {
        push_line(&mut text, value);
    }
    text
}

/// Appends a value and a line break.
pub fn push_line<T: Serialize>(text: &mut Vec<u8>, value: &T) {
    json::push(text, value);
    text.push(b'\n');
}
