//! Work on threads that may block.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::task::JoinError;

/// Whether work is done where it is waited for.
static STAYS: AtomicBool = AtomicBool::new(false);

/// Lets a process that has one thing to do do its work where it is waited for. Every thread takes memory
/// of its own from the system, page by page, which takes a third of the time of a short command.
pub(crate) fn stay() {
    STAYS.store(true, Ordering::Relaxed);
}

/// Whether the process has one thing to do, and ends.
pub(super) fn stays() -> bool {
    STAYS.load(Ordering::Relaxed)
}

/// Runs work on a blocking thread of tokio, or after [`stay`] where it is.
///
/// The work is boxed, so that tokio's task is compiled once and not for every piece of work in the
/// program.
///
/// # Errors
/// The work panicked, or the runtime ended before it began.
pub(crate) async fn run<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, JoinError> {
    if stays() {
        return Ok(work());
    }
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
