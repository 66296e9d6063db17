//! Restricts the files of an SQLite database to their owner, since it contains signing keys. SQLite
//! gives `-wal`, `-shm` and `-journal` the mode of the database when they are created.

use std::path::Path;

use super::address::Address;
use crate::error::StoreError;

/// Creates an empty, private database file, whatever the umask. Leaves an existing file alone.
/// Fails with [`StoreError::Unavailable`] if it cannot be created.
#[cfg(unix)]
#[expect(
    clippy::disallowed_methods,
    reason = "creates a file and reads nothing"
)]
pub(super) fn create(path: &Path) -> Result<(), StoreError> {
    use std::os::unix::fs::OpenOptionsExt as _;
    let mut options = std::fs::OpenOptions::new();
    // Do not open an existing file: closing it would drop this process's locks on it.
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

/// Removes the access of other users. [`exposed`] reports files of another owner.
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

/// Lists what lets other users read or replace the database, one sentence each. Fails with
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

    pub(super) const PRIVATE: u32 = 0o600;
    /// Write access for all other users.
    pub(super) const OTHERS_WRITE: u32 = 0o002;
    const MODE: u32 = 0o7777;

    pub(super) fn private() -> Permissions {
        Permissions::from_mode(PRIVATE)
    }

    /// The existing files with their modes. SQLite keeps them next to the target of a symbolic
    /// link.
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

/// Other systems derive the access to a file from its folder.
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
