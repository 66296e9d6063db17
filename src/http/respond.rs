//! Answers: cached views with ETags, and values that are made for one request.

use std::hash::Hash;
use std::sync::Arc;

use axum::body::{Body, HttpBody as _};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use opatlas_source::Stop;
use serde::Serialize;

use crate::http::Api;
use crate::http::middleware::kept::Keepable;
use crate::http::negotiate::{Accept, Media};
use crate::http::page;
use crate::http::stream;
use opatlas_service::{Encoding, Holds, Resolved, Service, Snapshot, View, ViewId};
use opatlas_wire::json::json;
use opatlas_wire::problem::Problem;

/// The parts of a snapshot that a view needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Making {
    /// The parsed files.
    Parsed,
    /// The parsed files and the findings.
    Checked,
    /// The parsed files and the default dispatch tables.
    Tabulated,
}

/// The cost of a view once the snapshot is ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// A view of one operator takes ten microseconds unless the revision is unusually large
    /// ([`Snapshot::is_ordinary`]), so it does not switch threads.
    Little,
    /// A view of all operators, or one that needs further tables.
    Much,
}

/// A requested view.
#[derive(Debug)]
pub struct ViewRequest<'a, P> {
    /// The revision.
    pub revision: &'a Resolved,
    /// The name of the view.
    pub view: &'static str,
    /// The parameters that it depends on.
    pub parameters: P,
    /// Its media type.
    pub media: Media,
    /// The parts of the snapshot that it needs.
    pub making: Making,
    /// Its cost.
    pub effort: Effort,
}

/// Answers with a view: with 304, from the cache, or with what `make` makes of the snapshot. Fails
/// with the problem of loading the snapshot, or that of `make`.
pub async fn view<P: Hash>(
    api: &Api,
    accept: &Accept,
    request: ViewRequest<'_, P>,
    make: impl FnOnce(&Snapshot, &Stop) -> Result<Vec<u8>, Problem> + Send + 'static,
) -> Result<Response, Problem> {
    let make = |snapshot: &Snapshot, stop: &Stop| Ok(vec![make(snapshot, stop)?]);
    let (response, _) = in_parts(api, accept, request, make).await?;
    Ok(response)
}

/// Answers with a page of a list: like [`view`], but `make` also returns the cursor of the next page,
/// which becomes a link. It is cached as a second part of the view.
pub async fn page<P: Hash>(
    api: &Api,
    accept: &Accept,
    request: ViewRequest<'_, P>,
    make: impl FnOnce(&Snapshot, &Stop) -> Result<(Vec<u8>, Option<String>), Problem> + Send + 'static,
) -> Result<Response, Problem> {
    let make = |snapshot: &Snapshot, stop: &Stop| {
        let (bytes, next) = make(snapshot, stop)?;
        Ok(with_next(bytes, next))
    };
    let (mut response, view) = in_parts(api, accept, request, make).await?;
    if let Some(view) = view {
        page::mark(&mut response, next_of(view.parts().get(1).copied()));
    }
    Ok(response)
}

/// The parts of a page: its bytes, and the cursor of the next page.
#[must_use]
pub fn with_next(bytes: Vec<u8>, next: Option<String>) -> Vec<Vec<u8>> {
    let next = next.map(String::into_bytes);
    std::iter::once(bytes).chain(next).collect()
}

fn next_of(part: Option<&Bytes>) -> Option<String> {
    String::from_utf8(part?.to_vec()).ok()
}

/// Answers with a page that is not cached, from its parts ([`with_next`]).
pub async fn bytes_of_page(
    api: &Api,
    accept: &Accept,
    media: Media,
    parts: &[Bytes],
) -> Result<Response, Problem> {
    let text = parts.first().cloned().unwrap_or_default();
    let mut response = bytes(api, accept, StatusCode::OK, media, text).await?;
    page::mark(&mut response, next_of(parts.get(1)));
    Ok(response)
}

/// Answers with the first part of a view; the view is absent from a 304.
async fn in_parts<P: Hash>(
    api: &Api,
    accept: &Accept,
    request: ViewRequest<'_, P>,
    make: impl FnOnce(&Snapshot, &Stop) -> Result<Vec<Vec<u8>>, Problem> + Send + 'static,
) -> Result<(Response, Option<Arc<View>>), Problem> {
    let ViewRequest {
        revision,
        view,
        parameters,
        media,
        making,
        effort,
    } = request;
    let id = ViewId::new(revision, view, &parameters, media.as_str());
    if let Some(response) = not_modified(accept, id) {
        return Ok((response, None));
    }
    let service = &api.service;
    let made = async {
        let snapshot = match making {
            Making::Checked => service.checked(revision).await?,
            Making::Parsed => service.snapshot(revision).await?,
            Making::Tabulated => service.tabulated(revision).await?,
        };
        if effort == Effort::Little && snapshot.is_ordinary() {
            let parts = make(&snapshot, &Stop::new())?.into_iter();
            let parts = parts.map(|part| service.hold(part));
            return Ok(View::in_parts(parts.collect::<Result<_, _>>()?));
        }
        let parts = service.make_parts(move |stop| make(&snapshot, stop));
        Ok(View::in_parts(parts.await?))
    };
    let view = service.view::<Problem>(id, made).await?;
    let mut response = encoded(service, accept, id, media, &view).await?;
    keep(&mut response, revision.holds);
    Ok((response, Some(view)))
}

/// Marks an answer for the cache of whole answers.
pub fn keep(response: &mut Response, holds: impl Into<Holds>) {
    let (holds, is_of_today) = (holds.into(), false);
    response
        .extensions_mut()
        .insert(Keepable { holds, is_of_today });
}

/// Marks an answer for the cache of whole answers, unless it is streamed.
pub fn keep_if_whole(response: &mut Response, keepable: Keepable) {
    if response.body().size_hint().exact().is_some() {
        response.extensions_mut().insert(keepable);
    }
}

/// Answers with a view that depends only on the program. Fails with the problem of `make`.
pub async fn program_view<P: Hash>(
    api: &Api,
    accept: &Accept,
    (view, parameters): (&'static str, P),
    media: Media,
    make: impl FnOnce() -> Result<Vec<u8>, Problem> + Send,
) -> Result<Response, Problem> {
    let id = ViewId::of_program(view, &(parameters, media));
    if let Some(response) = not_modified(accept, id) {
        return Ok(response);
    }
    let made = async { Ok(api.service.hold(make()?)?) };
    let view = api.service.view::<Problem>(id, made).await?;
    encoded(&api.service, accept, id, media, &view).await
}

/// Answers with a value that is not cached. Its ETag is a digest of its bytes.
pub async fn value<T: Serialize>(
    api: &Api,
    accept: &Accept,
    status: StatusCode,
    value: &T,
) -> Result<Response, Problem> {
    let value = api.service.hold(json(value))?;
    bytes(api, accept, status, Media::Json, value).await
}

/// Answers with a list that is not cached: as JSON, or its items as lines.
pub async fn list<T: Serialize, I: Serialize>(
    api: &Api,
    accept: &Accept,
    media: Media,
    (list, items): (&T, &[I]),
) -> Result<Response, Problem> {
    let text = api.service.hold(stream::text(media, list, items))?;
    bytes(api, accept, StatusCode::OK, media, text).await
}

/// Answers with bytes that are not cached. Their ETag is their digest.
pub async fn bytes(
    api: &Api,
    accept: &Accept,
    status: StatusCode,
    media: Media,
    bytes: Bytes,
) -> Result<Response, Problem> {
    let id = api.service.id_of(&bytes).await?;
    if status == StatusCode::OK
        && let Some(response) = not_modified(accept, id)
    {
        return Ok(response);
    }
    let view = Arc::new(View::new(bytes));
    let mut response = encoded(&api.service, accept, id, media, &view).await?;
    *response.status_mut() = status;
    Ok(response)
}

/// A 304 if the client has the answer with this id, in any encoding.
#[must_use]
pub fn not_modified(accept: &Accept, id: ViewId) -> Option<Response> {
    let known = accept.if_none_match.as_deref()?;
    let wanted = id.to_string();
    let tag = known
        .split(',')
        .map(str::trim)
        .find(|tag| is_tag(tag, &wanted))?;
    let mut response = StatusCode::NOT_MODIFIED.into_response();
    if let Ok(tag) = HeaderValue::from_str(tag.trim_start_matches("W/")) {
        response.headers_mut().insert(header::ETAG, tag);
    }
    caching(response.headers_mut());
    Some(response)
}

/// With or without the suffix of an encoding. `*` does not match, because it would match answers
/// that do not exist.
fn is_tag(tag: &str, id: &str) -> bool {
    let tag = tag.trim_start_matches("W/").trim_matches('"');
    let tag = tag
        .strip_suffix("-gzip")
        .or_else(|| tag.strip_suffix("-zstd"))
        .unwrap_or(tag);
    tag == id
}

/// The ETag of an answer in an encoding.
#[must_use]
pub fn etag(id: ViewId, encoding: Encoding) -> HeaderValue {
    let suffix = match encoding {
        Encoding::Plain => "",
        Encoding::Gzip => "-gzip",
        Encoding::Zstd => "-zstd",
    };
    // Hexadecimal digits and letters are fine in headers.
    HeaderValue::from_str(&format!("\"{id}{suffix}\""))
        .unwrap_or_else(|_| HeaderValue::from_static("\"\""))
}

/// Sets the caching headers of an answer that another version of the program may change.
pub fn caching(headers: &mut HeaderMap) {
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(
        header::VARY,
        HeaderValue::from_static("accept, accept-encoding"),
    );
}

/// Sets `Location`.
pub fn locate(response: &mut Response, path: &str) {
    if let Ok(location) = HeaderValue::from_str(path) {
        response.headers_mut().insert(header::LOCATION, location);
    }
}

/// Answers with a view in the client's preferred encoding.
pub async fn encoded(
    service: &Service,
    accept: &Accept,
    id: ViewId,
    media: Media,
    view: &Arc<View>,
) -> Result<Response, Problem> {
    let encoding = if view.is_worth_compressing() {
        accept.encoding
    } else {
        Encoding::Plain
    };
    let body = service.encoded(view, encoding).await?;
    let mut response = Response::new(Body::from(body));
    let headers = response.headers_mut();
    caching(headers);
    headers.insert(header::ETAG, etag(id, encoding));
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static(media.as_str()),
    );
    if let Some(coding) = coding(encoding) {
        headers.insert(header::CONTENT_ENCODING, coding);
    }
    Ok(response)
}

/// The name of an encoding in headers; `None` for plain text.
#[must_use]
pub fn coding(encoding: Encoding) -> Option<HeaderValue> {
    match encoding {
        Encoding::Plain => None,
        Encoding::Gzip => Some(HeaderValue::from_static("gzip")),
        Encoding::Zstd => Some(HeaderValue::from_static("zstd")),
    }
}
