//! Ctrl-C and SIGTERM: work that is interrupted removes what it wrote beside its result.

use std::future::Future;
use std::process::ExitCode;

#[cfg(unix)]
use tokio::signal::unix::{SignalKind, signal};

/// What shells report for programs that SIGINT and SIGTERM end: 128 and the signal's number.
const INTERRUPTED: u8 = 130;
#[cfg(unix)]
const TERMINATED: u8 = 143;

/// Runs work until it is done or the program is asked to stop. Then the work is dropped, and with it
/// its temporary files and processes.
///
/// # Errors
/// Those of the work.
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

/// Waits for Ctrl-C or, on Unix, for SIGTERM. Gives the exit code that stands for it. The handlers are
/// set up by the call: what comes before the first poll counts.
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

/// Waits for a signal, from the call on. Where no handler can be set up there is nothing to wait for.
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

/// Waits for Ctrl-C. Gives the exit code that stands for it.
#[cfg(not(unix))]
pub(super) async fn asked_to_stop() -> u8 {
    // Where no handler can be set up there is nothing to wait for.
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
    INTERRUPTED
}
