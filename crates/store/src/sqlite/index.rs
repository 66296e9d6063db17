//! The index of the log of an SQLite database (`-shm`), whose head changes with every commit of
//! every process. Reading it is one call of the system, much less than a query.
//!
//! The head has 48 bytes (SQLite's documentation of the WAL-mode file format, section 2.1): among
//! them the number of the transaction, the last frame of the log, and checksums of both. A commit is
//! seen by readers from the moment on at which the head is written, so an equal head means that
//! nothing was committed.

use std::fs::{File, Metadata};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::file::Identity;
use crate::mark::Mark;

/// How long the head is, in bytes.
const HEAD: usize = 48;
/// Where in it stands that it is in use.
const IS_INIT: usize = 12;

/// Every index that is open in this process.
///
/// A process gives up all its locks on a file as soon as it closes one of its descriptors, so a
/// file that SQLite locks is opened once, however many stores there are.
static OPEN: Mutex<Vec<(Identity, Weak<File>)>> = Mutex::new(Vec::new());

/// An index that is open.
#[derive(Debug, Clone)]
pub(super) struct LogIndex(Arc<File>);

impl LogIndex {
    /// Opens the index of the log of the database in this file; none where there is none.
    #[expect(clippy::disallowed_methods, reason = "a file of the database itself")]
    pub(super) fn of(database: &Path) -> Option<Self> {
        let path = beside(database);
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|(_, file)| file.strong_count() > 0);
        let identity = Identity::of(&std::fs::metadata(&path).ok()?);
        let known = open.iter().find(|(known, _)| *known == identity);
        if let Some(known) = known.and_then(|(_, file)| file.upgrade()) {
            return Some(Self(known));
        }
        let file = Arc::new(File::open(&path).ok()?);
        let opened = Identity::of(&file.metadata().ok()?);
        open.push((opened, Arc::downgrade(&file)));
        Some(Self(file))
    }

    /// The mark of the last commit. None where the index was deleted or is not in use: SQLite then
    /// writes another one, or none.
    pub(super) fn mark(&self) -> Option<Mark> {
        let mut head = [0; HEAD];
        read_start(&self.0, &mut head)?;
        let linked = is_linked(&self.0.metadata().ok()?);
        (linked && head[IS_INIT] == 1).then(|| {
            let mut numbers = [0; HEAD / 8];
            for (number, bytes) in numbers.iter_mut().zip(head.chunks_exact(8)) {
                *number = bytes.iter().fold(0, |n, byte| n << 8 | u64::from(*byte));
            }
            Mark::new(numbers)
        })
    }
}

/// Where SQLite keeps the index of the log of a database.
fn beside(database: &Path) -> PathBuf {
    let mut path = database.as_os_str().to_owned();
    path.push("-shm");
    path.into()
}

#[cfg(unix)]
fn read_start(file: &File, head: &mut [u8]) -> Option<()> {
    use std::os::unix::fs::FileExt as _;
    file.read_exact_at(head, 0).ok()
}

#[cfg(unix)]
fn is_linked(metadata: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    metadata.nlink() > 0
}

/// Elsewhere the database is asked.
#[cfg(not(unix))]
fn read_start(_: &File, _: &mut [u8]) -> Option<()> {
    None
}

#[cfg(not(unix))]
fn is_linked(_: &Metadata) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_opened_once() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("opatlas.db");
        assert!(LogIndex::of(&database).is_none());
        let mut head = [7; HEAD];
        head[IS_INIT] = 1;
        std::fs::write(beside(&database), head).unwrap();
        let [one, other] = [(); 2].map(|()| LogIndex::of(&database).unwrap());
        assert!(Arc::ptr_eq(&one.0, &other.0));
        assert_eq!(one.mark(), other.mark());
        assert!(one.mark().is_some());
        // Not in use, and then gone.
        head[IS_INIT] = 0;
        std::fs::write(beside(&database), head).unwrap();
        assert_eq!(one.mark(), None);
        head[IS_INIT] = 1;
        std::fs::write(beside(&database), head).unwrap();
        assert!(one.mark().is_some());
        std::fs::remove_file(beside(&database)).unwrap();
        assert_eq!(one.mark(), None);
    }
}
