//! The limit on open files.

/// The number of files that a server opens besides its connections: the database, its log, pipes.
#[cfg(target_os = "linux")]
const OTHERS: u64 = 256;

/// Raises the limit on open files. Returns the number of connections that it leaves room for.
#[cfg(target_os = "linux")]
pub(super) fn room_for_connections() -> usize {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        ..limit
    };
    // On failure, the limit stays as it is.
    let _ = setrlimit(Resource::Nofile, raised);
    match getrlimit(Resource::Nofile).current {
        Some(files) => usize::try_from(files.saturating_sub(OTHERS).max(1)).unwrap_or(usize::MAX),
        None => usize::MAX,
    }
}

/// On other systems the limit is unknown.
#[cfg(not(target_os = "linux"))]
pub(super) fn room_for_connections() -> usize {
    usize::MAX
}
