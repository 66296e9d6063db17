//! The row ids of the previous commit's chunks and groups, kept during an import.

use rustc_hash::{FxHashMap, FxHashSet};

use super::chunks::Plan;
use opatlas_source::Digest;

/// Row ids by digest.
pub(super) type Ids = FxHashMap<Digest, i64>;

/// The row ids of one revision's groups and chunks. The next revision has most of them too, and
/// need not look them up. They are valid as long as the revision exists, because its parts are not
/// collected.
#[derive(Debug, Default)]
pub struct KnownParts {
    pub(super) revision: Option<StoredAt>,
    pub(super) groups: Ids,
    pub(super) chunks: Ids,
}

/// A stored revision. The ingest time distinguishes it from a revision that was deleted and stored
/// again under the same row id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StoredAt {
    pub(super) digest: Digest,
    pub(super) id: i64,
    pub(super) ingested_at: i64,
}

impl KnownParts {
    /// Keeps only the ids of this revision.
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
