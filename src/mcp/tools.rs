//! The tools: each is one request of the HTTP API.

use axum::Router;
use axum::http::request::Parts;
use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{CallToolResult, Extensions, Implementation, ServerCapabilities, ServerConfig};
use rmcp::{ServerHandler, tool, tool_handler, tool_router};
use serde_json::json;

use super::arguments::{Check, Compare, Preflight, Table, Why};
use super::request::Asked;

const PROJECT: &str = "pytorch";
const MARKDOWN: &str = "text/markdown";
const INSTRUCTIONS: &str = "Opatlas knows which PyTorch operator runs on which backend in which \
                            release, and why. Answers say \"unknown\" where nobody has measured or \
                            declared it: report that as unknown.";

/// The tools over one HTTP API.
#[derive(Clone)]
pub struct Tools {
    api: Router,
    tool_router: ToolRouter<Self>,
}

impl std::fmt::Debug for Tools {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Tools").finish_non_exhaustive()
    }
}

#[tool_router]
impl Tools {
    pub(super) fn new(api: Router) -> Self {
        Self {
            api,
            tool_router: Self::tool_router(),
        }
    }

    /// Explains an error message of PyTorch, or says which operators a Python call reaches: what it
    /// means, since and until which release, and what to do.
    #[tool(annotations(read_only_hint = true))]
    async fn why(&self, Parameters(why): Parameters<Why>, caller: Extensions) -> CallToolResult {
        let body = json!({ "text": why.text }).to_string();
        let asked = Asked::post(&["v1", "ask"], "application/json", body).accept(MARKDOWN);
        self.send(asked, &caller).await
    }

    /// Says whether a model runs on backends, where it fails first, and which kernels or which
    /// upgrade would make it run.
    #[tool(annotations(read_only_hint = true))]
    async fn preflight(
        &self,
        Parameters(given): Parameters<Preflight>,
        caller: Extensions,
    ) -> CallToolResult {
        let training = given.training.then(|| "true".to_owned());
        let asked = Asked::post(&["v1", "preflight"], "text/plain", given.model)
            .accept(MARKDOWN)
            .with("backend", Some(given.backends.join(",")))
            .with("release", given.release)
            .with("project", given.project)
            .with("training", training);
        self.send(asked, &caller).await
    }

    /// Shows which kernel runs for an operator on each dispatch key, and why.
    #[tool(annotations(read_only_hint = true))]
    async fn table(
        &self,
        Parameters(given): Parameters<Table>,
        caller: Extensions,
    ) -> CallToolResult {
        let project = given.project.as_deref().unwrap_or(PROJECT);
        let revision = given.revision.as_deref().unwrap_or("latest");
        let place = ["v1", "projects", project, "revisions", revision];
        let place = [&place[..], &["operators", &given.operator, "dispatch"]].concat();
        let explain = given.key.is_some().then(|| "true".to_owned());
        let asked = Asked::get(&place)
            .with("key", given.key)
            .with("explain", explain);
        self.send(asked, &caller).await
    }

    /// Shows what changed between two releases: what breaks, for whom, and which backends gain or
    /// lose an operator.
    #[tool(annotations(read_only_hint = true))]
    async fn compare(
        &self,
        Parameters(given): Parameters<Compare>,
        caller: Extensions,
    ) -> CallToolResult {
        let project = given.project.as_deref().unwrap_or(PROJECT);
        let range = format!("{}...{}", given.base, given.head);
        let asked = Asked::get(&["v1", "projects", project, "compare", &range])
            .accept(MARKDOWN)
            .with("operator", given.operator)
            .with("backend", given.backend);
        self.send(asked, &caller).await
    }

    /// Checks entries of native_functions.yaml against the rules of a release.
    #[tool(annotations(read_only_hint = true))]
    async fn check(
        &self,
        Parameters(given): Parameters<Check>,
        caller: Extensions,
    ) -> CallToolResult {
        let asked = Asked::post(&["v1", "validate"], "application/yaml", given.yaml)
            .accept(MARKDOWN)
            .with("release", given.release);
        self.send(asked, &caller).await
    }

    async fn send(&self, asked: Asked, caller: &Extensions) -> CallToolResult {
        let headers = caller.get::<Parts>().map(|parts| &parts.headers);
        asked.send(self.api.clone(), headers).await
    }
}

#[tool_handler(router = self.tool_router)]
impl ServerHandler for Tools {
    fn get_info(&self) -> ServerConfig {
        let mut info = ServerConfig::default();
        info.capabilities = ServerCapabilities::builder().enable_tools().build();
        info.server_info = Implementation::new("opatlas", env!("CARGO_PKG_VERSION"));
        info.instructions = Some(INSTRUCTIONS.to_owned());
        info
    }
}
