//! A server in memory, asked in process.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Method, Request, StatusCode, header};
use http_body_util::BodyExt as _;
use opatlas::http::ApiConfig;
use opatlas::http::app;
use opatlas_service::{Clock, Limits, Service};
use opatlas_store::SqliteStore;
use serde_json::Value;
use tower::ServiceExt as _;

use crate::api::contract;

/// Ten operators of our own that show most features.
pub const SMALL: &str = include_str!("small.yaml");

/// A server with nothing in it.
pub struct Server {
    router: Router,
    pub service: Arc<Service>,
}

/// An answer, read to its end.
#[derive(Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

/// A question to be asked.
pub struct Question<'a> {
    server: &'a Server,
    request: axum::http::request::Builder,
    body: Body,
}

impl Server {
    pub async fn new() -> Self {
        Self::with(Limits::default(), ApiConfig::default()).await
    }

    pub async fn with(limits: Limits, config: ApiConfig) -> Self {
        // A clock that ticks a second with every reading.
        let ticks = AtomicI64::new(1_700_000_000);
        let clock = move || ticks.fetch_add(1, Ordering::Relaxed) * 1_000_000;
        Self::with_clock(limits, config, Arc::new(clock)).await
    }

    /// One with a clock of its own.
    pub async fn with_clock(limits: Limits, config: ApiConfig, clock: Clock) -> Self {
        Self::on("sqlite::memory:", limits, config, clock).await
    }

    /// One on a database file in this folder, that watches what others commit to it.
    pub async fn on_disk(folder: &std::path::Path) -> Self {
        let url = format!("sqlite://{}", folder.join("opatlas.db").display());
        let clock = Arc::new(|| 1_700_000_000_000_000);
        let server = Self::on(&url, Limits::default(), ApiConfig::default(), clock).await;
        server.service.watch();
        server
    }

    async fn on(url: &str, limits: Limits, config: ApiConfig, clock: Clock) -> Self {
        let store = SqliteStore::open(url).await.unwrap();
        let service = Arc::new(Service::new(Arc::new(store), clock, limits));
        Self {
            router: app(Arc::clone(&service), config),
            service,
        }
    }

    /// The same service behind another configuration.
    pub fn configured(&self, config: ApiConfig) -> Self {
        Self {
            router: app(Arc::clone(&self.service), config),
            service: Arc::clone(&self.service),
        }
    }

    /// One with project `p` and our operators under label `2.9.0`.
    pub async fn small() -> Self {
        let server = Self::new().await;
        server.project("p").await;
        server.ingest("p", "label=2.9.0", SMALL).await;
        server
    }

    pub async fn project(&self, name: &str) {
        let body = serde_json::json!({"name": name});
        let answer = self.post("/v1/projects").json(&body).send().await;
        assert_eq!(answer.status, StatusCode::CREATED);
    }

    /// Takes a file in and answers with the revision.
    pub async fn ingest(&self, project: &str, query: &str, text: &str) -> Value {
        let path = format!("/v1/projects/{project}/revisions?{query}");
        let answer = self.post(&path).yaml(text).send().await;
        assert!(answer.status.is_success(), "{}", answer.text());
        answer.value()
    }

    pub fn ask(&self, method: Method, path: &str) -> Question<'_> {
        Question {
            server: self,
            request: Request::builder().method(method).uri(path),
            body: Body::empty(),
        }
    }

    pub fn get(&self, path: &str) -> Question<'_> {
        self.ask(Method::GET, path)
    }

    pub fn post(&self, path: &str) -> Question<'_> {
        self.ask(Method::POST, path)
    }

    pub fn put(&self, path: &str) -> Question<'_> {
        self.ask(Method::PUT, path)
    }

    pub fn patch(&self, path: &str) -> Question<'_> {
        self.ask(Method::PATCH, path)
    }

    pub fn delete(&self, path: &str) -> Question<'_> {
        self.ask(Method::DELETE, path)
    }
}

impl Question<'_> {
    pub fn header(mut self, name: impl AsRef<str>, value: impl AsRef<[u8]>) -> Self {
        self.request = self.request.header(name.as_ref(), value.as_ref());
        self
    }

    pub fn body(mut self, media: &str, bytes: impl Into<Vec<u8>>) -> Self {
        self.request = self.request.header(header::CONTENT_TYPE, media);
        self.body = Body::from(bytes.into());
        self
    }

    /// With another text than before, of the same media type.
    pub fn text(mut self, text: &str) -> Self {
        self.body = Body::from(text.to_owned());
        self
    }

    pub fn json(self, value: &Value) -> Self {
        self.body("application/json", value.to_string())
    }

    pub fn yaml(self, text: impl Into<Vec<u8>>) -> Self {
        self.body("application/yaml", text)
    }

    /// With a body that never arrives.
    pub fn unread(mut self) -> Self {
        self.request = self
            .request
            .header(header::CONTENT_TYPE, "application/yaml");
        self.body = Body::from_stream(futures_util::stream::pending::<std::io::Result<Vec<u8>>>());
        self
    }

    /// Sends it, and checks that the answer is as described.
    pub async fn send(self) -> Answer {
        let (request, answer) = self.exchange().await;
        contract::check(&request.0, &request.1, &answer);
        answer
    }

    /// Sends it. For answers whose bodies are compressed.
    pub async fn unchecked(self) -> Answer {
        self.exchange().await.1
    }

    /// Sends it. For preflights, which are answered before there is a request.
    pub async fn unchecked_head(self) -> Answer {
        let request = self.request.body(self.body).unwrap();
        let response = self.server.router.clone().oneshot(request).await.unwrap();
        let (parts, _) = response.into_parts();
        Answer {
            status: parts.status,
            headers: parts.headers,
            body: Vec::new(),
        }
    }

    async fn exchange(self) -> ((Method, String), Answer) {
        let request = self.request.body(self.body).unwrap();
        let (method, path) = (request.method().clone(), request.uri().to_string());
        let response = self.server.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let answer = Answer {
            status: parts.status,
            headers: parts.headers,
            body: body.collect().await.unwrap().to_bytes().into(),
        };
        if path != "/mcp" {
            answer.check(&method);
        }
        ((method, path), answer)
    }
}

impl Answer {
    /// What holds for every answer: an id, and every error a whole problem document or a page.
    fn check(&self, method: &Method) {
        let id = self.header("x-request-id").to_owned();
        assert!(!id.is_empty());
        let is_page = self.header("content-type").starts_with("text/html");
        if self.status.as_u16() < 400 || *method == Method::HEAD || is_page {
            return;
        }
        assert_eq!(self.header("content-type"), "application/problem+json");
        let problem = self.value();
        assert_eq!(problem["status"], self.status.as_u16());
        assert_eq!(problem["request_id"], *id);
        assert!(problem["type"].as_str().unwrap().starts_with("/problems/"));
        for member in ["title", "detail"] {
            assert!(!problem[member].as_str().unwrap().is_empty(), "{problem}");
        }
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .map_or("", |value| value.to_str().unwrap())
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub fn value(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|e| panic!("{e}: {}", self.text()))
    }

    /// The values of an answer of lines.
    pub fn lines(&self) -> Vec<Value> {
        assert_eq!(self.header("content-type"), "application/x-ndjson");
        let text = self.text();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// The value, where all went well.
    pub fn ok(&self) -> Value {
        assert_eq!(self.status, StatusCode::OK, "{}", self.text());
        self.value()
    }

    /// The problem, where it is of this status and kind.
    pub fn problem(&self, status: u16, slug: &str) -> Value {
        let problem = self.value();
        assert_eq!(self.status.as_u16(), status, "{problem}");
        assert_eq!(problem["type"], format!("/problems/{slug}"), "{problem}");
        problem
    }
}
