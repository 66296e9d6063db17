//! The HTTP API that a command asks: that of a server, or the program's own over a database.

use std::sync::Arc;

use anyhow::{Context as _, anyhow};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Method, Request, header};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tower::ServiceExt as _;

use opatlas_service::Service;
use opatlas_store::Opening;

use super::remote::Remote;
use super::target::Target;
use super::{local, output};
use crate::http::{self, ApiConfig};
use crate::own_path::{encoded, path};

/// The maximum size of an answer, in bytes.
const MOST_ANSWERED: usize = 256 << 20;

/// The maximum number of items in a page of the API.
const LARGEST_PAGE: usize = 1000;

pub(super) const JSON: &str = "application/json";

pub(super) type Query<'a> = [(&'a str, Option<&'a str>)];

pub(super) enum Api {
    Own(Router, Arc<Service>),
    Server(Box<Remote>),
}

/// A request: its path in segments, its query, and the media type that it asks for.
#[derive(Clone, Copy)]
pub(super) struct Call<'a> {
    pub(super) path: &'a [&'a str],
    pub(super) query: &'a Query<'a>,
    pub(super) accept: &'static str,
}

#[derive(Deserialize)]
struct Page<T> {
    items: Vec<T>,
    next_cursor: Option<String>,
}

/// The first items of a list, and whether there are more.
pub(super) struct Listed<T> {
    pub(super) items: Vec<T>,
    pub(super) has_more: bool,
}

#[derive(Deserialize)]
struct Refusal {
    detail: String,
}

impl Api {
    pub(super) async fn open(target: &Target, opening: Opening) -> anyhow::Result<Self> {
        Ok(match target {
            Target::Database(database) => {
                let service = local::open(database, opening).await?;
                let router = http::app(Arc::clone(&service), ApiConfig::default());
                Self::Own(router, service)
            }
            Target::Server(server) => Self::Server(Box::new(Remote::open(server).await?)),
        })
    }

    pub(super) async fn close(&self) {
        if let Self::Own(_, service) = self {
            service.close().await;
        }
    }

    pub(super) async fn get<T: DeserializeOwned>(
        &self,
        path: &[&str],
        query: &Query<'_>,
    ) -> anyhow::Result<T> {
        let call = Call {
            path,
            query,
            accept: JSON,
        };
        let bytes = self.bytes(Method::GET, call, None).await?;
        serde_json::from_slice(&bytes).context("the answer is that of another version of Opatlas")
    }

    /// At most `limit` items of a list in pages; with 0 all of them.
    pub(super) async fn items<T: DeserializeOwned>(
        &self,
        path: &[&str],
        query: &Query<'_>,
        limit: usize,
    ) -> anyhow::Result<Listed<T>> {
        let wanted = if limit == 0 { usize::MAX } else { limit };
        let mut items = Vec::new();
        let mut cursor: Option<String> = None;
        loop {
            let size = (wanted - items.len()).min(LARGEST_PAGE).to_string();
            let mut query = query.to_vec();
            query.extend([("limit", Some(&*size)), ("cursor", cursor.as_deref())]);
            let page: Page<T> = self.get(path, &query).await?;
            items.extend(page.items);
            cursor = page.next_cursor;
            if cursor.is_none() || items.len() >= wanted {
                let has_more = cursor.is_some();
                return Ok(Listed { items, has_more });
            }
        }
    }

    /// The answer in the form that the call asks for.
    pub(super) async fn text(&self, call: Call<'_>) -> anyhow::Result<String> {
        let bytes = self.bytes(Method::GET, call, None).await?;
        Ok(String::from_utf8(bytes)?)
    }

    /// Prints the JSON of an answer.
    pub(super) async fn print_json(&self, path: &[&str], query: &Query<'_>) -> anyhow::Result<()> {
        let value: serde_json::Value = self.get(path, query).await?;
        println!("{}", output::json(&serde_json::to_string_pretty(&value)?));
        Ok(())
    }

    pub(super) async fn put(
        &self,
        path: &[&str],
        query: &Query<'_>,
        body: Vec<u8>,
    ) -> anyhow::Result<Vec<u8>> {
        let call = Call {
            path,
            query,
            accept: JSON,
        };
        self.bytes(Method::PUT, call, Some(body)).await
    }

    pub(super) async fn delete(&self, path: &[&str], query: &Query<'_>) -> anyhow::Result<()> {
        let call = Call {
            path,
            query,
            accept: JSON,
        };
        self.bytes(Method::DELETE, call, None).await.map(drop)
    }

    async fn bytes(
        &self,
        method: Method,
        call: Call<'_>,
        body: Option<Vec<u8>>,
    ) -> anyhow::Result<Vec<u8>> {
        match self {
            Self::Own(router, _) => own(router.clone(), method, call, body).await,
            Self::Server(remote) => Ok(remote.call(method, call, body).await?),
        }
    }
}

async fn own(
    router: Router,
    method: Method,
    call: Call<'_>,
    body: Option<Vec<u8>>,
) -> anyhow::Result<Vec<u8>> {
    let mut uri = path(call.path);
    let given = call.query.iter();
    let given = given.filter_map(|(name, value)| Some((name, (*value)?)));
    for (place, (name, value)) in given.enumerate() {
        uri.push(if place == 0 { '?' } else { '&' });
        uri.push_str(&format!("{name}={}", encoded(value)));
    }
    let mut request = Request::builder()
        .method(method)
        .uri(uri)
        .header(header::ACCEPT, call.accept);
    if body.is_some() {
        request = request.header(header::CONTENT_TYPE, JSON);
    }
    let request = request.body(Body::from(body.unwrap_or_default()))?;
    let Ok(response) = router.oneshot(request).await;
    let status = response.status();
    let bytes = to_bytes(response.into_body(), MOST_ANSWERED).await?;
    if status.is_success() {
        return Ok(bytes.into());
    }
    let refusal = serde_json::from_slice::<Refusal>(&bytes);
    Err(anyhow!(refusal.map_or_else(
        |_| status.to_string(),
        |refusal| refusal.detail
    )))
}
