//! The health and the version of the service.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The version of the API, the first segment of its paths.
pub const API_VERSION: &str = "v1";

/// The status of the service.
#[derive(Debug, Serialize, ToSchema)]
pub struct Health {
    /// `ok`
    #[schema(example = "ok")]
    pub status: &'static str,
}

/// The program.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct Version {
    /// `opatlas`
    #[schema(example = "opatlas")]
    pub name: String,
    /// Its version.
    #[schema(example = "0.1.0")]
    pub version: String,
    /// Its version and a digest of its sources, which determines its answers.
    pub engine: String,
    /// The version of the API.
    #[schema(example = "v1")]
    pub api: String,
    /// The oldest release of PyTorch that it knows.
    #[schema(example = "2.0")]
    pub oldest_release: String,
    /// The newest release of PyTorch that it knows.
    #[schema(example = "2.15")]
    pub newest_release: String,
}
