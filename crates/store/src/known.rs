//! The row ids of the previous commit's chunks and groups, kept during an import.

use rustc_hash::{FxHashMap, FxHashSet};

use super::chunks::Plan;
use opatlas_source::Digest;

pub(super) type Ids = FxHashMap<Digest, i64>;

/// The row ids of one revision's groups and chunks, most of which the next one shares. Valid as
/// long as the revision exists.
#[derive(Debug, Default)]
pub struct KnownParts {
    pub(super) revision: Option<StoredAt>,
    pub(super) groups: Ids,
    pub(super) chunks: Ids,
}

/// A stored revision. The ingest time reveals that it was deleted and stored again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StoredAt {
    pub(super) digest: Digest,
    pub(super) id: i64,
    pub(super) ingested_at: i64,
}

impl KnownParts {
    pub(super) fn keep(&mut self, plan: &Plan, stored: StoredAt) {
        let (mut groups, mut chunks) = (FxHashSet::default(), FxHashSet::default());
        for file in &plan.files {
            groups.extend(file.groups.iter().map(|group| group.digest));
            chunks.extend(file.chunks.iter().map(|chunk| chunk.digest));
        }
        self.groups.retain(|digest, _| groups.contains(digest));
        self.chunks.retain(|digest, _| chunks.contains(digest));
        self.revision = Some(stored);
    }
}
