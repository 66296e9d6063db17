//! Answers: views of revisions by their ETags, and small ones made on the spot.

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
use opatlas_service::{Encoding, Holds, Resolved, Service, Snapshot, View, ViewId};
use opatlas_wire::json::json;
use opatlas_wire::problem::Problem;

/// What a view needs of a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Making {
    /// The parsed files.
    Parsed,
    /// The findings as well: the rules must have run.
    Checked,
    /// The dispatch tables of everything that is known, but not the findings.
    Tabulated,
}

/// How much work a view is, once the snapshot is as it must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// It says something of one operator: some ten microseconds, less than it takes to hand it to
    /// another thread and back. Revisions with unusually large parts are an exception
    /// ([`Snapshot::is_ordinary`]).
    Little,
    /// It may say something of all operators, or needs further tables.
    Much,
}

/// A view to be answered with.
#[derive(Debug)]
pub struct ViewRequest<'a, P> {
    /// The revision.
    pub revision: &'a Resolved,
    /// The name of the view.
    pub view: &'static str,
    /// What it depends on besides.
    pub parameters: P,
    /// Its form.
    pub media: Media,
    /// What it is made from.
    pub making: Making,
    /// How much work that is.
    pub effort: Effort,
}

/// Answers with a view of a revision: 304 where the client has it, the bytes in memory where they
/// are, and else what `make` makes of the snapshot.
///
/// # Errors
/// The problem of loading the snapshot, or that of `make`.
pub async fn view<P: Hash>(
    api: &Api,
    accept: &Accept,
    request: ViewRequest<'_, P>,
    make: impl FnOnce(&Snapshot, &Stop) -> Result<Vec<u8>, Problem> + Send + 'static,
) -> Result<Response, Problem> {
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
        return Ok(response);
    }
    let service = &api.service;
    let made = async {
        let snapshot = match making {
            Making::Checked => service.checked(revision).await?,
            Making::Parsed => service.snapshot(revision).await?,
            Making::Tabulated => service.tabulated(revision).await?,
        };
        if effort == Effort::Little && snapshot.is_ordinary() {
            return Ok(service.hold(make(&snapshot, &Stop::new())?)?);
        }
        service.make(move |stop| make(&snapshot, stop)).await
    };
    let view = service.view::<Problem>(id, made).await?;
    let mut response = encoded(service, accept, id, media, &view).await?;
    keep(&mut response, revision.holds);
    Ok(response)
}

/// Lets an answer be given again as long as what it is about is as it was found.
pub fn keep(response: &mut Response, holds: impl Into<Holds>) {
    let (holds, is_of_today) = (holds.into(), false);
    response
        .extensions_mut()
        .insert(Keepable { holds, is_of_today });
}

/// The same where all of the answer is in memory; one that is made while it is sent is not kept.
pub fn keep_if_whole(response: &mut Response, keepable: Keepable) {
    if response.body().size_hint().exact().is_some() {
        response.extensions_mut().insert(keepable);
    }
}

/// Answers with a view that is a function of the program alone.
///
/// # Errors
/// The problem of `make`.
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

/// Answers with a value of the moment, known by its bytes.
///
/// # Errors
/// [`opatlas_wire::problem::Kind::Busy`].
pub async fn value<T: Serialize>(
    api: &Api,
    accept: &Accept,
    status: StatusCode,
    value: &T,
) -> Result<Response, Problem> {
    let value = api.service.hold(json(value))?;
    bytes(api, accept, status, Media::Json, value).await
}

/// Answers with bytes of the moment.
///
/// # Errors
/// [`opatlas_wire::problem::Kind::Busy`].
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

/// 304 where the client says that it has the answer of this id, in whatever encoding.
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

/// Whether an entity tag is that of the id, with or without the suffix of an encoding. `*` is not:
/// what does not exist would match it.
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

/// What caches may do with an answer that a later program may give otherwise.
pub fn caching(headers: &mut HeaderMap) {
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(
        header::VARY,
        HeaderValue::from_static("accept, accept-encoding"),
    );
}

/// Says where what was made or named is to be found.
pub fn locate(response: &mut Response, path: &str) {
    if let Ok(location) = HeaderValue::from_str(path) {
        response.headers_mut().insert(header::LOCATION, location);
    }
}

/// Answers with a view in the encoding that the client likes best.
///
/// # Errors
/// [`opatlas_wire::problem::Kind::Busy`].
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

/// How an encoding is called in headers; plain text has no name there.
#[must_use]
pub fn coding(encoding: Encoding) -> Option<HeaderValue> {
    match encoding {
        Encoding::Plain => None,
        Encoding::Gzip => Some(HeaderValue::from_static("gzip")),
        Encoding::Zstd => Some(HeaderValue::from_static("zstd")),
    }
}
