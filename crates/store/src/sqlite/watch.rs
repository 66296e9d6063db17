//! Detects commits of this and other processes with `PRAGMA data_version`.

use std::sync::atomic::{AtomicU64, Ordering};

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, query_scalar};
use tokio::sync::Mutex;

use super::Connection;
use crate::mark::Mark;

#[derive(Debug)]
pub(super) struct Watch {
    options: SqliteConnectOptions,
    begun: AtomicU64,
    last: Mutex<LastQuery>,
}

#[derive(Debug, Default)]
struct LastQuery {
    /// Never writes, because `data_version` ignores its own commits. Never replaced, because values
    /// of two connections cannot be compared.
    connection: Option<Connection>,
    number: u64,
    mark: Option<Mark>,
}

impl Watch {
    pub(super) fn new(options: SqliteConnectOptions) -> Self {
        Self {
            options,
            begun: AtomicU64::new(0),
            last: Mutex::default(),
        }
    }

    /// The mark of the last commit; `None` if the database does not answer.
    pub(super) async fn mark(&self) -> Option<Mark> {
        let arrived = self.begun.load(Ordering::SeqCst);
        let mut last = self.last.lock().await;
        // A query that began while this caller waited is recent enough for it.
        if last.number > arrived {
            return last.mark;
        }
        last.mark = None;
        last.number = self.begun.fetch_add(1, Ordering::SeqCst) + 1;
        if last.connection.is_none() {
            last.connection = Some(self.options.connect().await.ok()?);
        }
        let version: Result<i64, _> = query_scalar("PRAGMA data_version")
            .fetch_one(last.connection.as_mut()?)
            .await;
        last.mark = version.ok().map(|it| Mark::new(it.cast_unsigned()));
        last.mark
    }

    pub(super) async fn close(&self) {
        drop(self.last.lock().await.connection.take());
    }
}
