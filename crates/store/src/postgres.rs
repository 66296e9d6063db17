//! The store in a PostgreSQL database, which several replicas may share.
//!
//! Every writer takes an advisory lock first. So there is one writer at a time, ids grow in commit
//! order, and no transaction needs a retry. Readers never wait.

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

/// The advisory lock of writers and migrations: "opatlas" in ASCII.
const WRITE_LOCK: i64 = 0x006f_7061_746c_6173;
/// Further writers wait in this process, not in the database.
const WRITERS: u32 = 1;
/// Read connections per replica.
const READERS: u32 = 8;
/// Also the longest time that a request waits while the database is down.
const READ_TIMEOUT: Duration = Duration::from_secs(3);
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);
/// Bounds waits for locks of other replicas, and how long a vanished replica can block others.
const SESSION: [(&str, &str); 3] = [
    ("lock_timeout", "30s"),
    ("statement_timeout", "60s"),
    ("idle_in_transaction_session_timeout", "60s"),
];
const READ_ONLY: [(&str, &str); 1] = [("default_transaction_read_only", "on")];
/// Makes acknowledged writes durable, whatever the default of the database; stricter settings stay.
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
    options: PgConnectOptions,
}

impl PostgresStore {
    /// Opens `postgres://USER:PASSWORD@HOST:PORT/NAME` and migrates the database. It must exist,
    /// use UTF-8, and let the user create tables. Fails with [`StoreError::Address`],
    /// [`StoreError::TooNew`] or [`StoreError::Unavailable`].
    pub async fn open(url: &str) -> Result<Self, StoreError> {
        Self::open_for(url, Opening::Make).await
    }

    /// Opens the database for a purpose. Fails as [`PostgresStore::open`] does, or with
    /// [`StoreError::Unusable`].
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

    /// Migrates the database. If several replicas start at once, the first one migrates it.
    async fn migrate(&self) -> Result<(), StoreError> {
        let known = Opening::newest(&migrations::POSTGRES);
        let mut work = self.writer.begin_with(BEGIN_WRITE).await?;
        // The migrations of another replica may take a while.
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

    /// Waits for a connection, unless the database was just found to be down.
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

    async fn reader(&self) -> Result<PoolConnection<Database>, StoreError> {
        self.present(self.readers.acquire()).await
    }

    async fn snapshot(&self) -> Result<Transaction<'static, Database>, StoreError> {
        self.present(self.readers.begin_with(BEGIN_READ)).await
    }

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

    async fn write(&self) -> Result<Transaction<'static, Database>, StoreError> {
        if self.opening == Opening::Read {
            return Err(opened_for_reading());
        }
        // Waiting for other writers takes time, so find out first whether the database is up.
        drop(self.reader().await?);
        let work = async {
            let mut work = self.writer.begin_with(BEGIN_WRITE).await?;
            lock(&mut work).await?;
            Ok(work)
        };
        waited("write", work).await
    }

    /// Does not wait for other writers.
    async fn try_to_write(&self) -> Result<(), StoreError> {
        let mut work = self.present(self.readers.begin_with(BEGIN_WRITE)).await?;
        query(sql::CHANGE_NOTHING).execute(&mut *work).await?;
        Ok(work.rollback().await?)
    }

    async fn commit(&self, work: Transaction<'static, Database>) -> Result<(), StoreError> {
        Ok(work.commit().await?)
    }

    async fn publish(&self, mut work: Transaction<'static, Database>) -> Result<(), StoreError> {
        lease::end_all(&mut work, self.reader()).await?;
        self.commit(work).await
    }

    fn begin_watching(&self) {
        self.lease.watch(self.options.clone());
    }

    async fn current_mark(&self) -> Option<Mark> {
        self.lease.mark()
    }

    async fn close_pools(&self) {
        self.lease.close();
        self.readers.close().await;
        self.writer.close().await;
    }
}

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

/// Reading every row makes PostgreSQL verify its page checksums if they are enabled.
pub(super) async fn own_faults(_: &mut Connection) -> Result<Vec<String>, StoreError> {
    Ok(Vec::new())
}

/// Why the database cannot be opened. The pool only reports a timeout, so try once without it.
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
    // Connections are tested before use, since the database may have restarted.
    PgPoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(timeout)
        .test_before_acquire(true)
        .after_connect(|connection, _| {
            Box::pin(async move { connection.execute(DURABLE).await.map(|_| ()) })
        })
}
