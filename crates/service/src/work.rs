//! Runs CPU-bound work on the blocking pool, at most `workers` jobs at a time.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use opatlas_source::{Stop, Stopped};

use super::Service;
use super::error::ServiceError;

/// How many requests per worker may collect large results.
const PLACES: usize = 4;
/// Room for revisions that wait to be stored, in KiB: 256 MiB.
const UNSTORED: usize = 256 << 10;

#[derive(Clone)]
pub(super) struct Workers {
    permits: Arc<Semaphore>,
    places: Arc<Semaphore>,
    unstored: Arc<Semaphore>,
    patience: Duration,
    closing: Stop,
}

/// A permit to compute. An answer in several steps holds it throughout, so that there are never
/// more unfinished answers than workers.
#[derive(Debug)]
pub struct Turn {
    permit: Arc<OwnedSemaphorePermit>,
    closing: Stop,
}

struct Waiting(Stop);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.request();
    }
}

impl Workers {
    pub(super) fn new(count: usize, patience: Duration) -> Self {
        let count = count.max(1);
        Self {
            permits: Arc::new(Semaphore::new(count)),
            places: Arc::new(Semaphore::new(PLACES * count)),
            unstored: Arc::new(Semaphore::new(UNSTORED)),
            patience,
            closing: Stop::new(),
        }
    }

    pub(super) async fn turn(&self) -> Result<Turn, ServiceError> {
        self.closing.check()?;
        let permit = tokio::time::timeout(self.patience, Arc::clone(&self.permits).acquire_owned());
        let Ok(Ok(permit)) = permit.await else {
            return Err(ServiceError::Busy);
        };
        Ok(Turn {
            permit: Arc::new(permit),
            closing: self.closing.clone(),
        })
    }

    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Stop) -> Result<T, Stopped> + Send + 'static,
    ) -> Result<T, ServiceError> {
        self.turn().await?.run(work).await
    }

    /// Waits for room for a revision of this size in bytes. The caller keeps its worker meanwhile,
    /// so that no further revision is read.
    pub(super) async fn unstored(&self, bytes: u64) -> Result<OwnedSemaphorePermit, ServiceError> {
        let units = usize::try_from(bytes >> 10).unwrap_or(UNSTORED);
        let units = u32::try_from(units.min(UNSTORED)).unwrap_or(u32::MAX);
        let room = Arc::clone(&self.unstored).acquire_many_owned(units);
        match tokio::time::timeout(self.patience, room).await {
            Ok(Ok(room)) => Ok(room),
            _ => Err(ServiceError::Busy),
        }
    }

    pub(super) fn close(&self) {
        self.closing.request();
    }
}

impl Turn {
    /// Runs `work` on a blocking thread. Its [`Stop`] is requested when the caller is dropped or
    /// the service closes. Fails with [`ServiceError::Stopped`], or [`ServiceError::Failed`] if the
    /// work panics.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Stop) -> Result<T, Stopped> + Send + 'static,
    ) -> Result<T, ServiceError> {
        let stop = self.closing.within();
        let _waiting = Waiting(stop.clone());
        let permit = Arc::clone(&self.permit);
        let done = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            stop.check()?;
            work(&stop)
        })
        .await
        .map_err(|error| match error.is_cancelled() {
            // The runtime ended before the work began.
            true => opatlas_source::Stopped.into(),
            false => ServiceError::Failed(error.to_string()),
        })?;
        Ok(done?)
    }
}

impl Service {
    /// Waits for a permit to collect large results, held until the answer is finished. Fails with
    /// [`ServiceError::Busy`].
    pub async fn place(&self) -> Result<OwnedSemaphorePermit, ServiceError> {
        let place = Arc::clone(&self.workers.places).acquire_owned();
        match tokio::time::timeout(self.workers.patience, place).await {
            Ok(Ok(place)) => Ok(place),
            _ => Err(ServiceError::Busy),
        }
    }

    /// Waits for a worker, to compute several times in a row. Fails with [`ServiceError::Busy`] or
    /// [`ServiceError::Stopped`].
    pub async fn turn(&self) -> Result<Turn, ServiceError> {
        self.workers.turn().await
    }

    /// Runs `work` on the blocking pool. Cancels it if the caller is dropped. Fails as
    /// [`Service::turn`] and [`Turn::run`] do.
    pub async fn compute<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Stop) -> Result<T, Stopped> + Send + 'static,
    ) -> Result<T, ServiceError> {
        self.workers.run(work).await
    }

    /// Stops all work before the service closes.
    pub fn stop_work(&self) {
        self.workers.close();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(60);

    fn endless(
        begun: mpsc::Sender<()>,
        ended: mpsc::Sender<()>,
    ) -> impl FnOnce(&Stop) -> Result<(), Stopped> + Send + 'static {
        move |stop| {
            let _ = begun.send(());
            while stop.check().is_ok() {
                std::thread::yield_now();
            }
            let _ = ended.send(());
            stop.check()
        }
    }

    #[tokio::test]
    async fn work_ends_when_its_caller_goes() {
        let workers = Workers::new(1, PATIENCE);
        let ((begun, begins), (ended, ends)) = (mpsc::channel(), mpsc::channel());
        let waiting = workers.run(endless(begun, ended));
        assert!(
            tokio::time::timeout(Duration::from_millis(50), waiting)
                .await
                .is_err()
        );
        begins.recv_timeout(PATIENCE).unwrap();
        ends.recv_timeout(PATIENCE).unwrap();
        // The permit was returned.
        assert!(workers.run(|_| Ok(1)).await.is_ok_and(|one| one == 1));
    }

    #[tokio::test]
    async fn revisions_that_wait_for_the_store_have_a_bound() {
        let workers = Workers::new(8, Duration::from_millis(10));
        let half = (UNSTORED as u64) << 9;
        let first = workers.unstored(half).await.unwrap();
        let second = workers.unstored(half).await.unwrap();
        assert!(matches!(
            workers.unstored(1 << 20).await,
            Err(ServiceError::Busy)
        ));
        drop(first);
        assert!(workers.unstored(half).await.is_ok());
        // One that is larger than the room is let in alone.
        drop(second);
        let _large = workers.unstored(u64::MAX).await.unwrap();
        assert!(workers.unstored(1 << 20).await.is_err());
    }

    #[tokio::test]
    async fn work_ends_when_the_service_closes() {
        let workers = Arc::new(Workers::new(2, PATIENCE));
        let ((begun, begins), (ended, ends)) = (mpsc::channel(), mpsc::channel());
        let other = Arc::clone(&workers);
        let waiting = tokio::spawn(async move { other.run(endless(begun, ended)).await });
        tokio::task::yield_now().await;
        begins.recv_timeout(PATIENCE).unwrap();
        workers.close();
        assert!(matches!(
            waiting.await.unwrap(),
            Err(ServiceError::Stopped(_))
        ));
        ends.recv_timeout(PATIENCE).unwrap();
        assert!(matches!(
            workers.run(|_| Ok(())).await,
            Err(ServiceError::Stopped(_))
        ));
    }
}
