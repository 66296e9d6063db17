//! The store in a PostgreSQL database, which several replicas may share.
//!
//! Every writer takes an advisory lock first, like the lock of an SQLite file. So there is one
//! writer at a time among all replicas, what a writer found absent stays absent until it commits,
//! ids grow in commit order, and no transaction needs a retry. Readers never wait.

mod address;
mod lease;
mod presence;

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{
    AssertSqlSafe, Connection as _, Executor as _, Pool, Transaction, query, query_as, query_scalar,
};

use self::address::Address;
use self::lease::Lease;
use self::presence::Presence;
use super::copy::TABLES;
use super::database::Backend;
use super::error::{StoreError, Unusable};
use super::mark::Mark;
use super::migrations;
use super::opening::{Opening, opened_for_reading};
use super::{sql, waited};

type Database = sqlx::Postgres;
type Connection = sqlx::PgConnection;

/// The key of the advisory lock that writers hold; also while migrating. "opatlas" in ASCII.
const WRITE_LOCK: i64 = 0x006f_7061_746c_6173;
/// One connection writes; who else wants to waits in this process and not in the database.
const WRITERS: u32 = 1;
/// Connections that read, a replica.
const READERS: u32 = 8;
/// How long to wait for a connection to read with. While the database is away a request waits no
/// longer than this, and most do not wait at all.
const READ_TIMEOUT: Duration = Duration::from_secs(3);
/// How long to wait for the writers before in this process.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);
/// Settings of every connection. They limit how long it waits for a lock of another replica; the
/// last one limits how long a vanished replica can block others in a transaction.
const SESSION: [(&str, &str); 3] = [
    ("lock_timeout", "30s"),
    ("statement_timeout", "60s"),
    ("idle_in_transaction_session_timeout", "60s"),
];
/// Further settings of the connections of a read-only store.
const READ_ONLY: [(&str, &str); 1] = [("default_transaction_read_only", "on")];
/// Acknowledged writes are on disk, whatever the default of the database; stricter settings stay.
const DURABLE: &str = "SELECT set_config('synchronous_commit', 'on', false) \
     WHERE current_setting('synchronous_commit') = 'off'";
const BEGIN_READ: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
const BEGIN_WRITE: &str = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE";

/// A [`Store`](super::Store) in a PostgreSQL database.
#[derive(Debug, Clone)]
pub struct PostgresStore {
    readers: Pool<Database>,
    writer: Pool<Database>,
    opening: Opening,
    presence: Arc<Presence>,
    lease: Arc<Lease>,
    /// How the database is reached.
    options: PgConnectOptions,
}

impl PostgresStore {
    /// Opens `postgres://USER:PASSWORD@HOST:PORT/NAME` and brings the database up to date. It must
    /// exist, in UTF-8, and the user must be allowed to make tables in it.
    ///
    /// # Errors
    /// [`StoreError::Address`] if the address is invalid, [`StoreError::TooNew`] if a newer version
    /// of Opatlas wrote the database, [`StoreError::Unavailable`] if it cannot be reached or
    /// written.
    pub async fn open(url: &str) -> Result<Self, StoreError> {
        Self::open_for(url, Opening::Make).await
    }

    /// Opens it to do no more with it than is said.
    ///
    /// # Errors
    /// As [`PostgresStore::open`], and [`StoreError::Unusable`] when the database is not one of
    /// Opatlas or is not up to date where it must be.
    pub async fn open_for(url: &str, opening: Opening) -> Result<Self, StoreError> {
        let address = Address::parse(url)?;
        let opened = Self::connect(&address, opening).await;
        opened.map_err(|error| error.located(&address.shown()))
    }

    async fn connect(address: &Address, opening: Opening) -> Result<Self, StoreError> {
        let options = address.options.clone().options(SESSION);
        let options = match opening {
            Opening::Read => options.options(READ_ONLY),
            Opening::Change | Opening::Make => options,
        };
        let store = Self {
            readers: pool(READERS, READ_TIMEOUT).connect_lazy_with(options.clone()),
            writer: pool(WRITERS, WRITE_TIMEOUT).connect_lazy_with(options.clone()),
            opening,
            presence: Arc::default(),
            lease: Arc::default(),
            options,
        };
        if let Err(error) = store.expect_encoding().await {
            return Err(reason(address, error).await);
        }
        match opening {
            Opening::Make => store.migrate().await?,
            Opening::Change | Opening::Read => store.judge(&address.shown()).await?,
        }
        Ok(store)
    }

    /// Refuses a database that is not one of Opatlas, or not up to date.
    async fn judge(&self, place: &str) -> Result<(), StoreError> {
        let mut reader = self.reader().await?;
        let has_migrations: bool =
            query_scalar("SELECT to_regclass('_sqlx_migrations') IS NOT NULL")
                .fetch_one(&mut *reader)
                .await?;
        if !has_migrations {
            let place = place.to_owned();
            return Err(Unusable::Foreign { place }.into());
        }
        let applied = query_as("SELECT version, checksum FROM _sqlx_migrations ORDER BY version");
        let applied: Vec<(i64, Vec<u8>)> = applied.fetch_all(&mut *reader).await?;
        self.opening.judge(place, &applied, &migrations::POSTGRES)
    }

    async fn expect_encoding(&self) -> Result<(), StoreError> {
        let mut reader = self.reader().await?;
        let encoding: String = query_scalar("SHOW server_encoding")
            .fetch_one(&mut *reader)
            .await?;
        if encoding == "UTF8" {
            return Ok(());
        }
        Err(StoreError::Unavailable {
            what: format!(
                "its encoding is {encoding}, but Opatlas needs UTF8; create it with `createdb \
                 --encoding=UTF8 --template=template0`"
            ),
            source: None,
        })
    }

    /// Brings the database up to date. Replicas may start at once: the second finds the work done.
    async fn migrate(&self) -> Result<(), StoreError> {
        let known = Opening::newest(&migrations::POSTGRES);
        let mut work = self.writer.begin_with(BEGIN_WRITE).await?;
        // The migrations of another replica may take their time.
        for limit in [
            "SET LOCAL lock_timeout = 0",
            "SET LOCAL statement_timeout = 0",
        ] {
            work.execute(limit).await?;
        }
        lock(&mut work).await?;
        migrations::POSTGRES
            .run_direct(None, &mut *work, false)
            .await
            .map_err(|error| StoreError::of_migration(error, known))?;
        Ok(work.commit().await?)
    }

    /// Waits for a connection, unless there was none to be had a moment ago.
    async fn present<T>(
        &self,
        connection: impl Future<Output = Result<T, sqlx::Error>>,
    ) -> Result<T, StoreError> {
        self.presence.expect()?;
        let connection = waited("read", connection).await;
        self.presence.note(connection.is_ok());
        Ok(connection?)
    }
}

impl Backend for PostgresStore {
    type Database = Database;

    /// A connection for one statement that reads.
    async fn reader(&self) -> Result<PoolConnection<Database>, StoreError> {
        self.present(self.readers.acquire()).await
    }

    /// A transaction that reads: what it sees is of one moment.
    async fn snapshot(&self) -> Result<Transaction<'static, Database>, StoreError> {
        self.present(self.readers.begin_with(BEGIN_READ)).await
    }

    /// The same for work that takes its time.
    async fn long_snapshot(&self) -> Result<Transaction<'static, Database>, StoreError> {
        let mut work = self.snapshot().await?;
        for limit in [
            "SET LOCAL statement_timeout = 0",
            "SET LOCAL idle_in_transaction_session_timeout = 0",
        ] {
            work.execute(limit).await?;
        }
        Ok(work)
    }

    /// A transaction that writes, alone until it ends.
    async fn write(&self) -> Result<Transaction<'static, Database>, StoreError> {
        if self.opening == Opening::Read {
            return Err(opened_for_reading());
        }
        // A writer may have to wait for others; that the database is away it hears at once.
        drop(self.reader().await?);
        let work = async {
            let mut work = self.writer.begin_with(BEGIN_WRITE).await?;
            lock(&mut work).await?;
            Ok(work)
        };
        waited("write", work).await
    }

    /// Tries to write and takes it back. It does not wait for those who write.
    async fn try_to_write(&self) -> Result<(), StoreError> {
        let work = self.present(self.readers.begin_with(BEGIN_WRITE));
        let mut work = work.await?;
        query(sql::CHANGE_NOTHING).execute(&mut *work).await?;
        Ok(work.rollback().await?)
    }

    /// Ends a transaction that writes; what it wrote is durable once this returns.
    async fn commit(&self, work: Transaction<'static, Database>) -> Result<(), StoreError> {
        Ok(work.commit().await?)
    }

    /// No replica answers from memory what was true before.
    async fn publish(&self, mut work: Transaction<'static, Database>) -> Result<(), StoreError> {
        lease::end_all(&mut work, self.reader()).await?;
        self.commit(work).await
    }

    fn begin_watching(&self) {
        self.lease.watch(self.options.clone());
    }

    fn current_mark(&self) -> Option<Mark> {
        self.lease.mark()
    }

    async fn close_pools(&self) {
        self.lease.close();
        self.readers.close().await;
        self.writer.close().await;
    }
}

/// Moves the id sequences past copied rows.
pub(super) async fn number_on(connection: &mut Connection) -> Result<(), StoreError> {
    for table in TABLES.iter().filter(|table| table.numbered) {
        let name = table.name;
        let follow = AssertSqlSafe(format!(
            "SELECT setval(pg_get_serial_sequence('{name}', 'id'), \
             (SELECT coalesce(max(id), 0) + 1 FROM {name}), false)"
        ));
        connection.execute(follow).await?;
    }
    Ok(())
}

/// Faults that the database finds itself. PostgreSQL has no query for this; reading every row makes
/// it verify its page checksums, if enabled.
pub(super) async fn own_faults(_: &mut Connection) -> Result<Vec<String>, StoreError> {
    Ok(Vec::new())
}

/// Why the database cannot be opened. The pool keeps trying and only says that the time is over, so
/// one attempt beside it finds the reason.
async fn reason(address: &Address, error: StoreError) -> StoreError {
    let is_late = |error: &sqlx::Error| matches!(error, sqlx::Error::PoolTimedOut);
    match &error {
        StoreError::Unavailable {
            source: Some(source),
            ..
        } if is_late(source) => {}
        _ => return error,
    }
    let attempt = Connection::connect_with(&address.options);
    match tokio::time::timeout(READ_TIMEOUT, attempt).await {
        Ok(Err(reason)) => reason.into(),
        Ok(Ok(_)) | Err(_) => error,
    }
}

async fn lock(connection: &mut Connection) -> Result<(), StoreError> {
    query("SELECT pg_advisory_xact_lock($1)")
        .bind(WRITE_LOCK)
        .execute(connection)
        .await?;
    Ok(())
}

fn pool(connections: u32, timeout: Duration) -> PgPoolOptions {
    // Connections are checked before use: the database may have restarted.
    PgPoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(timeout)
        .test_before_acquire(true)
        .after_connect(|connection, _| {
            Box::pin(async move { connection.execute(DURABLE).await.map(|_| ()) })
        })
}
