//! Discards what a client still sends after its request was answered.
//!
//! A request may be rejected before its body is read. Most clients send the whole body before they
//! read the answer; if the connection closed meanwhile, they would see a broken pipe instead.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::http::{Version, header};
use bytes::Bytes;
use http_body_util::BodyExt as _;
use hyper::Request;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use tokio::runtime::Handle;

/// The maximum number of bytes to discard: more than the largest accepted body.
const LARGEST: u64 = 128 << 20;
/// The maximum time to discard.
const LONGEST: Duration = Duration::from_secs(30);
/// The maximum pause of the client.
const PAUSE: Duration = Duration::from_secs(3);

/// A body whose rest is read and discarded when it is dropped.
#[derive(Debug)]
pub struct DrainedBody {
    body: Option<Incoming>,
    /// Whether the client waits with the body until it is first read (`Expect: 100-continue`).
    is_awaited: bool,
}

impl DrainedBody {
    /// Wraps the body of a request. Leaves out HTTP/2, which resets the stream, and bodies that are
    /// announced as larger than the limit.
    pub fn of(request: Request<Incoming>) -> Request<Either> {
        let headers = request.headers();
        let is_awaited = headers.contains_key(header::EXPECT);
        let is_http1 = request.version() < Version::HTTP_2;
        request.map(|body| {
            let is_huge = body.size_hint().lower() > LARGEST;
            if is_http1 && !is_huge && !body.is_end_stream() {
                Either::Right(Self {
                    body: Some(body),
                    is_awaited,
                })
            } else {
                Either::Left(body)
            }
        })
    }
}

/// The original body, or one whose rest is discarded.
pub type Either = http_body_util::Either<Incoming, DrainedBody>;

impl Body for DrainedBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        self.is_awaited = false;
        let Some(body) = &mut self.body else {
            return Poll::Ready(None);
        };
        let frame = Pin::new(body).poll_frame(context);
        if matches!(frame, Poll::Ready(None | Some(Err(_)))) {
            self.body = None;
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        match &self.body {
            Some(body) => body.size_hint(),
            None => SizeHint::with_exact(0),
        }
    }
}

impl Drop for DrainedBody {
    fn drop(&mut self) {
        let rest = self
            .body
            .take()
            .filter(|body| !self.is_awaited && !body.is_end_stream());
        if let (Some(rest), Ok(runtime)) = (rest, Handle::try_current()) {
            runtime.spawn(tokio::time::timeout(LONGEST, discard(rest)));
        }
    }
}

/// Reads a body to its end or to a limit.
async fn discard(mut body: Incoming) {
    let mut left = LARGEST;
    while let Ok(Some(Ok(frame))) = tokio::time::timeout(PAUSE, body.frame()).await {
        let bytes = frame.data_ref().map_or(0, Bytes::len) as u64;
        match left.checked_sub(bytes) {
            Some(rest) => left = rest,
            None => return,
        }
    }
}
