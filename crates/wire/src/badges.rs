//! Badges, as JSON.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// A badge's path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct BadgePath {
    /// The project.
    #[param(example = "pytorch")]
    pub project: String,
    /// A runtime key plus `.svg` for the image, or `.json` for badge services.
    #[param(example = "MPS.svg")]
    pub badge: String,
}

/// What the badge shows.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct BadgeQuery {
    /// The revision; by default the last one.
    #[param(example = "2.15.0")]
    pub revision: Option<String>,
    /// What counts: `served` (the default) counts operators that work, `kernel` only those with a
    /// kernel for the key itself.
    #[param(inline)]
    pub of: Option<Counted>,
}

/// What counts as covered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Counted {
    /// Operators that work: those that run, decompose or fall back.
    #[default]
    Served,
    /// A kernel registered on the key.
    Kernel,
}

/// A badge in the format of badge services.
#[derive(Debug, Serialize, ToSchema)]
pub struct Badge {
    /// The version of this format.
    #[serde(rename = "schemaVersion")]
    #[schema(example = 1)]
    pub schema_version: u8,
    /// The text on the left.
    #[schema(example = "coverage of MPS in 2.15.0")]
    pub label: String,
    /// The value.
    #[schema(example = "63 %, 9 unknown")]
    pub message: String,
    /// The name of a color.
    #[schema(example = "yellow")]
    pub color: &'static str,
}
