//! What the options of `opatlas compare` may be.

use clap::ValueEnum;

use opatlas_diff::rules::{Level, Profile};

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    Text,
    Json,
    Markdown,
    /// With --backend: a line for each operator
    Csv,
    Sarif,
    Junit,
    Github,
    /// GitLab Code Quality
    Gitlab,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ProfileName {
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum FailOn {
    Breaking,
    ForwardBreaking,
    Dangerous,
    Info,
    Safe,
    Never,
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

impl FailOn {
    /// The lowest level that fails; `None` if no level does.
    pub(super) fn level(self) -> Option<Level> {
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
