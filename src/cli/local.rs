//! The service over the local store.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Context as _;

use crate::service::{Limits, Service};
use crate::store::SqliteStore;

use super::Database;

/// Microseconds since 1970-01-01 UTC.
fn now() -> i64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
}

/// Opens the store and makes a service of it.
///
/// # Errors
/// When the address is none or the database cannot be opened.
pub(super) async fn open(database: &Database) -> anyhow::Result<Arc<Service>> {
    let store = SqliteStore::open(&database.database)
        .await
        .with_context(|| format!("cannot open {}", database.database))?;
    Ok(Arc::new(Service::new(
        Arc::new(store),
        Arc::new(now),
        Limits::default(),
    )))
}
