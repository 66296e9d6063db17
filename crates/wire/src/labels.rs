//! Labels as JSON.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::time::timestamp;
use opatlas_store::LabelRecord;

/// A label's path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct LabelPath {
    /// The project.
    #[param(example = "pytorch")]
    pub project: String,
    /// The label.
    #[param(example = "main")]
    pub label: String,
}

/// How to move a label.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct ForceQuery {
    /// Override the protection of a label that looks like a version, and give a label another release.
    pub force: Option<bool>,
}

/// The target of a label.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"revision": "sha256:0123abcd", "release": "2.9"}))]
pub struct LabelTarget {
    /// The address of the revision: `sha256:HEX`, a commit, another label, or `latest`.
    #[schema(
        pattern = r"^(latest|sha256:[0-9A-Fa-f]{8,64}|(?!.*\.\.)(?!latest)(?!sha256)[A-Za-z0-9][A-Za-z0-9._+\-]{0,127})$"
    )]
    pub revision: String,
    /// The release of the label; by default its current one, or the one that the label looks like.
    pub release: Option<String>,
}

/// A label.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({
    "name": "main",
    "revision": "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "release": "2.9",
    "moved_at": "2026-11-21T10:00:00Z",
    "sequence": 17
}))]
pub struct Label {
    /// Its name.
    pub name: String,
    /// The address of its revision.
    pub revision: String,
    /// The release of the label; null if that is the newest known.
    pub release: Option<String>,
    /// When it was created or last changed.
    #[schema(format = DateTime)]
    pub moved_at: String,
    /// The position of its revision in the order of ingestion. Positions may have gaps.
    pub sequence: i64,
}

/// A page of labels.
#[derive(Debug, Serialize, ToSchema)]
pub struct LabelList {
    /// The labels, by name.
    pub items: Vec<Label>,
    /// The cursor of the next page; null at the end.
    pub next_cursor: Option<String>,
}

impl From<LabelRecord> for Label {
    fn from(label: LabelRecord) -> Self {
        Self {
            name: label.name.to_string(),
            revision: format!("sha256:{}", label.digest),
            release: label.release,
            moved_at: timestamp(label.moved_at),
            sequence: label.sequence,
        }
    }
}
