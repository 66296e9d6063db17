//! The cache of snapshots.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use moka::future::Cache;
use moka::policy::EvictionPolicy;

use opatlas_pytorch::release::Release;
use opatlas_source::{Bundle, Digest, NATIVE_FUNCTIONS, OBSERVED, Stop, Stopped};
use opatlas_store::ProjectName;

use super::Service;
use super::address::Resolved;
use super::error::{Refusal, ServiceError};
use super::observed;
use super::snapshot::Snapshot;
use super::snapshot_memory::{CachedSnapshot, Key, SnapshotMemory};
use super::views::count_look;

pub(super) struct Snapshots {
    /// `memory` decides what is evicted. The cache has its own limit for snapshots whose requests
    /// were canceled while they were read.
    cache: Cache<Key, Arc<CachedSnapshot>>,
    memory: Mutex<SnapshotMemory>,
    budget: u64,
    uses: AtomicU64,
    live: Arc<LiveSnapshots>,
}

const MOST: u64 = 1_000;

#[derive(Default)]
struct LiveSnapshots(Mutex<Vec<Weak<Snapshot>>>);

impl Snapshots {
    pub(super) fn new(budget: u64) -> Self {
        let cache = Cache::builder().name("snapshots").max_capacity(MOST);
        let cache = cache.eviction_policy(EvictionPolicy::lru());
        Self {
            cache: cache.build(),
            memory: Mutex::default(),
            budget,
            uses: AtomicU64::new(0),
            live: Arc::default(),
        }
    }

    pub(super) fn size(&self) -> (u64, u64) {
        self.memory().size()
    }

    /// Whether there is room for snapshots that nobody asked for; an eighth is left to requests.
    pub(super) fn has_room(&self) -> bool {
        self.size().1 < self.budget - self.budget / 8
    }

    fn memory(&self) -> MutexGuard<'_, SnapshotMemory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn mark_used(&self, kept: &CachedSnapshot) {
        kept.mark_used(self.uses.fetch_add(1, Ordering::Relaxed));
    }

    async fn count(&self, kept: &Arc<CachedSnapshot>) {
        let out = self.memory().add(kept, self.budget);
        for key in out {
            self.cache.invalidate(&key).await;
        }
    }
}

impl LiveSnapshots {
    /// Reads a bundle unless it is in memory. Shares entries with the most similar snapshot.
    fn read(
        &self,
        bundle: Bundle,
        release: Release,
        stop: &Stop,
    ) -> Result<Arc<Snapshot>, Stopped> {
        let digest = bundle.digest();
        let live = self.all();
        let same = |other: &&Arc<Snapshot>| other.digest == digest && other.release() == release;
        if let Some(same) = live.iter().find(same) {
            return Ok(Arc::clone(same));
        }
        let nearest = nearest(&live, digest, &bundle, release);
        let read = Arc::new(Snapshot::of(digest, bundle, release, nearest, stop)?);
        self.list().push(Arc::downgrade(&read));
        Ok(read)
    }

    fn all(&self) -> Vec<Arc<Snapshot>> {
        let mut list = self.list();
        list.retain(|snapshot| snapshot.strong_count() > 0);
        list.iter().filter_map(Weak::upgrade).collect()
    }

    fn list(&self) -> MutexGuard<'_, Vec<Weak<Snapshot>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The snapshot of the nearest release, then of the most similar size.
fn nearest<'a>(
    live: &'a [Arc<Snapshot>],
    digest: Digest,
    bundle: &Bundle,
    release: Release,
) -> Option<&'a Snapshot> {
    let size = |bundle: &Bundle| bundle.file(NATIVE_FUNCTIONS).map_or(0, |bytes| bytes.len());
    let wanted = size(bundle);
    let nearest = live.iter().min_by_key(|other| {
        let releases = other.release().index().abs_diff(release.index());
        let sizes = size(&other.bundle).abs_diff(wanted);
        (other.digest != digest, releases, sizes)
    });
    nearest.map(|nearest| &**nearest)
}

/// Reads bundles and shares parsed entries with snapshots in memory. Does not cache the result.
#[derive(Clone)]
pub struct Reader(Arc<LiveSnapshots>);

impl Reader {
    /// Reads a bundle from a request and runs the rules. Fails with [`Refusal::Observed`] if its
    /// `observed.json` is invalid, and [`ServiceError::Stopped`].
    pub fn judge(
        &self,
        bundle: Bundle,
        release: Release,
        stop: &Stop,
    ) -> Result<Arc<Snapshot>, ServiceError> {
        let observed = bundle.file(OBSERVED).map(|bytes| observed::read(bytes));
        let observed = observed.transpose().map_err(Refusal::Observed)?;
        stop.check()?;
        let snapshot = self.0.read(bundle, release, stop)?;
        if let Some(observed) = observed {
            snapshot.dispatch.remember(observed);
        }
        snapshot.check(stop)?;
        Ok(snapshot)
    }
}

impl Service {
    /// A reader of bundles for use on the blocking pool.
    #[must_use]
    pub fn reader(&self) -> Reader {
        Reader(Arc::clone(&self.snapshots.live))
    }

    /// The snapshot of a revision. Concurrent requests wait for one reading. Fails with
    /// [`ServiceError::Busy`].
    pub async fn snapshot(&self, resolved: &Resolved) -> Result<Arc<Snapshot>, ServiceError> {
        self.load(&resolved.project, resolved.digest, resolved.release())
            .await
            .map_err(ServiceError::from)
    }

    /// A snapshot with findings.
    pub async fn checked(&self, resolved: &Resolved) -> Result<Arc<Snapshot>, ServiceError> {
        let snapshot = self.snapshot(resolved).await?;
        self.prepare(snapshot, Snapshot::is_checked, Snapshot::check)
            .await
    }

    /// A snapshot with the default dispatch tables.
    pub async fn tabulated(&self, resolved: &Resolved) -> Result<Arc<Snapshot>, ServiceError> {
        let snapshot = self.snapshot(resolved).await?;
        self.prepare(snapshot, Snapshot::is_tabulated, Snapshot::tabulate)
            .await
    }

    pub(super) async fn settled(&self, resolved: &Resolved) -> Result<Arc<Snapshot>, ServiceError> {
        let snapshot = self.snapshot(resolved).await?;
        // Settling again takes no time.
        self.prepare(snapshot, |_| false, Snapshot::settle).await
    }

    async fn prepare(
        &self,
        snapshot: Arc<Snapshot>,
        is_done: fn(&Snapshot) -> bool,
        work: fn(&Snapshot, &Stop) -> Result<(), Stopped>,
    ) -> Result<Arc<Snapshot>, ServiceError> {
        if is_done(&snapshot) {
            return Ok(snapshot);
        }
        let work = move |stop: &Stop| {
            work(&snapshot, stop)?;
            Ok(snapshot)
        };
        self.workers.run(work).await
    }

    pub(super) async fn keep(&self, snapshot: &Arc<Snapshot>) {
        let snapshots = &self.snapshots;
        let kept = CachedSnapshot::new(Arc::clone(snapshot));
        snapshots.mark_used(&kept);
        let key = (snapshot.digest, snapshot.release());
        snapshots.cache.insert(key, Arc::clone(&kept)).await;
        snapshots.count(&kept).await;
    }

    async fn load(
        &self,
        project: &ProjectName,
        digest: Digest,
        release: Release,
    ) -> Result<Arc<Snapshot>, Arc<ServiceError>> {
        let (snapshots, key) = (&self.snapshots, (digest, release));
        if let Some(kept) = snapshots.cache.get(&key).await {
            count_look("snapshots", true);
            snapshots.mark_used(&kept);
            return Ok(Arc::clone(&kept.snapshot));
        }
        count_look("snapshots", false);
        let load = async {
            let bundle = self.store.bundle(project, digest).await?;
            let live = Arc::clone(&self.snapshots.live);
            let read = move |stop: &Stop| live.read(bundle, release, stop);
            Ok(CachedSnapshot::new(self.workers.run(read).await?))
        };
        self.once(key, load).await
    }

    async fn once(
        &self,
        key: Key,
        load: impl Future<Output = Result<Arc<CachedSnapshot>, ServiceError>>,
    ) -> Result<Arc<Snapshot>, Arc<ServiceError>> {
        let snapshots = &self.snapshots;
        let kept = snapshots.cache.try_get_with(key, load).await?;
        snapshots.mark_used(&kept);
        // The request that started the reading may be canceled, so everyone who waited counts it.
        snapshots.count(&kept).await;
        Ok(Arc::clone(&kept.snapshot))
    }
}
