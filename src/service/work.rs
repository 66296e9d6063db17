//! Computation off the async threads, so much at once as there are workers.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;

use super::error::ServiceError;

/// Permits to compute.
pub(super) struct Workers {
    permits: Arc<Semaphore>,
    patience: Duration,
}

impl Workers {
    pub(super) fn new(count: usize, patience: Duration) -> Self {
        Self {
            permits: Arc::new(Semaphore::new(count.max(1))),
            patience,
        }
    }

    /// Runs `work` on a blocking thread. It runs to its end even when the caller has gone, and
    /// keeps its permit so long.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, ServiceError> {
        let permit = tokio::time::timeout(self.patience, Arc::clone(&self.permits).acquire_owned());
        let Ok(Ok(permit)) = permit.await else {
            return Err(ServiceError::Busy);
        };
        let done = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            work()
        });
        done.await
            .map_err(|error| ServiceError::Failed(error.to_string()))
    }
}
