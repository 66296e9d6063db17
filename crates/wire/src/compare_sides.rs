//! The body of a comparison: two sides, a policy and exceptions.

use serde::Deserialize;
use utoipa::ToSchema;

use crate::bundle::Files;
use opatlas_service::policy::{ExceptionText, PolicyText};

/// Two sides to compare.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({
    "base": {"files": {"native_functions.yaml": "- func: f(Tensor self, int dim) -> Tensor\n"}},
    "head": {"files": {"native_functions.yaml": "- func: f(Tensor self, int axis) -> Tensor\n"}}
}))]
pub struct CompareBody {
    /// The base.
    pub base: SideBody,
    /// The head.
    pub head: SideBody,
    /// The policy; by default that of the project of a stored side, preferably the head's.
    #[schema(value_type = Option<Object>)]
    pub policy: Option<PolicyText>,
    /// Exceptions in addition to those of that project.
    #[serde(default)]
    #[schema(value_type = Vec<crate::exceptions::NewException>)]
    pub exceptions: Vec<ExceptionText>,
}

/// A side: files, or a stored revision.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SideBody {
    /// The files of a bundle, by name; at most 16 MiB for both sides together.
    #[schema(value_type = Option<std::collections::BTreeMap<String, String>>)]
    pub files: Option<Files>,
    /// Whether `files` are all files of a commit. Then a file that the head lacks and the base has was
    /// deleted, which is an error; otherwise the base's file applies to both.
    #[serde(default)]
    pub complete: bool,
    /// The project of a stored revision.
    pub project: Option<String>,
    /// The address of a stored revision.
    pub revision: Option<String>,
    /// The title of the side, for files: `this pull request`.
    pub title: Option<String>,
    /// The release whose rules apply to this side; by default that of a stored revision's label, else that
    /// of the other side, else the newest.
    pub release: Option<String>,
}
