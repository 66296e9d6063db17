//! Extractors that reject with problem documents; axum's own reject with plain text.

use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{self, FromRequest, FromRequestParts, Request};
use axum::http::Uri;
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use crate::http::Api;
use crate::http::body;
use crate::http::plain;
use opatlas_wire::problem::{Kind, Problem};

/// The captured parts of the path.
#[derive(Debug, Clone, Copy)]
pub struct Path<T>(pub T);

/// The query. A layer rejects parameters that a route does not have
/// ([`parameters`](crate::http::middleware::parameters)). A parameter without a value is ignored.
#[derive(Debug, Clone, Copy)]
pub struct Query<T>(pub T);

/// A JSON body.
#[derive(Debug, Clone, Copy)]
pub struct Json<T>(pub T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Path<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let path = extract::Path::<T>::from_request_parts(parts, state).await;
        path.map(|extract::Path(value)| Self(value))
            .map_err(|rejection: PathRejection| {
                Problem::new(Kind::MalformedRequest, plain::path(&rejection.body_text()))
            })
    }
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        Self::of(&parts.uri)
    }
}

impl<T: DeserializeOwned> Query<T> {
    /// Parses the query of a URI. Nothing else parses queries, so access control sees what handlers
    /// see. Fails with [`Kind::InvalidParameter`].
    pub fn of(uri: &Uri) -> Result<Self, Problem> {
        let query = match without_empty(uri.query()) {
            Some(uri) => extract::Query::try_from_uri(&uri),
            None => extract::Query::try_from_uri(uri),
        };
        query
            .map(|extract::Query(value)| Self(value))
            .map_err(|rejection| invalid_query(&rejection))
    }
}

/// Forms and scripts send parameters without a value (`?label=&q=x`). `None` if all have one.
fn without_empty(query: Option<&str>) -> Option<Uri> {
    let query = query?;
    let has_value = |pair: &&str| {
        pair.split_once('=')
            .is_some_and(|(_, value)| !value.is_empty())
    };
    if query.split('&').all(|pair| has_value(&pair)) {
        return None;
    }
    let pairs: Vec<&str> = query.split('&').filter(has_value).collect();
    format!("/?{}", pairs.join("&")).parse().ok()
}

fn invalid_query(rejection: &QueryRejection) -> Problem {
    let text = rejection.body_text();
    let detail = text.strip_prefix("Failed to deserialize query string: ");
    plain::query(detail.unwrap_or(&text))
}

impl<T: DeserializeOwned + Send + 'static> FromRequest<Api> for Json<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, api: &Api) -> Result<Self, Problem> {
        body::expect_media(request.headers(), &["application/json"])?;
        let bytes = body::collect(request, api, api.config.message_bytes).await?;
        let size = bytes.len();
        let read = move || from_json_object(&bytes).map(Self);
        parsed(api, size, read).await
    }
}

/// Bodies up to this many bytes are parsed on the async thread, which takes microseconds.
const SMALL_BODY: usize = 16 << 10;

/// Parses a body of this many bytes, a large one on the blocking pool.
pub async fn parsed<T: Send + 'static>(
    api: &Api,
    bytes: usize,
    read: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    if bytes <= SMALL_BODY {
        read()
    } else {
        api.service.compute(move |_| Ok(read())).await?
    }
}

/// Parses JSON. The problem has the position of an error.
pub fn from_json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    serde_json::from_slice(bytes).map_err(|error| malformed(&error))
}

/// The problem of a body that is not the expected JSON.
pub fn malformed(error: &serde_json::Error) -> Problem {
    let what = match error.classify() {
        serde_json::error::Category::Data => "the JSON has an unexpected form",
        _ => "the body is not JSON",
    };
    let text = plain::message(&error.to_string());
    Problem::new(Kind::MalformedBody, format!("{what}: {text}"))
}

/// Parses a JSON object. Rejects lists, which the library would accept as a list of members.
pub fn from_json_object<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    let read = from_json(bytes)?;
    match bytes.trim_ascii_start().first() {
        Some(b'{') => Ok(read),
        _ => Err(Problem::new(
            Kind::MalformedBody,
            "the JSON has an unexpected form: it must be an object",
        )),
    }
}
