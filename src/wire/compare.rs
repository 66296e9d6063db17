//! The parameters of comparisons.

use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

/// The path of a comparison.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct ComparePath {
    /// The project.
    #[param(example = "pytorch")]
    pub project: String,
    /// `BASE...HEAD`, both as revisions are addressed; split at the first `...`. With `against`
    /// the base may be left out: `...HEAD`.
    #[param(example = "2.14.1...2.15.0")]
    pub range: String,
}

/// How a comparison is told.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct CompareQuery {
    /// Whose view counts; by default the policy's.
    #[param(inline)]
    pub profile: Option<ProfileName>,
    /// What to hold the head against as well: `latest`, `all` labelled revisions, or a label.
    #[param(example = "latest")]
    pub against: Option<String>,
    /// The most characters (Unicode scalar values) that a part of the Markdown report may have.
    #[param(minimum = 3000, maximum = 1000000, example = 65536)]
    pub max_chars: Option<usize>,
    /// Which part of the Markdown report is wanted, from 1.
    #[param(minimum = 1)]
    pub part: Option<usize>,
    /// The release whose rules apply to revisions that are addressed by digest, and to files.
    #[param(example = "2.15")]
    pub release: Option<String>,
}

/// Whose view counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "Profile has what each is")]
pub enum ProfileName {
    Strict,
    Official,
    Python,
    Model,
    Cpp,
    Backend,
    Compiler,
}
