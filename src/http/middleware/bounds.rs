//! Limits on requests in progress, on the memory of their bodies, and on the memory for sending
//! answers, in total and per client. Requests beyond a limit are rejected at once.

use std::fmt;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use axum::body::{Body, HttpBody};
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use hyper::body::{Frame, SizeHint};

use crate::http::Api;
use crate::http::client::Client;
use crate::http::middleware::sending::OpenAnswers;
use opatlas_service::{Budget, Exhausted, Reserved};
use opatlas_wire::problem::{Kind, Problem};

/// The part of each body that does not count, in bytes, so that small requests always get through.
pub const SMALL_BODY: usize = 64 << 10;

/// One client may use one part in this many of a budget.
const SHARE: usize = 2;

/// How many more requests the client may have in progress.
pub const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");

/// How many requests the client may have in progress.
pub const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// The route without limits. It must answer as long as the process runs.
const HEALTH: &str = "/healthz";

/// The budgets of all requests together.
#[derive(Debug, Clone)]
pub struct Bounds {
    requests: Budget,
    bodies: Budget,
    answers: Budget,
}

/// The bytes that a body allocates while it is sent, as an extension of a response.
#[derive(Debug, Clone, Copy)]
pub struct Buffers(pub usize);

impl Bounds {
    /// The bounds of a configuration.
    #[must_use]
    pub fn of(api: &Api) -> Self {
        let config = &api.config;
        let shared = |total: usize| Budget::with_share(total, total.div_ceil(SHARE));
        Self {
            requests: shared(config.max_requests),
            bodies: shared(config.body_budget),
            answers: api.service.answer_budget().clone(),
        }
    }

    /// Adds the limit on requests in progress, in the form of the draft on rate limit headers. There
    /// is no limit per time, so there is no window.
    fn tell(&self, client: Option<IpAddr>, response: &mut Response) {
        let (limit, left) = (self.requests.limit(client), self.requests.left(client));
        let policy = format!("\"requests\";q={limit};qu=\"concurrent-requests\"");
        let now = format!("\"requests\";r={left}");
        for (name, text) in [(RATE_LIMIT_POLICY, policy), (RATE_LIMIT, now)] {
            if let Ok(value) = HeaderValue::from_str(&text) {
                response.headers_mut().insert(name, value);
            }
        }
    }

    fn reserve_buffers(
        &self,
        client: Option<IpAddr>,
        response: &mut Response,
    ) -> Result<(), Problem> {
        if let Some(Buffers(bytes)) = response.extensions_mut().remove() {
            let reserved = self
                .answers
                .reserve(client, bytes)
                .map_err(|limit| busy("too many unread answers (`--answer-memory`)", limit))?;
            response.extensions_mut().insert(Arc::new(reserved));
        }
        Ok(())
    }
}

fn busy(what: &str, limit: Exhausted) -> Problem {
    Problem::new(Kind::Busy, format!("{what}: {limit}"))
}

/// The layer. Fails with [`Kind::Busy`] if too many requests are in progress or answers unread.
pub async fn bounded(State(bounds): State<Bounds>, request: Request, next: Next) -> Response {
    if request.uri().path() == HEALTH {
        return next.run(request).await;
    }
    let client = request.extensions().get::<Client>().copied();
    let answer = within(&bounds, client, request, next).await;
    let mut response = answer.unwrap_or_else(Problem::into_response);
    bounds.tell(client.and_then(Client::unless_proxy), &mut response);
    response
}

async fn within(
    bounds: &Bounds,
    client: Option<Client>,
    request: Request,
    next: Next,
) -> Result<Response, Problem> {
    let in_progress = bounds
        .requests
        .reserve(client.and_then(Client::unless_proxy), 1);
    let _in_progress = in_progress
        .map_err(|limit| busy("too many requests in progress (`--max-requests`)", limit))?;
    let client = client.map(|client| client.address);
    let permit = BodyPermit::of(&bounds.bodies, client);
    let request = request.map(|body| {
        if body.is_end_stream() {
            body
        } else {
            Body::new(CountedBody {
                body,
                permit: permit.clone(),
            })
        }
    });
    let sending = request.extensions().get::<Arc<OpenAnswers>>().cloned();
    let expect_read = |bytes| match &sending {
        Some(sending) if sending.is_full(bytes) => Err(Problem::new(
            Kind::Busy,
            "read the pending answers on this connection first",
        )),
        _ => Ok(()),
    };
    expect_read(0)?;
    let mut response = next.run(request).await;
    expect_read(response.body().size_hint().lower())?;
    bounds.reserve_buffers(client, &mut response)?;
    // Keeps the permit while the handler may read the body.
    drop(permit);
    Ok(response)
}

#[derive(Debug, Clone)]
struct BodyPermit(Arc<Mutex<BodyMemory>>);

#[derive(Debug)]
struct BodyMemory {
    bytes: usize,
    /// For what exceeds [`SMALL_BODY`].
    reserved: Reserved,
}

impl BodyPermit {
    fn of(bodies: &Budget, client: Option<IpAddr>) -> Self {
        let reserved = bodies.empty(client);
        Self(Arc::new(Mutex::new(BodyMemory { bytes: 0, reserved })))
    }

    fn add(&self, bytes: usize) -> Result<(), OverBudget> {
        let mut memory = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let sum = memory.bytes.saturating_add(bytes);
        let large = |bytes: usize| bytes.saturating_sub(SMALL_BODY);
        let more = large(sum) - large(memory.bytes);
        memory.reserved.grow(more).map_err(OverBudget)?;
        memory.bytes = sum;
        Ok(())
    }
}

struct CountedBody {
    body: Body,
    permit: BodyPermit,
}

/// The budget is used up.
#[derive(Debug, Clone, Copy)]
pub struct OverBudget(pub Exhausted);

impl fmt::Display for OverBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "too many bodies in transfer (`--body-memory`): {}",
            self.0
        )
    }
}

impl std::error::Error for OverBudget {}

impl HttpBody for CountedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(context);
        if let Poll::Ready(Some(Ok(frame))) = &frame
            && let Some(data) = frame.data_ref()
            && let Err(over) = self.permit.add(data.len())
        {
            return Poll::Ready(Some(Err(axum::Error::new(over))));
        }
        frame
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

    fn counted(permit: &BodyPermit, bytes: usize) -> Body {
        Body::new(CountedBody {
            body: Body::from(vec![0; bytes]),
            permit: permit.clone(),
        })
    }

    #[tokio::test]
    async fn a_large_body_takes_from_the_budget_and_gives_back() {
        let budget = Budget::new(30);
        let permit = || BodyPermit::of(&budget, None);
        let first = permit();
        assert!(counted(&first, SMALL_BODY + 20).collect().await.is_ok());
        assert_eq!(budget.free(), 10);
        let error = counted(&permit(), SMALL_BODY + 11)
            .collect()
            .await
            .unwrap_err();
        assert!(error.to_string().contains("too many bodies"), "{error}");
        assert!(counted(&permit(), SMALL_BODY).collect().await.is_ok());
        assert!(counted(&first, 10).collect().await.is_ok());
        assert_eq!(budget.free(), 0);
        drop(first);
        assert_eq!(budget.free(), 30);
    }
}
