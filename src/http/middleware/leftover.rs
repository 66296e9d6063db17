//! What a client still sends after its request is answered.
//!
//! A request may be refused before its body is read, for its size above all. Most clients send the
//! whole body before they look for an answer; if the connection is closed while bytes arrive, they
//! see a broken pipe instead of the refusal. So the rest is read and thrown away, within bounds.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::http::{Version, header};
use bytes::Bytes;
use http_body_util::BodyExt as _;
use hyper::Request;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use tokio::runtime::Handle;

/// How many bytes of one body are thrown away: more than the largest body that is read has.
const LARGEST: u64 = 128 << 20;
/// For how long they are.
const LONGEST: Duration = Duration::from_secs(30);
/// How long the client may pause meanwhile.
const PAUSE: Duration = Duration::from_secs(3);

/// A body whose rest is read and thrown away when it is dropped before its end.
#[derive(Debug)]
pub struct DrainedBody {
    body: Option<Incoming>,
    /// Whether the client waits to be asked for it (`Expect: 100-continue`): it is when it is first
    /// read.
    is_awaited: bool,
}

impl DrainedBody {
    /// Follows the body of a request. Not followed are bodies that nobody sends any further: over
    /// HTTP/2 the stream is reset, and what is announced as larger than the bound would be cut off
    /// anyway.
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

/// A body that is followed, or not.
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

/// Reads a body to its end, or until a bound is reached.
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
