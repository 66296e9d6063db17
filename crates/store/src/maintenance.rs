//! Results of maintenance.

/// The result of checking a whole store.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CheckReport {
    /// Chunks that were checked against their digests.
    pub chunks: u64,
    /// Groups that were checked against their digests.
    pub groups: u64,
    /// Files that were checked against their digests.
    pub files: u64,
    /// Revisions that were checked against their digests.
    pub revisions: u64,
    /// Labels that were checked.
    pub labels: u64,
    /// Unused chunks, groups and files.
    pub unneeded: u64,
    /// What is damaged, one sentence each.
    pub faults: Vec<String>,
    /// What is intact but should be changed, one sentence each.
    pub warnings: Vec<String>,
}

/// What was collected, or could be.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Collected {
    /// Revisions without a label, as project and digest.
    pub revisions: Vec<(String, opatlas_source::Digest)>,
    /// Files without a revision.
    pub files: u64,
    /// Groups without a file.
    pub groups: u64,
    /// Chunks without a group.
    pub chunks: u64,
}

/// Whether to collect or only count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Collect.
    Do,
    /// Only count.
    Count,
}

/// Lists what lets other users of this machine read or replace the database, one sentence each.
/// Fails with [`StoreError::Address`](super::StoreError::Address) if the address is invalid.
pub fn exposed(url: &str) -> Result<Vec<String>, super::StoreError> {
    if url.starts_with("sqlite:") {
        super::sqlite::exposed(url)
    } else {
        Ok(Vec::new())
    }
}
