//! The memory of cached snapshots. Parts that several snapshots share are counted once.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rustc_hash::FxHashMap;

use super::snapshot::Snapshot;
use opatlas_pytorch::release::Release;
use opatlas_source::Digest;

pub(super) type Key = (Digest, Release);

#[derive(Debug)]
pub(super) struct CachedSnapshot {
    pub(super) snapshot: Arc<Snapshot>,
    /// The time of the last use, counted in uses of all snapshots.
    used: AtomicU64,
}

#[derive(Debug, Default)]
pub(super) struct SnapshotMemory {
    kept: FxHashMap<Key, Arc<CachedSnapshot>>,
    /// The number of snapshots that hold each part, by the part's address.
    holders: FxHashMap<usize, u32>,
    bytes: u64,
}

impl CachedSnapshot {
    pub(super) fn new(snapshot: Arc<Snapshot>) -> Arc<Self> {
        let used = AtomicU64::new(0);
        Arc::new(Self { snapshot, used })
    }

    pub(super) fn mark_used(&self, number: u64) {
        self.used.store(number, Ordering::Relaxed);
    }

    fn key(&self) -> Key {
        (self.snapshot.digest, self.snapshot.release())
    }
}

impl SnapshotMemory {
    /// Adds a snapshot, and removes the least recently used ones beyond `budget` bytes. Returns the
    /// removed keys, possibly the new one.
    pub(super) fn add(&mut self, kept: &Arc<CachedSnapshot>, budget: u64) -> Vec<Key> {
        let known = self.kept.insert(kept.key(), Arc::clone(kept));
        let parts = kept.snapshot.parts();
        self.holders.reserve(parts.size_hint().0);
        for (part, bytes) in parts {
            let holders = self.holders.entry(part).or_insert(0);
            *holders += 1;
            if *holders == 1 {
                self.bytes += bytes;
            }
        }
        if let Some(known) = known {
            self.release(&known);
        }
        let mut out = Vec::new();
        while self.bytes > budget
            && let Some(oldest) = self.oldest()
        {
            self.kept.remove(&oldest.key());
            self.release(&oldest);
            out.push(oldest.key());
        }
        out
    }

    pub(super) fn size(&self) -> (u64, u64) {
        (self.kept.len() as u64, self.bytes)
    }

    fn oldest(&self) -> Option<Arc<CachedSnapshot>> {
        let kept = self.kept.values();
        let oldest = kept.min_by_key(|kept| kept.used.load(Ordering::Relaxed));
        oldest.map(Arc::clone)
    }

    fn release(&mut self, kept: &CachedSnapshot) {
        for (part, bytes) in kept.snapshot.parts() {
            if let Some(holders) = self.holders.get_mut(&part) {
                *holders -= 1;
                if *holders == 0 {
                    self.holders.remove(&part);
                    self.bytes -= bytes;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use opatlas_source::{Bundle, NATIVE_FUNCTIONS};

    use super::*;

    fn snapshot(
        count: usize,
        kernel: &str,
        used: u64,
        previous: Option<&Snapshot>,
    ) -> Arc<CachedSnapshot> {
        let entry =
            |at| format!("- func: f{at}(Tensor self) -> Tensor\n  dispatch:\n    CPU: {kernel}\n");
        let text: String = (0..count).map(entry).collect();
        let mut bundle = Bundle::default();
        bundle.insert(NATIVE_FUNCTIONS, text.into_bytes());
        let kept = CachedSnapshot::new(Arc::new(Snapshot::read(bundle, Release::LATEST, previous)));
        kept.mark_used(used);
        kept
    }

    #[test]
    fn what_is_shared_counts_once() {
        let first = snapshot(500, "a", 1, None);
        let mut memory = SnapshotMemory::default();
        assert!(memory.add(&first, u64::MAX).is_empty());
        let alone = memory.size().1;
        assert_eq!(alone, first.snapshot.weight());
        // One more operator; the other entries are shared with the first.
        let second = snapshot(501, "a", 2, Some(&first.snapshot));
        memory.add(&second, u64::MAX);
        assert!(
            memory.size().1 < alone * 3 / 2,
            "{} {alone}",
            memory.size().1
        );
        // This one shares nothing.
        let third = snapshot(500, "b", 3, Some(&first.snapshot));
        let before = memory.size().1;
        memory.add(&third, u64::MAX);
        assert_eq!(memory.size(), (3, before + third.snapshot.weight()));
        // The second snapshot still holds the entries of the first.
        assert_eq!(memory.add(&third, memory.size().1 - 1), [first.key()]);
        let rest = second.snapshot.weight() + third.snapshot.weight();
        assert_eq!(memory.size(), (2, rest));
    }

    #[test]
    fn what_was_used_longest_ago_goes_first() {
        let mut memory = SnapshotMemory::default();
        let kept: Vec<_> = (0..10)
            .map(|at| snapshot(50, &format!("k{at}"), at, None))
            .collect();
        for kept in &kept[..9] {
            assert!(memory.add(kept, u64::MAX).is_empty());
        }
        kept[0].mark_used(10);
        let budget = memory.size().1;
        assert_eq!(memory.add(&kept[9], budget), [kept[1].key()]);
        assert!(memory.size().1 <= budget);
        // A snapshot that exceeds the budget is not kept and leaves nothing behind.
        assert_eq!(memory.add(&kept[9], 0).len(), 9);
        assert_eq!(memory.size(), (0, 0));
        assert!(memory.holders.is_empty());
    }
}
