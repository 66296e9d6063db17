//! Limits the unsent bytes of a connection, and closes connections of clients that do not read,
//! because unsent answers hold memory. An answer is unsent until its last byte has left the buffers
//! of the connection and of HTTP/2 streams.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, HttpBody};
use axum::response::Response;
use bytes::Bytes;
use hyper::body::{Frame, SizeHint};
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::http::connections::{Connection, Unsent};
use opatlas_service::Reserved;

const PACE: usize = 256 << 10;

/// How long answers may be left unread while memory for answers is short.
const HURRY: Duration = Duration::from_secs(4);

/// The interval at which connections with unsent answers are checked.
const TICK: Duration = Duration::from_secs(1);

/// The maximum number of unsent bytes of a connection, unless they belong to one answer.
const LARGEST: usize = 64 << 20;

/// The unsent answers of a connection.
#[derive(Debug)]
pub struct OpenAnswers {
    connection: Arc<Connection>,
    open: Mutex<Open>,
    opened: Notify,
}

#[derive(Debug, Default)]
struct Open {
    next: u64,
    answers: BTreeMap<u64, Answer>,
}

#[derive(Debug, Clone, Copy)]
struct Answer {
    begun: Instant,
    bytes: usize,
}

impl OpenAnswers {
    /// The answers of a new connection.
    #[must_use]
    pub fn of(connection: Arc<Connection>) -> Self {
        Self {
            connection,
            open: Mutex::default(),
            opened: Notify::new(),
        }
    }

    pub(crate) fn connection(&self) -> &Arc<Connection> {
        &self.connection
    }

    /// Whether an answer of this size exceeds the limit, together with the unsent ones.
    #[must_use]
    pub fn is_full(&self, bytes: u64) -> bool {
        let open = self.lock();
        let there: usize = open.answers.values().map(|answer| answer.bytes).sum();
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        there > 0 && there.saturating_add(bytes) > LARGEST
    }

    /// Tracks an answer until it is sent. Keeps an `Arc<Reserved>` in its extensions as long.
    pub(crate) fn follow(self: &Arc<Self>, mut response: Response) -> Response {
        let buffers = response.extensions_mut().remove();
        response.map(|body| {
            if body.is_end_stream() {
                body
            } else {
                let bytes = body
                    .size_hint()
                    .exact()
                    .and_then(|bytes| usize::try_from(bytes).ok());
                let ticket = self.begin(bytes.unwrap_or_default(), buffers);
                let is_counted = bytes.is_some();
                Body::new(TrackedBody {
                    body,
                    ticket,
                    is_counted,
                })
            }
        })
    }

    /// Waits until an answer was left unread for longer than `patience` plus the time that its
    /// bytes take at the minimum rate, or for less while `is_short` returns true.
    pub(crate) async fn overdue(&self, patience: Duration, is_short: impl Fn() -> bool) {
        loop {
            if self.lock().answers.is_empty() {
                self.opened.notified().await;
            }
            tokio::time::sleep(TICK.min(patience)).await;
            let patience = if is_short() {
                HURRY.min(patience)
            } else {
                patience
            };
            let now = Instant::now();
            let is_late = |answer: &Answer| {
                let sending = Duration::from_secs((answer.bytes / PACE) as u64);
                now.duration_since(answer.begun) > patience + sending
            };
            if self.lock().answers.values().any(is_late) {
                return;
            }
        }
    }

    fn begin(self: &Arc<Self>, bytes: usize, buffers: Option<Arc<Reserved>>) -> Arc<Ticket> {
        let mut open = self.lock();
        let id = open.next;
        open.next += 1;
        let begun = Instant::now();
        open.answers.insert(id, Answer { begun, bytes });
        drop(open);
        self.opened.notify_one();
        Arc::new(Ticket {
            sending: Arc::clone(self),
            id,
            _buffers: buffers,
            _unsent: self.connection.send(),
        })
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Debug)]
struct Ticket {
    sending: Arc<OpenAnswers>,
    id: u64,
    _buffers: Option<Arc<Reserved>>,
    _unsent: Unsent,
}

impl Ticket {
    fn add(&self, bytes: usize) {
        if let Some(answer) = self.sending.lock().answers.get_mut(&self.id) {
            answer.bytes = answer.bytes.saturating_add(bytes);
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.sending.lock().answers.remove(&self.id);
    }
}

struct TrackedBody {
    body: Body,
    ticket: Arc<Ticket>,
    /// Whether its size was known at the start.
    is_counted: bool,
}

struct Piece {
    bytes: Bytes,
    _ticket: Arc<Ticket>,
}

impl AsRef<[u8]> for Piece {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl HttpBody for TrackedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(context);
        frame.map_ok(|frame| {
            frame.map_data(|bytes| {
                if !self.is_counted {
                    self.ticket.add(bytes.len());
                }
                Bytes::from_owner(Piece {
                    bytes,
                    _ticket: Arc::clone(&self.ticket),
                })
            })
        })
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt as _;

    use super::*;
    use crate::http::client::TrustedProxies;
    use crate::http::connections::Connections;
    use opatlas_service::Budget;

    const PATIENCE: Duration = Duration::from_millis(50);

    async fn sending() -> Arc<OpenAnswers> {
        let client = TrustedProxies::default().peer([127, 0, 0, 1].into());
        let connection = Connections::new(1, 1).add(client).await.unwrap();
        Arc::new(OpenAnswers::of(connection))
    }

    #[tokio::test]
    async fn answers_that_are_read_are_not_waited_for() {
        let sending = sending().await;
        let response = sending.follow(Response::new(Body::from("answer")));
        let read = response.into_body().collect().await.unwrap().to_bytes();
        assert!(
            !sending.lock().answers.is_empty(),
            "its bytes are still there"
        );
        drop(read);
        let waiting = sending.overdue(PATIENCE, || false);
        let waited = tokio::time::timeout(10 * PATIENCE, waiting).await;
        assert!(waited.is_err());
    }

    #[tokio::test]
    async fn answers_that_nobody_reads_are_overdue() {
        let sending = sending().await;
        let answer = Response::new(Body::from("answer"));
        let unread = sending.follow(answer).into_body().collect().await;
        sending.overdue(PATIENCE, || false).await;
        drop(unread);
        // An endless stream as well.
        let endless = futures_util::stream::pending::<Result<Bytes, std::io::Error>>();
        let _unread = sending.follow(Response::new(Body::from_stream(endless)));
        sending.overdue(PATIENCE, || true).await;
    }

    #[tokio::test]
    async fn a_connection_takes_one_large_answer_at_a_time() {
        let sending = sending().await;
        assert!(!sending.is_full(u64::MAX), "one alone is always sent");
        let large = sending.follow(Response::new(Body::from(vec![0; 1 << 20])));
        assert!(!sending.is_full(1 << 20));
        assert!(sending.is_full(64 << 20));
        drop(large);
        assert!(!sending.is_full(64 << 20));
    }

    #[tokio::test]
    async fn memory_is_reserved_until_the_last_byte_is_gone() {
        let (sending, budget) = (sending().await, Budget::new(10));
        let mut answer = Response::new(Body::from("answer"));
        let buffers = Arc::new(budget.reserve(None, 10).unwrap());
        answer.extensions_mut().insert(buffers);
        let unread = sending
            .follow(answer)
            .into_body()
            .collect()
            .await
            .unwrap()
            .to_bytes();
        assert_eq!(budget.free(), 0);
        drop(unread);
        assert_eq!(budget.free(), 10);
    }
}
