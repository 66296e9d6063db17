//! The open connections: their limits, which ones are idle, and which one to close for a new one.
//!
//! A connection is idle if no handler has one of its requests and no answer is unsent, even if it
//! sends half a head or pings.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use crate::http::client::Client;
use opatlas_service::{Budget, Exhausted, Reserved};

/// All open connections.
#[derive(Debug)]
pub struct Connections {
    permits: Arc<Semaphore>,
    per_client: Budget,
    closable: Mutex<Closable>,
    /// Notified when another connection can be closed to make room.
    added: Notify,
}

#[derive(Debug, Default)]
struct Closable {
    next: u64,
    order: BTreeMap<Rank, Arc<Notify>>,
}

type Rank = (Phase, u64);

/// The phase of a connection that is not working.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    /// It has not sent a whole request yet.
    Silent,
    Idle,
    Sending,
}

/// An open connection.
#[derive(Debug)]
pub struct Connection {
    all: Arc<Connections>,
    state: Mutex<State>,
    /// Notified when it becomes idle.
    idle: Notify,
    /// Notified when it must close.
    evicted: Arc<Notify>,
    _permit: OwnedSemaphorePermit,
    _share: Reserved,
}

#[derive(Debug)]
struct State {
    working: usize,
    sending: usize,
    has_asked: bool,
    since: Option<Instant>,
    rank: Option<Rank>,
}

/// A request in a handler.
#[derive(Debug)]
pub struct ActiveRequest(Arc<Connection>);

/// An answer that is not completely sent.
#[derive(Debug)]
pub struct Unsent(Arc<Connection>);

impl Connections {
    /// At most `total` connections, and `per_client` of one client.
    #[must_use]
    pub fn new(total: usize, per_client: usize) -> Arc<Self> {
        Arc::new(Self {
            permits: Arc::new(Semaphore::new(total.min(Semaphore::MAX_PERMITS))),
            per_client: Budget::with_share(usize::MAX, per_client),
            closable: Mutex::default(),
            added: Notify::new(),
        })
    }

    /// Adds a connection. At the limit, closes another one first. Fails with [`Exhausted::Share`]
    /// if the client has too many.
    pub async fn add(self: &Arc<Self>, client: Client) -> Result<Arc<Connection>, Exhausted> {
        let share = self.per_client.reserve(client.unless_proxy(), 1)?;
        let connection = Arc::new(Connection {
            all: Arc::clone(self),
            state: Mutex::new(State {
                working: 0,
                sending: 0,
                has_asked: false,
                since: None,
                rank: None,
            }),
            idle: Notify::new(),
            evicted: Arc::default(),
            _permit: self.room().await,
            _share: share,
        });
        connection.change(|_| ());
        Ok(connection)
    }

    /// Closes the first connection that can make room. Returns false if there is none.
    pub fn evict(&self) -> bool {
        let first = self.closable().order.pop_first();
        if let Some((_, evicted)) = &first {
            evicted.notify_one();
        }
        first.is_some()
    }

    async fn room(&self) -> OwnedSemaphorePermit {
        loop {
            if let Ok(permit) = Arc::clone(&self.permits).try_acquire_owned() {
                return permit;
            }
            let is_evicted = self.evict();
            tokio::select! {
                Ok(permit) = Arc::clone(&self.permits).acquire_owned() => return permit,
                () = self.added.notified(), if !is_evicted => {}
            }
        }
    }

    fn closable(&self) -> MutexGuard<'_, Closable> {
        self.closable.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Closable {
    fn add(&mut self, phase: Phase, evicted: Arc<Notify>) -> Rank {
        let rank = (phase, self.next);
        self.next += 1;
        self.order.insert(rank, evicted);
        rank
    }
}

impl Connection {
    /// A request of this connection, until the value is dropped.
    #[must_use]
    pub fn work(self: &Arc<Self>) -> ActiveRequest {
        self.change(|state| {
            state.working += 1;
            state.has_asked = true;
        });
        ActiveRequest(Arc::clone(self))
    }

    /// An answer of this connection, until the value is dropped.
    #[must_use]
    pub fn send(self: &Arc<Self>) -> Unsent {
        self.change(|state| state.sending += 1);
        Unsent(Arc::clone(self))
    }

    /// Waits until the connection has been idle for this long.
    pub async fn expired(&self, limit: Duration) {
        loop {
            let since = self.state().since;
            match since.map(|since| since + limit) {
                Some(end) if end <= Instant::now() => return,
                Some(end) => tokio::time::sleep_until(end).await,
                None => self.idle.notified().await,
            }
        }
    }

    /// Waits until the connection must make room.
    pub async fn evicted(&self) {
        self.evicted.notified().await;
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.state();
        change(&mut state);
        let phase = match (&*state, state.has_asked) {
            (State { working: 1.., .. }, _) => None,
            (State { sending: 1.., .. }, _) => Some(Phase::Sending),
            (_, true) => Some(Phase::Idle),
            (_, false) => Some(Phase::Silent),
        };
        let is_idle = matches!(phase, Some(Phase::Idle | Phase::Silent));
        state.since = is_idle.then(Instant::now);
        if is_idle {
            self.idle.notify_one();
        }
        let mut closable = self.all.closable();
        let former = state.rank;
        if former.is_some_and(|rank| closable.order.remove(&rank).is_none()) {
            // It is evicted already.
            return;
        }
        state.rank = phase.map(|phase| closable.add(phase, Arc::clone(&self.evicted)));
        if state.rank.is_some() {
            self.all.added.notify_one();
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        let rank = self.state().rank;
        if let Some(rank) = rank {
            self.all.closable().order.remove(&rank);
        }
    }
}

impl Drop for ActiveRequest {
    fn drop(&mut self) {
        self.0.change(|state| state.working -= 1);
    }
}

impl Drop for Unsent {
    fn drop(&mut self) {
        self.0.change(|state| state.sending -= 1);
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};
    use std::pin::pin;

    use super::*;
    use crate::http::client::TrustedProxies;

    const PROXY: Client = Client {
        address: IpAddr::V4(Ipv4Addr::LOCALHOST),
        is_proxy: true,
    };

    async fn add(all: &Arc<Connections>) -> Arc<Connection> {
        all.add(PROXY).await.unwrap()
    }

    async fn is_ready(future: impl Future) -> bool {
        tokio::time::timeout(Duration::ZERO, future).await.is_ok()
    }

    #[tokio::test]
    async fn silent_connections_make_room_first_and_working_ones_never() {
        let all = Connections::new(4, 4);
        let sending = add(&all).await;
        let _answer = sending.send();
        let idle = add(&all).await;
        drop(idle.work());
        let working = add(&all).await;
        let request = working.work();
        let silent = add(&all).await;
        for expected in [&silent, &idle, &sending] {
            assert!(!is_ready(all.add(PROXY)).await, "no room yet");
            assert!(is_ready(expected.evicted()).await);
            assert!(!is_ready(working.evicted()).await);
        }
        // An evicted connection is not evicted again, whatever it does.
        drop(idle.work());
        let mut next = pin!(all.add(PROXY));
        assert!(!is_ready(&mut next).await);
        assert!(!is_ready(idle.evicted()).await);
        assert!(!is_ready(working.evicted()).await);
        drop(request);
        assert!(!is_ready(&mut next).await);
        assert!(is_ready(working.evicted()).await);
        drop(working);
        assert!(next.await.is_ok());
    }

    #[tokio::test]
    async fn a_client_has_a_limit_of_its_own() {
        let all = Connections::new(10, 2);
        let client = |text: &str| TrustedProxies::default().peer(text.parse().unwrap());
        let one = client("192.0.2.1");
        let first = all.add(one).await.unwrap();
        let _second = all.add(one).await.unwrap();
        assert_eq!(all.add(one).await.unwrap_err(), Exhausted::Share);
        let _other = all.add(client("192.0.2.2")).await.unwrap();
        let _exempt = all.add(PROXY).await.unwrap();
        drop(first);
        assert!(all.add(one).await.is_ok());
    }

    #[tokio::test]
    async fn only_idle_connections_expire() {
        let all = Connections::new(1, 1);
        let connection = add(&all).await;
        assert!(is_ready(connection.expired(Duration::ZERO)).await);
        assert!(!is_ready(connection.expired(Duration::from_secs(75))).await);
        let request = connection.work();
        assert!(!is_ready(connection.expired(Duration::ZERO)).await);
        let answer = connection.send();
        drop(request);
        assert!(!is_ready(connection.expired(Duration::ZERO)).await);
        drop(answer);
        assert!(is_ready(connection.expired(Duration::ZERO)).await);
    }
}
