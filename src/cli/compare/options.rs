//! The options of `opatlas compare` and `opatlas comment`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::cli::Target;
use crate::cli::kernel_sources::KernelSources;
use crate::cli::side::NATIVE_FUNCTIONS_PATH;
use opatlas_wire::compare::{FailOn, ProfileName};

/// The options of every command that compares two revisions.
#[derive(Debug, Args)]
pub(in crate::cli) struct How {
    /// The audience to judge for; by default that of the policy, or strict
    #[arg(long, value_enum)]
    pub(super) profile: Option<ProfileName>,

    /// Exit with 1 if an unexcused change has at least this level; by default that of the policy
    #[arg(long, value_enum)]
    pub(super) fail_on: Option<FailOn>,

    /// Also compare the head with other stored revisions: latest, all, or a label
    #[arg(long, value_name = "latest|all|LABEL")]
    pub(super) against: Option<String>,

    /// The file with the policy and the exceptions; by default opatlas.toml if it exists
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,

    /// The PyTorch release whose rules apply to files; by default that of the other side, else the newest
    #[arg(long)]
    pub(super) release: Option<String>,

    /// The title of the head in the report
    #[arg(long, value_name = "TEXT")]
    pub(super) head_title: Option<String>,

    /// The title of the base in the report
    #[arg(long, value_name = "TEXT")]
    pub(super) base_title: Option<String>,

    /// The URL of the full comparison, for links in the report
    #[arg(long, value_name = "URL")]
    pub(super) permalink: Option<String>,

    /// The path of native_functions.yaml in the repository
    #[arg(long, value_name = "PATH", default_value = NATIVE_FUNCTIONS_PATH)]
    pub(super) path: String,

    /// The local clone of the repository
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    pub(super) repository: PathBuf,

    #[command(flatten)]
    pub(super) sources: KernelSources,

    /// The project of stored revisions
    #[arg(long, env = "OPATLAS_PROJECT", default_value = "pytorch")]
    pub(super) project: String,

    #[command(flatten)]
    pub(super) target: Target,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    Text,
    Json,
    Markdown,
    /// A line for each change; with --backend for each operator
    Csv,
    Sarif,
    Junit,
    Github,
    /// GitLab Code Quality
    Gitlab,
}
