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
    /// `BASE...HEAD`, two revision addresses, split at the first `...`. With `against` the base is
    /// optional: `...HEAD`.
    #[param(example = "2.14.1...2.15.0")]
    pub range: String,
}

/// The format and options of a report.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct CompareQuery {
    /// The audience to judge for; by default that of the policy.
    #[param(inline)]
    pub profile: Option<ProfileName>,
    /// Also compare the head with other revisions: `latest`, `all` revisions with labels, or a
    /// label.
    #[param(example = "latest")]
    pub against: Option<String>,
    /// The maximum length of a part of the Markdown report, in Unicode scalar values.
    #[param(minimum = 3000, maximum = 1000000, example = 65536)]
    pub max_chars: Option<usize>,
    /// The part of the Markdown report to return, from 1.
    #[param(minimum = 1)]
    pub part: Option<usize>,
    /// The release whose rules apply to files and to revisions addressed by digest.
    #[param(example = "2.15")]
    pub release: Option<String>,
}

/// The audience to judge for.
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
