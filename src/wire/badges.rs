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
    /// A runtime key with `.svg` for the image, or `.json` for badge services.
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
    /// What counts: `served`, the default, is whatever gets a call to a kernel; `kernel` only
    /// kernels of the key itself.
    #[param(inline)]
    pub of: Option<Counted>,
}

/// What counts as covered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Counted {
    /// Whatever gets a call to a kernel.
    #[default]
    Served,
    /// A kernel of the key itself.
    Kernel,
}

/// A badge as badge services read it.
#[derive(Debug, Serialize, ToSchema)]
pub struct Badge {
    /// The version of this form, as badge services number it.
    #[serde(rename = "schemaVersion")]
    #[schema(example = 1)]
    pub schema_version: u8,
    /// What it is about.
    #[schema(example = "coverage of MPS in 2.15.0")]
    pub label: String,
    /// How much.
    #[schema(example = "63 %")]
    pub message: String,
    /// A colour by its name.
    #[schema(example = "yellow")]
    pub color: &'static str,
}
