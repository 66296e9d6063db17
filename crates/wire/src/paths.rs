//! The parts of paths, and the parameters that many calls share.

use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use opatlas_service::search;

/// A project's path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct ProjectPath {
    /// The project.
    #[param(example = "pytorch")]
    pub project: String,
}

/// A revision's path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct RevisionPath {
    /// The project.
    #[param(example = "pytorch")]
    pub project: String,
    /// `LABEL`, `sha256:HEX` (8 digits or more, as long as they are unambiguous) or `latest`.
    #[param(example = "latest")]
    pub revision: String,
}

/// An operator's path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct OperatorPath {
    /// The project.
    #[param(example = "pytorch")]
    pub project: String,
    /// `LABEL`, `sha256:HEX` (8 digits or more, as long as they are unambiguous) or `latest`.
    #[param(example = "latest")]
    pub revision: String,
    /// `base_name[.overload]`; a namespace other than `aten` precedes it, `ns::name`.
    #[param(example = "add.Tensor")]
    pub operator: String,
}

/// The release whose rules apply.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct ReleaseQuery {
    /// The release of PyTorch whose rules apply, such as `2.9`; by default the newest known. A
    /// label has its own.
    #[param(example = "2.9")]
    pub release: Option<String>,
}

/// Whether to include generated operators; `true` and `false` mean `include` and `exclude`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Generated {
    /// Include generated operators.
    #[serde(alias = "true")]
    Include,
    /// Exclude declared operators.
    Only,
    /// Exclude generated operators.
    #[serde(alias = "false")]
    Exclude,
}

impl From<Generated> for search::Generated {
    fn from(generated: Generated) -> Self {
        match generated {
            Generated::Include => Self::Include,
            Generated::Only => Self::Only,
            Generated::Exclude => Self::Exclude,
        }
    }
}
