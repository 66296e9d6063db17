//! Detects commits of this and other processes with `PRAGMA data_version`.

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, query_scalar};
use tokio::sync::Mutex;

use super::Connection;
use crate::mark::Mark;

/// A connection that never writes, because `data_version` ignores the commits of its own
/// connection. It is never replaced, because the values of two connections cannot be compared.
#[derive(Debug)]
pub(super) struct Watch {
    options: SqliteConnectOptions,
    connection: Mutex<Option<Connection>>,
}

impl Watch {
    pub(super) fn new(options: SqliteConnectOptions) -> Self {
        Self {
            options,
            connection: Mutex::default(),
        }
    }

    /// The mark of the last commit; `None` if the database does not answer.
    pub(super) async fn mark(&self) -> Option<Mark> {
        let mut slot = self.connection.lock().await;
        let connection = match &mut *slot {
            Some(connection) => connection,
            None => slot.insert(self.options.connect().await.ok()?),
        };
        let version: Result<i64, _> = query_scalar("PRAGMA data_version")
            .fetch_one(connection)
            .await;
        version
            .ok()
            .map(|version| Mark::new(version.cast_unsigned()))
    }

    pub(super) async fn close(&self) {
        drop(self.connection.lock().await.take());
    }
}
