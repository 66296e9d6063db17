//! Follows a backend from commit to commit of PyTorch.

use std::collections::BTreeMap;
use std::sync::Arc;

use opatlas_diff::backend::listed_operators;
use opatlas_diff::declarations::SourceFits;
use opatlas_diff::watch::{Commit, Watch, breaks};
use opatlas_operators::backend::BackendFile;
use opatlas_rules::{KernelFit, expects_alike, kernel_fits};
use opatlas_source::Stop;
use opatlas_store::CommitRecord;
use opatlas_verdict::View;

use super::backend::Vendor;
use super::compare::common_source;
use super::dispatch::Profile;
use super::error::ServiceError;
use super::history::Line;
use super::{Service, snapshot::Snapshot};

/// A backend, the revision that it is written for, and the last commit that was compared.
#[derive(Debug)]
pub struct WatchedBackend {
    vendor: Vendor,
    first: Point,
    last: Point,
    watch: Watch,
}

/// A revision together with the backend.
#[derive(Debug, Clone)]
struct Point {
    file: Arc<BackendFile>,
    snapshot: Arc<Snapshot>,
    fits: Arc<BTreeMap<Box<str>, KernelFit>>,
}

impl Point {
    fn first(vendor: &Vendor, revision: &Snapshot, stop: &Stop) -> Result<Self, ServiceError> {
        let file = Arc::new(vendor.read(revision.release())?);
        let snapshot = laid_over(vendor, revision, None, stop)?;
        let fits = kernel_fits(&snapshot.catalogue, &vendor.source_files());
        Ok(Self {
            file,
            snapshot,
            fits: Arc::new(fits),
        })
    }

    /// The next revision. Keeps what it has in common with this one.
    fn next(
        &self,
        vendor: &Vendor,
        revision: &Snapshot,
        stop: &Stop,
    ) -> Result<Self, ServiceError> {
        let has_same_release = revision.release() == self.snapshot.release();
        let file = if has_same_release {
            Arc::clone(&self.file)
        } else {
            Arc::new(vendor.read(revision.release())?)
        };
        let snapshot = laid_over(vendor, revision, Some(&self.snapshot), stop)?;
        let (old, new) = (&self.snapshot.catalogue, &snapshot.catalogue);
        let operators = self.fits.keys().map(|name| &**name);
        let fits = if has_same_release && expects_alike(operators, old, new) {
            Arc::clone(&self.fits)
        } else {
            Arc::new(kernel_fits(new, &vendor.source_files()))
        };
        Ok(Self {
            file,
            snapshot,
            fits,
        })
    }
}

fn laid_over(
    vendor: &Vendor,
    revision: &Snapshot,
    previous: Option<&Snapshot>,
    stop: &Stop,
) -> Result<Arc<Snapshot>, ServiceError> {
    let bundle = vendor.over(&revision.bundle);
    let (digest, release) = (bundle.digest(), revision.release());
    let previous = Some(previous.unwrap_or(revision));
    Ok(Arc::new(Snapshot::of(
        digest, bundle, release, previous, stop,
    )?))
}

impl WatchedBackend {
    /// A backend that is written for a revision. Fails with [`ServiceError::UnusableBackend`] or
    /// [`ServiceError::UnknownKey`].
    pub fn new(vendor: Vendor, first: &Snapshot, stop: &Stop) -> Result<Self, ServiceError> {
        let first = Point::first(&vendor, first, stop)?;
        Ok(Self {
            vendor,
            last: first.clone(),
            first,
            watch: Watch::default(),
        })
    }

    /// The dispatch key of the backend's kernels.
    #[must_use]
    pub fn key(&self) -> &'static str {
        let release = self.first.snapshot.release();
        self.first.file.backend_key(release).unwrap_or_default()
    }

    /// The number of operators that the backend registers.
    #[must_use]
    pub fn listed(&self) -> usize {
        listed_operators(&self.first.file).len()
    }

    /// The commits so far.
    #[must_use]
    pub fn watch(&self) -> &Watch {
        &self.watch
    }

    /// Compares the next commit with the last one. Fails as [`WatchedBackend::new`] does.
    pub fn add(
        &mut self,
        commit: &CommitRecord,
        snapshot: &Snapshot,
        stop: &Stop,
    ) -> Result<(), ServiceError> {
        let next = self.last.next(&self.vendor, snapshot, stop)?;
        let broken = |base: &Point| {
            let fits = SourceFits {
                base: (*base.fits).clone(),
                head: (*next.fits).clone(),
            };
            let (old, new) = (&base.snapshot, &next.snapshot);
            let profile = Profile {
                source: common_source(old, new),
                ..Profile::default()
            };
            let tables = (
                old.tables_until(&profile, stop)?,
                new.tables_until(&profile, stop)?,
            );
            let views = (
                View::new(old.inputs(), &tables.0),
                View::new(new.inputs(), &tables.1),
            );
            breaks(&next.file, &fits, views.0, views.1).ok_or_else(|| {
                ServiceError::UnusableBackend {
                    file: self.vendor.name.clone(),
                    why: "its `backend` is not a dispatch key of both releases".to_owned(),
                }
            })
        };
        let step = broken(&self.last)?;
        let since_first = broken(&self.first)?;
        self.last = next;
        self.watch.add(named(commit), step, &since_first);
        Ok(())
    }
}

fn named(record: &CommitRecord) -> Commit {
    Commit {
        id: record.id.clone(),
        date: record.author_date,
        subject: record.subject.clone(),
    }
}

impl Service {
    /// Compares a backend with the last commits of a project. Fails as [`WatchedBackend::new`] does, or
    /// with [`ServiceError::NoCommits`] for a project without commits.
    pub async fn watch_backend(
        &self,
        project: &str,
        vendor: Vendor,
        last: usize,
    ) -> Result<WatchedBackend, ServiceError> {
        let timeline = self.timeline(project, Some(Line::Commits)).await?;
        let start = timeline.last().saturating_sub(last);
        let first = self.snapshot(&timeline.resolved(start)).await?;
        let begin = move |stop: &Stop| Ok(WatchedBackend::new(vendor, &first, stop));
        let mut backend = self.workers.run(begin).await??;
        for place in start + 1..=timeline.last() {
            let Some(commit) = timeline.items[place].commit.clone() else {
                continue;
            };
            let snapshot = self.snapshot(&timeline.resolved(place)).await?;
            let add =
                move |stop: &Stop| Ok(backend.add(&commit, &snapshot, stop).map(|()| backend));
            backend = self.workers.run(add).await??;
        }
        Ok(backend)
    }
}
