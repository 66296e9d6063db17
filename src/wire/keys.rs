//! Dispatch keys and what operators have there.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::service::ServiceError;
use crate::wire::entry::{BuildView, ReasonCounts, Source};
use crate::wire::key_entries::KeyEntry;
use crate::wire::paths::Generated;
use crate::wire::problem::{Kind, Problem};

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

/// Which tables, and which part of the list.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct KeyQuery {
    /// Whether generated operators are wanted; by default they are.
    #[param(inline)]
    pub generated: Option<Generated>,
    /// A build profile (`all`, the default: what is declared; `linux-cuda`, `cpu`, `macos`), or a
    /// comma list of backends that are left out.
    #[param(example = "linux-cuda")]
    pub build: Option<String>,
    /// `files` leaves out what hand-written and observed registrations decide.
    #[param(inline)]
    pub source: Option<Source>,
    /// Only entries with this reason.
    #[param(example = "missing")]
    pub reason: Option<String>,
    /// The release of PyTorch whose rules apply, for an address by digest.
    #[param(example = "2.9")]
    pub release: Option<String>,
    /// How many items a page has.
    #[param(minimum = 1, maximum = 1000, default = 100)]
    pub limit: Option<u32>,
    /// `next_cursor` of the page before.
    pub cursor: Option<String>,
}

/// Which tables, and which part of the list of keys.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct KeysQuery {
    /// Whether generated operators are counted; by default they are.
    #[param(inline)]
    pub generated: Option<Generated>,
    /// A build profile, or a comma list of backends that are left out.
    #[param(example = "linux-cuda")]
    pub build: Option<String>,
    /// `files` leaves out what hand-written and observed registrations decide.
    #[param(inline)]
    pub source: Option<Source>,
    /// The release of PyTorch whose rules apply, for an address by digest.
    #[param(example = "2.9")]
    pub release: Option<String>,
    /// How many items a page has.
    #[param(minimum = 1, maximum = 1000, default = 100)]
    pub limit: Option<u32>,
    /// `next_cursor` of the page before.
    pub cursor: Option<String>,
}

/// A page of keys.
#[derive(Debug, Serialize, ToSchema)]
pub struct KeyList {
    /// The runtime keys, in table order.
    pub items: Vec<KeyItem>,
    /// What to ask for the next part with; null at the end.
    pub next_cursor: Option<String>,
}

/// A key with what operators have there.
#[derive(Debug, Serialize, ToSchema)]
pub struct KeyItem {
    /// The runtime key.
    #[schema(example = "SparseCPU")]
    pub key: &'static str,
    /// Its functionality.
    #[schema(example = "Sparse")]
    pub functionality: &'static str,
    /// Its backend, where the functionality exists once per backend.
    #[schema(example = "CPU")]
    pub backend: Option<&'static str>,
    /// How many operators are counted.
    pub operators: usize,
    /// How many of them have which reason.
    #[schema(value_type = std::collections::BTreeMap<String, u32>)]
    pub counts: ReasonCounts<u32>,
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
    /// Its backend, where the functionality exists once per backend.
    #[schema(example = "MPS")]
    pub backend: Option<&'static str>,
    /// The release whose keys and rules apply.
    #[schema(example = "2.9")]
    pub release: &'static str,
    /// The build that the tables are for.
    pub build: BuildView,
    /// Which registrations they are made of.
    pub source: Source,
    /// What there is to know about that.
    pub notes: Vec<String>,
    /// How many operators are counted, whatever their reason.
    pub operators: usize,
    /// How many of them have which reason.
    #[schema(value_type = std::collections::BTreeMap<String, u32>)]
    pub counts: ReasonCounts<u32>,
    /// One for every operator, missing ones included, in the order of the operators.
    pub items: Vec<KeyEntry<'a>>,
    /// What to ask for the next part with; null at the end.
    pub next_cursor: Option<String>,
}

/// In a path the key is what is asked for.
pub(crate) fn of_path(error: ServiceError) -> Problem {
    let mut problem = Problem::from(error);
    if problem.kind == Kind::UnknownKey {
        problem.kind = Kind::NoKey;
    }
    problem
}
