//! Lists of findings.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::finding::{Finding, Omitted, Severity};

/// Which findings, and which page.
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
    /// The number of items in a page.
    #[param(minimum = 1, maximum = 1000, default = 100)]
    pub limit: Option<u32>,
    /// `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

/// A page of findings.
#[derive(Debug, Serialize, ToSchema)]
pub struct FindingList {
    /// The findings, by file and position.
    pub items: Vec<Finding>,
    /// The number of omitted findings per rule; empty for every real file.
    pub omitted: Vec<Omitted>,
    /// The cursor of the next page; null at the end.
    pub next_cursor: Option<String>,
}
