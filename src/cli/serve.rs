//! `opatlas serve`: the HTTP service.

use std::io::{IsTerminal as _, Write as _};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use tokio::net::TcpListener;
use tracing_appender::non_blocking::WorkerGuard;
use tracing_subscriber::EnvFilter;

use crate::http;
use crate::service::{Ingest, Protection, Service};
use opatlas_source::Bundle;

use super::fetch::Fetcher;
use super::import::told;
use super::settings::{Access, Bounds};
use super::{Database, local, sample};

/// Serves the HTTP API.
#[derive(Debug, Args)]
pub(super) struct Serve {
    /// Address and port to listen on; port 0 selects a free port
    #[arg(
        long,
        env = "OPATLAS_LISTEN",
        default_value = "127.0.0.1:8080",
        value_name = "ADDRESS"
    )]
    listen: SocketAddr,

    /// Import this PyTorch release into an empty database first, or the sample if the download
    /// fails
    #[arg(long, value_name = "VERSION")]
    bootstrap: Option<String>,

    /// Look up and keep fetched releases in this folder
    #[arg(long, env = "OPATLAS_CACHE", value_name = "PATH")]
    cache: Option<PathBuf>,

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

/// Time for the store to close.
const CLOSING: Duration = Duration::from_secs(1);
/// The project for releases of PyTorch.
const PROJECT: &str = "pytorch";

impl Serve {
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        let auth = self.access.mode(self.listen)?;
        let _log = log_to_stderr(self.log_format);
        let service = local::open_with(&self.database, self.bounds.limits()).await?;
        service.watch();
        if let Some(version) = &self.bootstrap {
            bootstrap(&service, version, self.cache.clone()).await?;
        }
        let listener = TcpListener::bind(self.listen)
            .await
            .with_context(|| format!("cannot listen on {}", self.listen))?;
        let address = listener.local_addr()?;
        greet(&service, address).await;
        let config = self
            .bounds
            .api(&self.access, self.listen, auth, self.log_sample);
        let app = http::app(Arc::clone(&service), config);
        let figures = tokio::spawn(http::middleware::metrics::keep_up());
        let warmed = Arc::clone(&service);
        let warming = tokio::spawn(async move {
            // The first request reports any failure here.
            let _ = warmed.warm().await;
        });
        let (limits, is_short) = (self.bounds.connections(), service.answers_are_short());
        http::server::serve(listener, app, limits, is_short, asked_to_stop()).await;
        figures.abort();
        warming.abort();
        // Cancels work in progress without waiting for it.
        service.stop_work();
        let _ = tokio::time::timeout(CLOSING, service.close()).await;
        Ok(ExitCode::SUCCESS)
    }
}

/// Writes the log from a separate thread, so that a slow terminal or pipe does not slow down
/// requests. Dropping the guard writes the rest.
fn log_to_stderr(format: LogFormat) -> WorkerGuard {
    let filter = EnvFilter::try_from_env("OPATLAS_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    let (writer, guard) = tracing_appender::non_blocking(std::io::stderr());
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(writer);
    // A second subscriber would be refused; there is only this one.
    let _ = match format {
        LogFormat::Text => lines.try_init(),
        LogFormat::Json => lines.json().try_init(),
    };
    guard
}

/// Imports a release into an empty database.
async fn bootstrap(service: &Service, version: &str, cache: Option<PathBuf>) -> anyhow::Result<()> {
    if !service.projects(None, 1).await?.items.is_empty() {
        return Ok(());
    }
    eprintln!(
        "The database is empty: fetching PyTorch {version} with pip (about 100 MB, once) ..."
    );
    let wanted = version.to_owned();
    let fetched =
        tokio::task::spawn_blocking(move || Fetcher::new(None, cache)?.fetch(&wanted)).await?;
    let (label, bundle) = match fetched {
        Ok(bundle) => (version, bundle),
        Err(error) => {
            eprintln!(
                "{error}.\nServing a small sample of operators instead; `opatlas import \
                 torch=={version}` imports the real ones."
            );
            (sample::LABEL, sample::bundle())
        }
    };
    store(service, label, bundle).await
}

async fn store(service: &Service, label: &str, bundle: Bundle) -> anyhow::Result<()> {
    local::ensure_project(service, PROJECT).await?;
    let ingest = Ingest {
        project: PROJECT,
        bundle,
        label: Some(label),
        release: None,
        protection: Protection::Kept,
    };
    let taken = service.ingest(ingest).await?;
    eprintln!("{}", told(PROJECT, label, &taken.into()));
    Ok(())
}

/// Prints the address, and things to try with the stored revisions. A closed standard output does
/// not stop the service.
async fn greet(service: &Service, address: SocketAddr) {
    say(&format!("Opatlas listens on http://{address}\n"));
    say(&things_to_try(service, address).await);
}

fn say(text: &str) {
    let mut out = std::io::stdout().lock();
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

/// Waits for Ctrl-C or, on Unix, for SIGTERM.
async fn asked_to_stop() {
    let interrupt = async {
        // Where no handler can be set up there is nothing to wait for: serve until killed.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    let terminate = async {
        match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
            Ok(mut signal) => {
                signal.recv().await;
            }
            Err(_) => std::future::pending::<()>().await,
        }
    };
    #[cfg(not(unix))]
    let terminate = std::future::pending::<()>();
    tokio::select! {
        () = interrupt => {}
        () = terminate => {}
    }
}
