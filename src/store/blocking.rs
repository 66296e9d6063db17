//! Work on threads that may block.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::task::JoinError;

/// Runs work on a blocking thread of tokio.
///
/// The work is boxed, so that tokio's task is compiled once and not for every piece of work in the
/// program.
///
/// # Errors
/// The work panicked, or the runtime ended before it began.
pub(crate) async fn run<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, JoinError> {
    let made = Arc::new(Mutex::new(None));
    let place = Arc::clone(&made);
    let work: Box<dyn FnOnce() + Send> = Box::new(move || {
        let value = work();
        *place.lock().unwrap_or_else(PoisonError::into_inner) = Some(value);
    });
    tokio::task::spawn_blocking(work).await?;
    let mut made = made.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(made
        .take()
        .expect("work that ended has stored what it made"))
}
