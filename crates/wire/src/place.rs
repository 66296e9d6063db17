//! Places of timelines on the wire.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::time::timestamp;
use opatlas_service::history::{Item, Timeline};

/// A place on a timeline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Place {
    /// The revision.
    #[schema(example = "sha256:7a0f...")]
    pub revision: String,
    /// The label that names it.
    #[schema(example = "2.4.0")]
    pub label: Option<String>,
    /// A commit's author date; null for releases, because no file contains their dates.
    pub date: Option<String>,
    /// Its commit.
    pub commit: Option<Commit>,
}

/// A commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Commit {
    /// Its id.
    pub id: String,
    /// The first line of its message.
    pub subject: String,
}

impl Place {
    /// A place of a timeline.
    #[must_use]
    pub fn of(item: &Item) -> Self {
        Self {
            revision: format!("sha256:{}", item.digest),
            label: item.label.as_ref().map(|label| label.name.to_string()),
            date: item.date().map(timestamp),
            commit: item.commit.as_ref().map(|commit| Commit {
                id: commit.id.clone(),
                subject: commit.subject.clone(),
            }),
        }
    }

    /// Its title, like [`Item::title`].
    #[must_use]
    pub fn title(&self) -> String {
        match (&self.label, &self.commit) {
            (Some(label), _) => label.clone(),
            (None, Some(commit)) => commit.id.chars().take(12).collect(),
            (None, None) => self.revision.chars().take("sha256:".len() + 12).collect(),
        }
    }

    /// The place with this index.
    #[must_use]
    pub fn at(timeline: &Timeline, place: usize) -> Self {
        Self::of(&timeline.items[place])
    }

    /// The previous place; `None` for the first.
    #[must_use]
    pub fn before(timeline: &Timeline, place: usize) -> Option<Self> {
        place
            .checked_sub(1)
            .map(|before| Self::at(timeline, before))
    }
}
