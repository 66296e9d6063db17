//! The description of a problem type.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// A problem type's path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct ProblemPath {
    /// The last part of the `type`.
    #[param(example = "unknown-operator")]
    pub problem: String,
}

/// A type of problem.
#[derive(Debug, Serialize, ToSchema)]
pub struct ProblemType {
    /// What problem documents have as `type`.
    #[serde(rename = "type")]
    #[schema(example = "/problems/unknown-operator")]
    pub kind: String,
    /// Its title.
    pub title: &'static str,
    /// The status that it comes with.
    #[schema(minimum = 400, maximum = 599)]
    pub status: u16,
    /// What it means.
    pub meaning: &'static str,
}
