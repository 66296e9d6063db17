//! Ctrl-C and SIGTERM: interrupted work removes its temporary files.

use std::future::Future;
use std::process::ExitCode;

#[cfg(unix)]
use tokio::signal::unix::{SignalKind, signal};

const INTERRUPTED: u8 = 130;
#[cfg(unix)]
const TERMINATED: u8 = 143;

/// Runs work until it is done or the program is asked to stop. Dropping the work removes its
/// temporary files and processes.
pub(super) async fn unless_asked_to_stop(
    work: impl Future<Output = anyhow::Result<ExitCode>>,
) -> anyhow::Result<ExitCode> {
    tokio::select! {
        done = work => done,
        code = asked_to_stop() => {
            eprintln!("interrupted");
            Ok(ExitCode::from(code))
        }
    }
}

/// Installs the handlers before the first poll. Returns the exit code.
#[cfg(unix)]
pub(super) fn asked_to_stop() -> impl Future<Output = u8> {
    let interrupt = told(SignalKind::interrupt(), INTERRUPTED);
    let terminate = told(SignalKind::terminate(), TERMINATED);
    async {
        tokio::select! {
            code = interrupt => code,
            code = terminate => code,
        }
    }
}

#[cfg(unix)]
fn told(kind: SignalKind, code: u8) -> impl Future<Output = u8> {
    let handler = signal(kind);
    async move {
        match handler {
            Ok(mut signal) => signal.recv().await,
            Err(_) => std::future::pending().await,
        };
        code
    }
}

#[cfg(not(unix))]
pub(super) async fn asked_to_stop() -> u8 {
    // Without a handler, there is nothing to wait for.
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
    INTERRUPTED
}
