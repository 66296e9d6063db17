//! The file of an SQLite database, as the file system has it: whether it is there, is one of
//! Opatlas, is still the one that was opened, and has room.

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

/// How many bytes the disk must take for the database to count as writable: more than a small
/// change needs.
const ROOM: usize = 64 << 10;

/// The opened file. SQLite continues with a deleted or replaced file, and its writes are lost when
/// the process ends.
#[derive(Debug, Clone)]
pub(super) struct DatabaseFile {
    path: PathBuf,
    identity: Identity,
    /// Whether changes go to a log beside it, which must be there as well.
    has_log: bool,
}

/// The identity of a file among others of the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Identity {
    device: u64,
    number: u64,
}

impl Identity {
    #[cfg(unix)]
    pub(super) fn of(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt as _;
        Self {
            device: metadata.dev(),
            number: metadata.ino(),
        }
    }

    /// Where files have no numbers, only a missing file is detected.
    #[cfg(not(unix))]
    pub(super) fn of(_: &Metadata) -> Self {
        Self {
            device: 0,
            number: 0,
        }
    }
}

impl DatabaseFile {
    /// Remembers a file that is open.
    ///
    /// # Errors
    /// [`StoreError::Detached`] if the file was removed.
    pub(super) fn of(path: &Path) -> Result<Self, StoreError> {
        let metadata = fs::metadata(path).map_err(|_| gone("deleted"))?;
        Ok(Self {
            path: path.to_owned(),
            identity: Identity::of(&metadata),
            has_log: log_of(path).exists(),
        })
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Finds that it is still there.
    ///
    /// # Errors
    /// [`StoreError::Detached`].
    pub(super) fn expect(&self) -> Result<(), StoreError> {
        match fs::metadata(&self.path) {
            Ok(metadata) if Identity::of(&metadata) == self.identity => Ok(()),
            Ok(_) => Err(gone("replaced")),
            Err(error) if error.kind() == ErrorKind::NotFound => Err(gone("deleted")),
            Err(error) => Err(unavailable(&error)),
        }
    }

    /// The same after a change, which is in the log.
    ///
    /// # Errors
    /// [`StoreError::Detached`].
    pub(super) fn expect_with_log(&self) -> Result<(), StoreError> {
        self.expect()?;
        match self.has_log && !log_of(&self.path).exists() {
            true => Err(gone("separated from its `-wal` file, which was deleted")),
            false => Ok(()),
        }
    }

    /// Writes to the disk that it is on, and leaves nothing there: a change that is rolled back
    /// never gets as far as the disk.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] when the disk is full or can only be read.
    pub(super) fn expect_room(&self) -> Result<(), StoreError> {
        let written = tempfile::tempfile_in(folder_of(&self.path))
            .and_then(|mut file| file.write_all(&[0; ROOM]));
        match written {
            Ok(()) => Ok(()),
            // The files that are open already can be written all the same.
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

/// Where SQLite keeps the log of a database.
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

/// Refuses a file that is not a database of Opatlas, or not one that can be used as it is. Nothing
/// is changed, made or left behind.
///
/// # Errors
/// [`Unusable`], [`StoreError::TooNew`], [`StoreError::Corrupt`], [`StoreError::Unavailable`].
pub(super) async fn judge(address: &Address, opening: Opening) -> Result<(), StoreError> {
    if !has_content(address, opening)? {
        return Ok(());
    }
    let had_log = has_log(address);
    let applied = match look(address, had_log, opening).await {
        // Somebody has begun to write in the meantime, whom a reader without a log does not heed.
        Err(_) if !had_log && has_log(address) => look(address, true, opening).await,
        applied => applied,
    };
    applied?.judge(address, opening)
}

/// The same by a connection that is going to read from it.
///
/// # Errors
/// As [`judge`].
pub(super) async fn judge_by(
    connection: &mut SqliteConnection,
    address: &Address,
) -> Result<(), StoreError> {
    let applied = applied(connection, Opening::Read).await?;
    applied.judge(address, Opening::Read)
}

/// Whether the file has something to judge. If not, it is to be made, or SQLite reports what is wrong
/// with its path.
///
/// # Errors
/// [`Unusable`] if it is absent or empty and must not be made.
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

/// Reads the migrations of a database. Without a log file no process has the database open, and a
/// reader would create one and leave it behind.
async fn look(address: &Address, has_log: bool, opening: Opening) -> Result<Applied, StoreError> {
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

/// The options of the connections of a store that only reads.
pub(super) fn reading(address: &Address, options: SqliteConnectOptions) -> SqliteConnectOptions {
    let options = options.create_if_missing(false);
    match has_log(address) {
        // What is in the log stays there.
        true => options.read_only(true),
        // Only a process with write access removes the log that a reader needs.
        false => options.pragma("query_only", "ON"),
    }
}

/// What a database says of its migrations.
enum Applied {
    /// It has no tables.
    Empty,
    /// It has tables of another program.
    Foreign,
    /// Their numbers and checksums.
    Migrations(Vec<(i64, Vec<u8>)>),
}

impl Applied {
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
) -> Result<Applied, StoreError> {
    let migrations = query_as("SELECT version, checksum FROM _sqlx_migrations ORDER BY version");
    let unread = match migrations.fetch_all(&mut *connection).await {
        Ok(migrations) => return Ok(Applied::Migrations(migrations)),
        Err(error) => error,
    };
    let tables: Vec<String> =
        query_scalar("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')")
            .fetch_all(connection)
            .await?;
    match tables.iter().any(|table| table == "_sqlx_migrations") {
        true => Err(unread.into()),
        false if tables.is_empty() && opening == Opening::Make => Ok(Applied::Empty),
        false => Ok(Applied::Foreign),
    }
}
