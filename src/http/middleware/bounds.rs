//! How much goes on at once: requests under way, and bytes of bodies in memory. What is beyond is
//! refused at once, so that what was begun is finished.

use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use axum::body::{Body, HttpBody};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use bytes::Bytes;
use hyper::body::{Frame, SizeHint};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::http::ApiConfig;
use crate::http::middleware::sending::Sending;
use crate::wire::problem::{Kind, Problem};

/// What the whole HTTP side may have under way.
#[derive(Debug, Clone)]
pub struct Bounds {
    requests: Arc<Semaphore>,
    /// In units of [`UNIT`] bytes.
    bodies: Arc<Semaphore>,
}

/// A semaphore counts to 2^29 in places with small words; bytes are counted in these.
const UNIT: usize = 1 << 10;

impl Bounds {
    /// The bounds of a configuration.
    #[must_use]
    pub fn of(config: &ApiConfig) -> Self {
        Self {
            requests: Arc::new(Semaphore::new(config.max_requests)),
            bodies: Arc::new(Semaphore::new(config.body_budget.div_ceil(UNIT))),
        }
    }
}

/// The layer.
///
/// # Errors
/// [`Kind::Busy`] when too many requests are under way.
pub async fn bounded(
    State(bounds): State<Bounds>,
    request: Request,
    next: Next,
) -> Result<Response, Problem> {
    let Ok(_permit) = bounds.requests.try_acquire() else {
        return Err(Problem::new(Kind::Busy, "too many requests are under way"));
    };
    let held = BodyPermit::default();
    let mut request = request.map(|body| match body.is_end_stream() {
        true => body,
        false => Body::new(Counted {
            body,
            budget: Arc::clone(&bounds.bodies),
            held: held.clone(),
        }),
    });
    request.extensions_mut().insert(held.clone());
    let sending = request.extensions().get::<Arc<Sending>>().cloned();
    let is_full = |bytes| {
        sending
            .as_ref()
            .is_some_and(|sending| sending.is_full(bytes))
    };
    let unread = || Problem::new(Kind::Busy, "read what this connection was answered before");
    if is_full(0) {
        return Err(unread());
    }
    let response = next.run(request).await;
    if is_full(response.body().size_hint().lower()) {
        return Err(unread());
    }
    // What was read may be in use until here.
    drop(held);
    Ok(response)
}

/// The part of the budget that one request holds.
#[derive(Debug, Clone, Default)]
pub struct BodyPermit(Arc<Mutex<Option<OwnedSemaphorePermit>>>);

impl BodyPermit {
    /// Gives back what is more than these bytes: whoever reads a body may keep less than it had.
    pub fn keep(&self, bytes: usize) {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(held) = held.as_mut() {
            let spare = held.num_permits().saturating_sub(bytes.div_ceil(UNIT));
            drop(held.split(spare));
        }
    }
}

/// A body that takes from the budget what it brings.
struct Counted {
    body: Body,
    budget: Arc<Semaphore>,
    held: BodyPermit,
}

/// The budget is used up.
#[derive(Debug)]
pub struct OverBudget;

impl fmt::Display for OverBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("too many bodies are being read")
    }
}

impl std::error::Error for OverBudget {}

impl Counted {
    fn take(&self, bytes: usize) -> Result<(), OverBudget> {
        let units = u32::try_from(bytes.div_ceil(UNIT)).map_err(|_| OverBudget)?;
        let taken = Arc::clone(&self.budget).try_acquire_many_owned(units);
        let taken = taken.map_err(|_| OverBudget)?;
        let mut held = self.held.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *held {
            Some(held) => held.merge(taken),
            none => *none = Some(taken),
        }
        Ok(())
    }
}

impl HttpBody for Counted {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(context);
        if let Poll::Ready(Some(Ok(frame))) = &frame
            && let Some(data) = frame.data_ref()
            && let Err(over) = self.take(data.len())
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

    #[tokio::test]
    async fn a_body_takes_from_the_budget_and_gives_back() {
        let budget = Arc::new(Semaphore::new(3));
        let counted = |held: &BodyPermit| {
            Body::new(Counted {
                body: Body::from(vec![0; 2 * UNIT]),
                budget: Arc::clone(&budget),
                held: held.clone(),
            })
        };
        let held = BodyPermit::default();
        assert!(counted(&held).collect().await.is_ok());
        assert_eq!(budget.available_permits(), 1);
        let error = counted(&BodyPermit::default()).collect().await.unwrap_err();
        assert!(error.to_string().contains("too many bodies"), "{error}");
        held.keep(UNIT);
        assert_eq!(budget.available_permits(), 2);
        held.keep(2 * UNIT);
        assert_eq!(budget.available_permits(), 2);
        drop(held);
        assert_eq!(budget.available_permits(), 3);
        assert!(counted(&BodyPermit::default()).collect().await.is_ok());
    }
}
