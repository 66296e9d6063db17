//! What an import remembers of the parts that it stored last.

use rustc_hash::{FxHashMap, FxHashSet};

use super::chunks::Plan;
use opatlas_source::Digest;

/// The row ids of stored parts, by digest.
pub(super) type Ids = FxHashMap<Digest, i64>;

/// The row ids of the parts of one revision. Where the next one is stored, most of its parts are those, and
/// need not be looked up. They hold as long as the revision is there, since what it consists of is not
/// collected.
#[derive(Debug, Default)]
pub struct KnownParts {
    pub(super) revision: Option<StoredAt>,
    pub(super) groups: Ids,
    pub(super) chunks: Ids,
}

/// A revision as it was stored. One that was deleted and stored again may have the same row id, and parts with
/// other ones; it came at another time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StoredAt {
    pub(super) digest: Digest,
    pub(super) id: i64,
    pub(super) ingested_at: i64,
}

impl KnownParts {
    /// From now on those of this revision.
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
