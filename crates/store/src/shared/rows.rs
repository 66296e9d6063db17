//! Rows of the tables. A row that cannot become a record means that the database is damaged.

use crate::error::StoreError;
use crate::names::{LabelName, ProjectName};
use crate::records::{FileRecord, LabelRecord, Project};
use opatlas_pytorch::release::Release;
use opatlas_source::Digest;

/// Rows or values per statement: fewer cost round trips, more cost parsing.
pub(super) const BATCH: usize = 256;

record! {
    pub(super) struct ProjectRow {
        pub(super) id: i64,
        name: String,
        description: Option<String>,
        policy: Option<String>,
        created_at: i64,
        revisions: i64,
    }
}

record! {
    pub(super) struct RevisionRow {
        pub(super) id: i64,
        digest: Vec<u8>,
        pub(super) ingested_at: i64,
    }
}

record! {
    pub(super) struct LabelRow {
        name: String,
        pub(super) revision: i64,
        pub(super) release: Option<String>,
        moved_at: i64,
        pub(super) created_at: Option<i64>,
        pub(super) creator: Option<String>,
        digest: Vec<u8>,
    }
}

record! {
    pub(super) struct FileRow {
        pub(super) revision: i64,
        name: String,
        digest: Vec<u8>,
        bytes: i64,
    }
}

impl ProjectRow {
    pub(super) fn record(self) -> Result<Project, StoreError> {
        let name = ProjectName::parse(&self.name);
        Ok(Project {
            name: name.map_err(|error| StoreError::corrupt(error.to_string()))?,
            description: self.description,
            policy: self.policy,
            created_at: self.created_at,
            revisions: self.revisions,
        })
    }
}

impl RevisionRow {
    pub(super) fn digest(&self) -> Result<Digest, StoreError> {
        digest(&self.digest)
    }
}

impl LabelRow {
    pub(super) fn digest(&self) -> Result<Digest, StoreError> {
        digest(&self.digest)
    }

    pub(super) fn record(self) -> Result<LabelRecord, StoreError> {
        let name = LabelName::parse(&self.name);
        Ok(LabelRecord {
            name: name.map_err(|error| StoreError::corrupt(error.to_string()))?,
            digest: digest(&self.digest)?,
            sequence: self.revision,
            release: release(self.release)?,
            moved_at: self.moved_at,
            created_at: self.created_at,
            creator: self.creator,
        })
    }
}

impl FileRow {
    pub(super) fn record(self) -> Result<FileRecord, StoreError> {
        Ok(FileRecord {
            digest: digest(&self.digest)?,
            bytes: size(self.bytes, &self.name)?,
            name: self.name,
        })
    }
}

pub(super) fn digest(bytes: &[u8]) -> Result<Digest, StoreError> {
    match bytes.try_into() {
        Ok(bytes) => Ok(Digest::from_bytes(bytes)),
        Err(_) => Err(StoreError::corrupt(format!(
            "a digest has {} bytes",
            bytes.len()
        ))),
    }
}

pub(super) fn release(text: Option<String>) -> Result<Option<String>, StoreError> {
    match text {
        Some(text) if Release::parse(&text).is_err() => Err(StoreError::corrupt(format!(
            "`{}` is not a release",
            text.escape_debug()
        ))),
        text => Ok(text),
    }
}

pub(super) fn size(bytes: i64, name: &str) -> Result<u64, StoreError> {
    u64::try_from(bytes)
        .map_err(|_| StoreError::corrupt(format!("file `{name}` has {bytes} bytes")))
}
