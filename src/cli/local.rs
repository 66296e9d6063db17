//! The service over the local store.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Context as _;

use opatlas_service::{Limits, Service};
use opatlas_store::{Opening, Store};

use super::Database;

pub(super) fn now() -> i64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
}

pub(super) async fn store(database: &Database, opening: Opening) -> anyhow::Result<Arc<dyn Store>> {
    // The address may contain a password, so it is not repeated.
    opatlas_store::open_for(&database.database, opening)
        .await
        .context("cannot open the database")
}

pub(super) async fn open(database: &Database, opening: Opening) -> anyhow::Result<Arc<Service>> {
    let store = store(database, opening).await?;
    Ok(service(store, Limits::default()))
}

/// Like [`open`], but creates the database if necessary, and uses these limits.
pub(super) async fn open_with(database: &Database, limits: Limits) -> anyhow::Result<Arc<Service>> {
    Ok(service(store(database, Opening::Make).await?, limits))
}

fn service(store: Arc<dyn Store>, limits: Limits) -> Arc<Service> {
    Arc::new(Service::new(store, Arc::new(now), limits))
}

pub(super) async fn ensure_project(service: &Service, project: &str) -> anyhow::Result<()> {
    if service.project(project).await.is_err() {
        service.create_project(project, None, None).await?;
    }
    Ok(())
}
