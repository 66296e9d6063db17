//! The path of a file.

use serde::Deserialize;
use utoipa::IntoParams;

/// A file's path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct FilePath {
    /// The project.
    #[param(example = "pytorch")]
    pub project: String,
    /// `LABEL`, `sha256:HEX` (8 digits or more, as long as they are unambiguous) or `latest`.
    #[param(example = "latest")]
    pub revision: String,
    /// The file's name in the bundle.
    #[param(example = "native_functions.yaml")]
    pub name: String,
}
