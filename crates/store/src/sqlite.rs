//! The store in an SQLite file: how it is opened, and which connection does what.

mod address;
mod file;
mod index;
mod private;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use sqlx::pool::PoolConnection;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{ConnectOptions as _, Connection as _, Pool, Transaction, query, query_scalar};
use tokio::sync::Mutex;
use tokio::time::{Instant, sleep};

use self::address::Address;
use self::file::DatabaseFile;
use self::index::LogIndex;
pub(super) use self::private::exposed;
use super::database::Backend;
use super::error::{StoreError, is_busy};
use super::mark::Mark;
use super::migrations;
use super::opening::{Opening, opened_for_reading};
use super::shared::off_reactor;
use super::{sql, waited};

type Database = sqlx::Sqlite;
type Connection = sqlx::SqliteConnection;

/// SQLite has one writer; the rest wait here, in order, and not in its busy loop.
const WRITERS: u32 = 1;
/// At most so many read at the same time: more than processors gain nothing, and each keeps pages, statements
/// and a thread.
const READERS: std::ops::RangeInclusive<usize> = 2..=4;
/// A command reads one thing after the other, and to open one more connection takes as long as to read
/// what is asked.
const READERS_OF_COMMAND: u32 = 1;
/// How much of its file a command maps into its memory instead of copying page by page. Not so in a server:
/// there a file that somebody cuts off would end the process.
const MAPPED_BYTES: &str = "268435456";
/// How many KiB of pages a connection of a server keeps, as SQLite writes it. What is read often is kept
/// parsed, and the system keeps the file.
const PAGES_KEPT: &str = "-512";
/// How long to wait for a lock that another process holds.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// How long until it is asked for again where SQLite itself does not wait.
const ASK_AGAIN_AFTER: Duration = Duration::from_millis(10);
/// How long to wait for a connection.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(30);
/// From how many pages (of 4 KiB) on a commit folds the log into the database itself. A release is
/// above it and can afford that; a small change is not, and leaves it to the background.
const FOLD_PAGES: &str = "128";
/// How long after a small change the log is folded in the background. Folding waits for the disk twice, so
/// many changes in a row share one.
const FOLD_AFTER: Duration = Duration::from_millis(250);
/// The size to which the log is truncated on reset: that of a release, to avoid shrinking and
/// growing it all the time.
const LOG_BYTES: &str = "1048576";

/// A [`Store`](super::Store) in an SQLite file.
#[derive(Debug, Clone)]
pub struct SqliteStore {
    readers: Pool<Database>,
    writer: Pool<Database>,
    opening: Opening,
    /// None for a database in memory.
    file: Option<Arc<DatabaseFile>>,
    /// Held while the log is folded in the background.
    folding: Arc<Mutex<()>>,
    /// The index of the log, once somebody watches.
    index: Arc<OnceLock<Option<LogIndex>>>,
}

impl SqliteStore {
    /// Opens `sqlite://PATH`, creating it if absent, or `sqlite::memory:`, which lives as long as
    /// the store, and migrates it.
    ///
    /// # Errors
    /// [`StoreError::Address`] if the address is invalid, [`StoreError::Unusable`] if the file
    /// belongs to another program, [`StoreError::TooNew`] if a newer version of Opatlas wrote it,
    /// [`StoreError::Corrupt`] if it is not a database, [`StoreError::Unavailable`] if it cannot be
    /// opened or written.
    pub async fn open(url: &str) -> Result<Self, StoreError> {
        Self::open_for(url, Opening::Make).await
    }

    /// Opens it to do no more with it than is said.
    ///
    /// # Errors
    /// As [`SqliteStore::open`], and [`StoreError::Unusable`] when the file does not exist or is not
    /// up to date where it must be.
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

    /// A store that only reads.
    async fn read(address: &Address) -> Result<Self, StoreError> {
        let options = file::reading(address, common(&address.options));
        let options = options.pragma("mmap_size", MAPPED_BYTES);
        let readers = pool(READERS_OF_COMMAND).connect_lazy_with(options);
        if file::has_content(address, Opening::Read)?
            && let Err(error) = judge(&readers, address).await
        {
            // Which also removes the log that the connection may have made.
            readers.close().await;
            return Err(error);
        }
        Ok(Self {
            writer: readers.clone(),
            readers,
            opening: Opening::Read,
            file: None,
            folding: Arc::default(),
            index: Arc::default(),
        })
    }

    async fn connect(address: &Address, opening: Opening) -> Result<Self, StoreError> {
        let options = match opening {
            Opening::Make => address.options.clone(),
            _ => address.options.clone().create_if_missing(false),
        };
        let writer = pool(WRITERS);
        let writer = match address.is_file() {
            true => writer.before_acquire(|connection, _| {
                // SQLite ends a transaction by itself when the disk is full. Rolling back what has
                // ended fails, and the driver then takes it to be going on for ever.
                let usable = !connection.is_in_transaction();
                Box::pin(async move { Ok(usable) })
            }),
            // An in-memory database lives as long as its connection.
            false => writer,
        };
        let writer = connected(writer, configured(&options)).await?;
        // One transaction around all of them: two processes may start at once, and the second then
        // finds the work done.
        let mut work = begin_write(&writer).await?;
        if opening == Opening::Make {
            migrations::SQLITE
                .run_direct(None, &mut *work, false)
                .await
                .map_err(|error| {
                    StoreError::of_migration(error, Opening::newest(&migrations::SQLITE))
                })?;
        }
        // `BEGIN IMMEDIATE` is content to read a database that is read-only.
        query(sql::CHANGE_NOTHING).execute(&mut *work).await?;
        work.commit().await?;
        let (readers, file) = match address.path() {
            Some(path) => {
                // A connection made later must not make a file where this one was.
                let options = options.create_if_missing(false);
                let file = Arc::new(DatabaseFile::of(path)?);
                let readers = readers(Arc::clone(&file));
                let readers = readers.connect_lazy_with(configured(&options));
                (readers, Some(file))
            }
            None => (writer.clone(), None),
        };
        Ok(Self {
            readers,
            writer,
            opening,
            file,
            folding: Arc::default(),
            index: Arc::default(),
        })
    }

    /// Checkpoints the log soon after the caller has its answer. The log contains each changed page in
    /// full; reset after changes, it stays small compared to the database.
    fn fold_log(&self) {
        // One at a time is enough: it folds what has come until it begins, and the next change starts the
        // next.
        let Ok(folding) = Arc::clone(&self.folding).try_lock_owned() else {
            return;
        };
        let readers = self.readers.clone();
        tokio::spawn(async move {
            sleep(FOLD_AFTER).await;
            // A failure does not matter: the next checkpoint catches up.
            let _ = query("PRAGMA wal_checkpoint(PASSIVE)")
                .execute(&readers)
                .await;
            drop(folding);
        });
    }
}

impl Backend for SqliteStore {
    type Database = Database;

    /// A connection for one statement that reads.
    async fn reader(&self) -> Result<PoolConnection<Database>, StoreError> {
        waited("read", async { Ok(self.readers.acquire().await?) }).await
    }

    /// A transaction that reads: what it sees is of one moment.
    async fn snapshot(&self) -> Result<Transaction<'static, Database>, StoreError> {
        waited("read", async { Ok(self.readers.begin().await?) }).await
    }

    /// The same for work that takes its time.
    async fn long_snapshot(&self) -> Result<Transaction<'static, Database>, StoreError> {
        self.snapshot().await
    }

    /// A transaction that writes, alone until it ends.
    async fn write(&self) -> Result<Transaction<'static, Database>, StoreError> {
        if self.opening == Opening::Read {
            return Err(opened_for_reading());
        }
        if let Some(file) = &self.file {
            file.expect()?;
        }
        waited("write", begin_write(&self.writer)).await
    }

    /// Tries to write and takes it back, and tries whether the disk has room.
    async fn try_to_write(&self) -> Result<(), StoreError> {
        if let Some(file) = &self.file {
            file.expect_with_log()?;
            let file = Arc::clone(file);
            off_reactor(move || file.expect_room()).await??;
        }
        // A writer in progress detects it itself, and may take a while.
        if self.writer.num_idle() == 0 && self.writer.size() >= WRITERS {
            return Ok(());
        }
        let mut work = self.write().await?;
        query(sql::CHANGE_NOTHING).execute(&mut *work).await?;
        Ok(work.rollback().await?)
    }

    /// Ends a transaction that writes; what it wrote is durable once this returns, and in the file
    /// that the next start opens.
    async fn commit(&self, work: Transaction<'static, Database>) -> Result<(), StoreError> {
        work.commit().await?;
        if let Some(file) = &self.file {
            file.expect_with_log()?;
        }
        self.fold_log();
        Ok(())
    }

    /// Every commit is seen in the index of the log.
    async fn publish(&self, work: Transaction<'static, Database>) -> Result<(), StoreError> {
        self.commit(work).await
    }

    fn begin_watching(&self) {
        let path = self.file.as_deref().map(DatabaseFile::path);
        self.index.get_or_init(|| path.and_then(LogIndex::of));
    }

    fn current_mark(&self) -> Option<Mark> {
        self.index.get()?.as_ref()?.mark()
    }

    async fn close_pools(&self) {
        self.readers.close().await;
        self.writer.close().await;
    }
}

/// Moves the id sequences past copied rows; SQLite does this itself.
pub(super) async fn number_on(_: &mut Connection) -> Result<(), StoreError> {
    Ok(())
}

/// What the database itself finds wrong with its file.
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

/// Judges a database by a connection that goes on to read from it. A second one only for this would
/// cost a thread with memory of its own, and read the schema and the index of the log once more.
async fn judge(readers: &Pool<Database>, address: &Address) -> Result<(), StoreError> {
    file::judge_by(&mut *readers.acquire().await?, address).await
}

/// Takes the lock at once. A transaction that reads first and asks for the lock later fails where
/// this one waits.
async fn begin_write(pool: &Pool<Database>) -> Result<Transaction<'static, Database>, StoreError> {
    Ok(pool.begin_with("BEGIN IMMEDIATE").await?)
}

/// Connects. To give a database its log SQLite needs a lock that it does not wait for, since two processes
/// might wait for each other; here one of them has let go by the time the other asks again.
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
        .pragma("wal_autocheckpoint", FOLD_PAGES)
        .pragma("journal_size_limit", LOG_BYTES)
}

/// What changes nothing in the file.
fn common(options: &SqliteConnectOptions) -> SqliteConnectOptions {
    let options = options.clone();
    options
        .foreign_keys(true)
        .busy_timeout(BUSY_TIMEOUT)
        .row_buffer_size(8192)
        .disable_statement_logging()
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

/// Readers of a file, none of which reads another one that took its place.
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
