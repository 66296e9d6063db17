//! What a caller may do.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use opatlas_service::access::Action;

/// The project to ask about.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct AccessQuery {
    /// The project to ask about; it need not exist. Without one, the answer is about requests that
    /// concern no project, such as the list of projects.
    #[param(example = "pytorch")]
    pub project: Option<String>,
}

/// What the caller may do.
#[derive(Debug, Serialize, ToSchema)]
pub struct AccessView {
    /// What needs a token on this server.
    pub tokens_for: TokensFor,
    /// The token of the request.
    pub token: TokenState,
    /// Every action, with whether the caller may use it.
    pub rights: Vec<Right>,
}

/// What needs a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TokensFor {
    /// Nothing.
    Nothing,
    /// Requests that write.
    Writes,
    /// All requests, except those about the service itself.
    All,
}

/// Whether a request has a token, and a valid one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TokenState {
    /// No token.
    Absent,
    /// A valid token.
    Valid,
    /// An unknown, revoked or expired token.
    Invalid,
}

/// An action, and whether the caller may use it.
#[derive(Debug, Serialize, ToSchema)]
pub struct Right {
    /// `read`, `ingest`, `label`, `except` or `admin`.
    #[schema(example = "read")]
    pub action: &'static str,
    /// Whether it is allowed.
    pub verdict: RightVerdict,
}

/// Whether an action is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RightVerdict {
    /// It is.
    Allowed,
    /// It needs a token, and the request has no valid one.
    TokenRequired,
    /// The token does not allow it.
    NotAllowed,
}

/// What a client may do: its token, and the verdict on each action.
pub fn access(
    tokens_for: TokensFor,
    token: TokenState,
    verdict: impl Fn(Action) -> RightVerdict,
) -> AccessView {
    AccessView {
        tokens_for,
        token,
        rights: Action::ALL
            .into_iter()
            .map(|action| Right {
                action: action.as_str(),
                verdict: verdict(action),
            })
            .collect(),
    }
}
