//! The database file: whether it exists, belongs to Opatlas, was replaced, and has room.

use std::fs::{self, Metadata};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _, SqliteConnection, query_as, query_scalar};

use super::BUSY_TIMEOUT;
use super::address::Address;
use crate::error::{StoreError, Unusable};
use crate::migrations;
use crate::opening::Opening;

/// How many bytes the disk must accept for the database to count as writable.
const ROOM: usize = 64 << 10;

/// An opened file. If it is replaced, SQLite keeps writing to the old file, and the writes are
/// lost.
#[derive(Debug, Clone)]
pub(super) struct DatabaseFile {
    path: PathBuf,
    identity: Identity,
    /// Whether it has a `-wal` file, which must not disappear either.
    has_log: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Identity {
    device: u64,
    number: u64,
}

impl Identity {
    #[cfg(unix)]
    fn of(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt as _;
        Self {
            device: metadata.dev(),
            number: metadata.ino(),
        }
    }

    /// Without file numbers only a missing file is detected.
    #[cfg(not(unix))]
    fn of(_: &Metadata) -> Self {
        Self {
            device: 0,
            number: 0,
        }
    }
}

impl DatabaseFile {
    /// Identifies an open file. Fails with [`StoreError::Detached`] if it was deleted.
    pub(super) fn of(path: &Path) -> Result<Self, StoreError> {
        let metadata = fs::metadata(path).map_err(|_| gone("deleted"))?;
        Ok(Self {
            path: path.to_owned(),
            identity: Identity::of(&metadata),
            has_log: log_of(path).exists(),
        })
    }

    /// Fails with [`StoreError::Detached`] if the file was deleted or replaced.
    pub(super) fn expect(&self) -> Result<(), StoreError> {
        match fs::metadata(&self.path) {
            Ok(metadata) if Identity::of(&metadata) == self.identity => Ok(()),
            Ok(_) => Err(gone("replaced")),
            Err(error) if error.kind() == ErrorKind::NotFound => Err(gone("deleted")),
            Err(error) => Err(unavailable(&error)),
        }
    }

    /// Like [`DatabaseFile::expect`], and checks that the log still exists.
    pub(super) fn expect_with_log(&self) -> Result<(), StoreError> {
        self.expect()?;
        if self.has_log && !log_of(&self.path).exists() {
            Err(gone("separated from its `-wal` file, which was deleted"))
        } else {
            Ok(())
        }
    }

    /// Writes a temporary file, because a transaction that is rolled back never reaches the disk.
    /// Fails with [`StoreError::Unavailable`] if the disk is full or read-only.
    pub(super) fn expect_room(&self) -> Result<(), StoreError> {
        let written = tempfile::tempfile_in(folder_of(&self.path))
            .and_then(|mut file| file.write_all(&[0; ROOM]));
        match written {
            Ok(()) => Ok(()),
            // Files that are already open can still be written.
            Err(error) if error.kind() == ErrorKind::PermissionDenied => Ok(()),
            Err(error) => Err(unavailable(&error)),
        }
    }
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

fn log_of(path: &Path) -> PathBuf {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    log.into()
}

fn gone(how: &str) -> StoreError {
    StoreError::Detached {
        how: how.to_owned(),
    }
}

pub(super) fn unavailable(error: &std::io::Error) -> StoreError {
    let what = match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "the disk is full".to_owned(),
        ErrorKind::ReadOnlyFilesystem => "its disk is read-only".to_owned(),
        _ => format!("its files cannot be written: {error}"),
    };
    StoreError::Unavailable { what, source: None }
}

/// Rejects a file that is not an Opatlas database or cannot be used as it is. Leaves no trace.
/// Fails with [`Unusable`], [`StoreError::TooNew`], [`StoreError::Corrupt`],
/// [`StoreError::Unavailable`].
pub(super) async fn judge(address: &Address, opening: Opening) -> Result<(), StoreError> {
    if !has_content(address, opening)? {
        return Ok(());
    }
    let had_log = has_log(address);
    let applied = match look(address, had_log, opening).await {
        // A writer started in the meantime. A reader that ignores the log does not see it.
        Err(_) if !had_log && has_log(address) => look(address, true, opening).await,
        applied => applied,
    };
    applied?.judge(address, opening)
}

/// Like [`judge`], on a connection that will be used for reading.
pub(super) async fn judge_by(
    connection: &mut SqliteConnection,
    address: &Address,
) -> Result<(), StoreError> {
    let applied = applied(connection, Opening::Read).await?;
    applied.judge(address, Opening::Read)
}

/// Whether the file has content to check. Fails with [`Unusable`] if it is missing or empty and
/// must not be created.
pub(super) fn has_content(address: &Address, opening: Opening) -> Result<bool, StoreError> {
    let place = || address.shown();
    let unusable = match address.path().map(fs::metadata) {
        Some(Ok(metadata)) if metadata.len() > 0 => return Ok(true),
        Some(Ok(_)) => Unusable::Foreign { place: place() },
        Some(Err(error)) if error.kind() != ErrorKind::NotFound => return Ok(false),
        None | Some(Err(_)) => Unusable::Absent { place: place() },
    };
    match opening {
        Opening::Make => Ok(false),
        _ => Err(unusable.into()),
    }
}

/// Reads the applied migrations. Ignores an absent log, which a normal reader would create.
async fn look(
    address: &Address,
    has_log: bool,
    opening: Opening,
) -> Result<AppliedMigrations, StoreError> {
    let options = address.options.clone().create_if_missing(false);
    let options = options
        .read_only(true)
        .immutable(!has_log)
        .busy_timeout(BUSY_TIMEOUT)
        .disable_statement_logging();
    let mut connection = options.connect().await?;
    let applied = applied(&mut connection, opening).await;
    connection.close().await?;
    applied
}

fn has_log(address: &Address) -> bool {
    address.path().is_some_and(|path| log_of(path).exists())
}

pub(super) fn reading(address: &Address, options: SqliteConnectOptions) -> SqliteConnectOptions {
    let options = options.create_if_missing(false);
    if has_log(address) {
        // Keep what is in the log.
        options.read_only(true)
    } else {
        // Only a process with write access can remove the log that a reader needs.
        options.pragma("query_only", "ON")
    }
}

enum AppliedMigrations {
    Empty,
    Foreign,
    Migrations(Vec<(i64, Vec<u8>)>),
}

impl AppliedMigrations {
    fn judge(self, address: &Address, opening: Opening) -> Result<(), StoreError> {
        let place = address.shown();
        match self {
            Self::Empty => Ok(()),
            Self::Foreign => Err(Unusable::Foreign { place }.into()),
            Self::Migrations(applied) => opening.judge(&place, &applied, &migrations::SQLITE),
        }
    }
}

async fn applied(
    connection: &mut SqliteConnection,
    opening: Opening,
) -> Result<AppliedMigrations, StoreError> {
    let migrations = query_as("SELECT version, checksum FROM _sqlx_migrations ORDER BY version");
    let unread = match migrations.fetch_all(&mut *connection).await {
        Ok(migrations) => return Ok(AppliedMigrations::Migrations(migrations)),
        Err(error) => error,
    };
    let tables: Vec<String> =
        query_scalar("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')")
            .fetch_all(connection)
            .await?;
    match tables.iter().any(|table| table == "_sqlx_migrations") {
        true => Err(unread.into()),
        false if tables.is_empty() && opening == Opening::Make => Ok(AppliedMigrations::Empty),
        false => Ok(AppliedMigrations::Foreign),
    }
}
