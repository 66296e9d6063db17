//! The cache of snapshots.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use moka::future::Cache;

use crate::release::Release;
use crate::source::{Bundle, Digest, NATIVE_FUNCTIONS};
use crate::store::ProjectName;

use super::Service;
use super::address::Resolved;
use super::error::ServiceError;
use super::snapshot::Snapshot;

/// Snapshots by revision and release, as many as the budget holds; those used longest ago go first.
pub(super) struct Snapshots {
    cache: Cache<(Digest, Release), Arc<Snapshot>>,
    /// All that are alive, cached or not, to find one that a new one may share entries with.
    alive: Mutex<Vec<Weak<Snapshot>>>,
}

impl Snapshots {
    pub(super) fn new(budget: u64) -> Self {
        let cache = Cache::builder()
            .name("snapshots")
            .weigher(|_, snapshot: &Arc<Snapshot>| {
                u32::try_from(snapshot.weight()).unwrap_or(u32::MAX)
            })
            .max_capacity(budget);
        Self {
            cache: cache.build(),
            alive: Mutex::default(),
        }
    }

    /// The snapshot that most probably shares most entries with this bundle: of the nearest
    /// release, and of about the same size.
    fn nearest(&self, bundle: &Bundle, release: Release) -> Option<Arc<Snapshot>> {
        let size = |bundle: &Bundle| bundle.file(NATIVE_FUNCTIONS).map_or(0, |bytes| bytes.len());
        let wanted = size(bundle);
        let mut alive = self.alive.lock().unwrap_or_else(PoisonError::into_inner);
        alive.retain(|snapshot| snapshot.strong_count() > 0);
        let alive: Vec<_> = alive.iter().filter_map(Weak::upgrade).collect();
        alive.into_iter().min_by_key(|other| {
            let releases = other.release().index().abs_diff(release.index());
            (releases, size(&other.bundle).abs_diff(wanted))
        })
    }

    fn remember(&self, snapshot: &Arc<Snapshot>) {
        let mut alive = self.alive.lock().unwrap_or_else(PoisonError::into_inner);
        alive.push(Arc::downgrade(snapshot));
    }
}

impl Service {
    /// The snapshot of a revision: from memory, or read from the store. Requests for the same one
    /// wait for one reading.
    ///
    /// # Errors
    /// What the store says, and [`ServiceError::Busy`].
    pub async fn snapshot(&self, resolved: &Resolved) -> Result<Arc<Snapshot>, ServiceError> {
        self.load(&resolved.project, resolved.digest, resolved.release())
            .await
            .map_err(ServiceError::from)
    }

    /// The same, with the rules run.
    ///
    /// # Errors
    /// As [`Service::snapshot`].
    pub async fn checked(&self, resolved: &Resolved) -> Result<Arc<Snapshot>, ServiceError> {
        let snapshot = self.snapshot(resolved).await?;
        self.check(snapshot).await
    }

    /// Runs the rules over a snapshot, if they have not been run.
    pub(super) async fn check(
        &self,
        snapshot: Arc<Snapshot>,
    ) -> Result<Arc<Snapshot>, ServiceError> {
        if snapshot.is_checked() {
            return Ok(snapshot);
        }
        let work = move || {
            snapshot.findings();
            snapshot
        };
        self.workers.run(work).await
    }

    /// Reads a bundle, with the help of what is in memory. The result is remembered only as long
    /// as it is used.
    pub(super) async fn read(
        &self,
        bundle: Bundle,
        release: Release,
    ) -> Result<Arc<Snapshot>, ServiceError> {
        let previous = self.snapshots.nearest(&bundle, release);
        let work = move || Arc::new(Snapshot::read(bundle, release, previous.as_deref()));
        let snapshot = self.workers.run(work).await?;
        self.snapshots.remember(&snapshot);
        Ok(snapshot)
    }

    /// Keeps a snapshot of what has been stored.
    pub(super) async fn keep(&self, snapshot: &Arc<Snapshot>) {
        let key = (snapshot.digest, snapshot.release());
        self.snapshots.cache.insert(key, Arc::clone(snapshot)).await;
    }

    async fn load(
        &self,
        project: &ProjectName,
        digest: Digest,
        release: Release,
    ) -> Result<Arc<Snapshot>, Arc<ServiceError>> {
        let load = async {
            let bundle = self.store.bundle(project, digest).await?;
            self.read(bundle, release).await
        };
        self.snapshots
            .cache
            .try_get_with((digest, release), load)
            .await
    }
}
