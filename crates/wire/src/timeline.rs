//! The revisions of a project by name.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::place::Place;
use opatlas_service::history::{NamedBy, RevisionName};

/// The kind of a revision's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum NameKind {
    /// A label that is a version.
    Version,
    /// Another label.
    Label,
    /// A commit.
    Commit,
    /// A digest.
    Digest,
}

impl From<NamedBy> for NameKind {
    fn from(by: NamedBy) -> Self {
        match by {
            NamedBy::Version => Self::Version,
            NamedBy::Label => Self::Label,
            NamedBy::Commit => Self::Commit,
            NamedBy::Digest => Self::Digest,
        }
    }
}

impl From<NameKind> for NamedBy {
    fn from(kind: NameKind) -> Self {
        match kind {
            NameKind::Version => Self::Version,
            NameKind::Label => Self::Label,
            NameKind::Commit => Self::Commit,
            NameKind::Digest => Self::Digest,
        }
    }
}

/// A filter of names, and a page.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct TimelineQuery {
    /// Words that all occur in the label, the commit's subject or its date, or that begin the commit's
    /// id or the digest. Case does not matter.
    #[param(example = "2.9", max_length = 500)]
    pub q: Option<String>,
    /// Only names of this kind.
    #[param(inline)]
    pub kind: Option<NameKind>,
    /// The number of items in a page.
    #[param(minimum = 1, maximum = 1000, default = 100)]
    pub limit: Option<u32>,
    /// `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

/// A name of a revision. A revision can have several, each with its own release.
#[derive(Debug, Serialize, ToSchema)]
pub struct NameItem {
    /// The revision, and its name.
    #[serde(flatten)]
    pub place: Place,
    /// The kind of the name.
    pub kind: NameKind,
    /// The release whose rules apply to it by this name.
    #[schema(example = "2.9")]
    pub release: String,
    /// All labels of the revision.
    pub labels: Vec<String>,
}

/// A page of names.
#[derive(Debug, Serialize, ToSchema)]
pub struct TimelineList {
    /// The names: versions, the newest first; then other labels, the last moved first; then
    /// commits, the last first; then digests, the last ingested first.
    pub items: Vec<NameItem>,
    /// The number of names that match, on all pages.
    pub total: usize,
    /// The cursor of the next page; null at the end.
    pub next_cursor: Option<String>,
}

impl From<&RevisionName> for NameItem {
    fn from(name: &RevisionName) -> Self {
        Self {
            place: Place::of(&name.item),
            kind: name.by.into(),
            release: name.item.judged.release.to_string(),
            labels: name
                .labels
                .iter()
                .map(|label| (**label).to_owned())
                .collect(),
        }
    }
}
