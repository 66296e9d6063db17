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
    /// The `type` in problem documents.
    #[serde(rename = "type")]
    #[schema(example = "/problems/unknown-operator")]
    pub kind: String,
    /// Its title.
    pub title: &'static str,
    /// The HTTP statuses that it occurs with: 404 where the path names what does not exist, 422
    /// where a parameter does.
    #[schema(example = json!([404]))]
    pub statuses: Vec<u16>,
    /// What it means.
    pub meaning: &'static str,
}
