//! The server: accepts connections, serves requests on them, and closes them.

use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::HeaderMap;
use axum::response::Response;
use hyper::body::Incoming;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio_io_timeout::TimeoutStream;

use crate::http::client::{Client, TrustedProxies};
use crate::http::connections::{Connection, Connections};
use crate::http::middleware::leftover::DrainedBody;
use crate::http::middleware::sending::OpenAnswers;

/// Limits on connections.
#[derive(Debug, Clone)]
pub struct ConnectionLimits {
    /// The maximum number of connections. At the limit, the one that has been idle longest is closed.
    pub connections: usize,
    /// The maximum number of connections of one client.
    pub per_client: usize,
    /// Trusted proxies, which may have any number.
    pub trusted: TrustedProxies,
    /// The maximum time without a whole request head.
    pub idle: Duration,
    /// The maximum time for which a client may leave an answer unread.
    pub write: Duration,
    /// The time that requests in progress get when the service stops.
    pub grace: Duration,
}

impl Default for ConnectionLimits {
    fn default() -> Self {
        Self {
            connections: 4096,
            per_client: 512,
            trusted: TrustedProxies::default(),
            idle: Duration::from_secs(75),
            write: Duration::from_secs(30),
            grace: Duration::from_secs(3),
        }
    }
}

/// The maximum size of a request's head, in bytes.
const HEAD: usize = 32 << 10;

/// The maximum number of concurrent requests of one HTTP/2 connection.
const STREAMS: u32 = 128;

/// The size of a socket's send buffer, in bytes. Without a limit, Linux grows it to 4 MiB.
pub(crate) const SOCKET_BUFFER: u32 = 256 << 10;

/// The size of the send buffer of one HTTP/2 stream, in bytes.
const STREAM_BUFFER: usize = 64 << 10;

/// The length of the queue of connections to accept.
const BACKLOG: u32 = 4096;

/// The pause when the process has run out of file descriptors.
const PAUSE: Duration = Duration::from_millis(100);

/// Listens on an address. Fails as the system does.
pub fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4(),
        SocketAddr::V6(_) => TcpSocket::new_v6(),
    }?;
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    // Accepted connections inherit it.
    socket.set_send_buffer_size(SOCKET_BUFFER)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Serves until `stop`, then finishes the requests in progress within the grace period. While
/// `is_short` returns true, clients have less time to read their answers.
pub async fn serve(
    listener: TcpListener,
    app: Router,
    limits: ConnectionLimits,
    is_short: impl Fn() -> bool + Clone + Send + Sync + 'static,
    stop: impl Future<Output = ()>,
) {
    let builder = builder();
    let graceful = GracefulShutdown::new();
    let connections = Connections::new(limits.connections, limits.per_client);
    let mut stop = std::pin::pin!(stop);
    loop {
        let (stream, peer, connection) = tokio::select! {
            accepted = accept(&listener, &connections, &limits.trusted) => match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    tracing::warn!(%error, "accepting a connection failed");
                    connections.evict();
                    tokio::time::sleep(PAUSE).await;
                    continue;
                }
            },
            () = &mut stop => break,
        };
        let server = Server {
            builder: builder.clone(),
            app: app.clone(),
            limits: limits.clone(),
            watcher: graceful.watcher(),
        };
        tokio::spawn(server.serve(stream, peer, connection, is_short.clone()));
    }
    drop(listener);
    tokio::select! {
        () = graceful.shutdown() => {}
        () = tokio::time::sleep(limits.grace) => {
            tracing::warn!("requests were still in progress at the end of the shutdown period");
        }
    }
}

struct Server {
    builder: Builder<TokioExecutor>,
    app: Router,
    limits: ConnectionLimits,
    watcher: Watcher,
}

impl Server {
    /// Serves a connection to its end. hyper has no time limits for the first bytes and for idle
    /// HTTP/2 connections.
    async fn serve(
        self,
        stream: TcpStream,
        peer: IpAddr,
        connection: Arc<Connection>,
        is_short: impl Fn() -> bool,
    ) {
        let limits = self.limits;
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(limits.write));
        let stream = TokioIo::new(Box::pin(stream));
        let sending = Arc::new(OpenAnswers::of(Arc::clone(&connection)));
        let service = TowerToHyperService::new(self.app);
        let client = move |headers: &_| limits.trusted.client(peer, headers);
        let service = following(service, client, Arc::clone(&sending));
        let served = self.builder.serve_connection(stream, service);
        tokio::select! {
            ended = self.watcher.watch(served.into_owned()) => {
                if let Err(error) = ended {
                    tracing::debug!(error, "a connection ended");
                }
            }
            () = sending.overdue(limits.write, is_short) => closed("unread"),
            () = connection.expired(limits.idle) => closed("idle"),
            () = connection.evicted() => closed("connection-limit"),
        }
    }
}

fn closed(limit: &'static str) {
    tracing::debug!(limit, "closed a connection");
    metrics::counter!("opatlas_connections_closed_total", "limit" => limit).increment(1);
}

/// The service of one connection, which follows its requests until their answers are sent.
fn following(
    service: TowerToHyperService<Router>,
    client: impl Fn(&HeaderMap) -> Client,
    sending: Arc<OpenAnswers>,
) -> impl hyper::service::Service<
    hyper::Request<Incoming>,
    Response = Response,
    Error = Infallible,
    Future: Send + 'static,
> {
    service_fn(move |mut request: hyper::Request<Incoming>| {
        let working = sending.connection().work();
        let client = client(request.headers());
        let extensions = request.extensions_mut();
        extensions.insert(client);
        extensions.insert(Arc::clone(&sending));
        let answer = service.call(DrainedBody::of(request));
        let sending = Arc::clone(&sending);
        async move {
            let response = answer.await.map(|response| sending.follow(response));
            drop(working);
            response
        }
    })
}

async fn accept(
    listener: &TcpListener,
    connections: &Arc<Connections>,
    trusted: &TrustedProxies,
) -> io::Result<(TcpStream, IpAddr, Arc<Connection>)> {
    loop {
        let (stream, peer) = listener.accept().await?;
        let peer = peer.ip();
        match connections.add(trusted.peer(peer)).await {
            Ok(connection) => {
                // It fails only if the connection is over.
                let _ = stream.set_nodelay(true);
                return Ok((stream, peer, connection));
            }
            Err(_) => closed("client-limit"),
        }
    }
}

fn builder() -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http1().max_buf_size(HEAD);
    builder
        .http2()
        .max_send_buf_size(STREAM_BUFFER)
        .max_concurrent_streams(STREAMS)
        .max_header_list_size(u32::try_from(HEAD).unwrap_or(u32::MAX));
    builder
}
