//! The store in an SQLite file, and its connections.

mod address;
mod file;
mod private;
mod watch;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use sqlx::pool::PoolConnection;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{ConnectOptions as _, Connection as _, Pool, Transaction, query, query_scalar};
use tokio::sync::Mutex;
use tokio::time::{Instant, sleep};

use self::address::Address;
use self::file::DatabaseFile;
pub(super) use self::private::exposed;
use self::watch::Watch;
use super::database::Backend;
use super::error::{StoreError, is_busy};
use super::mark::Mark;
use super::migrations;
use super::opening::{Opening, opened_for_reading};
use super::shared::off_reactor;
use super::{sql, waited};

type Database = sqlx::Sqlite;
type Connection = sqlx::SqliteConnection;

/// SQLite allows one writer. Further writers queue here instead of in its busy loop.
const WRITERS: u32 = 1;
/// More readers than processors gain nothing, and each has a thread, pages and statements.
const READERS: std::ops::RangeInclusive<usize> = 2..=4;
/// A command reads one thing after another, and opening another connection costs a typical read.
const READERS_OF_COMMAND: u32 = 1;
/// For commands only: if somebody truncated a mapped file, a server would crash.
const MAPPED_BYTES: &str = "268435456";
/// In KiB, negative as SQLite wants it. Snapshots are cached above.
const PAGES_KEPT: &str = "-512";
/// How long to wait for a lock of another process.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// How long to pause between attempts if SQLite itself does not wait for a lock.
const ASK_AGAIN_AFTER: Duration = Duration::from_millis(10);
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(30);
/// From this many 4 KiB pages on, a commit checkpoints the log, as that of a release does.
const CHECKPOINT_PAGES: &str = "128";
/// A checkpoint waits for the disk twice, so consecutive small changes share one.
const CHECKPOINT_DELAY: Duration = Duration::from_millis(250);
/// Size of the log after a checkpoint, about that of a release.
const LOG_BYTES: &str = "1048576";

/// A [`Store`](super::Store) in an SQLite file.
#[derive(Debug, Clone)]
pub struct SqliteStore {
    readers: Pool<Database>,
    writer: Pool<Database>,
    opening: Opening,
    /// `None` for a database in memory.
    file: Option<Arc<DatabaseFile>>,
    /// Locked while a checkpoint is scheduled or running.
    checkpoint: Arc<Mutex<()>>,
    watch: Arc<OnceLock<Watch>>,
}

impl SqliteStore {
    /// Opens `sqlite://PATH`, creating the file if it is missing, or `sqlite::memory:`, which lives
    /// as long as the store. Migrates the database. Fails with [`StoreError::Address`],
    /// [`StoreError::Unusable`], [`StoreError::TooNew`], [`StoreError::Corrupt`] or
    /// [`StoreError::Unavailable`].
    pub async fn open(url: &str) -> Result<Self, StoreError> {
        Self::open_for(url, Opening::Make).await
    }

    /// Opens the database for a purpose. Fails as [`SqliteStore::open`] does, or with
    /// [`StoreError::Unusable`].
    pub async fn open_for(url: &str, opening: Opening) -> Result<Self, StoreError> {
        let address = Address::parse(url)?;
        address.check()?;
        let opened = async {
            if opening == Opening::Read {
                return Self::read(&address).await;
            }
            file::judge(&address, opening).await?;
            let Some(path) = address.path() else {
                return Self::connect(&address, opening).await;
            };
            if opening == Opening::Make && address.creates() {
                private::create(path)?;
            }
            let store = Self::connect(&address, opening).await?;
            private::restrict(path);
            Ok(store)
        };
        let opened: Result<Self, StoreError> = opened.await;
        opened.map_err(|error| error.located(&address.shown()))
    }

    async fn read(address: &Address) -> Result<Self, StoreError> {
        let options =
            file::reading(address, common(&address.options)).pragma("mmap_size", MAPPED_BYTES);
        let readers = pool(READERS_OF_COMMAND).connect_lazy_with(options);
        if file::has_content(address, Opening::Read)?
            && let Err(error) = judge(&readers, address).await
        {
            // Closing also removes the log that the connection may have created.
            readers.close().await;
            return Err(error);
        }
        Ok(Self {
            writer: readers.clone(),
            readers,
            opening: Opening::Read,
            file: None,
            checkpoint: Arc::default(),
            watch: Arc::default(),
        })
    }

    async fn connect(address: &Address, opening: Opening) -> Result<Self, StoreError> {
        let options = match opening {
            Opening::Make => address.options.clone(),
            _ => address.options.clone().create_if_missing(false),
        };
        let writer = pool(WRITERS);
        let writer = if address.is_file() {
            writer.before_acquire(|connection, _| {
                // If the disk is full, SQLite ends the transaction, and the driver's rollback
                // fails.
                let usable = !connection.is_in_transaction();
                Box::pin(async move { Ok(usable) })
            })
        } else {
            writer
        };
        let writer = connected(writer, configured(&options)).await?;
        // If two processes start at once, the second one finds the work done.
        let mut work = begin_write(&writer).await?;
        if opening == Opening::Make {
            migrations::SQLITE
                .run_direct(None, &mut *work, false)
                .await
                .map_err(|error| {
                    StoreError::of_migration(error, Opening::newest(&migrations::SQLITE))
                })?;
        }
        // `BEGIN IMMEDIATE` succeeds in a read-only database.
        query(sql::CHANGE_NOTHING).execute(&mut *work).await?;
        work.commit().await?;
        let (readers, file) = match address.path() {
            Some(path) => {
                // Later connections must not create a file where this one was deleted.
                let options = options.create_if_missing(false);
                let file = Arc::new(DatabaseFile::of(path)?);
                let readers = readers(Arc::clone(&file)).connect_lazy_with(configured(&options));
                (readers, Some(file))
            }
            None => (writer.clone(), None),
        };
        Ok(Self {
            readers,
            writer,
            opening,
            file,
            checkpoint: Arc::default(),
            watch: Arc::default(),
        })
    }

    /// Checkpoints the log soon after the caller has its answer.
    fn checkpoint_later(&self) {
        // A checkpoint covers all changes so far, so one is enough.
        let Ok(checkpoint) = Arc::clone(&self.checkpoint).try_lock_owned() else {
            return;
        };
        let readers = self.readers.clone();
        tokio::spawn(async move {
            sleep(CHECKPOINT_DELAY).await;
            // If it fails, the next checkpoint catches up.
            let _ = query("PRAGMA wal_checkpoint(PASSIVE)")
                .execute(&readers)
                .await;
            drop(checkpoint);
        });
    }
}

impl Backend for SqliteStore {
    type Database = Database;

    async fn reader(&self) -> Result<PoolConnection<Database>, StoreError> {
        waited("read", async { Ok(self.readers.acquire().await?) }).await
    }

    async fn snapshot(&self) -> Result<Transaction<'static, Database>, StoreError> {
        waited("read", async { Ok(self.readers.begin().await?) }).await
    }

    async fn long_snapshot(&self) -> Result<Transaction<'static, Database>, StoreError> {
        self.snapshot().await
    }

    async fn write(&self) -> Result<Transaction<'static, Database>, StoreError> {
        if self.opening == Opening::Read {
            return Err(opened_for_reading());
        }
        if let Some(file) = &self.file {
            file.expect()?;
        }
        waited("write", begin_write(&self.writer)).await
    }

    /// Also checks that the disk has room.
    async fn try_to_write(&self) -> Result<(), StoreError> {
        if let Some(file) = &self.file {
            file.expect_with_log()?;
            let file = Arc::clone(file);
            off_reactor(move || file.expect_room()).await??;
        }
        // A writer in progress will find out by itself.
        if self.writer.num_idle() == 0 && self.writer.size() >= WRITERS {
            return Ok(());
        }
        let mut work = self.write().await?;
        query(sql::CHANGE_NOTHING).execute(&mut *work).await?;
        Ok(work.rollback().await?)
    }

    /// Also checks that the file is the one that the next start opens.
    async fn commit(&self, work: Transaction<'static, Database>) -> Result<(), StoreError> {
        work.commit().await?;
        if let Some(file) = &self.file {
            file.expect_with_log()?;
        }
        self.checkpoint_later();
        Ok(())
    }

    /// A commit changes the mark by itself.
    async fn publish(&self, work: Transaction<'static, Database>) -> Result<(), StoreError> {
        self.commit(work).await
    }

    fn begin_watching(&self) {
        if self.file.is_some() {
            let options = self.readers.connect_options();
            self.watch.get_or_init(|| Watch::new((*options).clone()));
        }
    }

    /// A file that was replaced or has lost its log may change unnoticed, so it has no mark.
    async fn current_mark(&self) -> Option<Mark> {
        let watch = self.watch.get()?;
        self.file.as_ref()?.expect_with_log().ok()?;
        if self.readers.is_closed() {
            return None;
        }
        watch.mark().await
    }

    async fn close_pools(&self) {
        self.readers.close().await;
        if let Some(watch) = self.watch.get() {
            watch.close().await;
        }
        self.writer.close().await;
    }
}

/// SQLite moves its sequences by itself.
pub(super) async fn number_on(_: &mut Connection) -> Result<(), StoreError> {
    Ok(())
}

pub(super) async fn own_faults(connection: &mut Connection) -> Result<Vec<String>, StoreError> {
    let mut faults: Vec<String> = query_scalar("PRAGMA integrity_check")
        .fetch_all(&mut *connection)
        .await?;
    faults.retain(|line| line != "ok");
    let dangling = query("PRAGMA foreign_key_check")
        .fetch_all(connection)
        .await?;
    if !dangling.is_empty() {
        faults.push(format!("{} references lead nowhere", dangling.len()));
    }
    Ok(faults)
}

/// Uses a connection for reading: another one would cost a thread and read the schema again.
async fn judge(readers: &Pool<Database>, address: &Address) -> Result<(), StoreError> {
    file::judge_by(&mut *readers.acquire().await?, address).await
}

/// Takes the lock at once. Upgrading a read transaction can fail instead of waiting.
async fn begin_write(pool: &Pool<Database>) -> Result<Transaction<'static, Database>, StoreError> {
    Ok(pool.begin_with("BEGIN IMMEDIATE").await?)
}

/// Retries, because SQLite does not wait for the lock that switching to WAL mode needs.
async fn connected(
    pool: SqlitePoolOptions,
    options: SqliteConnectOptions,
) -> Result<Pool<Database>, StoreError> {
    let end = Instant::now() + BUSY_TIMEOUT;
    loop {
        match pool.clone().connect_with(options.clone()).await {
            Err(error) if is_busy(&error) && Instant::now() < end => sleep(ASK_AGAIN_AFTER).await,
            connected => return Ok(connected?),
        }
    }
}

fn configured(options: &SqliteConnectOptions) -> SqliteConnectOptions {
    common(options)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .pragma("cache_size", PAGES_KEPT)
        .pragma("wal_autocheckpoint", CHECKPOINT_PAGES)
        .pragma("journal_size_limit", LOG_BYTES)
}

fn common(options: &SqliteConnectOptions) -> SqliteConnectOptions {
    let options = options.clone();
    options
        .foreign_keys(true)
        .busy_timeout(BUSY_TIMEOUT)
        .row_buffer_size(8192)
        .disable_statement_logging()
}

fn pool(connections: u32) -> SqlitePoolOptions {
    // Connections live as long as the store, because a database in memory lives in its connection.
    SqlitePoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(ACQUIRE_TIMEOUT)
        .idle_timeout(None)
        .max_lifetime(None)
        .test_before_acquire(false)
}

fn readers(file: Arc<DatabaseFile>) -> SqlitePoolOptions {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let readers = processors.clamp(*READERS.start(), *READERS.end());
    let readers = pool(u32::try_from(readers).unwrap_or(WRITERS));
    readers.after_connect(move |_, _| {
        let found = file.expect();
        let found = found.map_err(|error| sqlx::Error::Io(std::io::Error::other(error)));
        Box::pin(std::future::ready(found))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_acknowledged_was_synced() {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite://{}", folder.path().join("opatlas.db").display());
        let store = SqliteStore::open(&url).await.unwrap();
        let mut work = store.write().await.unwrap();
        let mode: String = query_scalar("PRAGMA journal_mode")
            .fetch_one(&mut *work)
            .await
            .unwrap();
        let synchronous: i64 = query_scalar("PRAGMA synchronous")
            .fetch_one(&mut *work)
            .await
            .unwrap();
        assert_eq!((mode.as_str(), synchronous), ("wal", 2));
    }
}
