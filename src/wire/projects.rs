//! Projects as JSON.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::store::Project;
use crate::wire::time::timestamp;

/// A project to be made.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"name": "pytorch", "description": "The main line"}))]
pub struct NewProject {
    /// Its name: letters, digits, `.`, `_`, `+` and `-`, beginning with a letter or digit.
    #[schema(
        max_length = 128,
        pattern = r"^(?!latest$)(?!sha256)(?!.*\.\.)[A-Za-z0-9][A-Za-z0-9._+-]{0,127}$"
    )]
    pub name: String,
    /// What it is, for people.
    pub description: Option<String>,
    /// What its comparisons are judged by.
    #[schema(value_type = Option<Object>)]
    pub policy: Option<Map<String, Value>>,
}

/// What becomes of a project; what is left out stays, and null takes away.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"description": "The main line, nightly"}))]
pub struct ProjectEdit {
    /// What it is, for people.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>)]
    pub description: Option<Option<String>>,
    /// What its comparisons are judged by.
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
    /// What it is, for people.
    pub description: Option<String>,
    /// What its comparisons are judged by.
    #[schema(value_type = Option<Object>)]
    pub policy: Option<Value>,
    /// When it was made.
    #[schema(format = DateTime)]
    pub created_at: String,
    /// How many revisions it has.
    pub revisions: i64,
}

/// A page of projects.
#[derive(Debug, Serialize, ToSchema)]
pub struct ProjectList {
    /// The projects, by name.
    pub items: Vec<ProjectView>,
    /// What to ask for the next part with; null at the end.
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

/// Tells `null` from a member that is not there.
pub(crate) fn present<'de, T, D>(deserializer: D) -> Result<Option<T>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    T::deserialize(deserializer).map(Some)
}
