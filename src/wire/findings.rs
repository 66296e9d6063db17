//! Lists of findings.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::wire::finding::{Finding, Omitted, Severity};

/// Which findings, and which part of them.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct FindingsQuery {
    /// Only of this severity.
    #[param(inline)]
    pub severity: Option<Severity>,
    /// Only of this rule.
    #[param(example = "out-return-matches")]
    pub rule: Option<String>,
    /// Only about this operator.
    #[param(example = "add.out")]
    pub operator: Option<String>,
    /// The release of PyTorch whose rules apply, for an address by digest.
    #[param(example = "2.9")]
    pub release: Option<String>,
    /// How many items a page has.
    #[param(minimum = 1, maximum = 1000, default = 100)]
    pub limit: Option<u32>,
    /// `next_cursor` of the page before.
    pub cursor: Option<String>,
}

/// A page of findings.
#[derive(Debug, Serialize, ToSchema)]
pub struct FindingList {
    /// The findings, by file and place.
    pub items: Vec<Finding>,
    /// How many findings more there are of each rule than are listed; empty for every real file.
    pub omitted: Vec<Omitted>,
    /// What to ask for the next part with; null at the end.
    pub next_cursor: Option<String>,
}
