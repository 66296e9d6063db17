//! Two schemas to compare, and the official verdict.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::change::Change;
use crate::comparison::Verdict;

/// Two schemas.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SchemaPair {
    /// The old schema.
    #[schema(example = "can_cast(ScalarType from, ScalarType to) -> bool")]
    pub old: String,
    /// The new schema.
    #[schema(example = "can_cast(ScalarType from_, ScalarType to) -> bool")]
    pub new: String,
}

/// What changed between two schemas.
#[derive(Debug, Serialize, ToSchema)]
pub struct ComparedSchemas {
    /// The verdict of PyTorch's own check, bit for bit.
    #[serde(flatten)]
    pub official: Verdict,
    /// What changed.
    pub changes: Vec<Change<'static>>,
}
