//! `opatlas serve`: the HTTP service.

use std::io::Write as _;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::EnvFilter;

use crate::http;
use opatlas_service::Service;

use super::bootstrap::{Bootstrap, PROJECT};
use super::fetch::refuse_pip;
use super::files::room_for_connections;
use super::interrupt::asked_to_stop;
use super::memory::use_small_pages;
use super::settings::{Access, Bounds, listen_address};
use super::{Database, colour, health, local, output};
use opatlas_report::findings::Colour;

/// Serves the HTTP API.
#[derive(Debug, Args)]
pub(super) struct Serve {
    /// Address and port to listen on, such as 127.0.0.1:8080 or localhost:8080; port 0 selects a
    /// free port
    #[arg(
        long,
        env = "OPATLAS_LISTEN",
        default_value = "127.0.0.1:8080",
        value_name = "ADDRESS",
        value_parser = listen_address
    )]
    listen: SocketAddr,

    /// Ask the server at that address whether it is ready, instead of starting one: exits with 0 if it
    /// is, and with 1 if not. For the health check of a container
    #[arg(long)]
    health: bool,

    /// Import this PyTorch release into an empty database. Until it is fetched, the server has a
    /// small sample of operators
    #[arg(long, value_name = "VERSION")]
    bootstrap: Option<String>,

    /// Look up and keep fetched releases in this folder
    #[arg(long, env = "OPATLAS_CACHE", value_name = "PATH")]
    cache: Option<PathBuf>,

    /// No longer used
    #[arg(long, env = "OPATLAS_PIP", value_name = "COMMAND", hide = true)]
    pip: Option<String>,

    /// The format of log lines
    #[arg(long, env = "OPATLAS_LOG_FORMAT", value_enum, default_value_t = LogFormat::Text)]
    log_format: LogFormat,

    /// Log one in N requests; failures are always logged
    #[arg(
        long,
        env = "OPATLAS_LOG_SAMPLE",
        value_name = "N",
        default_value_t = 1
    )]
    log_sample: u32,

    #[command(flatten)]
    database: Database,

    #[command(flatten)]
    access: Access,

    #[command(flatten)]
    bounds: Bounds,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum LogFormat {
    Text,
    Json,
}

const CLOSING: Duration = Duration::from_secs(1);

impl Serve {
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        if self.health {
            let listen = self.listen;
            return tokio::task::spawn_blocking(move || Ok(health::ask(listen))).await?;
        }
        refuse_pip(self.pip.as_deref())?;
        let auth = self.access.mode(self.listen)?;
        let _log = log_to_stderr(self.log_format);
        use_small_pages();
        let router = tokio::task::spawn_blocking(http::router);
        let service = local::open_with(&self.database, self.bounds.limits()).await?;
        service.watch();
        let fetching = match self.bootstrap {
            Some(version) => {
                let bootstrap = Bootstrap {
                    version,
                    cache: self.cache,
                };
                bootstrap.begin(&service).await?
            }
            None => None,
        };
        let listener = http::server::listen(self.listen)
            .with_context(|| format!("cannot listen on {}", self.listen))?;
        let address = listener.local_addr()?;
        // A supervisor may send a signal as soon as it sees the address, which is printed next.
        let asked_to_stop = asked_to_stop();
        say(&format!("Opatlas listens on http://{address}\n"));
        let config = self
            .bounds
            .api(&self.access, self.listen, auth, self.log_sample);
        let app = http::app_of(router.await?, Arc::clone(&service), config);
        let figures = tokio::spawn(http::middleware::metrics::keep_up());
        let warmed = Arc::clone(&service);
        let warming = tokio::spawn(async move {
            say(&things_to_try(&warmed, address).await);
            // A failure here is reported by the first request.
            let _ = warmed.warm().await;
        });
        let (asked, stop) = tokio::sync::oneshot::channel::<()>();
        let fetching = fetching.map(|fetching| {
            let fetched = fetching.run(Arc::clone(&service));
            tokio::spawn(async move {
                tokio::select! {
                    () = fetched => {}
                    // The server has stopped.
                    _ = stop => {}
                }
            })
        });
        let (mut limits, is_short) = (self.bounds.connections(), service.answers_are_short());
        limits.connections = limits.connections.min(room_for_connections());
        let stop_asked = async {
            asked_to_stop.await;
        };
        http::server::serve(listener, app, limits, is_short, stop_asked).await;
        figures.abort();
        warming.abort();
        drop(asked);
        if let Some(fetching) = fetching {
            let _ = fetching.await;
        }
        // Cancels work in progress without waiting for it.
        service.stop_work();
        let _ = tokio::time::timeout(CLOSING, service.close()).await;
        Ok(ExitCode::SUCCESS)
    }
}

/// The number of log lines that may wait to be written; more are dropped.
const LINES_WAITING: usize = 8_192;

/// Writes the log from a separate thread, so that a slow terminal or pipe does not slow down
/// requests. Dropping the guard writes the rest.
fn log_to_stderr(format: LogFormat) -> WorkerGuard {
    let filter = EnvFilter::try_from_env("OPATLAS_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    let writer = NonBlockingBuilder::default().buffered_lines_limit(LINES_WAITING);
    let (writer, guard) = writer.finish(std::io::stderr());
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(colour::is_wanted(&std::io::stderr()))
        .with_writer(writer);
    // This is the only subscriber, so it cannot fail.
    let _ = match format {
        LogFormat::Text => lines.try_init(),
        LogFormat::Json => lines.json().try_init(),
    };
    guard
}

/// Prints a text. A closed standard output does not stop the service.
fn say(text: &str) {
    let mut out = std::io::stdout().lock();
    let text = output::harmless(text, Colour::Never);
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

async fn things_to_try(service: &Service, address: SocketAddr) -> String {
    let Ok(resolved) = service.resolve(PROJECT, "latest", None).await else {
        return "The database is empty; try `opatlas import torch==2.15.0`.\n".to_owned();
    };
    let operator = match service.snapshot(&resolved).await {
        Ok(snapshot) if snapshot.catalogue.find("add.Tensor").is_some() => "add.Tensor",
        _ => "blend.Tensor",
    };
    let latest = format!("http://{address}/v1/projects/{PROJECT}/revisions/latest");
    format!(
        "The latest revision is {title}. Three things to try:\n  curl \
         {latest}/operators/{operator}\n  curl '{latest}/operators?q=norm&kind=out&limit=5'\n  \
         curl {latest}/findings\nThe whole API: http://{address}/openapi.json\n",
        title = resolved.title()
    )
}
