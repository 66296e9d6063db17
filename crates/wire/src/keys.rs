//! Dispatch keys, and the entries of all operators at one key.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::coverage::BackendCoverage;
use crate::entry::{BuildView, ReasonCounts, Source};
use crate::key_entries::KeyEntry;
use crate::paths::Generated;
use crate::problem::Problem;
use crate::verdict::VerdictCounts;
use opatlas_service::ServiceError;

/// A key's path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct KeyPath {
    /// The project.
    #[param(example = "pytorch")]
    pub project: String,
    /// `LABEL`, `sha256:HEX` (8 digits or more, as long as they are unambiguous) or `latest`.
    #[param(example = "latest")]
    pub revision: String,
    /// A runtime key.
    #[param(example = "MPS")]
    pub key: String,
}

/// Which tables, and which page.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct KeyQuery {
    /// Whether to include generated operators; by default yes.
    #[param(inline)]
    pub generated: Option<Generated>,
    /// A build profile (`all`, the default: all declared backends; `linux-cuda`, `cpu`, `macos`),
    /// or a comma-separated list of backends to leave out.
    #[param(example = "linux-cuda")]
    pub build: Option<String>,
    /// `files` ignores hand-written and observed registrations.
    #[param(inline)]
    pub source: Option<Source>,
    /// Only entries with this reason.
    #[param(example = "missing")]
    pub reason: Option<String>,
    /// Only entries with this verdict.
    #[param(example = "fails")]
    pub verdict: Option<String>,
    /// The release of PyTorch whose rules apply, for an address by digest.
    #[param(example = "2.9")]
    pub release: Option<String>,
    /// The number of items in a page.
    #[param(minimum = 1, maximum = 1000, default = 100)]
    pub limit: Option<u32>,
    /// `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

/// Which tables, and which page of keys.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct KeysQuery {
    /// Whether to count generated operators; by default yes.
    #[param(inline)]
    pub generated: Option<Generated>,
    /// A build profile, or a comma-separated list of backends to leave out.
    #[param(example = "linux-cuda")]
    pub build: Option<String>,
    /// `files` ignores hand-written and observed registrations.
    #[param(inline)]
    pub source: Option<Source>,
    /// The release of PyTorch whose rules apply, for an address by digest.
    #[param(example = "2.9")]
    pub release: Option<String>,
    /// The number of items in a page.
    #[param(minimum = 1, maximum = 1000, default = 100)]
    pub limit: Option<u32>,
    /// `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

/// A page of keys.
#[derive(Debug, Serialize, ToSchema)]
pub struct KeyList {
    /// The runtime keys, in table order.
    pub items: Vec<KeyItem>,
    /// The cursor of the next page; null at the end.
    pub next_cursor: Option<String>,
}

/// A key with counts of its entries.
#[derive(Debug, Serialize, ToSchema)]
pub struct KeyItem {
    /// The runtime key.
    #[schema(example = "SparseCPU")]
    pub key: &'static str,
    /// Its functionality.
    #[schema(example = "Sparse")]
    pub functionality: &'static str,
    /// Its backend, if the functionality exists once per backend.
    #[schema(example = "CPU")]
    pub backend: Option<&'static str>,
    /// The number of counted operators.
    pub operators: usize,
    /// The number of operators by reason.
    #[schema(value_type = std::collections::BTreeMap<String, u32>)]
    pub counts: ReasonCounts<u32>,
    /// How many operators work, for the key of a backend; null for other keys.
    pub coverage: Option<BackendCoverage>,
}

/// One key across all operators.
#[derive(Debug, Serialize, ToSchema)]
pub struct KeyView<'a> {
    /// The runtime key.
    #[schema(example = "MPS")]
    pub key: &'static str,
    /// Its functionality.
    #[schema(example = "Dense")]
    pub functionality: &'static str,
    /// Its backend, if the functionality exists once per backend.
    #[schema(example = "MPS")]
    pub backend: Option<&'static str>,
    /// The release whose keys and rules apply.
    #[schema(example = "2.9")]
    pub release: &'static str,
    /// The build of the tables.
    pub build: BuildView,
    /// The registrations in them.
    pub source: Source,
    /// Notes about it.
    pub notes: Vec<String>,
    /// The number of counted operators, for any reason.
    pub operators: usize,
    /// The number of operators by reason.
    #[schema(value_type = std::collections::BTreeMap<String, u32>)]
    pub counts: ReasonCounts<u32>,
    /// The number of operators by verdict, including those that only other backends have.
    #[schema(value_type = std::collections::BTreeMap<String, u32>)]
    pub verdicts: VerdictCounts,
    /// The number of operators that fail because only other backends have them, for example in
    /// cuDNN.
    pub other_backends: usize,
    /// One entry for each operator in file order, including `missing` ones.
    pub items: Vec<KeyEntry<'a>>,
    /// The cursor of the next page; null at the end.
    pub next_cursor: Option<String>,
}

/// The problem of a key in a path: the path names what does not exist, so it is a 404.
pub fn of_path(error: ServiceError) -> Problem {
    Problem::from(error).in_path()
}
