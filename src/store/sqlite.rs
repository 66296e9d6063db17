//! The store in an SQLite file: how it is opened, and which connection does what.
//!
//! The modules below name only [`Connection`] and [`Database`], so that they serve any database
//! that understands [`sql`](super::sql).

mod calls;
mod content;
mod ingest;
mod labels;
mod projects;
mod revisions;
mod rows;

use std::path::Path;
use std::str::FromStr as _;
use std::sync::Arc;
use std::time::Duration;

use sqlx::migrate::Migrator;
use sqlx::pool::PoolConnection;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{ConnectOptions as _, Pool, Transaction, query};
use tokio::sync::Mutex;

use super::error::StoreError;

type Database = sqlx::Sqlite;
type Connection = sqlx::SqliteConnection;

/// The migrations that this program knows.
static MIGRATIONS: Migrator = sqlx::migrate!("migrations/sqlite");

/// SQLite has one writer; the rest wait here, in order, and not in its busy loop.
const WRITERS: u32 = 1;
/// More readers than cores gain nothing.
const READERS: u32 = 4;
/// How long to wait for a lock that another process holds.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// How long to wait for a connection.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(30);
/// From how many pages (of 4 KiB) on a commit folds the log into the database itself. A release is
/// above it and can afford that; a small change is not, and leaves it to the background.
const FOLD_PAGES: &str = "128";
/// To how many bytes the log is cut when it begins anew: what a release needs, so that it is not
/// cut and grown again all the time.
const LOG_BYTES: &str = "1048576";

/// A [`Store`](super::Store) in an SQLite file.
#[derive(Debug, Clone)]
pub struct SqliteStore {
    readers: Pool<Database>,
    writer: Pool<Database>,
    /// Held while the log is folded in the background.
    folding: Arc<Mutex<()>>,
}

impl SqliteStore {
    /// Opens `sqlite://PATH`, made if absent, or `sqlite::memory:`, which is gone when the store is,
    /// and brings it up to date.
    ///
    /// # Errors
    /// [`StoreError::Address`] when it is no such address, [`StoreError::TooNew`] when a newer
    /// program has written there, [`StoreError::Corrupt`] when it is not a database,
    /// [`StoreError::Unavailable`] when it cannot be opened or written.
    pub async fn open(url: &str) -> Result<Self, StoreError> {
        let options = options(url)?;
        let in_memory = options.get_filename().as_os_str().is_empty()
            || url.contains(":memory:")
            || url.contains("mode=memory");
        if !in_memory {
            check_path(options.get_filename())?;
        }
        let writer = pool(WRITERS).connect_with(options.clone()).await?;
        let known = MIGRATIONS.iter().map(|migration| migration.version).max();
        let known = known.unwrap_or_default();
        // One transaction around all of them: two processes may start at once, and the second then
        // finds the work done.
        let mut work = begin_write(&writer).await?;
        MIGRATIONS
            .run_direct(None, &mut *work, false)
            .await
            .map_err(|error| StoreError::of_migration(error, known))?;
        work.commit().await?;
        let readers = match in_memory {
            true => writer.clone(),
            false => pool(READERS).connect_lazy_with(options),
        };
        Ok(Self {
            readers,
            writer,
            folding: Arc::default(),
        })
    }

    /// A connection for one statement that reads.
    async fn reader(&self) -> Result<PoolConnection<Database>, StoreError> {
        Ok(self.readers.acquire().await?)
    }

    /// A transaction that reads: what it sees is of one moment.
    async fn snapshot(&self) -> Result<Transaction<'static, Database>, StoreError> {
        Ok(self.readers.begin().await?)
    }

    /// A transaction that writes, alone until it ends.
    async fn write(&self) -> Result<Transaction<'static, Database>, StoreError> {
        begin_write(&self.writer).await
    }

    /// Ends a transaction that writes; what it wrote is durable once this returns.
    async fn commit(&self, work: Transaction<'static, Database>) -> Result<(), StoreError> {
        work.commit().await?;
        self.fold_log();
        Ok(())
    }

    /// Folds the log into the database when the caller has its answer already. The log holds each
    /// changed page whole; begun anew after every change, it stays small beside the database.
    fn fold_log(&self) {
        // One at a time is enough: the next change starts the next.
        let Ok(folding) = Arc::clone(&self.folding).try_lock_owned() else {
            return;
        };
        let readers = self.readers.clone();
        tokio::spawn(async move {
            // It cannot fail in a way that matters: what is not folded now is folded later.
            let _ = query("PRAGMA wal_checkpoint(PASSIVE)")
                .execute(&readers)
                .await;
            drop(folding);
        });
    }
}

/// Takes the lock at once. A transaction that reads first and asks for the lock later fails where
/// this one waits.
async fn begin_write(pool: &Pool<Database>) -> Result<Transaction<'static, Database>, StoreError> {
    Ok(pool.begin_with("BEGIN IMMEDIATE").await?)
}

fn pool(connections: u32) -> SqlitePoolOptions {
    // Connections live as long as the store: a database in memory lives in its connection.
    SqlitePoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(ACQUIRE_TIMEOUT)
        .idle_timeout(None)
        .max_lifetime(None)
        .test_before_acquire(false)
}

fn options(url: &str) -> Result<SqliteConnectOptions, StoreError> {
    let address = |why: String| StoreError::Address {
        url: url.to_owned(),
        why,
    };
    if !url.starts_with("sqlite:") {
        return Err(address("it does not begin with `sqlite:`".to_owned()));
    }
    if url.contains("mode=ro") || url.contains("immutable=") {
        return Err(address(
            "Opatlas must be able to write to its database".to_owned(),
        ));
    }
    if matches!(url, "sqlite:" | "sqlite://") {
        return Err(address("it names no file".to_owned()));
    }
    let options =
        SqliteConnectOptions::from_str(url).map_err(|error| address(error.to_string()))?;
    let options = match url.contains("mode=") {
        true => options,
        false => options.create_if_missing(true),
    };
    Ok(options
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        .busy_timeout(BUSY_TIMEOUT)
        .pragma("wal_autocheckpoint", FOLD_PAGES)
        .pragma("journal_size_limit", LOG_BYTES)
        .row_buffer_size(1024)
        .disable_statement_logging())
}

/// Says what SQLite's "unable to open database file" leaves open.
fn check_path(path: &Path) -> Result<(), StoreError> {
    let shown = path.display();
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let what = match folder {
        Some(folder) if !folder.is_dir() => format!(
            "`{shown}` cannot be made, since the folder `{}` does not exist",
            folder.display()
        ),
        _ if path.is_dir() => format!("`{shown}` is a folder; name a file in it"),
        _ => return Ok(()),
    };
    Err(StoreError::Unavailable { what, source: None })
}
