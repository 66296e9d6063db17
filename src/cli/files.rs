//! How many files the process may have open.

/// How many files a server opens besides its connections: of the database, of its log, of pipes.
#[cfg(target_os = "linux")]
const OTHERS: u64 = 256;

/// Raises the limit of the system on open files as far as it allows. Returns how many connections it
/// leaves room for. A server without a file to open could neither read its database nor accept a
/// connection.
#[cfg(target_os = "linux")]
pub(super) fn room_for_connections() -> usize {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        ..limit
    };
    // Where it is not possible, the limit stays as it is.
    let _ = setrlimit(Resource::Nofile, raised);
    match getrlimit(Resource::Nofile).current {
        Some(files) => usize::try_from(files.saturating_sub(OTHERS).max(1)).unwrap_or(usize::MAX),
        None => usize::MAX,
    }
}

/// Elsewhere the limit is not known.
#[cfg(not(target_os = "linux"))]
pub(super) fn room_for_connections() -> usize {
    usize::MAX
}
