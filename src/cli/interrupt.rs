//! Ctrl-C and SIGTERM: work that is interrupted removes what it wrote beside its result.

use std::future::Future;
use std::process::ExitCode;

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

/// Waits for Ctrl-C or, on Unix, for SIGTERM. Gives the exit code that stands for it.
pub(super) async fn asked_to_stop() -> u8 {
    let interrupt = async {
        // Where no handler can be set up there is nothing to wait for.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        INTERRUPTED
    };
    #[cfg(unix)]
    let terminate = async {
        match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
            Ok(mut signal) => {
                signal.recv().await;
            }
            Err(_) => std::future::pending::<()>().await,
        }
        TERMINATED
    };
    #[cfg(not(unix))]
    let terminate = std::future::pending::<u8>();
    tokio::select! {
        code = interrupt => code,
        code = terminate => code,
    }
}
