//! Who may read the files of an SQLite database: its owner alone, since it holds signing keys.
//!
//! SQLite gives the files beside a database (`-wal`, `-shm`, `-journal`) the mode of the database, so
//! the mode is right from the moment on at which the file is created.

use std::path::Path;

use super::address::Address;
use crate::error::StoreError;

/// Creates the file of a database, empty and private, whatever the umask. An existing file stays.
///
/// # Errors
/// [`StoreError::Unavailable`] if it cannot be created.
#[cfg(unix)]
#[expect(
    clippy::disallowed_methods,
    reason = "creates a file and reads nothing"
)]
pub(super) fn create(path: &Path) -> Result<(), StoreError> {
    use std::os::unix::fs::OpenOptionsExt as _;
    let mut options = std::fs::OpenOptions::new();
    // An existing file is not opened: closing it would give up the locks of this process on it.
    let created = options
        .write(true)
        .create_new(true)
        .mode(unix::PRIVATE)
        .open(path)
        .and_then(|file| file.set_permissions(unix::private()));
    match created {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
            Err(super::file::unavailable(&error))
        }
        _ => Ok(()),
    }
}

/// Takes other users' access to the files of a database away. What belongs to another user stays as
/// it is; [`exposed`] reports it.
#[cfg(unix)]
pub(super) fn restrict(database: &Path) {
    for (path, mode) in unix::modes(database) {
        if mode & !unix::PRIVATE == 0 {
            continue;
        }
        let restricted = std::fs::set_permissions(&path, unix::private());
        let path = path.display();
        match restricted {
            Ok(()) => tracing::warn!("changed the mode of {path} from {mode:04o} to 0600"),
            Err(error) => tracing::warn!("{path} has mode {mode:04o} instead of 0600: {error}"),
        }
    }
}

/// What lets other users read the database at an address or replace it, one sentence each.
///
/// # Errors
/// [`StoreError::Address`] if the address is invalid.
pub(crate) fn exposed(url: &str) -> Result<Vec<String>, StoreError> {
    let address = Address::parse(url)?;
    Ok(address.path().map(exposures).unwrap_or_default())
}

#[cfg(unix)]
fn exposures(database: &Path) -> Vec<String> {
    use std::os::unix::fs::PermissionsExt as _;
    let modes = unix::modes(database).into_iter();
    let modes = modes.filter(|(_, mode)| *mode != unix::PRIVATE);
    let mut exposed: Vec<String> = modes
        .map(|(path, mode)| {
            let path = path.display();
            format!(
                "`{path}` has mode {mode:04o}, and the database holds secrets; run `chmod 600 {path}`"
            )
        })
        .collect();
    let whole = std::fs::canonicalize(database).unwrap_or_default();
    if let Some(folder) = whole.parent()
        && let Ok(metadata) = folder.metadata()
        && metadata.permissions().mode() & unix::OTHERS_WRITE != 0
    {
        let folder = folder.display();
        exposed.push(format!(
            "every user can write in the folder `{folder}`, and so replace the database; run `chmod \
             o-w {folder}`, or move the database to a folder of its own"
        ));
    }
    exposed
}

#[cfg(unix)]
mod unix {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::{Path, PathBuf};

    /// Read and write for the owner.
    pub(super) const PRIVATE: u32 = 0o600;
    /// Write for everybody who is neither the owner nor in the group.
    pub(super) const OTHERS_WRITE: u32 = 0o002;
    /// The mode without the type of the file.
    const MODE: u32 = 0o7777;

    pub(super) fn private() -> Permissions {
        Permissions::from_mode(PRIVATE)
    }

    /// The files of a database that exist, with their modes. SQLite keeps them beside the database
    /// itself, not beside a link to it.
    pub(super) fn modes(database: &Path) -> Vec<(PathBuf, u32)> {
        let Ok(database) = std::fs::canonicalize(database) else {
            return Vec::new();
        };
        let files = ["", "-wal", "-shm", "-journal"].map(|suffix| {
            let mut path = database.clone().into_os_string();
            path.push(suffix);
            PathBuf::from(path)
        });
        let modes = files.into_iter().filter_map(|path| {
            let mode = path.metadata().ok()?.permissions().mode() & MODE;
            Some((path, mode))
        });
        modes.collect()
    }
}

/// Elsewhere a file has the access that its folder gives it.
#[cfg(not(unix))]
pub(super) fn create(_: &Path) -> Result<(), StoreError> {
    Ok(())
}

#[cfg(not(unix))]
pub(super) fn restrict(_: &Path) {}

#[cfg(not(unix))]
fn exposures(_: &Path) -> Vec<String> {
    Vec::new()
}
