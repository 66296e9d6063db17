//! The parameters of comparisons, over HTTP and on the command line.

use clap::ValueEnum;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use crate::compare_filter::LeastLevel;
use opatlas_diff::policy::Policy;
use opatlas_diff::rules::{Level, Profile};

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
    /// The least level that fails, or `never`; by default that of the policy.
    #[param(inline)]
    pub fail_on: Option<FailOn>,
    /// Also compare the head with other revisions: `latest`, `all` revisions with labels, or a
    /// label.
    #[param(example = "latest")]
    pub against: Option<String>,
    /// List only changes of this level and worse, and causes with such changes. Filters restrict what is
    /// listed, never the counts or the conclusion.
    #[param(inline)]
    pub level: Option<LeastLevel>,
    /// List only changes of these operators: a comma-separated list of at most 200 names. A base name
    /// matches its overloads, and `*` and `?` are wildcards.
    #[param(example = "add*,bmm")]
    pub operator: Option<String>,
    /// List only changes about these dispatch keys: a comma-separated list, at most 200.
    #[param(example = "CUDA,MPS")]
    pub backend: Option<String>,
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

impl CompareQuery {
    /// Overrides a policy with the options of the request.
    pub fn override_policy(&self, policy: &mut Policy) {
        if let Some(profile) = self.profile {
            policy.profile = profile.into();
        }
        if let Some(fail_on) = self.fail_on {
            policy.fail_on = fail_on.level();
        }
    }

    /// The query with which the comparison's page shows the same verdict, or an empty text.
    #[must_use]
    pub fn judging(&self) -> String {
        let profile = self.profile.map(|name| Profile::from(name).as_str());
        let never = |level: Option<Level>| level.map_or("never", Level::as_str);
        let fail_on = self.fail_on.map(|name| never(name.level()));
        let asked = [("profile", profile), ("fail_on", fail_on)]
            .into_iter()
            .filter_map(|(name, value)| Some((name, value?)));
        let mut text = String::new();
        for (name, value) in asked {
            text.push(if text.is_empty() { '?' } else { '&' });
            text.extend([name, "=", value]);
        }
        text
    }
}

/// The least level that fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema, ValueEnum)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "Level has what each is")]
pub enum FailOn {
    Breaking,
    ForwardBreaking,
    Dangerous,
    Info,
    Safe,
    Never,
}

impl FailOn {
    /// The level; `None` if no level fails.
    #[must_use]
    pub fn level(self) -> Option<Level> {
        match self {
            Self::Breaking => Some(Level::Breaking),
            Self::ForwardBreaking => Some(Level::ForwardBreaking),
            Self::Dangerous => Some(Level::Dangerous),
            Self::Info => Some(Level::Info),
            Self::Safe => Some(Level::Safe),
            Self::Never => None,
        }
    }
}

/// The audience to judge for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum ProfileName {
    /// All audiences
    Strict,
    /// Only the verdicts of PyTorch's own check
    Official,
    /// Python callers
    Python,
    /// Stored and exported models
    Model,
    /// C++ callers
    Cpp,
    /// Out-of-tree backends
    Backend,
    /// Autograd, functionalization, export and torch.compile
    Compiler,
}

impl From<ProfileName> for Profile {
    fn from(name: ProfileName) -> Self {
        match name {
            ProfileName::Strict => Self::Strict,
            ProfileName::Official => Self::Official,
            ProfileName::Python => Self::Python,
            ProfileName::Model => Self::Model,
            ProfileName::Cpp => Self::Cpp,
            ProfileName::Backend => Self::Backend,
            ProfileName::Compiler => Self::Compiler,
        }
    }
}
