//! A tool's request to the HTTP API.

use axum::body::Body;
use axum::http::{HeaderMap, Method, Request, StatusCode, header};
use axum::{Router, body};
use rmcp::model::{CallToolResult, ContentBlock};
use serde::Deserialize;
use tower::ServiceExt as _;

use crate::own_path::{encoded, path};

/// The maximum size of an answer, in bytes. More is of no use to an assistant.
const MOST_ANSWERED: usize = 1 << 20;

/// What an assistant needs of a problem.
#[derive(Deserialize)]
struct Refusal {
    detail: String,
}

/// A request of a tool.
pub(super) struct Asked {
    method: Method,
    path: String,
    query: Vec<(&'static str, String)>,
    accept: &'static str,
    content: (&'static str, String),
}

impl Asked {
    pub(super) fn get(segments: &[&str]) -> Self {
        Self {
            method: Method::GET,
            path: path(segments),
            query: Vec::new(),
            accept: "text/plain",
            content: ("", String::new()),
        }
    }

    pub(super) fn post(segments: &[&str], media: &'static str, content: String) -> Self {
        Self {
            method: Method::POST,
            content: (media, content),
            ..Self::get(segments)
        }
    }

    pub(super) fn accept(self, accept: &'static str) -> Self {
        Self { accept, ..self }
    }

    /// Adds a parameter unless it is absent.
    pub(super) fn with(mut self, name: &'static str, value: Option<String>) -> Self {
        self.query.extend(value.map(|value| (name, value)));
        self
    }

    /// The answer of the API as the result of a tool. `caller` are the headers of the caller.
    pub(super) async fn send(self, api: Router, caller: Option<&HeaderMap>) -> CallToolResult {
        let Ok(request) = self.request(caller) else {
            return failed("these arguments do not make a request".to_owned());
        };
        let Ok(response) = api.oneshot(request).await;
        let status = response.status();
        match body::to_bytes(response.into_body(), MOST_ANSWERED).await {
            Err(_) => failed("the answer is too long: ask about one operator or key".to_owned()),
            Ok(bytes) => result(status, &String::from_utf8_lossy(&bytes)),
        }
    }

    fn request(self, caller: Option<&HeaderMap>) -> Result<Request<Body>, axum::http::Error> {
        let query: Vec<_> = self
            .query
            .iter()
            .map(|(name, value)| format!("{name}={}", encoded(value)))
            .collect();
        let separator = if query.is_empty() { "" } else { "?" };
        let (media, content) = self.content;
        let mut request = Request::builder()
            .method(self.method)
            .uri(format!("{}{separator}{}", self.path, query.join("&")))
            .header(header::ACCEPT, self.accept);
        if !media.is_empty() {
            request = request.header(header::CONTENT_TYPE, media);
        }
        if let Some(token) = caller.and_then(|headers| headers.get(header::AUTHORIZATION)) {
            request = request.header(header::AUTHORIZATION, token);
        }
        request.body(Body::from(content))
    }
}

fn result(status: StatusCode, text: &str) -> CallToolResult {
    if status.is_success() {
        return CallToolResult::success(vec![ContentBlock::text(text)]);
    }
    let refusal = serde_json::from_str::<Refusal>(text);
    failed(refusal.map_or_else(|_| status.to_string(), |refusal| refusal.detail))
}

fn failed(why: String) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(why)])
}
