//! Connections: how many, how long they may keep silent, and how they end.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::response::Response;
use hyper::body::Incoming;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_io_timeout::TimeoutStream;

use crate::http::middleware::leftover::Drained;
use crate::http::middleware::sending::Sending;

/// What connections may cost.
#[derive(Debug, Clone)]
pub struct ConnectionLimits {
    /// How many there may be; others wait to be accepted.
    pub connections: usize,
    /// How long a connection may be silent before and between requests, and how long the head of a
    /// request may take.
    pub idle: Duration,
    /// How long a client may leave an answer unread.
    pub write: Duration,
    /// How long requests under way may take once the service is asked to stop.
    pub grace: Duration,
}

impl Default for ConnectionLimits {
    fn default() -> Self {
        Self {
            connections: 8192,
            idle: Duration::from_secs(75),
            write: Duration::from_secs(30),
            grace: Duration::from_secs(3),
        }
    }
}

/// The greatest head of a request, in bytes.
const HEAD: usize = 32 << 10;

/// How many requests one HTTP/2 connection may have under way.
const STREAMS: u32 = 128;

/// How long to wait when the process has no file descriptor left.
const PAUSE: Duration = Duration::from_millis(100);

/// Serves until `stop`, and then until what was begun is done, or the grace is over. While
/// `is_short` says that memory for answers is, clients have less time to read theirs.
pub async fn serve(
    listener: TcpListener,
    app: Router,
    limits: ConnectionLimits,
    is_short: impl Fn() -> bool + Clone + Send + Sync + 'static,
    stop: impl Future<Output = ()>,
) {
    let builder = builder(&limits);
    let graceful = GracefulShutdown::new();
    let permits = Arc::new(Semaphore::new(limits.connections));
    let mut stop = std::pin::pin!(stop);
    loop {
        let (stream, permit) = tokio::select! {
            accepted = accept(&listener, &permits) => match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    tracing::warn!(%error, "accepting a connection failed");
                    tokio::time::sleep(PAUSE).await;
                    continue;
                }
            },
            () = &mut stop => break,
        };
        let (builder, watcher) = (builder.clone(), graceful.watcher());
        let service = TowerToHyperService::new(app.clone());
        let (limits, is_short) = (limits.clone(), is_short.clone());
        tokio::spawn(async move {
            let _permit = permit;
            // The builder's own timer does not cover clients that send nothing at all.
            match tokio::time::timeout(limits.idle, stream.peek(&mut [0])).await {
                Ok(Ok(1..)) => {}
                _ => return,
            }
            let mut stream = TimeoutStream::new(stream);
            stream.set_write_timeout(Some(limits.write));
            let stream = TokioIo::new(Box::pin(stream));
            let sending = Arc::new(Sending::default());
            let service = following(service, Arc::clone(&sending));
            let connection = builder.serve_connection(stream, service);
            tokio::select! {
                ended = watcher.watch(connection.into_owned()) => {
                    if let Err(error) = ended {
                        tracing::debug!(error, "a connection ended");
                    }
                }
                () = sending.overdue(limits.write, is_short) => {
                    tracing::info!("a client did not read its answers, so its connection was \
                                    closed");
                }
            }
        });
    }
    drop(listener);
    tokio::select! {
        () = graceful.shutdown() => {}
        () = tokio::time::sleep(limits.grace) => {
            tracing::warn!("requests were still in progress at the end of the shutdown period");
        }
    }
}

/// The service of one connection, which follows its answers until they are sent.
fn following(
    service: TowerToHyperService<Router>,
    sending: Arc<Sending>,
) -> impl hyper::service::Service<
    hyper::Request<Incoming>,
    Response = Response,
    Error = Infallible,
    Future: Send + 'static,
> {
    service_fn(move |mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(Arc::clone(&sending));
        let answer = service.call(Drained::of(request));
        let sending = Arc::clone(&sending);
        async move { answer.await.map(|response| sending.follow(response)) }
    })
}

async fn accept(
    listener: &TcpListener,
    permits: &Arc<Semaphore>,
) -> io::Result<(TcpStream, OwnedSemaphorePermit)> {
    let permit = Arc::clone(permits).acquire_owned().await;
    let permit = permit.map_err(io::Error::other)?;
    let (stream, _) = listener.accept().await?;
    stream.set_nodelay(true)?;
    Ok((stream, permit))
}

fn builder(limits: &ConnectionLimits) -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.idle)
        .max_buf_size(HEAD);
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(Some(limits.idle))
        .keep_alive_timeout(limits.write)
        .max_concurrent_streams(STREAMS)
        .max_header_list_size(u32::try_from(HEAD).unwrap_or(u32::MAX));
    builder
}
