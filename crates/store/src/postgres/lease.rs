//! Leases that let a replica answer from memory: while it holds one, no replica commits a change
//! that it has not heard of.
//!
//! A lease is a shared advisory lock on the replica's listening connection. Before a writer
//! commits, it takes the turn (a second lock), notifies all listeners, and takes the lease lock
//! exclusively, so it waits until every replica has released its lease. A replica stops answering
//! from memory first, and takes its next lease after the commit.
//!
//! A replica that hangs does not release its lease. The lease expires [`TERM`] after the last
//! answer of the database, and writers wait a little longer than that.

use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use sqlx::postgres::{PgConnectOptions, PgListener, PgPoolOptions};
use sqlx::{Executor as _, Pool, query, query_scalar};
use tokio::task::AbortHandle;

use super::{Connection, Database};
use crate::mark::Mark;

/// The advisory lock that is the lease: "answers" in ASCII.
const LEASE: i64 = 0x0061_6e73_7765_7273;
/// The lock that a writer holds from before its notification until its commit.
const TURN: i64 = LEASE + 1;
const CHANNEL: &str = "opatlas_answers";
/// How long a lease lasts after the last answer of the database.
const TERM: Duration = Duration::from_secs(1);
const RENEWAL: Duration = Duration::from_millis(250);
/// How long a writer waits for replicas: more than [`TERM`].
const PATIENCE: &str = "SET LOCAL lock_timeout = '1500ms'";
const LOCK_NOT_AVAILABLE: &str = "55P03";
/// How long to wait for a connection, and between attempts.
const PAUSE: Duration = Duration::from_millis(500);

#[derive(Debug, Default)]
pub(super) struct Lease {
    held: Mutex<LeaseState>,
    task: Mutex<Option<AbortHandle>>,
}

#[derive(Debug, Default, Clone, Copy)]
struct LeaseState {
    /// The number of leases so far, which serves as the mark.
    number: u64,
    until: Option<Instant>,
    /// Whether the store is closed. The task may still be running then and must not begin a lease.
    closed: bool,
}

impl Lease {
    pub(super) fn mark(&self) -> Option<Mark> {
        let held = *self.held();
        let lasts = held.until.is_some_and(|until| Instant::now() < until);
        lasts.then(|| Mark::new(held.number))
    }

    pub(super) fn watch(self: &Arc<Self>, options: PgConnectOptions) {
        let mut task = self.task.lock().unwrap_or_else(PoisonError::into_inner);
        task.get_or_insert_with(|| {
            let lease = Arc::downgrade(self);
            tokio::spawn(take_leases(lease, options)).abort_handle()
        });
    }

    pub(super) fn close(&self) {
        let task = self.task.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(task) = &*task {
            task.abort();
        }
        let mut held = self.held();
        held.closed = true;
        held.until = None;
    }

    fn begin(&self, answered: Instant) {
        self.held().number += 1;
        self.renew(answered);
    }

    fn renew(&self, answered: Instant) {
        let mut held = self.held();
        held.until = (!held.closed).then_some(answered + TERM);
    }

    fn let_go(&self) {
        self.held().until = None;
    }

    fn held(&self) -> std::sync::MutexGuard<'_, LeaseState> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.close();
    }
}

async fn take_leases(lease: Weak<Lease>, options: PgConnectOptions) {
    loop {
        let pool = listening(options.clone());
        let ended = hold(&lease, &pool).await;
        let Some(lease) = lease.upgrade() else { return };
        lease.let_go();
        if let Err(error) = ended {
            tracing::debug!(%error, "no lease on the database; labels are read from it");
        }
        drop(lease);
        tokio::time::sleep(PAUSE).await;
    }
}

async fn hold(lease: &Weak<Lease>, pool: &Pool<Database>) -> Result<(), sqlx::Error> {
    let mut listener = PgListener::connect_with(pool).await?;
    listener.eager_reconnect(false);
    listener.listen(CHANNEL).await?;
    loop {
        let asked = Instant::now();
        take(&mut listener).await?;
        let Some(taken) = lease.upgrade() else {
            return Ok(());
        };
        taken.begin(asked);
        drop(taken);
        let asked_back = keep(lease, &mut listener).await;
        let Some(taken) = lease.upgrade() else {
            return Ok(());
        };
        // Must happen before the lock is released.
        taken.let_go();
        asked_back?;
        let release = query("SELECT pg_advisory_unlock_shared($1)").bind(LEASE);
        release.execute(&mut listener).await?;
    }
}

/// Takes the lock when no writer has the turn. One statement does both, so that a replica that
/// hangs does not keep the turn.
async fn take(listener: &mut PgListener) -> Result<(), sqlx::Error> {
    let take = query(
        "SELECT pg_advisory_lock_shared($1), pg_advisory_lock_shared($2), \
         pg_advisory_unlock_shared($1)",
    );
    take.bind(TURN).bind(LEASE).execute(listener).await?;
    Ok(())
}

/// Renews the lease until a writer is about to commit or the store is dropped.
async fn keep(lease: &Weak<Lease>, listener: &mut PgListener) -> Result<(), sqlx::Error> {
    loop {
        match tokio::time::timeout(RENEWAL, listener.try_recv()).await {
            Ok(Ok(Some(_))) => return Ok(()),
            Ok(Ok(None)) => return Err(sqlx::Error::WorkerCrashed),
            Ok(Err(error)) => return Err(error),
            Err(_) => {}
        }
        let asked = Instant::now();
        query("SELECT 1").execute(&mut *listener).await?;
        // A notification that arrived before the answer asks for the lease.
        if listener.next_buffered().is_some() {
            return Ok(());
        }
        match lease.upgrade() {
            Some(lease) => lease.renew(asked),
            None => return Ok(()),
        }
    }
}

/// Ends all leases before a transaction commits, and prevents new ones until then. `other` sends
/// the notification: a transaction would send it only when it commits.
pub(super) async fn end_all(
    work: &mut Connection,
    other: impl Future<Output = Result<sqlx::pool::PoolConnection<Database>, super::StoreError>>,
) -> Result<(), super::StoreError> {
    let turn = query("SELECT pg_advisory_xact_lock($1)").bind(TURN);
    turn.execute(&mut *work).await?;
    let nobody: bool = query_scalar("SELECT pg_try_advisory_xact_lock($1)")
        .bind(LEASE)
        .fetch_one(&mut *work)
        .await?;
    if nobody {
        return Ok(());
    }
    let notify = query("SELECT pg_notify($1, '')").bind(CHANNEL);
    notify.execute(&mut *other.await?).await?;
    work.execute("SAVEPOINT leases").await?;
    work.execute(PATIENCE).await?;
    let alone = query("SELECT pg_advisory_xact_lock($1)").bind(LEASE);
    match alone.execute(&mut *work).await {
        Ok(_) => Ok(()),
        // The leases of the remaining replicas have expired by now.
        Err(error) if is_late(&error) => {
            work.execute("ROLLBACK TO SAVEPOINT leases").await?;
            Ok(())
        }
        Err(error) => Err(error.into()),
    }
}

fn is_late(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(|error| error.code());
    code.is_some_and(|code| code == LOCK_NOT_AVAILABLE)
}

/// A pool with the one connection that listens. It is closed after use, which releases its locks.
fn listening(options: PgConnectOptions) -> Pool<Database> {
    PgPoolOptions::new()
        .max_connections(1)
        .acquire_timeout(PAUSE)
        .after_release(|_, _| Box::pin(std::future::ready(Ok(false))))
        .connect_lazy_with(options)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lease_does_not_begin_after_it_was_closed() {
        let lease = Lease::default();
        lease.begin(Instant::now());
        assert!(lease.mark().is_some());
        lease.close();
        assert_eq!(lease.mark(), None);
        // The task may have been granted the lock just before it was stopped.
        lease.begin(Instant::now());
        lease.renew(Instant::now());
        assert_eq!(lease.mark(), None);
    }
}
