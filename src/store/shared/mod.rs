//! The calls of the store in SQL that every database understands ([`sql`](super::super::sql)).
//!
//! Compiled once for each database, because a type parameter for the database would need a dozen
//! bounds on every function. The parent module provides `Backend` (the store, with `reader`,
//! `snapshot`, `write`, `commit` and `try_to_write`), `Database`, `Connection`, and the differences
//! between the databases (`number_on`, `own_faults`, `OVERRIDING`). In every database there is one
//! writer at a time.

mod calls;
mod check;
mod collect;
mod content;
mod copy;
mod exceptions;
mod history;
mod ingest;
mod labels;
mod probe;
mod projects;
mod revisions;
mod rows;
mod tokens;

use super::{Backend, Connection, Database, OVERRIDING, number_on, own_faults};
use crate::store::error::StoreError;

/// Runs work for the processor alone off the threads that serve requests.
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
