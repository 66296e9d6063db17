//! Idempotency keys. A request that creates something is answered once per `Idempotency-Key`: a
//! repetition gets the same answer and creates nothing. The key of a failed request stays free.

use std::panic::AssertUnwindSafe;

use axum::body::{Body, to_bytes};
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use futures_util::FutureExt as _;
use tracing::Instrument as _;

use crate::http::Api;
use crate::http::body;
use crate::http::extract::parsed;
use crate::http::middleware::access::{Access, Named};
use crate::http::negotiate::{Accept, Media};
use crate::http::respond;
use opatlas_service::{Claim, ClaimedKey, Service};
use opatlas_source::Digest;
use opatlas_store::{KeptReply, KeyName};
use opatlas_wire::problem::{Kind, Problem};

/// The header with the key.
pub const KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// Marks an answer that was given before.
pub const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// The maximum length of a key.
pub const LONGEST: usize = 255;

/// The routes whose POST requests create something.
const ROUTES: [&str; 3] = [
    "/v1/projects",
    "/v1/projects/{project}/revisions",
    "/v1/projects/{project}/exceptions",
];

/// Whether requests to this route take a key. Others ignore it, because they create nothing.
#[must_use]
pub fn takes_key(method: &Method, route: &str) -> bool {
    *method == Method::POST && ROUTES.contains(&route)
}

/// The layer. Fails with [`Kind::KeyInProgress`] and [`Kind::KeyReused`], and with
/// [`Kind::MalformedRequest`] for an invalid key.
pub async fn once(
    State(api): State<Api>,
    request: Request,
    next: Next,
) -> Result<Response, Problem> {
    let route = request.extensions().get::<MatchedPath>();
    let route = route.map(MatchedPath::as_str).unwrap_or_default();
    if !takes_key(request.method(), route) || !request.headers().contains_key(KEY) {
        return Ok(next.run(request).await);
    }
    let name = key(request.headers())?.to_owned();
    let accept = Accept::of(request.headers());
    let (key, request, digest) = read(&api, request, name).await?;
    // Continues when the client leaves: it will ask again, and must not find half of the work done.
    let work = async move {
        match api.service.claim_key(key, digest).await? {
            Claim::InProgress => Err(Problem::new(Kind::KeyInProgress, "")),
            Claim::Other => Err(Problem::new(Kind::KeyReused, "")),
            Claim::Answered(reply) => replay(&api, &accept, reply).await,
            Claim::Free(held) => Ok(answer(&api.service, &held, request, next).await),
        }
    };
    match tokio::spawn(work.in_current_span()).await {
        Ok(answered) => answered,
        // The layer outside of this one answers.
        Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
        Err(_) => Err(Problem::new(Kind::Busy, "the server is shutting down")),
    }
}

fn key(headers: &HeaderMap) -> Result<&str, Problem> {
    let mut all = headers.get_all(KEY).iter();
    let only = all.next().filter(|_| all.next().is_none());
    let text = only.and_then(|key| key.to_str().ok()).unwrap_or_default();
    let is_visible = text.bytes().all(|byte| byte.is_ascii_graphic());
    if is_visible && (1..=LONGEST).contains(&text.len()) {
        return Ok(text);
    }
    let detail = format!(
        "`Idempotency-Key` must occur once, with 1 to {LONGEST} visible ASCII characters and no spaces"
    );
    Err(Problem::new(Kind::MalformedRequest, detail).about("Idempotency-Key"))
}

/// The owner and project of the key, and the digest of everything that the answer depends on.
async fn read(
    api: &Api,
    request: Request,
    name: String,
) -> Result<(KeyName, Request, Digest), Problem> {
    let (mut parts, unread) = request.into_parts();
    let named = Named::of(&mut parts, api).await?;
    let access = parts.extensions.get::<Access>();
    let owner = access.and_then(Access::token).unwrap_or_default();
    let key = KeyName {
        owner: owner.to_owned(),
        project: named.project.map_or_else(String::new, |it| it.to_string()),
        name,
    };
    let whole = Request::from_parts(parts.clone(), unread);
    let bytes = body::collect(whole, api, api.config.json_bytes).await?;
    let media = parts.headers.get(header::CONTENT_TYPE);
    let mut asked = parts.uri.to_string().into_bytes();
    asked.push(b'\n');
    asked.extend_from_slice(media.map_or(b"", HeaderValue::as_bytes));
    asked.push(b'\n');
    let text = bytes.clone();
    let digest = move || {
        asked.extend_from_slice(Digest::of(&text).as_bytes());
        Ok(Digest::of(&asked))
    };
    let digest = parsed(api, bytes.len(), digest).await?;
    // Repetitions may accept other encodings.
    parts.headers.remove(header::ACCEPT_ENCODING);
    Ok((key, Request::from_parts(parts, Body::from(bytes)), digest))
}

async fn replay(api: &Api, accept: &Accept, reply: KeptReply) -> Result<Response, Problem> {
    let status = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::OK);
    let bytes = api.service.hold(reply.body)?;
    let mut response = respond::bytes(api, accept, status, Media::Json, bytes).await?;
    if let Some(location) = reply.location {
        respond::locate(&mut response, &location);
    }
    let headers = response.headers_mut();
    headers.insert(REPLAYED, HeaderValue::from_static("true"));
    Ok(response)
}

async fn answer(service: &Service, held: &ClaimedKey, request: Request, next: Next) -> Response {
    match AssertUnwindSafe(next.run(request)).catch_unwind().await {
        Ok(response) => keep(service, held, response).await,
        Err(panic) => {
            free(service, held).await;
            std::panic::resume_unwind(panic)
        }
    }
}

async fn keep(service: &Service, held: &ClaimedKey, response: Response) -> Response {
    let (parts, body) = response.into_parts();
    // It is in memory already, so this only unwraps it.
    let body = to_bytes(body, usize::MAX).await;
    let (true, Ok(bytes)) = (parts.status.is_success(), &body) else {
        free(service, held).await;
        let body = body.map_or_else(|_| Body::empty(), Body::from);
        return Response::from_parts(parts, body);
    };
    let location = parts.headers.get(header::LOCATION);
    let reply = KeptReply {
        status: parts.status.as_u16(),
        location: location.and_then(|it| Some(it.to_str().ok()?.to_owned())),
        body: bytes.to_vec(),
    };
    if let Err(error) = service.answer_key(held, &reply).await {
        tracing::warn!(%error, "the answer to an idempotency key is not kept");
    }
    Response::from_parts(parts, Body::from(bytes.clone()))
}

async fn free(service: &Service, held: &ClaimedKey) {
    if let Err(error) = service.free_key(held).await {
        tracing::warn!(%error, "an idempotency key stays in use for 10 minutes");
    }
}
