//! The service over HTTP (`docs/spec/registry.md`, section 4). [`router`] lists all routes. A
//! handler in [`routes`] reads the request, calls the service, maps the error and renders;
//! [`middleware`] surrounds every request.

pub mod body;
pub mod bundle;
pub mod client;
pub mod connections;
mod describe;
mod describe_headers;
mod describe_values;
pub mod extract;
pub mod middleware;
pub mod negotiate;
pub mod page;
mod plain;
pub mod renderings;
pub mod respond;
mod router;
pub mod routes;
pub mod server;
pub mod stream;

use std::sync::Arc;
use std::time::Duration;

pub use router::{app, app_of, openapi, router};

use opatlas_service::Service;

/// Configuration of the HTTP server.
#[derive(Debug, Clone)]
pub struct ApiConfig {
    /// The time limit of a request, including reading its body.
    pub request_timeout: Duration,
    /// The time limit for a body to arrive.
    pub body_timeout: Duration,
    /// The maximum size of a JSON body with a bundle, in bytes; JSON may take six bytes for one.
    pub json_bytes: usize,
    /// The maximum size of a JSON body without a bundle, in bytes.
    pub message_bytes: usize,
    /// The maximum size of a multipart body without its files, in bytes.
    pub multipart_overhead: usize,
    /// The maximum number of requests in progress.
    pub max_requests: usize,
    /// The maximum size of all bodies in memory, in bytes, without the first
    /// [`middleware::bounds::SMALL_BODY`] of each.
    pub body_budget: usize,
    /// What needs a token.
    pub auth: middleware::access::AuthMode,
    /// The host names that it serves.
    pub hosts: middleware::hosts::Hosts,
    /// Origins whose pages may use the API, such as `https://ci.example.org`; none by default.
    pub cors_origins: Vec<String>,
    /// The public URL of the service, such as `https://opatlas.example.org`, for links in reports.
    pub public_url: Option<String>,
    /// Log one in this many requests. Failures are always logged.
    pub log_sample: u32,
}

impl Default for ApiConfig {
    fn default() -> Self {
        Self {
            request_timeout: Duration::from_secs(60),
            body_timeout: Duration::from_secs(30),
            json_bytes: 97 << 20,
            message_bytes: 1 << 20,
            multipart_overhead: 1 << 20,
            max_requests: 1024,
            body_budget: 256 << 20,
            auth: middleware::access::AuthMode::Off,
            hosts: middleware::hosts::Hosts::Any,
            cors_origins: Vec::new(),
            public_url: None,
            log_sample: 1,
        }
    }
}

/// The state that handlers share.
#[derive(Clone)]
pub struct Api {
    /// The use cases.
    pub service: Arc<Service>,
    /// The settings.
    pub config: Arc<ApiConfig>,
    /// The cache of whole answers.
    pub kept: Arc<middleware::kept::KeptAnswers>,
}
