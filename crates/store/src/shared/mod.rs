//! The calls of the store in SQL that every database understands ([`sql`](super::sql)).

mod assembly;
mod calls;
mod check;
mod chunks;
mod collect;
mod content;
mod copy;
mod exceptions;
mod history;
mod idempotency;
mod ingest;
mod labels;
mod probe;
mod projects;
mod revisions;
mod rows;
mod tokens;

use crate::error::StoreError;

pub(super) async fn off_reactor<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, StoreError> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| StoreError::Unavailable {
            what: format!("its work was given up: {error}"),
            source: None,
        })
}
