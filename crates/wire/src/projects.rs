//! Projects as JSON.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::time::timestamp;
use opatlas_store::Project;

/// A project to create.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"name": "pytorch", "description": "The main line"}))]
pub struct NewProject {
    /// Its name: letters, digits, `.`, `_`, `+` and `-`, starting with a letter or digit.
    #[schema(
        max_length = 128,
        pattern = r"^(?!latest$)(?!sha256)(?!.*\.\.)[A-Za-z0-9][A-Za-z0-9._+-]{0,127}$"
    )]
    pub name: String,
    /// Its description.
    pub description: Option<String>,
    /// The policy for its comparisons.
    #[schema(value_type = Option<Object>)]
    pub policy: Option<Map<String, Value>>,
}

/// Changes to a project. Missing members stay unchanged, and null removes one.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"description": "The main line, nightly"}))]
pub struct ProjectEdit {
    /// Its description.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>)]
    pub description: Option<Option<String>>,
    /// The policy for its comparisons.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<Object>)]
    pub policy: Option<Option<Map<String, Value>>>,
}

/// A project.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[schema(as = Project, example = json!({
    "name": "pytorch", "description": null, "policy": null, "created_at": "2026-11-21T10:00:00Z",
    "revisions": 28
}))]
pub struct ProjectView {
    /// Its name.
    pub name: String,
    /// Its description.
    pub description: Option<String>,
    /// The policy for its comparisons.
    #[schema(value_type = Option<Object>)]
    pub policy: Option<Value>,
    /// When it was created.
    #[schema(format = DateTime)]
    pub created_at: String,
    /// The number of its revisions.
    pub revisions: i64,
}

/// A page of projects.
#[derive(Debug, Serialize, ToSchema)]
pub struct ProjectList {
    /// The projects, by name.
    pub items: Vec<ProjectView>,
    /// The cursor of the next page; null at the end.
    pub next_cursor: Option<String>,
}

impl From<Project> for ProjectView {
    fn from(project: Project) -> Self {
        let policy = project.policy.as_deref();
        Self {
            name: project.name.to_string(),
            description: project.description,
            policy: policy.and_then(|text| serde_json::from_str(text).ok()),
            created_at: timestamp(project.created_at),
            revisions: project.revisions,
        }
    }
}

/// Distinguishes `null` from a missing member.
pub(crate) fn present<'de, T, D>(deserializer: D) -> Result<Option<T>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    T::deserialize(deserializer).map(Some)
}
