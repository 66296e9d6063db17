//! Surrounds every request: its id, time limit and log line, and a problem document for errors.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use axum::body::Body;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use tracing::Instrument as _;
use uuid::Uuid;

use crate::http::ApiConfig;
use crate::http::middleware::metrics::{RequestTimer, RouteFigures};
use crate::http::page;
use opatlas_wire::problem::{Kind, PROBLEM_JSON, Problem};

/// The header that carries the id of a request, in both directions.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Marks an error whose body stays as it is: a page, or an answer in another protocol.
#[derive(Debug, Clone, Copy)]
pub struct AsIs;

/// Browsers must believe the media type.
const NOSNIFF: HeaderValue = HeaderValue::from_static("nosniff");

const MAX_ID: usize = 64;

/// The outermost layer.
pub async fn envelope(
    State(config): State<Arc<ApiConfig>>,
    request: Request,
    next: Next,
) -> Response {
    let counting = RequestTimer::begin();
    let id = request_id(request.headers());
    let method = request.method().clone();
    let uri = request.uri().clone();
    let route = request.extensions().get::<MatchedPath>().cloned();
    let wants_any = has_any(request.method(), request.headers());
    let span = tracing::info_span!("request", id, token = tracing::field::Empty);
    let answer = next.run(request).instrument(span.clone());
    let response = match tokio::time::timeout(config.request_timeout, answer).await {
        Ok(response) => response,
        Err(_) => overdue(&config).into_response(),
    };
    let mut response = match response.status().as_u16() {
        400.. if response.extensions().get::<AsIs>().is_none() => problem(response, &uri, &id),
        200 if wants_any && response.headers().contains_key(header::ETAG) => unchanged(response),
        _ => response,
    };
    page::link(&mut response, &uri);
    let headers = response.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, NOSNIFF);
    if let Ok(value) = HeaderValue::from_str(&id) {
        headers.insert(REQUEST_ID, value);
    }
    let route = route.as_ref().map(MatchedPath::as_str);
    counting.end(&RouteFigures::of(&method, route, response.status()));
    if response.status().as_u16() >= 400 || is_sampled(config.log_sample) {
        let _within = span.enter();
        log(&method, &uri, response.status(), counting.elapsed());
    }
    response
}

/// Whether the client sent `If-None-Match: *`, which is decided once there is an answer.
fn has_any(method: &Method, headers: &HeaderMap) -> bool {
    let tags = headers.get(header::IF_NONE_MATCH);
    matches!(*method, Method::GET | Method::HEAD) && tags.is_some_and(|tags| tags == "*")
}

fn unchanged(response: Response) -> Response {
    let (mut head, _) = response.into_parts();
    head.status = StatusCode::NOT_MODIFIED;
    for name in [
        header::CONTENT_ENCODING,
        header::CONTENT_LENGTH,
        header::CONTENT_TYPE,
    ] {
        head.headers.remove(name);
    }
    Response::from_parts(head, Body::empty())
}

/// Logs a request with the time that it took.
pub fn log(method: &Method, uri: &Uri, status: StatusCode, elapsed: Duration) {
    tracing::info!(
        %method,
        path = uri.path(),
        status = status.as_u16(),
        micros = u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX),
        "answered",
    );
}

/// Whether to log this request, one in `one_in`.
pub fn is_sampled(one_in: u32) -> bool {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    one_in <= 1 || COUNT.fetch_add(1, Ordering::Relaxed).is_multiple_of(one_in)
}

/// The answer after a panic in a handler.
pub fn panicked(panic: Box<dyn Any + Send + 'static>) -> Response {
    let message = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no message");
    tracing::error!(message, "a handler panicked");
    Problem::new(
        Kind::Internal,
        "the service failed; its log has details under the id of this request",
    )
    .into_response()
}

fn overdue(config: &ApiConfig) -> Problem {
    let seconds = config.request_timeout.as_secs();
    Problem::new(
        Kind::Busy,
        format!("the request did not finish within {seconds} s"),
    )
}

/// The client's id if it is safe in headers and logs, otherwise a new one.
pub fn request_id(headers: &HeaderMap) -> String {
    let harmless = |id: &&str| {
        (1..=MAX_ID).contains(&id.len())
            && id
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"-_.:".contains(&b))
    };
    let given = headers.get(REQUEST_ID).and_then(|id| id.to_str().ok());
    given
        .filter(harmless)
        .map_or_else(|| Uuid::new_v4().simple().to_string(), Into::into)
}

/// Writes the problem that a response carries. An error response without one comes from a library:
/// its status and headers stay, and its text is replaced.
fn problem(response: Response, uri: &Uri, id: &str) -> Response {
    let (mut parts, _) = response.into_parts();
    let carried = parts.extensions.remove::<Arc<Problem>>();
    let problem = carried.unwrap_or_else(|| {
        let kind = Kind::of_status(parts.status);
        Arc::new(Problem::new(kind, ""))
    });
    let mut problem = Arc::unwrap_or_clone(problem);
    if problem.detail.is_empty() {
        problem.detail = match problem.kind {
            Kind::UnknownRoute => format!(
                "no route for `{}`; `/openapi.json` lists all routes",
                uri.path().chars().take(200).collect::<String>()
            ),
            kind => kind.meaning().to_owned(),
        };
    }
    parts.status = problem.status;
    for name in [
        header::CONTENT_LENGTH,
        header::CONTENT_ENCODING,
        header::TRANSFER_ENCODING,
        header::ETAG,
    ] {
        parts.headers.remove(name);
    }
    let headers = [
        (header::CONTENT_TYPE, PROBLEM_JSON),
        (header::CACHE_CONTROL, "no-store"),
    ];
    for (name, value) in headers {
        parts.headers.insert(name, HeaderValue::from_static(value));
    }
    Response::from_parts(parts, Body::from(problem.document(id)))
}
