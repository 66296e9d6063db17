//! What comes of looking after a store.

/// What a check of the whole store found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CheckReport {
    /// Chunks whose bytes were compared with their digests.
    pub chunks: u64,
    /// Groups whose chunks are there and are those that it was made of.
    pub groups: u64,
    /// Files put together and compared with their digests.
    pub files: u64,
    /// Revisions whose files are there and are those that it was made of.
    pub revisions: u64,
    /// Labels whose revisions are there.
    pub labels: u64,
    /// Chunks, groups and files that nothing needs any more.
    pub unneeded: u64,
    /// What is damaged, one sentence each.
    pub faults: Vec<String>,
    /// What is intact and should be changed all the same, one sentence each.
    pub warnings: Vec<String>,
}

/// What can be collected, or was.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Collected {
    /// Revisions that no label names: the project and the digest of each.
    pub revisions: Vec<(String, opatlas_source::Digest)>,
    /// Files that no revision has any more.
    pub files: u64,
    /// Groups that no file has any more.
    pub groups: u64,
    /// Chunks that no group has any more.
    pub chunks: u64,
}

/// Whether something is done or only counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// It is done.
    Do,
    /// It is only counted.
    Count,
}

/// What lets other users of this machine read the database at an address or replace it, one sentence
/// each. A server such as PostgreSQL guards its files itself.
///
/// # Errors
/// [`StoreError::Address`](super::StoreError::Address) if the address is invalid.
pub fn exposed(url: &str) -> Result<Vec<String>, super::StoreError> {
    match url.starts_with("sqlite:") {
        true => super::sqlite::exposed(url),
        false => Ok(Vec::new()),
    }
}
