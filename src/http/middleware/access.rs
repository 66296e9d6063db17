//! Authorization. One layer decides by method and route, before any lookup, so that an answer never
//! reveals a project to a caller without access to it.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{FromRequestParts as _, MatchedPath, RawPathParams, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Uri, header};
use axum::middleware::Next;
use axum::response::Response;

use crate::http::Api;
use crate::http::body;
use crate::http::extract::Query;
use crate::http::middleware::hosts;
use crate::http::plain;
use opatlas_service::access::{Action, Grant};
use opatlas_service::{ServiceError, is_version_text};
use opatlas_store::ProjectName;
use opatlas_wire::problem::{Kind, Problem};

/// The signature of a body: `sha256=` and the hexadecimal HMAC-SHA-256.
pub const SIGNATURE: HeaderName = HeaderName::from_static("x-opatlas-signature");

/// The id of the token whose signing key made the signature.
pub const SIGNER: HeaderName = HeaderName::from_static("x-opatlas-token");

/// What needs a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AuthMode {
    /// Nothing.
    #[default]
    Off,
    /// Requests that write.
    Writes,
    /// All requests except health, the API description, and the web interface.
    All,
}

impl AuthMode {
    /// Whether an action is allowed without a token; `None` is no action.
    #[must_use]
    pub fn is_open(self, need: Option<Action>) -> bool {
        match self {
            Self::Off => true,
            Self::Writes => matches!(need, None | Some(Action::Read)),
            Self::All => need.is_none(),
        }
    }
}

/// The caller of a request.
#[derive(Debug)]
pub enum Caller {
    /// A caller without a token.
    Anonymous,
    /// The holder of a token.
    Known(Grant),
    /// A caller with an unknown, revoked or expired token.
    Unknown,
}

/// The rights of a request's caller. Handlers that learn the project from the body ask it.
#[derive(Debug, Clone)]
pub struct Access(Option<Arc<Grant>>);

impl Access {
    /// Whether the caller may see a project.
    #[must_use]
    pub fn sees(&self, project: &ProjectName) -> bool {
        let grant = self.0.as_ref();
        grant.is_none_or(|grant| grant.allows(Action::Read, Some(project)))
    }

    /// The id of the caller's token; `None` if the request needs no token.
    #[must_use]
    pub fn token(&self) -> Option<&str> {
        self.0.as_ref().map(|grant| grant.id.as_str())
    }

    /// Rejects an action that the caller may not do in a project. Fails with [`Kind::Forbidden`],
    /// and [`Kind::InvalidName`] for a name that no project can have.
    pub fn expect(&self, action: Action, project: &str) -> Result<(), Problem> {
        let project = project_name(project)?;
        match &self.0 {
            Some(grant) if !grant.allows(action, Some(&project)) => {
                Err(forbidden(grant, action, Some(&project)))
            }
            _ => Ok(()),
        }
    }
}

impl<S: Send + Sync> axum::extract::FromRequestParts<S> for Access {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(
        parts: &mut axum::http::request::Parts,
        _: &S,
    ) -> Result<Self, Self::Rejection> {
        // The layer below is around every route, so it is always there.
        Ok(parts
            .extensions
            .get::<Self>()
            .cloned()
            .unwrap_or(Self(None)))
    }
}

/// The layer. Rejects requests without the needed right, and attaches [`Access`] to the others.
/// Fails with [`Kind::Unauthenticated`] and [`Kind::Forbidden`].
pub async fn guard(
    State(api): State<Api>,
    request: Request,
    next: Next,
) -> Result<Response, Problem> {
    let (mut parts, body) = request.into_parts();
    let route = parts
        .extensions
        .get::<MatchedPath>()
        .map(|route| route.as_str().to_owned());
    let need = needed(&parts.method, route.as_deref().unwrap_or_default());
    let open = api.config.auth.is_open(need);
    if api.config.auth == AuthMode::Off {
        let (uri, allowed) = (&parts.uri, &api.config.cors_origins);
        hosts::refuse_other_sites(&parts.method, uri, &parts.headers, allowed)?;
    }
    let (Some(action), false) = (need, open) else {
        parts.extensions.insert(Access(None));
        return Ok(next.run(Request::from_parts(parts, body)).await);
    };
    let named = Named::of(&mut parts, &api).await;
    let is_put = parts.method == Method::PUT;
    let label_use = label_use(action, &parts.uri);
    let (grant, request) = identify(&api, Request::from_parts(parts, body)).await?;
    tracing::Span::current().record("token", grant.id.as_str());
    let named = named?;
    let project = &named.project;
    let is_correction = is_put && action == Action::Label;
    let is_allowed = grant.allows(action, project.as_ref())
        || (is_correction && named.may_correct(&api, &grant).await?);
    if !is_allowed {
        return Err(forbidden(&grant, action, project.as_ref()));
    }
    if let Some(label_use) = label_use?
        && !grant.allows(Action::Label, project.as_ref())
    {
        let mut problem = forbidden(&grant, Action::Label, project.as_ref());
        problem.detail.push_str(label_use.needs());
        return Err(problem);
    }
    let (mut parts, body) = request.into_parts();
    parts.extensions.insert(Access(Some(Arc::new(grant))));
    let mut response = next.run(Request::from_parts(parts, body)).await;
    keep_private(response.headers_mut());
    Ok(response)
}

/// Caches that several people share must not store an answer that needs a token. They would store one
/// that is `public`, even if its request had a token (RFC 9111, section 3.5).
fn keep_private(headers: &mut HeaderMap) {
    let caching = headers.get(header::CACHE_CONTROL);
    let Some(Ok(caching)) = caching.map(HeaderValue::to_str) else {
        return;
    };
    let others = caching.split(',').map(str::trim);
    let others = others.filter(|part| !matches!(*part, "public" | "private"));
    let parts: Vec<&str> = std::iter::once("private").chain(others).collect();
    if let Ok(value) = HeaderValue::from_str(&parts.join(", ")) {
        headers.insert(header::CACHE_CONTROL, value);
    }
}

/// The names in the path, decoded as in the handler.
#[derive(Debug)]
pub struct Named {
    /// The project.
    pub project: Option<ProjectName>,
    label: Option<String>,
}

impl Named {
    /// Rejects an invalid name of a project even if the caller has rights to all projects.
    pub async fn of(parts: &mut Parts, api: &Api) -> Result<Self, Problem> {
        let params = RawPathParams::from_request_parts(parts, api)
            .await
            .map_err(|rejection| {
                Problem::new(Kind::MalformedRequest, plain::path(&rejection.body_text()))
            })?;
        let named = |wanted| {
            let mut params = params.iter();
            params.find_map(|(name, value)| (name == wanted).then_some(value))
        };
        Ok(Self {
            project: named("project").map(project_name).transpose()?,
            label: named("label").map(str::to_owned),
        })
    }

    /// Whether the label was created by this token within the last hour, so that it may move it.
    async fn may_correct(&self, api: &Api, grant: &Grant) -> Result<bool, Problem> {
        let (Some(project), Some(label)) = (&self.project, &self.label) else {
            return Ok(false);
        };
        if !grant.allows(Action::Ingest, Some(project)) {
            return Ok(false);
        }
        let corrects = api.service.may_correct(project, label, &grant.id);
        Ok(corrects.await?)
    }
}

/// A project's name. Fails with [`Kind::InvalidName`] for a name that no project can have.
pub fn project_name(name: &str) -> Result<ProjectName, Problem> {
    ProjectName::parse(name).map_err(|error| Problem::from(ServiceError::from(error)))
}

/// The action that a request needs; `None` if anybody may make it. Unlisted requests that write
/// need `admin`.
fn needed(method: &Method, route: &str) -> Option<Action> {
    let stored = route.starts_with("/v1/projects");
    match *method {
        Method::GET | Method::HEAD if matches!(route, "/v1/version" | "/v1/access") => None,
        Method::GET | Method::HEAD if route.starts_with("/v1") || route == "/metrics" => {
            Some(Action::Read)
        }
        Method::GET | Method::HEAD => None,
        // The precondition covers only the request; the handler checks stored data.
        Method::POST if !stored => Some(Action::Read),
        Method::POST if route.ends_with("/gaps/{key}") => Some(Action::Read),
        Method::POST if route.ends_with("/validate") => Some(Action::Read),
        Method::POST if route.ends_with("/compare/{range}") => Some(Action::Read),
        Method::POST if route.ends_with("/revisions") => Some(Action::Ingest),
        Method::POST if route.contains("/probe/") => Some(Action::Ingest),
        _ if route.ends_with("/labels/{label}") => Some(Action::Label),
        _ if route.contains("/exceptions") => Some(Action::Except),
        _ => Some(Action::Admin),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LabelUse {
    Force,
    /// Gives an ingested revision a version label.
    Version,
}

impl LabelUse {
    fn needs(self) -> &'static str {
        match self {
            Self::Force => ", which `force` needs",
            Self::Version => {
                ", which setting a label that is a version needs; use a token with the actions \
                 `ingest` and `label`, or a label that is not a version"
            }
        }
    }
}

/// Parses the query as the handler does, so that no spelling gets past this check.
fn label_use(action: Action, uri: &Uri) -> Result<Option<LabelUse>, Problem> {
    let Query(parameters) = Query::<Vec<(String, String)>>::of(uri)?;
    let is_forced = |(name, value): &(String, String)| name == "force" && value != "false";
    let is_version = |(name, value): &(String, String)| name == "label" && is_version_text(value);
    Ok(if parameters.iter().any(is_forced) {
        Some(LabelUse::Force)
    } else if action == Action::Ingest && parameters.iter().any(is_version) {
        Some(LabelUse::Version)
    } else {
        None
    })
}

/// Identifies the caller. Returns the request, because checking a signature reads the body.
async fn identify(api: &Api, request: Request) -> Result<(Grant, Request), Problem> {
    let headers = request.headers();
    if headers.contains_key(SIGNATURE) && !headers.contains_key(header::AUTHORIZATION) {
        return signed(api, request).await;
    }
    let secret = bearer(headers)?;
    let grant = api.service.authenticate(secret).await?;
    Ok((grant, request))
}

/// Who sends a request with these headers. An invalid token is an answer, not a problem.
pub async fn caller(api: &Api, headers: &HeaderMap) -> Result<Caller, Problem> {
    if !headers.contains_key(header::AUTHORIZATION) {
        return Ok(Caller::Anonymous);
    }
    let Ok(secret) = bearer(headers) else {
        return Ok(Caller::Unknown);
    };
    match api.service.authenticate(secret).await {
        Ok(grant) => Ok(Caller::Known(grant)),
        Err(ServiceError::Denied(_)) => Ok(Caller::Unknown),
        Err(error) => Err(error.into()),
    }
}

fn bearer(headers: &HeaderMap) -> Result<&str, Problem> {
    let Some(text) = only(headers, &header::AUTHORIZATION) else {
        return Err(unauthenticated(
            "this action needs one header `Authorization: Bearer opatlas_...`; `opatlas token \
             create` creates a token",
        ));
    };
    match text.split_once(' ') {
        Some((scheme, secret)) if scheme.eq_ignore_ascii_case("bearer") => Ok(secret.trim()),
        _ => Err(unauthenticated(
            "the `Authorization` header is not a `Bearer` token",
        )),
    }
}

/// Looks up the token before reading the body, so that a caller without a signing token sends no body.
async fn signed(api: &Api, request: Request) -> Result<(Grant, Request), Problem> {
    let (parts, unread) = request.into_parts();
    let signature = only(&parts.headers, &SIGNATURE)
        .unwrap_or_default()
        .strip_prefix("sha256=");
    let (Some(signature), Some(signer)) = (signature, only(&parts.headers, &SIGNER)) else {
        return Err(unauthenticated(
            "a signature consists of one header `X-Opatlas-Signature: sha256=HEX` and the id of \
             its token in one header `X-Opatlas-Token`",
        ));
    };
    let signer = api.service.signer(signer, signature).await?;
    let whole = Request::from_parts(parts.clone(), unread);
    let bytes = body::collect(whole, api, api.config.json_bytes).await?;
    if bytes.is_empty() {
        // A known signature of the empty body would allow every request without a body.
        return Err(unauthenticated(
            "a request without a body cannot be signed; use a bearer token",
        ));
    }
    let grant = api.service.verify_signature(signer, bytes.clone()).await?;
    Ok((grant, Request::from_parts(parts, Body::from(bytes))))
}

fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut all = headers.get_all(name).iter();
    match (all.next(), all.next()) {
        (Some(value), None) => value.to_str().ok(),
        _ => None,
    }
}

fn unauthenticated(detail: &str) -> Problem {
    Problem::new(Kind::Unauthenticated, detail)
}

fn forbidden(grant: &Grant, action: Action, project: Option<&ProjectName>) -> Problem {
    let place = match project {
        Some(project) => format!(" in project `{project}`"),
        None => String::new(),
    };
    Problem::new(
        Kind::Forbidden,
        format!("token `{}` does not allow `{action}`{place}", grant.name),
    )
}
