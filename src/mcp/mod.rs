//! The questions of Opatlas as tools of the Model Context Protocol, for assistants.
//!
//! A tool turns its arguments into a request of the HTTP API and returns the text of the answer, so
//! limits, errors and renderings are those of the API. `opatlas mcp` serves the tools over standard
//! input and output, and `/mcp` of the HTTP service over streamable HTTP.

mod arguments;
mod request;
mod tools;

use std::sync::Arc;

use axum::Router;
use rmcp::ServiceExt as _;
use rmcp::transport::StreamableHttpServerConfig;
use rmcp::transport::streamable_http_server::StreamableHttpService;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;

use tools::Tools;

/// The path of the tools on the HTTP service.
pub const PATH: &str = "/mcp";

/// The maximum size of a call of a tool, in bytes. The API's own limits apply to what it contains.
pub const MOST_CALLED: usize = 17 << 20;

/// Answers calls on standard input until it ends.
///
/// `api` is the HTTP API without access control. Fails if the client does not speak the protocol.
pub async fn over_stdio(api: Router) -> anyhow::Result<()> {
    let running = Tools::new(api).serve(rmcp::transport::stdio()).await?;
    running.waiting().await?;
    Ok(())
}

/// Answers calls over streamable HTTP, each on its own: there are no sessions.
///
/// `api` checks the token of a call, which every request to it carries.
pub fn over_http(api: Router) -> StreamableHttpService<Tools, NeverSessionManager> {
    let mut config = StreamableHttpServerConfig::default();
    config.legacy_session_mode = false;
    config.json_response = true;
    config.max_request_body_bytes = MOST_CALLED;
    // The service around it checks the host.
    config.allowed_hosts = Vec::new();
    StreamableHttpService::new(
        move || Ok(Tools::new(api.clone())),
        Arc::new(NeverSessionManager::default()),
        config,
    )
}
